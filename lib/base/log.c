/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatting of messages; the sink is the caller's.
 */
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 4096

void lea_log(struct lea_log *log, enum lea_log_level level, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	if (!log || level > log->max_level)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	log->write(log, level, line);
}

int lea_log_fault(struct lea_log *log, int fault, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	if (!log)
		return fault;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	lea_log(log, LEA_LOG_ERROR, "%s: %s", line, strerror(-fault));
	return fault;
}
