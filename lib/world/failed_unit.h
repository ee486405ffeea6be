/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent-failed@VG.service: what an administrator wants to run when a VG has failed. As installed
 * the unit does nothing, and is not started either: somebody must have added to it first.
 */
#pragma once

#include "world/world.h"

/*
 * lea_failed_unit_start - start the VG's unit, if anything was added to it
 * Some system calls, and if there is anything a process that is not waited for. To be called after
 * the VG's claim says why it failed, once for each failure: a caller that is killed in between
 * starts none. Does not log.
 */
void lea_failed_unit_start(const struct lea_world *world, const char *vg);
