/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/time_span.h"

#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

const struct fixture fixture = {NULL, NULL};

/* As "systemd-analyze timespan" has them. */
static const struct {
	const char *text;
	uint32_t ms;
} spans[] = {
	{"90", 90000},
	{"1min30s", 90000},
	{"1min 30s", 90000},
	{" 1h 30min", 5400000},
	{"90sec", 90000},
	{"2hr", 7200000},
	{"1500ms", 1500},
	{"0", UINT32_MAX},
	{"infinity", UINT32_MAX},
	{"12.5 .5", 13000},
	{"5minutes", 300000},
	{"5 minutes", 300000},
	{"1.5min", 90000},
	{".5h", 1800000},
	{"1 min 20 sec 5ms", 80005},
	{"1min30", 90000},
	{"1h1h", 7200000},
	{"+5", 5000},
	{"1d", 86400000},
	{"2 weeks", 1209600000},
	{"1M", 2629800000},
	{"1y", UINT32_MAX},
	{"90us", 1},
	{"90 \xc2\xb5s", 1},
	{"5parsec", 0},
	{"5.", 0},
	{"5.s", 0},
	{"1.5.5s", 0},
	{"1e3", 0},
	{"3 s;", 0},
	{"5 infinity", 0},
	{"99999999999999999999 s", UINT32_MAX},
	{"1.99999999999999999999999s", 2000},
	{"", 0},
	{" ", 0},
	{"s", 0},
};

TEST_EACH(a_span_is_read_as_systemd_reads_it, spans)
{
	char text[64];
	uint32_t ms;

	/* What stands behind it is none of it. */
	snprintf(text, sizeof(text), "%s9h", spans[_i].text);
	ms = lea_time_span_ms(text, strlen(spans[_i].text));
	ck_assert_msg(ms == spans[_i].ms, "%s: %u", spans[_i].text, ms);
}
