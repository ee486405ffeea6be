/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's bounds of `lvmevent throttle`, for containers: these share its queues, and have
 * settings and CPUs of their own, or none. The link event/throttle-bounds, "SLOTS PER_VG WAIT_MS
 * ROOT": made by the runner; ROOT is the root folder whose settings they are.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "world/world.h"

#include <stdint.h>

struct lea_throttle_bounds {
	uint32_t slots, per_vg, wait_ms; /* per_vg 0: no such bound; wait 0: forever */
};

/* Those of @conf, on this machine. */
struct lea_throttle_bounds lea_throttle_bounds_of(const struct lea_conf *conf);
/* Publishes them. 0 or -errno. */
LEA_MUST_CHECK int lea_throttle_bounds_write(struct lea_world *world, int event_fd,
					     const struct lea_conf *conf);
/*
 * lea_throttle_bounds_find - which ones hold here?
 * @conf: the settings that we see; they hold where our root is that of the link, or there is none
 * One system call without a link, else two.
 */
struct lea_throttle_bounds lea_throttle_bounds_find(struct lea_world *world, int event_fd,
						    const struct lea_conf *conf);
