/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log sink and the journal. pvscan's lines are in lvm2/pvscan_report.c. */
#include "cli/log_sink.h"

#include "base/id.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#define SD_JOURNAL_SUPPRESS_LOCATION /* it would always be this file */
#include <systemd/sd-journal.h>
#include <unistd.h>

#define LINE_BYTES  4096
#define FIELDS_MOST (16U + LEA_LOG_VGS)
#define IDENTIFIER  "lvmevent" /* as the journal names what services write to their streams */

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

/* Fields of one line of the journal, each "NAME=value". */
struct record {
	struct iovec field[FIELDS_MOST];
	unsigned int count;
	char text[LINE_BYTES + 2048 + LEA_LOG_VGS * 140U];
	size_t used;
};

/* A field without a value is left out, and so is what does not fit. */
static void add_field(struct record *record, const char *name, const char *value)
{
	const size_t room = sizeof(record->text) - record->used;
	char *at = record->text + record->used;
	int chars;

	if (!value || !value[0] || record->count == FIELDS_MOST)
		return;
	chars = snprintf(at, room, "%s=%s", name, value);
	if (chars < 0 || (size_t)chars >= room)
		return;
	record->field[record->count++] = (struct iovec){.iov_base = at, .iov_len = (size_t)chars};
	record->used += (size_t)chars + 1;
}

static void add_id(struct record *record, const char *name, const char *id)
{
	char text[39];

	if (!id || strlen(id) != 32)
		return;
	lea_id_format(id, text);
	add_field(record, name, text);
}

static void add_fields(struct record *record, const struct lea_log_fields *fields)
{
	char process[16];

	add_field(record, "MESSAGE_ID", fields->message_id);
	add_field(record, "LVM_VG", fields->vg);
	/* A field may have several values; journalctl finds the line by each. */
	for (uint32_t i = 0; i < fields->vg_count; i++)
		add_field(record, "LVM_VG", fields->vgs[i]);
	add_id(record, "LVM_VG_UUID", fields->vg_id);
	add_field(record, "LVM_LV", fields->lv);
	add_id(record, "LVM_PV_UUID", fields->pvid);
	add_field(record, "DEVNAME", fields->device);
	add_field(record, "LVMEVENT_REASON", fields->reason);
	add_field(record, "LVMEVENT_CHECK", fields->check);
	add_field(record, "LVMEVENT_STEP", fields->step);
	/* A worker may have ended before the journal looks for its unit; its parent has not. */
	snprintf(process, sizeof(process), "%d", fields->process);
	if (fields->process > 0)
		add_field(record, "OBJECT_PID", process);
}

/* Returns whether the journal has taken the line. */
static bool to_journal(const struct lea_report *report, int priority, const char *identifier,
		       const char *line)
{
	struct record record = {.count = 0};
	char number[2] = {(char)('0' + priority), '\0'};

	add_field(&record, "MESSAGE", line);
	add_field(&record, "PRIORITY", number);
	add_field(&record, "SYSLOG_IDENTIFIER", identifier);
	if (report->log.fields)
		add_fields(&record, report->log.fields);
	return sd_journal_sendv(record.field, (int)record.count) >= 0;
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

	/* A failure is not a loss: the streams have the line as well. */
	if (is_for_journal(report, level))
		(void)to_journal(report, priority_of(level), report->command, line);
	if (report->is_silent || level > report->shown)
		return;
	if (report->is_service && log->fields &&
	    to_journal(report, priority_of(level), IDENTIFIER, line))
		return;
	put_line(report, level == LEA_LOG_PRINT ? report->out : report->err, line);
}

void lea_report_find_journal(struct lea_report *report, const char *journal_stream)
{
	unsigned long long device, inode;
	struct stat st;

	report->is_service =
		journal_stream && sscanf(journal_stream, "%llu:%llu", &device, &inode) == 2 &&
		!fstat(fileno(report->err), &st) && st.st_dev == device && st.st_ino == inode;
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

static void show(struct lea_report *report, const struct lea_report_levels *levels, bool is_silent)
{
	report->shown = LEA_LOG_PRINT;
	if (levels->quiet > 1 || is_silent)
		report->shown = LEA_LOG_WARNING;
	else if (!levels->quiet && (levels->verbose > 2 || levels->debug))
		report->shown = LEA_LOG_DEBUG;
	else if (!levels->quiet && levels->verbose)
		report->shown = LEA_LOG_VERBOSE;
	settle_max_level(report);
}

void lea_report_set_levels(struct lea_report *report, const struct lea_report_levels *levels)
{
	report->asked = *levels;
	show(report, levels, false);
}

void lea_report_add_journal(struct lea_report *report, const char *words)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} kinds[] = {
		{"command", LEA_JOURNAL_COMMAND},
		{"output", LEA_JOURNAL_OUTPUT},
		{"debug", LEA_JOURNAL_DEBUG},
	};
	bool is_known = true;

	for (; words && *words; words += strspn(words, ", ")) {
		size_t len = strcspn(words, ", ");
		size_t i = 0;

		while (i < ARRAY_SIZE(kinds) &&
		       (strlen(kinds[i].name) != len || strncmp(kinds[i].name, words, len)))
			i++;
		if (i < ARRAY_SIZE(kinds))
			report->journal |= kinds[i].bit;
		else
			is_known = false;
		words += len;
	}
	settle_max_level(report);
	if (!is_known)
		lea_log(&report->log, LEA_LOG_WARNING, "Ignoring unrecognized journal value.");
}

static void configure(struct lea_log *log, const struct lea_log_settings *settings)
{
	struct lea_report *report = container_of(log, struct lea_report, log);
	struct lea_report_levels levels = report->asked;

	if (settings->prefix)
		report->prefix = settings->prefix;
	report->command_names = settings->command_names;
	if (!levels.verbose)
		levels.verbose = settings->verbose;
	show(report, &levels, settings->is_silent);
	lea_report_add_journal(report, settings->journal);
}

void lea_report_init(struct lea_report *report, FILE *out, FILE *err, const char *command)
{
	*report = (struct lea_report){
		.log = {.write = write_line, .configure = configure, .max_level = LEA_LOG_PRINT},
		.out = out,
		.err = err,
		.command = command,
		.prefix = "  ",
		.shown = LEA_LOG_PRINT,
	};
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
	(void)to_journal(report, LOG_INFO, report->command, line);
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
