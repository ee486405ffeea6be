/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent-failed@VG.service: what an administrator wants to run when a VG has failed. As installed
 * the unit does nothing, and is not started either: somebody must have added to it first.
 */
#pragma once

#include "world/manager.h"
#include "world/world.h"

/* Units to start. Zeroed: none. */
struct lea_failed_units {
	char unit[LEA_MANAGER_UNITS_MOST][LEA_UNIT_BYTES];
	size_t count;
};

/*
 * lea_failed_units_add - note the VG's unit, if anything was added to it
 * Some system calls; when there are many units, starts them. To be called after the VG's claim says
 * why it failed, once for each failure: a caller that is killed before the start starts none. Does
 * not log.
 */
void lea_failed_units_add(struct lea_failed_units *units, const struct lea_world *world,
			  const char *vg);
/* Starts those that are noted, by one process, which is not waited for. None is noted then. */
void lea_failed_units_start(struct lea_failed_units *units, const struct lea_world *world);
