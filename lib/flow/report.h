/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people, udev and the journal get to read: the sink of a command's log, and pvscan's lines.
 * The only writer of standard output, through the stream that main hands in, because udev imports
 * that stream verbatim.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 1.4).
 */
#ifndef LEA_FLOW_REPORT_H
#define LEA_FLOW_REPORT_H

#include "base/err.h"
#include "base/log.h"
#include "flow/record.h"
#include "flow/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which messages go to the systemd journal, too. */
enum lea_report_journal {
	LEA_JOURNAL_COMMAND = 1U << 0, /* one record at the start */
	LEA_JOURNAL_OUTPUT = 1U << 1,  /* what is visible by default */
	LEA_JOURNAL_DEBUG = 1U << 2,   /* everything */
};

struct lea_report {
	struct lea_log log;	  /* its sink is this report */
	FILE *out, *err;	  /* borrowed */
	const char *command;	  /* "pvscan" */
	const char *prefix;	  /* log/prefix */
	bool command_names;	  /* log/command_names */
	bool is_silent;		  /* --udevoutput: nothing but KEY='value' */
	enum lea_log_level shown; /* highest level that the streams get */
	uint32_t journal;	  /* enum lea_report_journal */
};

/* Errors and prints shown, two blanks before each line, no journal. */
void lea_report_init(struct lea_report *report, FILE *out, FILE *err, const char *command);

/* -v counts, -d counts as -v from three on, -q takes both back, -qq (or log/silent) hides prints.
 */
struct lea_report_levels {
	unsigned int verbose, debug, quiet;
	bool is_silent; /* log/silent */
};
void lea_report_set_levels(struct lea_report *report, const struct lea_report_levels *levels);

enum lea_report_outcome {
	LEA_REPORT_UNKNOWN_WORD = 1, /* ignored; the caller warns */
};
/* @words: "command,output,debug" of log/journal or --journal, NULL: none; adds to what is set. */
LEA_MUST_CHECK int lea_report_add_journal(struct lea_report *report, const char *words);

/* The start record of the journal, where it is wanted. */
void lea_report_command(struct lea_report *report, int argc, char *const argv[]);

/* Forms of pvscan: which lines belong to them. */
struct lea_report_form {
	bool list_vg, list_lvs;
	bool check_complete; /* also with -aay */
	bool udev_output;
	bool vg_online; /* --vgonline */
};

/* "pvscan[PID] TEXT": to standard output, or as an error. */
void lea_report_say(struct lea_report *report, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);

/* Everything there is to say of one device. @record: of the same device. */
void lea_report_device(struct lea_report *report, const struct lea_report_form *form,
		       const struct lea_found *found, const struct lea_record *record);

/* --udevoutput --checkcomplete with event_activation=0. */
void lea_report_event_activation_off(struct lea_report *report);

/* May every LV line of this VG be worked out here? */
bool lea_report_knows_lvs(const struct lea_vg *vg);

/*
 * lea_report_lvs - "LV VG/LV [complete|incomplete]" for LVs with extents on the PV @pvid
 * @recorded: [vg->pv_count], which PVs have a record; NULL without --checkcomplete
 */
LEA_MUST_CHECK int lea_report_lvs(struct lea_report *report, const struct lea_vg *vg,
				  const char *pvid, const bool *recorded);

#endif
