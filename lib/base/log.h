/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people. base, state, disk and policy return faults and do not log; the callers,
 * which know the device and the VG, log each fault once.
 */
#pragma once

#include "base/err.h"

#include <stdarg.h>

/*
 * PRINT is output that the user of a command asked for. The other levels follow syslog. VERBOSE
 * shows with -v, DEBUG with -vvv.
 */
enum lea_log_level {
	LEA_LOG_ERROR,
	LEA_LOG_WARNING,
	LEA_LOG_PRINT,
	LEA_LOG_VERBOSE,
	LEA_LOG_DEBUG,
};

/* Sink of messages. @write gets one line without newline or other control characters; tests capture
 * it. */
struct lea_log {
	void (*write)(struct lea_log *log, enum lea_log_level level, const char *line);
	enum lea_log_level max_level; /* lines above this level are not formatted */
};

/* Writes one line, at most 4095 bytes. NULL as @log: no message; so for lea_log_fault. */
void lea_log(struct lea_log *log, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);

/*
 * lea_log_fault - log an error line that ends in the fault's cause
 * @fault: < 0; returned unchanged, so that logging and returning is one expression:
 *         return lea_log_fault(log, r, "PV %s: reading label", name);
 */
int lea_log_fault(struct lea_log *log, int fault, const char *format, ...) LEA_PRINTF(3, 4);
