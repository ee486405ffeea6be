/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where this process runs. In a chroot /run is often the one of the system outside, and so are udev
 * and the service manager; a container may have the host's disks. Neither is ours to act on.
 */
#ifndef LEA_WORLD_PLACE_H
#define LEA_WORLD_PLACE_H

#include "base/err.h"
#include "world/world.h"

enum lea_place {
	LEA_PLACE_CHROOT = 1, /* / is not the root of process 1, or /proc is not mounted */
	LEA_PLACE_CONTAINER,  /* process 1 is a systemd that says so */
};

/*
 * lea_place_check - may this process act on the running system?
 * Returns 0 or an outcome; 0 as well where the kernel does not tell (a service with a bounded set
 * of capabilities may not look at process 1). At most four system calls. Does not log.
 * Source: proc(5), /proc/PID/root; systemd's container interface, /run/systemd/container.
 */
LEA_MUST_CHECK int lea_place_check(struct lea_world *world);
/* "a chroot", "a container": for people. */
const char *lea_place_name(int place);

#endif
