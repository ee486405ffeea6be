/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restarts the resident process in place. The process stays the same, so the service manager is not
 * involved.
 */
#pragma once

#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>

/* Is the system ID the host name, and has that changed? No other notification says so. */
bool lea_restart_host_renamed(const struct lea_conf *conf);

/* Executes this program's path as "run --stay". Returns only on failure, with the exit code. */
int lea_restart(struct lea_world *world, bool compare);
