/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends process 1's wait for devices of what the boot needs, when it is useless (progress.h). Their
 * own limit, by lvmevent-generator, is an hour, since process 1 knows of no progress. After the
 * boot it ends the waits of later mounts in the same way.
 *
 * The state is only when the wait began and what has come so far, so a process that takes over
 * begins with what it finds: the boot's wait goes on from its beginning, the last progress is now.
 * If none takes over, the hour is the bound.
 */
#pragma once

#include "conf/conf.h"
#include "daemon/progress.h"
#include "memory/device_limit.h"
#include "memory/need.h"
#include "world/manager.h"
#include "world/world.h"

/* After the first call: the coldplug keeps process 1 busy. */
#define LEA_WAIT_END_FIRST_MS LEA_DEVICE_LIMIT_LEAST_MS
/* Between two looks while a device is waited for; longer than the silence after which the runner is
 * idle, which each look interrupts. */
#define LEA_WAIT_END_LOOK_MS  15000U
#define LEA_WAIT_END_REST_MS  60000U /* the same while none is */

/* Zeroed at first. */
struct lea_wait_end {
	uint64_t next_ms;  /* when to look again; 0: not known yet */
	bool has_rested;   /* process 1 waited for none */
	bool is_waiting;   /* process 1, for a device; then: */
	uint64_t begin_ms; /* since when */
	uint64_t limit_ms; /* systemd's for a device; UINT64_MAX: none */
	struct lea_progress progress;
};

/*
 * lea_wait_end_step - end the wait if it is time
 * @needs: NULL: does nothing
 * Asks process 1 only if the device of a need is not there. Logs what was given up, also on the
 * console. Returns the ms after which to call it again; -1: never. Blocks for some seconds if
 * process 1 does not answer.
 */
int lea_wait_end_step(struct lea_wait_end *end, struct lea_world *world,
		      const struct lea_needs *needs);

/*
 * lea_wait_end_at_limit - end the waits of the boot whose limits are over
 * For a process that cannot work, as it learned when it started: it has no state. As if these limits were systemd's, they count from the start of the boot, and no
 * progress counts: there is nobody who could make any. After the boot it ends none. Otherwise as
 * above. False: the boot is over.
 */
bool lea_wait_end_at_limit(struct lea_world *world, const struct lea_conf *conf);
