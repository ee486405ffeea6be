/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restarts the resident process in place when its program or its settings have changed. The process
 * stays the same, so the service manager is not involved.
 */
#pragma once

#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_restart;

/* Notes the state of program and settings, and which children remain from before the restart. Call
 * it before the first child is started. Returns NULL (logged) if changes cannot be noticed; the
 * other functions accept NULL. */
struct lea_restart *lea_restart_note(struct lea_world *world, const struct lea_conf *conf);
void lea_restart_free(struct lea_restart *restart);

/* For an idle process: reaps children from before the restart. Have program or libraries
 * changed? */
bool lea_restart_at_rest(struct lea_restart *restart);
/* For a process about to work: have settings changed without a notification? */
bool lea_restart_at_work(const struct lea_restart *restart);

/* Executes this program's path as "run --stay". Returns only on failure, with the exit code. */
int lea_restart(struct lea_world *world, bool compare);
