/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that this process executes, and the file that is at its path now: a package
 * manager puts a new file there. Libraries are not watched: what restarts services after an upgrade
 * of a library (needrestart) restarts ours, too.
 */
#pragma once

#include "world/world.h"

#include <limits.h>
#include <stdbool.h>

/* The path of our program, which may have been replaced; "/proc/self/exe" if that path is not
 * executable. */
void lea_program_path(struct lea_world *world, char ret_path[static PATH_MAX]);

/* Is another file that can be executed at the path of our program? */
bool lea_program_is_replaced(struct lea_world *world);
