/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What stands before a command (nsenter, sudo, env, sh -c ...), and how options take their values. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Options of a program, as getopt_long(3) reads them. Behind a letter or a name: ":" it takes a
 * value; "::" it may have one, in the same word; "@" it takes a value that may be the name of an LV.
 */
struct lea_options {
	const char *letters;
	const char *names; /* between them one space; a prefix will do if all that have it are alike */
	const char *other; /* names that would be found in `names`, and are read in another way; "" */
};

/*
 * lea_options_pass - pass the option argv[*at], and its value
 * *ret_lv: a value that may be the name of an LV; borrowed; else NULL. False: the option is not known, or lacks its value; *at
 * is of no use then.
 */
LEA_MUST_CHECK bool lea_options_pass(const struct lea_options *options, const char *const argv[],
				     size_t *at, const char **ret_lv);

/* The words of `sh -c "..."`. */
struct lea_split {
	char text[1024];
	const char *word[64]; /* with NULL at their end */
};

/*
 * lea_starter_pass - the command that a program becomes, or starts
 * @argv:  with NULL at its end
 * @split: memory for its words
 * Returns @argv, if its program is no starter; else the words of the command, which may be in
 * @split; NULL: it can't be told, because an option is not known, there is no command, or a shell
 * does more with it than to cut it into words.
 */
const char *const *lea_starter_pass(const char *const argv[], struct lea_split *split);

/* A path without its folders. */
const char *lea_starter_base_name(const char *path);
