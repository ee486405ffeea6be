/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flag shows that a living process performs a role: a record lock (fcntl) on a file in event/.
 * The kernel drops it when the process dies; children do not inherit it. The file holds the pid,
 * for people. libc only.
 */
#pragma once

#include "base/err.h"

#define LEA_FLAG_RUNNER	  "lock"   /* processes the queue */
#define LEA_FLAG_RESIDENT "runner" /* the resident runner, also while it sleeps */
#define LEA_FLAG_BOOT	  "boot"   /* the boot scan: listens to udev while the gate is closed */
#define LEA_FLAG_NEEDED	  "needed" /* activates what the boot needs, before the coldplug */

enum lea_flag_outcome {
	LEA_FLAG_HELD = 1, /* another process holds the flag */
};
/*
 * lea_flag_raise - raise a flag exclusively
 * @event_fd: /run/lvm/event
 * Returns 0 with *ret_fd (owned), LEA_FLAG_HELD or -errno. The flag falls when the process closes
 * any descriptor of that file; so a process must not call lea_flag_ask for a flag that it holds.
 */
LEA_MUST_CHECK int lea_flag_raise(int event_fd, const char *name, int *ret_fd);
/* The same for a flag that several processes may raise. The descriptor is read-only, so that /run
 * can be remounted read-only. 0 or -errno. */
LEA_MUST_CHECK int lea_flag_show(int event_fd, const char *name, int *ret_fd);
/* Is the flag up? 1: yes, 0: no, or a shortage (base/err.h): not known. Only a snapshot: the state
 * may change at any time. */
LEA_MUST_CHECK int lea_flag_ask(int event_fd, const char *name);
