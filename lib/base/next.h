/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * The next step that a command prints: a command line for a shell, which a tired person pastes as
 * it stands. So it harms nothing: it only looks, or it changes what can be undone. No step
 * destroys, goes around a setting that keeps devices away, ends a process, or resumes or renames a
 * device of another program. scripts/check-steps reads each LEA_LOOK and LEA_CHANGE of the sources.
 */
#pragma once

#include "base/err.h"

#define LEA_NEXT_BYTES 1024U
#define LEA_NEXT_WORDS 3U

enum lea_next_class {
	LEA_NEXT_NONE, /* there is no step */
	LEA_NEXT_LOOK,
	LEA_NEXT_CHANGE,
};

/* As a table has it: $1 to $3 stand for words. Not in quotes: each gets its own. */
struct lea_step {
	enum lea_next_class class;
	const char *command;
};
/* Initializers. @command: a literal */
#define LEA_LOOK(command)                                                                          \
	{                                                                                          \
		LEA_NEXT_LOOK, command                                                             \
	}
#define LEA_CHANGE(command)                                                                        \
	{                                                                                          \
		LEA_NEXT_CHANGE, command                                                           \
	}

struct lea_next {
	enum lea_next_class class;
	char command[LEA_NEXT_BYTES];
};

/*
 * lea_next_make - the step with these words, each of them quoted if it has to be
 * @words: borrowed; NULL or "": none
 * A step that lacks a word, that does not fit, or one of whose words is no name (it begins with a
 * dash, or has control characters) is none: part of a command may do anything.
 */
void lea_next_make(struct lea_next *ret_next, struct lea_step step,
		   const char *const words[static LEA_NEXT_WORDS]);

/* The only way to a struct lea_next with a command. @step: LEA_LOOK or LEA_CHANGE */
#define lea_next_set(next, step, ...)                                                              \
	lea_next_make(next, (struct lea_step)step, (const char *const[LEA_NEXT_WORDS]){__VA_ARGS__})

/* The class as JSON has it: "look", "change" or "". Static. */
const char *lea_next_word(enum lea_next_class class);
