/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/columns.h"

#include <stdarg.h>
#include <string.h>

#include "base/log.h"

#define PRINT	   2U /* the second pass; the first measures */
#define CUT	   "..."
#define LEFT_LEAST 8U /* characters of a text that is cut, with CUT */

void lea_columns_begin(struct lea_columns *table, FILE *out, const char *form)
{
	*table = (struct lea_columns){.out = out, .form = form};
}

void lea_columns_fit(struct lea_columns *table, unsigned int room)
{
	table->room = room;
}

/* What the other columns leave of a row. */
static void fit(struct lea_columns *table)
{
	const char *cut = strchr(table->form, 'c');
	size_t others = 2, left = LEFT_LEAST;

	if (!table->room || !cut)
		return;
	for (size_t i = 0; table->form[i]; i++)
		if (&table->form[i] != cut && (table->width[i] || !table->head))
			others += table->width[i] + 2;
	if (table->room > others + left)
		left = table->room - others;
	if (table->width[cut - table->form] > left)
		table->width[cut - table->form] = left;
}

bool lea_columns_pass(struct lea_columns *table)
{
	if (++table->pass == PRINT)
		fit(table);
	return table->pass <= PRINT;
}

/* Bytes that follow the first one of a character in UTF-8 take no place. */
static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xC0U) != 0x80U;
}

static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += begins_character(*text);
	return width;
}

/* @text is wider than @width. */
static void cut(char *text, size_t width)
{
	size_t rest = width - strlen(CUT);

	while (rest || !begins_character(*text))
		rest -= begins_character(*text++);
	memcpy(text, CUT, sizeof(CUT));
}

static void print_cell(const struct lea_columns *table, const char *text, bool is_last)
{
	const int blanks = (int)(table->width[table->column] - width_of(text));
	const bool is_right = table->form[table->column] == 'r';

	if (table->head && !table->width[table->column]) {
		fputs(is_last ? "\n" : "", table->out);
		return;
	}
	fprintf(table->out, "  %*s%s", is_right ? blanks : 0, "", text);
	if (is_last)
		fputc('\n', table->out);
	else if (!is_right)
		fprintf(table->out, "%*s", blanks, "");
}

bool lea_columns_has_rows(const struct lea_columns *table)
{
	bool any = false;

	for (size_t i = 0; table->form[i]; i++)
		any |= table->width[i] > 0;
	return any;
}

void lea_columns_head(struct lea_columns *table, const char *const *titles, bool is_below)
{
	table->head = titles;
	if (table->pass != PRINT || !lea_columns_has_rows(table))
		return;
	for (size_t i = 0; table->form[i]; i++)
		if (table->width[i] && table->width[i] < width_of(titles[i]))
			table->width[i] = width_of(titles[i]);
	fit(table);
	fputs(is_below ? "\n" : "", table->out);
	for (size_t i = 0; table->form[i]; i++)
		lea_columns_cell(table, "%s", titles[i]);
}

void lea_columns_cell(struct lea_columns *table, const char *format, ...)
{
	const bool is_last = !table->form[table->column + 1];
	size_t *widest = &table->width[table->column], width;
	char text[LEA_COLUMNS_CELL_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lea_log_plain(text);
	width = width_of(text);
	if (table->pass == PRINT && table->form[table->column] == 'c' && width > *widest)
		cut(text, *widest);
	if (table->pass == PRINT)
		print_cell(table, text, is_last);
	else if (width > *widest)
		*widest = width;
	table->column = is_last ? 0 : table->column + 1;
}

void lea_columns_line(struct lea_columns *table, const char *format, ...)
{
	char text[LEA_COLUMNS_CELL_BYTES];
	va_list args;

	if (table->pass != PRINT)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lea_log_plain(text);
	fprintf(table->out, "%s\n", text);
}
