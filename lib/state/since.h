/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The moment at which event activation took charge of a running system, as text in event/since:
 * microseconds of the monotonic clock, like udev's USEC_INITIALIZED, and the highest DISKSEQ of that
 * moment (0: the kernel numbers no disks). For a device that came into use earlier, only an add
 * event activates anything. A loop device that gets a file later has a higher DISKSEQ. libc only.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_SINCE_FILE "since" /* below /run/lvm/event */

enum lea_since_outcome {
	LEA_SINCE_EARLIER = 1, /* a moment is stored, or this boot was armed; nothing written */
	LEA_SINCE_BEFORE,      /* the device came into use before that */
};

/* Stores the moment, unless an earlier one applies. @run_fd: /run/lvm, @event_fd: /run/lvm/event. 0,
 * LEA_SINCE_EARLIER or -errno. Does not log. */
LEA_MUST_CHECK int lea_since_write(int run_fd, int event_fd, uint64_t now_us, uint64_t diskseq);

/*
 * lea_since_ask - did the device come into use before event activation took charge?
 * @initialized: USEC_INITIALIZED in decimal; NULL or no number: udev sees the device for the first
 *               time
 * @diskseq:     of the device; 0: none
 * LEA_SINCE_BEFORE, 0, or -errno: that cannot be read. One system call if no moment is stored,
 * otherwise three.
 */
LEA_MUST_CHECK int lea_since_ask(int run_fd, const char *initialized, uint64_t diskseq);
