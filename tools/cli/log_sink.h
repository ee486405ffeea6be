/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of a command for people, udev and the journal: the sink of its log, and pvscan's lines.
 * Only this module writes to standard output, through the stream that main passes, because udev
 * imports that stream verbatim.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 1.4).
 */
#pragma once

#include "base/err.h"
#include "base/log.h"
#include "record/record.h"
#include "scan/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Messages that also go to the systemd journal. */
enum lea_report_journal {
	LEA_JOURNAL_COMMAND = 1U << 0, /* the command line, at the start */
	LEA_JOURNAL_OUTPUT = 1U << 1,  /* what is shown by default */
	LEA_JOURNAL_DEBUG = 1U << 2,   /* everything */
};

/* Counts of -v, -d and -q. -v shows verbose lines, -d or -vvv debug lines, -q cancels both, -qq (or
 * log/silent) hides prints. */
struct lea_report_levels {
	unsigned int verbose, debug, quiet;
};

struct lea_report {
	struct lea_log log;	  /* its sink is this report */
	FILE *out, *err;	  /* borrowed */
	const char *command;	  /* "pvscan" */
	const char *prefix;	  /* log/prefix */
	bool command_names;	  /* log/command_names */
	bool is_silent;		  /* --udevoutput: nothing but KEY='value' */
	struct lea_report_levels asked; /* by the options */
	enum lea_log_level shown; /* highest level written to the streams */
	uint32_t journal;	  /* enum lea_report_journal */
	bool is_service;	  /* the streams lead to the journal: see lea_report_find_journal */
};

/* Shows errors to prints, with two blanks before each line, and uses no journal. The streams and
 * @command are borrowed. */
void lea_report_init(struct lea_report *report, FILE *out, FILE *err, const char *command);

/*
 * lea_report_find_journal - do the streams lead to the journal?
 * @journal_stream: JOURNAL_STREAM of the environment, "DEVICE:INODE"; NULL: not set
 * If so, a line with fields is sent to the journal with them, instead of being written to the
 * stream: as many system calls. If the journal does not take it, it is written.
 */
void lea_report_find_journal(struct lea_report *report, const char *journal_stream);

void lea_report_set_levels(struct lea_report *report, const struct lea_report_levels *levels);

/* Adds to report->journal. @words: as in log/journal or --journal: "command,output,debug"; NULL:
 * none. Warns of an unknown word. */
void lea_report_add_journal(struct lea_report *report, const char *words);

/* Writes the command line to the journal, with LEA_JOURNAL_COMMAND. */
void lea_report_command(struct lea_report *report, int argc, char *const argv[]);

/* Options of pvscan that decide which lines it prints. */
struct lea_report_form {
	bool list_vg, list_lvs;
	bool check_complete; /* also with -aay */
	bool udev_output;
	bool vg_online; /* --vgonline */
};

/* Logs "pvscan[PID] TEXT". */
void lea_report_say(struct lea_report *report, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);

/* Prints all lines about one device. @record: the result for the same device. */
void lea_report_device(struct lea_report *report, const struct lea_report_form *form,
		       const struct lea_found *found, const struct lea_record *record);

/* Prints the line for udev with --udevoutput --checkcomplete and event_activation=0. */
void lea_report_event_activation_off(struct lea_report *report);

/* Do we know all segment types of this VG, so that lea_report_lvs can list its LVs? */
bool lea_report_knows_lvs(const struct lea_vg *vg);

/*
 * lea_report_lvs - print "LV VG/LV [complete|incomplete]" for each LV with extents on PV @pvid
 * @recorded: [vg->pv_count]: which PVs have a record; NULL without --checkcomplete
 * Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_report_lvs(struct lea_report *report, const struct lea_vg *vg,
				  const char *pvid, const bool *recorded);
