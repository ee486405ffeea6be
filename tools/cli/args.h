/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What our programs share at their start: standard streams, the command line of a verb. */
#pragma once

#include "base/exit.h"
#include "cli/opts.h"

#include <stdbool.h>

/* What each verb's command line has; the first member, `shared`, of the verb's struct of options.
 */
struct lea_args {
	unsigned int help;
	size_t most_words; /* in: other arguments allowed */
	const char *word;  /* out: the first other argument; NULL: none */
};

#define LEA_LVMEVENT_HELP                                                                          \
	LEA_OPT(struct lea_args, help, COUNT, "help", 'h', LEA_OPT_ALL, NULL, "This text.")

/* Opens /dev/null in place of each closed standard stream: the first device that is opened
 * would get its number, and our output. What is read or written there fails, as on a closed one.
 * False: that failed. */
bool lea_check_streams(void);

/* 0, or -errno if anything that was written to it is lost; -EIO also if the cause has gone. */
LEA_MUST_CHECK int lea_close_stream(FILE *stream);
/* The last call of main: what could not be written, as on a full disk, is a failure, whatever the
 * verb made of it. Returns @code, or LEA_EXIT_FAILED (said on standard error). */
LEA_MUST_CHECK int lea_close_output(int code);

/*
 * lea_lvmevent_parse - parse options and up to most_words other arguments
 * @opts:  its values are a struct lea_args, or a struct that begins with one
 * @usage: the line of --help, without "Usage: PROGRAM "
 * Returns -1 to go on, else the exit code to leave with (help or the mistake was printed).
 */
LEA_MUST_CHECK int lea_lvmevent_parse(struct lea_opts *opts, const char *usage, int argc,
				      char *argv[]);

/* The same for verbs whose only option is --help. */
LEA_MUST_CHECK int lea_lvmevent_parse_plain(const char *usage, int argc, char *argv[]);
