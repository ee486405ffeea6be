/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled-in defaults of the lvm2 that is installed now, where they differ from those of the lvm2
 * that this program was built beside: a small file in lvm.conf's syntax, which lea_conf_read takes
 * as the weakest source.
 */
#ifndef LEA_WORLD_LVM_DEFAULTS_H
#define LEA_WORLD_LVM_DEFAULTS_H

#include "base/err.h"
#include "world/world.h"

/* Below the world's root. The second one outlives a boot, if its file system is there early. */
#define LEA_LVM_DEFAULTS_RUN   "/run/lvm/event/lvm-defaults"
#define LEA_LVM_DEFAULTS_CACHE "/var/cache/lvmevent/lvm-defaults"

/*
 * lea_lvm_defaults_update - bring that file up to date
 * @lvm_path: the real lvm
 * One stat while lvm is the one of the build, by size and time of change. Else the answer of an
 * earlier call is used, if it was of this lvm; else `lvm lvmconfig` runs, once per lvm. Each
 * default that differs is logged then. An lvm that is not there, or has no lvmconfig, changes nothing.
 * Blocks while lvmconfig runs (it reads no device). 0 or -errno: compiled-in values stay in force.
 */
LEA_MUST_CHECK int lea_lvm_defaults_update(struct lea_world *world, const char *lvm_path);

/*
 * lea_lvm_defaults_compare - what differs, as text of such a file
 * @answer: what `lvmconfig --type default` prints; written to
 * @stamp:  of the lvm that was asked
 * Pure but for the log. *ret_text: owned. 0, -EINVAL: no such answer, or -ENOMEM.
 */
LEA_MUST_CHECK int lea_lvm_defaults_compare(struct lea_log *log, char *answer, const char *stamp,
					    char **ret_text);

#endif
