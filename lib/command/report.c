/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log sink and the journal. pvscan's lines are in report_pvscan.c. */
#include "command/report.h"

#include <string.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#define LINE_BYTES 4096

static int priority_of(enum lea_log_level level)
{
	switch (level) {
	case LEA_LOG_ERROR:
		return LOG_ERR;
	case LEA_LOG_WARNING:
		return LOG_WARNING;
	case LEA_LOG_PRINT:
		return LOG_NOTICE;
	case LEA_LOG_VERBOSE:
		return LOG_INFO;
	case LEA_LOG_DEBUG:
		return LOG_DEBUG;
	}
	return LOG_DEBUG;
}

/* Ignores failures: the streams have the line as well. */
static void to_journal(const struct lea_report *report, int priority, const char *line)
{
	sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", priority, "SYSLOG_IDENTIFIER=%s",
			report->command, NULL);
}

static bool is_for_journal(const struct lea_report *report, enum lea_log_level level)
{
	if (report->journal & LEA_JOURNAL_DEBUG)
		return true;
	return (report->journal & LEA_JOURNAL_OUTPUT) && level <= LEA_LOG_PRINT;
}

static void put_line(const struct lea_report *report, FILE *stream, const char *line)
{
	fprintf(stream, "%s%s%s\n", report->command_names ? report->command : "", report->prefix,
		line);
	fflush(stream);
}

static void write_line(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct lea_report *report = container_of(log, struct lea_report, log);

	if (is_for_journal(report, level))
		to_journal(report, priority_of(level), line);
	if (report->is_silent || level > report->shown)
		return;
	put_line(report, level == LEA_LOG_PRINT ? report->out : report->err, line);
}

void lea_report_init(struct lea_report *report, FILE *out, FILE *err, const char *command)
{
	*report = (struct lea_report){
		.log = {.write = write_line, .max_level = LEA_LOG_PRINT},
		.out = out,
		.err = err,
		.command = command,
		.prefix = "  ",
		.shown = LEA_LOG_PRINT,
	};
}

/* The log must also format lines that only the journal shows. */
static void settle_max_level(struct lea_report *report)
{
	enum lea_log_level level = report->shown;

	if (report->journal & LEA_JOURNAL_OUTPUT && level < LEA_LOG_PRINT)
		level = LEA_LOG_PRINT;
	if (report->journal & LEA_JOURNAL_DEBUG)
		level = LEA_LOG_DEBUG;
	report->log.max_level = level;
}

void lea_report_set_levels(struct lea_report *report, const struct lea_report_levels *levels)
{
	report->shown = LEA_LOG_PRINT;
	if (levels->quiet > 1 || levels->is_silent)
		report->shown = LEA_LOG_WARNING;
	else if (!levels->quiet && (levels->verbose > 2 || levels->debug))
		report->shown = LEA_LOG_DEBUG;
	else if (!levels->quiet && levels->verbose)
		report->shown = LEA_LOG_VERBOSE;
	settle_max_level(report);
}

int lea_report_add_journal(struct lea_report *report, const char *words)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} known[] = {
		{"command", LEA_JOURNAL_COMMAND},
		{"output", LEA_JOURNAL_OUTPUT},
		{"debug", LEA_JOURNAL_DEBUG},
	};
	bool is_known = true;

	for (; words && *words; words += strspn(words, ", ")) {
		size_t len = strcspn(words, ", ");
		size_t i = 0;

		while (i < ARRAY_SIZE(known) &&
		       (strlen(known[i].name) != len || strncmp(known[i].name, words, len)))
			i++;
		if (i < ARRAY_SIZE(known))
			report->journal |= known[i].bit;
		else
			is_known = false;
		words += len;
	}
	settle_max_level(report);
	return is_known ? 0 : LEA_REPORT_UNKNOWN_WORD;
}

void lea_report_command(struct lea_report *report, int argc, char *const argv[])
{
	char line[LINE_BYTES];
	size_t used = 0;

	if (!(report->journal & LEA_JOURNAL_COMMAND))
		return;
	line[0] = '\0';
	for (int i = 0; i < argc && used < sizeof(line); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i ? " " : "",
					 argv[i]);
	to_journal(report, LOG_INFO, line);
}

void lea_report_say(struct lea_report *report, enum lea_log_level level, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	lea_log(&report->log, level, "%s[%d] %s", report->command, getpid(), line);
}
