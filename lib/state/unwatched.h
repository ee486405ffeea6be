/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that are active and that dmeventd does not watch yet, since it did not run: an empty file
 * event/unwatched/<VG UUID> each. Whoever tells dmeventd of the VG removes it; it outlives us.
 */
#ifndef LEA_STATE_UNWATCHED_H
#define LEA_STATE_UNWATCHED_H

#include "base/err.h"

#include <stdbool.h>

/* @run_fd: /run/lvm. @vg_id: 32 characters. */

LEA_MUST_CHECK int lea_unwatched_note(int run_fd, const char *vg_id);
bool lea_unwatched_is_noted(int run_fd, const char *vg_id);
/* Absent is fine. */
LEA_MUST_CHECK int lea_unwatched_drop(int run_fd, const char *vg_id);
/* It had its turn: if it is still there when everything is done, telling was of no use. */
LEA_MUST_CHECK int lea_unwatched_set_asked(int run_fd, const char *vg_id);

/* All of them, in any order: a non-zero return of @tell ends the walk and is returned. One system
 * call when there was never one. */
LEA_MUST_CHECK int
lea_unwatched_each(int run_fd, int (*tell)(void *arg, const char *vg_id, bool is_asked), void *arg);

#endif
