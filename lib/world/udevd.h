/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "world/world.h"

#include <stdbool.h>

/*
 * lea_udevd_runs - has systemd started this system's udevd?
 * False also where that cannot be told: without the unified hierarchy of control groups, or if the
 * unit is in another slice. Its socket says nothing: systemd makes it earlier. Two system calls or
 * more. Does not log. Source: systemd's control group interface, cgroups(7), cgroup.events.
 */
bool lea_udevd_runs(struct lea_world *world);
