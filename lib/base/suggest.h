/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * "Did you mean ...?": the name that a mistyped word is likely to stand for. Commands, options and
 * settings ask here. Pure.
 *
 *	struct lea_suggestion suggestion = {.word = word};
 *
 *	for (i = 0; i < count; i++)
 *		lea_suggest(&suggestion, name[i]);
 *	if (suggestion.best) ...
 */
#pragma once

#include "base/err.h"

/* Zeroed but for word. */
struct lea_suggestion {
	const char *word; /* as typed; borrowed */
	const char *best; /* the name so far; borrowed; NULL: none is like the word */
	unsigned int errors; /* mistakes between the two: letters lost, added, wrong or swapped */
};

/* One name more. A name that begins with the word is like it, too. */
void lea_suggest(struct lea_suggestion *suggestion, const char *name);
