/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent enable and disable */
#pragma once

#include "base/err.h"
#include "world/world.h"

/* Each returns an exit code. */
int lea_lvmevent_enable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_disable(struct lea_world *world, int argc, char *argv[]);

/* Whose pvscan and vgchange people get who type them: "pvscan is lvm2's, vgchange is lvmevent's", as
 * far as /usr/local/sbin decides it. */
#define LEA_ENABLE_COMMANDS_BYTES 96U
void lea_enable_describe_commands(const char *root,
				  char ret_text[static LEA_ENABLE_COMMANDS_BYTES]);

/*
 * lea_enable_renew - if lvmevent is in charge by the links of an earlier version, replace them
 * For an upgrade, also of a system that does not run. Prints and logs as enable does. 0 or -errno.
 */
LEA_MUST_CHECK int lea_enable_renew(struct lea_world *world);
