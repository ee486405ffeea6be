/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled-in defaults of the installed lvm2, where they differ from those of the lvm2 at build
 * time: a small file in lvm.conf's syntax, which lea_conf_read uses as the weakest source.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

/* Below the world's root. The second file survives a reboot, if its file system is mounted
 * early. */
#define LEA_LVM_DEFAULTS_RUN   "/run/lvm/event/lvm-defaults"
#define LEA_LVM_DEFAULTS_CACHE "/var/cache/lvmevent/lvm-defaults"

/*
 * lea_lvm_defaults_update - bring that file up to date
 * @lvm_path: the real lvm
 * Takes one stat if lvm is the one of the build (same size and mtime). Otherwise uses the answer of
 * an earlier call, if it was from this lvm; else runs `lvm lvmconfig`, once per lvm, and logs each
 * default that differs. If lvm is missing or has no lvmconfig, nothing changes. Blocks while
 * lvmconfig runs (which reads no device). 0 or -errno: compiled-in defaults stay in force.
 */
LEA_MUST_CHECK int lea_lvm_defaults_update(struct lea_world *world, const char *lvm_path);

/*
 * lea_lvm_defaults_compare - the differing defaults, as text of such a file
 * @answer: output of `lvmconfig --type default`; modified
 * @stamp:  identifies the lvm that printed it
 * Pure except for the log. 0 with *ret_text (owned), -EINVAL (not such output) or -ENOMEM.
 */
LEA_MUST_CHECK int lea_lvm_defaults_compare(struct lea_log *log, char *answer, const char *stamp,
					    char **ret_text);
