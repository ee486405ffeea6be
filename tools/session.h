/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts a session for lvmevent's subcommands; turns faults into exit codes. */
#pragma once

#include "daemon/session.h"

/* Reads the settings and opens the queue. Returns 0 or an exit code (logged). Call lea_session_end
 * in every case. */
LEA_MUST_CHECK int lea_tool_begin(struct lea_world *world, struct lea_session *session);
/* Opens the queue alone, for commands without settings. Returns 0 or an exit code (logged). */
LEA_MUST_CHECK int lea_tool_open_queue(struct lea_session *session);
/* Logs "WHAT: FAULT" as an error; returns the exit code. */
int lea_tool_fail(struct lea_world *world, int fault, const char *what);
