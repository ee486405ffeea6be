/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Active VGs that dmeventd does not monitor yet, because it was not running: an empty file
 * event/unwatched/<VG UUID> each. The file outlives our processes; the process that registers the
 * VG with dmeventd removes it.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* @run_fd: /run/lvm. @vg_id: 32 characters. int functions return 0 or -errno; -EINVAL: bad id. */

/* Creates the file; fine if it exists. */
LEA_MUST_CHECK int lea_monitor_deferred_note(int run_fd, const char *vg_id);
/* Does the file exist, and was registration attempted? */
bool lea_monitor_deferred_is_asked(int run_fd, const char *vg_id);
/* Not an error if the file does not exist. */
LEA_MUST_CHECK int lea_monitor_deferred_drop(int run_fd, const char *vg_id);
/* Marks that registration was attempted. If the mark is still set at the end, the attempt
 * failed. */
LEA_MUST_CHECK int lea_monitor_deferred_set_asked(int run_fd, const char *vg_id);

/* Calls @tell for each file, in any order; its non-zero return ends the walk and is returned. One
 * system call if there never was such a file. */
LEA_MUST_CHECK int
lea_monitor_deferred_each(int run_fd, int (*tell)(void *arg, const char *vg_id, bool is_asked),
			  void *arg);
