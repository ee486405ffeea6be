/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns a fault into an exit code. */
#pragma once

#include "base/exit.h"
#include "world/world.h"

/* Logs "WHAT: FAULT" as an error; returns the exit code. */
int lea_tool_fail(struct lea_world *world, int fault, const char *what);
