/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What another process does, for people. */
#pragma once

#include "world/world.h"

#include <stddef.h>
#include <sys/types.h>

/* Adds "COMMAND LINE (pid N, for 240 s)" to @text, and the child that it waits for, if there is
 * one. Adds nothing if the process has ended. Reads /proc, nothing of which waits. */
void lea_explain_process(struct lea_world *world, pid_t pid, char *text, size_t text_bytes);
