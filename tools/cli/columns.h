/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of cells in columns, each as wide as its widest cell. The rows are given twice, to be
 * measured and to be printed, and nothing is kept of them:
 *
 *	for (lea_columns_begin(&table, stdout, "rll"); lea_columns_pass(&table);)
 *		for (i = 0; i < count; i++)
 *			print_row(&table, &row[i]);	three calls of lea_columns_cell
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LEA_COLUMNS_MOST       10U
#define LEA_COLUMNS_CELL_BYTES 1024U /* longer texts are cut */

struct lea_columns {
	FILE *out;	  /* borrowed */
	const char *form; /* borrowed */
	const char *const *head; /* [as many as form has]; borrowed; NULL: none */
	unsigned int room; /* characters of a line; 0: any number */
	size_t width[LEA_COLUMNS_MOST];
	size_t column; /* of the next cell */
	unsigned int pass;
};

/*
 * lea_columns_begin - a table with as many columns as @form has letters
 * @form: 'l': a text, aligned left; 'r': a number, aligned right; 'c': a text that may be cut, as
 *	  lea_columns_fit says, in one column at most; at most LEA_COLUMNS_MOST
 * Each row is indented by two blanks, and two lie between columns.
 */
void lea_columns_begin(struct lea_columns *table, FILE *out, const char *form);
/* Cuts column 'c' so that a row has at most @room characters; 0: not. What was cut ends with "...";
 * a little is left of it, however wide the others are. To be called after lea_columns_begin. */
void lea_columns_fit(struct lea_columns *table, unsigned int room);
/* To be called before each pass; false: both are done. */
bool lea_columns_pass(struct lea_columns *table);
/*
 * lea_columns_head - a first row of titles; to be called first in each pass
 * A column with a title and nothing else is left out, and so is the row if there is no other one.
 * @is_below: an empty line goes before it
 */
void lea_columns_head(struct lea_columns *table, const char *const *titles, bool is_below);
/* Was there a row, besides that of titles? */
bool lea_columns_has_rows(const struct lea_columns *table);
/* The next cell; the last of a row ends its line and is not padded. What could control a terminal
 * is printed as "?". */
void lea_columns_cell(struct lea_columns *table, const char *format, ...) LEA_PRINTF(2, 3);
/* A line between two rows, which is in no column and not indented. */
void lea_columns_line(struct lea_columns *table, const char *format, ...) LEA_PRINTF(2, 3);
