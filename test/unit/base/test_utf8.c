/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"
#include "unit/suite.h"

#include <string.h>

static const struct {
	const char *text, *mended; /* mended NULL: it is UTF-8 */
} rows[] = {
	{"", NULL},
	{"plain", NULL},
	{"caf\xc3\xa9", NULL},
	{"\xe2\x82\xac \xf0\x9f\x92\xbe", NULL},
	{"caf\xe9", "caf?"},
	{"caf\xe9!", "caf?!"},
	{"cut \xe2\x82", "cut ??"},
	{"\xc3\xa9\xa9\xc3\xa9", "\xc3\xa9?\xc3\xa9"},
	{"\xc0\xaf", "??"},	    /* longer than need be */
	{"\xed\xa0\x80", "???"},    /* half of a pair */
	{"\xf4\x90\x80\x80", "????"}, /* behind the last character */
	{"\xff\xfe", "??"},
};

TEST_EACH(what_is_no_character_is_replaced, rows)
{
	char text[32];

	strcpy(text, rows[_i].text);
	ck_assert_int_eq(lea_utf8_is_ok(text), !rows[_i].mended);
	lea_utf8_mend(text);
	ck_assert_str_eq(text, rows[_i].mended ? rows[_i].mended : rows[_i].text);
	ck_assert(lea_utf8_is_ok(text));
}
