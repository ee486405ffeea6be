/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What our two programs share: a table of verbs, picked by the first argument or by the name of a
 * link, in the real world. */
#pragma once

#include "cli/cmd.h"

#include <stdbool.h>

/* A row of a table that no other table has. */
#define LEA_VERB(name_, help_, run_)                                                               \
	&(const struct lea_cmd)                                                                    \
	{                                                                                          \
		.name = (name_), .help = (help_), .run = (run_)                                    \
	}
/* The same, with what its --help has at the end. */
#define LEA_VERB_HELP(name_, help_, run_, example_, exits_)                                        \
	&(const struct lea_cmd)                                                                    \
	{                                                                                          \
		.name = (name_), .help = (help_), .run = (run_), .example = (example_),            \
		.exits = (exits_)                                                                  \
	}

/* Commands that --help lists together. */
struct lea_group {
	const char *title;		  /* "See"; NULL: none */
	const struct lea_cmd *const *cmd; /* ended by NULL; NULL: behind the last group */
};

struct lea_program {
	const char *name;		/* "lvmevent" */
	const char *about;		/* a sentence for --help */
	const char *end;		/* what --help ends with; NULL: nothing */
	const struct lea_group *group; /* ended by one of zeros */
	bool hands_over;		  /* commands of the real lvm go to it */
	bool is_for_services;		  /* a verb does not fail by losing its output */
};

/* NULL: the program has no such verb. */
const struct lea_cmd *lea_program_find(const struct lea_program *program, const char *name);

/* What main does. Returns the exit code. */
int lea_program_main(const struct lea_program *program, int argc, char *argv[]);
