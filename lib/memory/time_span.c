/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/time_span.h"

#include <stddef.h>
#include <string.h>

#include "base/err.h"

#define BLANKS	" \t"
#define DIGITS	"0123456789"
#define SECOND	1000000ULL
#define DAY	(86400 * SECOND)
#define YEAR	(31557600 * SECOND) /* of 365.25 days; of these a month is a twelfth */
#define MOST_US (UINT32_MAX * 1000ULL)

static uint64_t unit_us(const char *unit, size_t chars)
{
	static const struct {
		const char *names[7];
		uint64_t us;
	} units[] = {
		{{"us", "usec", "\xc2\xb5s", "\xce\xbcs"}, 1},
		{{"ms", "msec"}, 1000},
		{{"", "s", "sec", "second", "seconds"}, SECOND},
		{{"m", "min", "minute", "minutes"}, 60 * SECOND},
		{{"h", "hr", "hour", "hours"}, 3600 * SECOND},
		{{"d", "day", "days"}, DAY},
		{{"w", "week", "weeks"}, 7 * DAY},
		{{"M", "month", "months"}, YEAR / 12},
		{{"y", "year", "years"}, YEAR},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		for (const char *const *name = units[i].names; *name; name++)
			if (strlen(*name) == chars && !strncmp(*name, unit, chars))
				return units[i].us;
	return 0;
}

static bool is_in(const char *at, const char *end, const char *chars)
{
	return at < end && *at && strchr(chars, *at);
}

static size_t count_in(const char *at, const char *end, const char *chars)
{
	const char *from = at;

	while (is_in(at, end, chars))
		at++;
	return (size_t)(at - from);
}

static uint64_t at_most(uint64_t us)
{
	return us < MOST_US ? us : MOST_US;
}

/* The digits before and behind the point, in us of this unit. */
static uint64_t value_us(const char *whole, size_t wholes, const char *part, size_t parts,
			 uint64_t unit)
{
	uint64_t number = 0, us;

	for (size_t i = 0; i < wholes; i++)
		number = at_most(number * 10 + (uint64_t)(whole[i] - '0'));
	us = number > MOST_US / unit ? MOST_US : number * unit;
	for (size_t i = 0; i < parts; i++) {
		unit /= 10;
		us += unit * (uint64_t)(part[i] - '0');
	}
	return at_most(us);
}

/* Takes "1.5min" off *at. False: it begins with no such term. */
static bool take_term(const char **at, const char *end, uint64_t *us)
{
	const char *whole, *part, *unit;
	size_t wholes, parts = 0, blanks, chars;

	whole = *at + is_in(*at, end, "+");
	wholes = count_in(whole, end, DIGITS);
	part = whole + wholes;
	if (is_in(part, end, ".")) {
		parts = count_in(++part, end, DIGITS);
		if (!parts)
			return false;
	}
	blanks = count_in(part + parts, end, BLANKS);
	unit = part + parts + blanks;
	for (chars = 0; unit + chars < end && !strchr(BLANKS DIGITS "+.", unit[chars]);)
		chars++;
	if ((!wholes && !parts) || !unit_us(unit, chars))
		return false;
	if (!chars && !blanks && unit < end) /* "1.5.5" */
		return false;
	*us = at_most(*us + value_us(whole, wholes, part, parts, unit_us(unit, chars)));
	*at = unit + chars;
	return true;
}

uint32_t lea_time_span_ms(const char *text, size_t chars)
{
	const char *const end = text + chars;
	bool is_any = false;
	uint64_t us = 0;

	if (chars == strlen("infinity") && !strncmp(text, "infinity", chars))
		return UINT32_MAX;
	for (text += count_in(text, end, BLANKS); text < end; text += count_in(text, end, BLANKS)) {
		if (!take_term(&text, end, &us))
			return 0;
		is_any = true;
	}
	if (!is_any)
		return 0;
	return !us || us >= MOST_US ? UINT32_MAX : (uint32_t)((us + 999) / 1000);
}
