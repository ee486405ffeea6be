/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log_syslog.h"

#include <syslog.h>

static void write_line(struct lea_log *log, enum lea_log_level level, const char *line)
{
	static const int priorities[] = {
		[LEA_LOG_ERROR] = LOG_ERR,	[LEA_LOG_WARNING] = LOG_WARNING,
		[LEA_LOG_PRINT] = LOG_NOTICE,	[LEA_LOG_VERBOSE] = LOG_INFO,
		[LEA_LOG_DEBUG] = LOG_DEBUG,
	};

	(void)log;
	openlog("lvmevent", LOG_PID, LOG_DAEMON);
	syslog(priorities[level], "%s", line);
	closelog();
}

struct lea_log *lea_log_syslog(void)
{
	static struct lea_log log = {.write = write_line, .max_level = LEA_LOG_PRINT};

	return &log;
}
