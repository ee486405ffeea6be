/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where this process runs. In a chroot, /run, udev and the service manager often belong to the
 * system outside; a container may see the host's disks. We must not act on either.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>

enum lea_place {
	LEA_PLACE_CHROOT = 1, /* / is not the root of process 1, or /proc is not mounted */
	LEA_PLACE_CONTAINER,  /* systemd as process 1 says so */
};

/*
 * lea_place_check - may this process act on the running system?
 * Returns 0 or an outcome. Also 0 if the kernel denies the answer (a service with restricted
 * capabilities may not read process 1's root). At most four system calls. Does not log. Source:
 * proc(5), /proc/PID/root; systemd's container interface, /run/systemd/container.
 */
LEA_MUST_CHECK int lea_place_check(struct lea_world *world);
/* Is it proved that this is neither? For what may do without the running system. */
bool lea_place_is_machine(struct lea_world *world);
/* "a chroot", "a container", for messages. */
const char *lea_place_name(int place);
