/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats messages; the caller provides the sink. */
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 4096

void lea_log_plain(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = '?';
}

static void write_line(struct lea_log *log, enum lea_log_level level, const char *format,
		       va_list args) LEA_PRINTF(3, 0);

static void write_line(struct lea_log *log, enum lea_log_level level, const char *format,
		       va_list args)
{
	char line[LINE_BYTES];

	vsnprintf(line, sizeof(line), format, args);
	lea_log_plain(line);
	log->write(log, level, line);
}

void lea_log(struct lea_log *log, enum lea_log_level level, const char *format, ...)
{
	va_list args;

	if (!log || level > log->max_level)
		return;
	va_start(args, format);
	write_line(log, level, format, args);
	va_end(args);
}

void lea_log_with(struct lea_log *log, enum lea_log_level level,
		  const struct lea_log_fields *fields, const char *format, ...)
{
	const struct lea_log_fields *before;
	va_list args;

	if (!log || level > log->max_level)
		return;
	before = log->fields;
	log->fields = fields;
	va_start(args, format);
	write_line(log, level, format, args);
	va_end(args);
	log->fields = before;
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
