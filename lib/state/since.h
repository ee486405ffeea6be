/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Since when event activation is in charge, where that was not from the boot on: event/since holds
 * microseconds of the monotonic clock, as udev counts USEC_INITIALIZED. No event of a device that
 * udev had finished with before activates anything but an add. libc only.
 */
#ifndef LEA_STATE_SINCE_H
#define LEA_STATE_SINCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_SINCE_FILE "since" /* below /run/lvm/event */

enum lea_since_outcome {
	LEA_SINCE_EARLIER = 1, /* there is a time already, or the boot was armed: it stays */
};

/* Notes @now_us, unless an earlier time counts. @run_fd: /run/lvm, @event_fd: its event folder.
 * 0, LEA_SINCE_EARLIER or -errno. Does not log. */
LEA_MUST_CHECK int lea_since_write(int run_fd, int event_fd, uint64_t now_us);

/*
 * lea_since_predates - was the device there before event activation was in charge?
 * @initialized: USEC_INITIALIZED in decimal; NULL or no number: udev meets it for the first time
 * One system call where there is no such time, three where there is one.
 */
bool lea_since_predates(int run_fd, const char *initialized);

#endif
