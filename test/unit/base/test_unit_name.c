/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of units, as systemd-escape(1) of systemd 252 prints them. */
#include "base/unit_name.h"

#include "unit/suite.h"

#include <string.h>

static const struct {
	const char *before, *text, *after, *unit;
} names[] = {
	{"lvmevent-failed@", "data", ".service", "lvmevent-failed@data.service"},
	{"lvmevent-failed@", "vg-1", ".service", "lvmevent-failed@vg\\x2d1.service"},
	{"lvmevent-failed@", "a+b", ".service", "lvmevent-failed@a\\x2bb.service"},
	{"lvmevent-failed@", "a.b", ".service", "lvmevent-failed@a.b.service"},
	{"lvmevent-failed@", ".hid", ".service", "lvmevent-failed@\\x2ehid.service"},
	{"lvmevent-failed@", "_x:Y9", ".service", "lvmevent-failed@_x:Y9.service"},
	{"dev-", "mapper/vg--1-lv", ".device", "dev-mapper-vg\\x2d\\x2d1\\x2dlv.device"},
	{"dev-", ".a/.b", ".device", "dev-.a-.b.device"},
	{"dev-", "\xc3\xa4", ".device", "dev-\\xc3\\xa4.device"},
	{"", "run/lock", ".mount", "run-lock.mount"},
};

TEST_EACH(a_text_is_escaped_as_by_systemd, names)
{
	char unit[LEA_UNIT_BYTES];

	ck_assert(lea_unit_name(names[_i].before, names[_i].text, names[_i].after, unit));
	ck_assert_str_eq(unit, names[_i].unit);
}

TEST(a_name_that_is_too_long_is_none)
{
	char unit[LEA_UNIT_BYTES], text[LEA_UNIT_BYTES];

	memset(text, 'a', sizeof(text));
	text[LEA_UNIT_BYTES - 1 - 8] = '\0';
	ck_assert(lea_unit_name("", text, ".service", unit));
	ck_assert_uint_eq(strlen(unit), LEA_UNIT_BYTES - 1);
	ck_assert(!lea_unit_name("d", text, ".service", unit));
	memset(text, '-', sizeof(text));
	text[127] = '\0';
	ck_assert(!lea_unit_name("lvmevent-failed@", text, ".service", unit));
}
