/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a uevent, as given by udev's environment, to an entry in the queue. It runs once an event in
 * a udev worker: it takes no lock, opens no device, starts no process, and makes few system calls.
 * It needs only libc.
 */
#pragma once

#include "base/err.h"

enum lea_enqueue_outcome {
	LEA_ENQUEUE_CLOSED = 1, /* the gate is closed: all devices will be reconciled later */
	LEA_ENQUEUE_NOT_OURS,	/* no block device, or an action of no interest */
	LEA_ENQUEUE_INVALID,	/* number or name is malformed */
};

/*
 * lea_enqueue_event - queue what @environ_ says of one device
 * @run_dir: "/run/lvm"; created if missing
 * Returns 0, an outcome, or -errno (-ENOSPC: /run is full).
 */
LEA_MUST_CHECK int lea_enqueue_event(const char *run_dir, char *const environ_[]);

/*
 * lea_enqueue_main - the enqueue program
 * @argv: options of pvscan are ignored; devices may follow; --run-dir DIR replaces /run/lvm
 * Returns the exit code: 0 done or gate closed, 3 wrong option, 5 failed. Errors go to /dev/kmsg,
 * since udev discards the output of the programs it runs.
 */
LEA_MUST_CHECK int lea_enqueue_main(int argc, char *argv[], char *const environ_[]);
