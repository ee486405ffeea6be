/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for people. base, state, disk and policy return faults and do not log; the callers,
 * which know the device and the VG, log each fault once.
 */
#pragma once

#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

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

#define LEA_LOG_VGS 32U

/* What a line is about, for sinks that keep it apart from the text (the journal). Borrowed; NULL:
 * none. */
struct lea_log_fields {
	const char *message_id;	       /* of log_ids.h */
	const char *vg, *vg_id, *pvid; /* ids: 32 characters */
	const char *lv;		       /* without its VG */
	const char *const *vgs; /* [vg_count], at most LEA_LOG_VGS: in place of vg, several VGs */
	uint32_t vg_count;
	const char *device, *reason;
	const char *check; /* of lvmevent doctor */
	const char *step; /* what is waited for */
	int process; /* pid of the service that the line belongs to; 0: of the process that logs */
};

/* What a configuration says about messages. Borrowed while the sink is in use; NULL: not set. */
struct lea_log_settings {
	const char *prefix, *journal;
	bool command_names, is_silent;
	unsigned int verbose;
};

/* Sink of messages. @write gets one line without newline or other control characters; tests capture
 * it. */
struct lea_log {
	void (*write)(struct lea_log *log, enum lea_log_level level, const char *line);
	/* Applies settings; the options of the command line are stronger. NULL: the sink has none.
	 */
	void (*configure)(struct lea_log *log, const struct lea_log_settings *settings);
	enum lea_log_level max_level; /* lines above this level are not formatted */
	/* Of the line that is written, or of all lines until the caller who set it resets it;
	 * borrowed; NULL: none */
	const struct lea_log_fields *fields;
};

/* Writes one line, at most 4095 bytes. NULL as @log: no message; so for lea_log_fault. */
void lea_log(struct lea_log *log, enum lea_log_level level, const char *format, ...)
	LEA_PRINTF(3, 4);

/* The same with fields for this line. */
void lea_log_with(struct lea_log *log, enum lea_log_level level,
		  const struct lea_log_fields *fields, const char *format, ...) LEA_PRINTF(4, 5);

/*
 * lea_log_fault - log an error line that ends in the fault's cause
 * @fault: < 0; returned unchanged, so that logging and returning is one expression:
 *         return lea_log_fault(log, r, "PV %s: reading label", name);
 */
int lea_log_fault(struct lea_log *log, int fault, const char *format, ...) LEA_PRINTF(3, 4);

/*
 * lea_log_plain - replace control characters by "?", in place
 * Including C1 (U+0080 to U+009F): text from a file, a name or a command line then stays on one
 * line and cannot control a terminal. lea_log does it with each line.
 */
void lea_log_plain(char *text);
