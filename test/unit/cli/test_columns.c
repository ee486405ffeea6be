/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/columns.h"

#include "base/cleanup.h"
#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MOST  3
#define CELLS_MOST 3

static const struct {
	const char *claim, *form;
	const char *cell[ROWS_MOST][CELLS_MOST]; /* a row that begins with NULL: no more */
	const char *want;
} tables[] = {
	{"no rows", "ll", {{NULL}}, ""},
	{"a column is as wide as its widest cell, and the last one is not padded",
	 "ll",
	 {{"a", "longer"}, {"long", "b"}, {"to", ""}},
	 "  a     longer\n  long  b\n  to    \n"},
	{"numbers are aligned right, texts left",
	 "rlr",
	 {{"7", "one", "1"}, {"1234", "x", "10"}},
	 "     7  one   1\n  1234  x    10\n"},
	{"one column", "l", {{"a"}, {"bc"}}, "  a\n  bc\n"},
	{"what controls a terminal is replaced",
	 "ll",
	 {{"a\nb", "\x1b[2J"}, {"c\tde", "\xc2\x9bK"}},
	 "  a?b   ?[2J\n  c?de  ??K\n"},
	{"a character of two bytes takes one place",
	 "ll",
	 {{"\xc3\xa4", "x"}, {"ab", "y"}},
	 "  \xc3\xa4   x\n  ab  y\n"},
};

static void print_rows(struct lea_columns *table, const char *const cell[ROWS_MOST][CELLS_MOST])
{
	while (lea_columns_pass(table))
		for (size_t row = 0; row < ROWS_MOST && cell[row][0]; row++)
			for (size_t i = 0; table->form[i]; i++)
				lea_columns_cell(table, "%s", cell[row][i]);
}

static void print(const char *form, const char *const cell[ROWS_MOST][CELLS_MOST], FILE *out)
{
	struct lea_columns table;

	lea_columns_begin(&table, out, form);
	print_rows(&table, cell);
}

TEST_EACH(rows_are_printed_in_columns, tables)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	print(tables[_i].form, tables[_i].cell, out);
	fclose(out);
	ck_assert_msg(!strcmp(text, tables[_i].want), "%s:\n%s", tables[_i].claim, text);
}

TEST(a_long_cell_is_cut)
{
	char cell[2 * LEA_COLUMNS_CELL_BYTES];
	const char *const cells[ROWS_MOST][CELLS_MOST] = {{cell, "x"}};
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	memset(cell, 'a', sizeof(cell) - 1);
	cell[sizeof(cell) - 1] = '\0';
	print("ll", cells, out);
	fclose(out);
	ck_assert_uint_eq(bytes, LEA_COLUMNS_CELL_BYTES - 1 + strlen("    x\n"));
}

/* ---- a column that is cut */

static const struct {
	const char *claim, *form;
	unsigned int room;
	const char *cell[ROWS_MOST][CELLS_MOST];
	const char *want;
} fitted[] = {
	{"a row takes the whole line and no more",
	 "lc",
	 20,
	 {{"abc", "1234567890123"}, {"d", "12345678901234"}},
	 "  abc  1234567890123\n  d    1234567890...\n"},
	{"in a file nothing is cut", "lc", 0, {{"a", "12345678901234"}}, "  a  12345678901234\n"},
	{"no other column is cut",
	 "lc",
	 20,
	 {{"123456789012345678901234", "x"}},
	 "  123456789012345678901234  x\n"},
	{"a little is left, however wide the others are",
	 "lc",
	 20,
	 {{"123456789012345678901234", "123456789"}},
	 "  123456789012345678901234  12345...\n"},
	{"the column need not be the last one",
	 "lcr",
	 20,
	 {{"a", "1234567890123", "7"}, {"b", "x", "77"}},
	 "  a  12345678...   7\n  b  x            77\n"},
	{"a character is not cut in two",
	 "lc",
	 13,
	 {{"a", "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"}},
	 "  a  \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4...\n"},
};

TEST_EACH(one_column_is_cut_for_a_terminal, fitted)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_columns table;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	lea_columns_begin(&table, out, fitted[_i].form);
	lea_columns_fit(&table, fitted[_i].room);
	print_rows(&table, fitted[_i].cell);
	fclose(out);
	ck_assert_msg(!strcmp(text, fitted[_i].want), "%s:\n%s", fitted[_i].claim, text);
}

TEST(titles_are_part_of_a_row_that_is_cut)
{
	static const char *const titles[] = {"Longer", "", "What"};
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_columns table;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	lea_columns_begin(&table, out, "llc");
	lea_columns_fit(&table, 20);
	while (lea_columns_pass(&table)) {
		lea_columns_head(&table, titles, false);
		lea_columns_cell(&table, "a");
		lea_columns_cell(&table, "%s", "");
		lea_columns_cell(&table, "12345678901");
	}
	fclose(out);
	ck_assert_str_eq(text, "  Longer  What\n  a       1234567...\n");
}

/* ---- titles */

static char *print_headed(const char *const cell[ROWS_MOST][CELLS_MOST], bool is_below)
{
	static const char *const titles[] = {"Name", "Pool", "Size"};
	struct lea_columns table;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	for (lea_columns_begin(&table, out, "llr"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, is_below);
		for (size_t row = 0; row < ROWS_MOST && cell[row][0]; row++)
			for (size_t i = 0; i < CELLS_MOST; i++)
				lea_columns_cell(&table, "%s", cell[row][i]);
	}
	fclose(out);
	return text;
}

static const struct {
	const char *claim;
	bool is_below;
	const char *cell[ROWS_MOST][CELLS_MOST];
	const char *want;
} headed[] = {
	{"no rows, no titles", true, {{NULL}}, ""},
	{"titles count for the width", false, {{"a", "p", "1"}}, "  Name  Pool  Size\n  a     p        1\n"},
	{"a column without a value is left out",
	 true,
	 {{"a", "", "1"}, {"b", "", "22222"}},
	 "\n  Name   Size\n  a         1\n  b     22222\n"},
	{"also the last one", false, {{"a", "p", ""}}, "  Name  Pool\n  a     p   \n"},
};

TEST_EACH(titles_stand_over_columns_with_values, headed)
{
	LEA_AUTO(lea_freep) char *text = print_headed(headed[_i].cell, headed[_i].is_below);

	ck_assert_msg(!strcmp(text, headed[_i].want), "%s:\n%s", headed[_i].claim, text);
}
