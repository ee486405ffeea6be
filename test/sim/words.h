/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A history in words that an administrator can read, and back: one step a line, before them lines
 * of seed, boot and settings, each of which may be absent, and comments that begin with #.
 */
#pragma once

#include "sim/history.h"

#include <stdio.h>

#define SIM_WORDS_BYTES 160U

/* @step in words, without a line feed. Fields that its words do not name do not count. */
void sim_words_of(const struct sim_step *step, char words[SIM_WORDS_BYTES]);
/* 0, or -EINVAL: no step has these words, or a number is out of range. Other fields become 0. */
int sim_words_step(const char *words, struct sim_step *ret_step);
/* Sets to 0 what the words of @step do not name, so that equal words are equal steps. */
void sim_words_keep(struct sim_step *step);

/* Do the words of the step have a number, which may be any? */
bool sim_words_have_number(enum sim_op op);

void sim_words_print(const struct sim_history *history, FILE *out);
/*
 * sim_words_read - parse what sim_words_print has written
 * @ret_line: on -EINVAL the number of the line at fault; may be NULL
 * 0, or -EINVAL, -E2BIG: more steps than SIM_STEPS.
 */
int sim_words_read(FILE *in, struct sim_history *ret_history, unsigned *ret_line);
