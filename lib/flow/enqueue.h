/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A uevent, as udev's environment tells it, to a pending entry. It runs once per event inside
 * a udev worker: no lock, no device, no other process; a few system calls. libc only.
 */
#ifndef LEA_FLOW_ENQUEUE_H
#define LEA_FLOW_ENQUEUE_H

#include "base/err.h"

enum lea_enqueue_outcome {
	LEA_ENQUEUE_CLOSED = 1, /* the gate is closed: somebody else will look at all devices */
	LEA_ENQUEUE_NOT_OURS,	/* no block device, or an action that tells nothing */
	LEA_ENQUEUE_INVALID,	/* number or name make no sense */
};

/*
 * lea_enqueue_event - publish what @environ_ says of one device
 * @run_dir: "/run/lvm", made if it is not there
 * Returns 0, an outcome, or -errno (-ENOSPC: /run is full).
 */
LEA_MUST_CHECK int lea_enqueue_event(const char *run_dir, char *const environ_[]);

/* The same for a device named by a person: "/dev/sdb" or "8:16". */
LEA_MUST_CHECK int lea_enqueue_device(const char *run_dir, const char *device);

/*
 * lea_enqueue_main - arguments to exit code: 0 done or gate closed, 3 wrong option, 5 failed (said
 * on /dev/kmsg, since nobody reads the output of what udev runs)
 * @argv: options of pvscan are skipped; devices may follow; --run-dir DIR in place of /run/lvm
 */
LEA_MUST_CHECK int lea_enqueue_main(int argc, char *argv[], char *const environ_[]);

#endif
