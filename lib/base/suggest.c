/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "base/suggest.h"

#include <string.h>

#define CHARS_MOST 48U /* longer ones are not compared */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters that are lost, added, wrong, or swapped with the next one. */
static unsigned int count_errors(const char *a, const char *b)
{
	unsigned int rows[3][CHARS_MOST + 1];
	unsigned int *two_above = rows[0], *above = rows[1], *row = rows[2], *spare;
	const size_t chars = strlen(b);

	for (size_t j = 0; j <= chars; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; a[i - 1]; i++) {
		spare = two_above;
		two_above = above;
		above = row;
		row = spare;
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= chars; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return row[chars];
}

void lea_suggest(struct lea_suggestion *suggestion, const char *name)
{
	const size_t chars = strlen(suggestion->word);
	const unsigned int most = chars < 6 ? 1 : chars < 9 ? 2 : 3;
	unsigned int errors;

	if (chars < 2 || chars > CHARS_MOST || strlen(name) > CHARS_MOST)
		return;
	errors = count_errors(suggestion->word, name);
	if (errors > most && strncmp(name, suggestion->word, chars) != 0)
		return;
	if (suggestion->best && errors >= suggestion->errors)
		return;
	suggestion->best = name;
	suggestion->errors = errors;
}
