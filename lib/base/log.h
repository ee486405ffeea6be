/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people. Only flow and tools log above debug, because only they know the device
 * and the VG. A fault is logged once, where it is understood.
 */
#ifndef LEA_BASE_LOG_H
#define LEA_BASE_LOG_H

#include "base/err.h"

#include <stdarg.h>

/*
 * PRINT is what a command's user asked to see (standard output of a command); the others follow
 * syslog. VERBOSE shows with -v, DEBUG with -vvv.
 */
enum lea_log_level {
	LEA_LOG_ERROR,
	LEA_LOG_WARNING,
	LEA_LOG_PRINT,
	LEA_LOG_VERBOSE,
	LEA_LOG_DEBUG,
};

/* Where messages go. @write gets one line without a newline or any other control character,
 * whatever was put into it; tests capture it. */
struct lea_log {
	void (*write)(struct lea_log *log, enum lea_log_level level, const char *line);
	enum lea_log_level max_level; /* lines above it are not formatted at all */
};

void lea_log(struct lea_log *log, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);

/*
 * lea_log_fault - one error line ending in the fault's cause, and the fault again
 * @fault: < 0; passed through, so that logging and returning is one expression:
 *         return lea_log_fault(log, r, "PV %s: reading label", name);
 */
int lea_log_fault(struct lea_log *log, int fault, const char *format, ...) LEA_PRINTF(3, 4);

#endif
