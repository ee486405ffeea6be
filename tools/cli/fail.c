/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fail.h"

int lea_tool_fail(struct lea_world *world, int fault, const char *what)
{
	lea_log_fault(world->log, fault, "%s", what);
	return LEA_EXIT_FAILED;
}
