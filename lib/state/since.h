/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time at which event activation took charge of a running system: event/since, in microseconds
 * of the monotonic clock, like udev's USEC_INITIALIZED. For a device that udev initialized earlier,
 * only an add event activates anything. libc only.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_SINCE_FILE "since" /* below /run/lvm/event */

enum lea_since_outcome {
	LEA_SINCE_EARLIER = 1, /* a time exists, or this boot was armed; nothing written */
};

/* Stores @now_us, unless an earlier time applies. @run_fd: /run/lvm, @event_fd: /run/lvm/event. 0,
 * LEA_SINCE_EARLIER or -errno. Does not log. */
LEA_MUST_CHECK int lea_since_write(int run_fd, int event_fd, uint64_t now_us);

/*
 * lea_since_predates - did udev initialize the device before event activation took charge?
 * @initialized: USEC_INITIALIZED in decimal; NULL or no number: udev sees the device for the first
 *               time
 * One system call if there is no such time, otherwise three.
 */
bool lea_since_predates(int run_fd, const char *initialized);
