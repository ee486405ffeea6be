/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flag says that a living process does something: a record lock on a file of event/, gone with
 * its holder, and not inherited by children. The file holds the pid for people. libc only.
 */
#ifndef LEA_STATE_FLAG_H
#define LEA_STATE_FLAG_H

#include "base/err.h"

#include <stdbool.h>

#define LEA_FLAG_RUNNER	  "lock" /* works on the queue */
#define LEA_FLAG_RESIDENT "runner" /* the runner that stays, also while it sleeps */
#define LEA_FLAG_BOOT	  "boot"   /* the boot pass: listens to udev while the gate is closed */

enum lea_flag_outcome {
	LEA_FLAG_HELD = 1, /* by somebody else */
};
/*
 * lea_flag_raise - 0 with *ret_fd (owned), LEA_FLAG_HELD, or -errno
 * @event_fd: /run/lvm/event
 * It falls when the process closes any descriptor of that file: one that holds a flag does not ask
 * whether it is up.
 */
LEA_MUST_CHECK int lea_flag_raise(int event_fd, const char *name, int *ret_fd);
/* The same for a process that only wants to be seen, for as long as it lives: several may. Its
 * descriptor can't be written to, so that /run can be made read-only meanwhile. 0 or -errno. */
LEA_MUST_CHECK int lea_flag_show(int event_fd, const char *name, int *ret_fd);
/* The answer is old when it comes. */
bool lea_flag_is_up(int event_fd, const char *name);

#endif
