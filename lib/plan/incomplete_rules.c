/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An item is split at its last "=", because tags may contain that character. */
#include "plan/incomplete_rules.h"

#include "base/id.h"

#include <stdlib.h>
#include <string.h>

#define DECIMAL_MOST 9U /* digits: more than any valid number has, and less than overflows */

/* How closely an item matches a VG. */
enum match { MATCH_NOT, MATCH_ALL, MATCH_TAG, MATCH_NAME };

static const char *const words[LEA_INCOMPLETE_MODES] = {
	[LEA_INCOMPLETE_WAIT] = "wait",
	[LEA_INCOMPLETE_WHOLE] = "whole",
	[LEA_INCOMPLETE_DEGRADED] = "degraded",
	[LEA_INCOMPLETE_PARTIAL] = "partial",
};

const char *lea_incomplete_word(enum lea_incomplete_mode mode)
{
	return words[mode];
}

const char *lea_incomplete_activation_mode(enum lea_incomplete_mode mode)
{
	static const char *const modes[LEA_INCOMPLETE_MODES] = {
		[LEA_INCOMPLETE_WHOLE] = "complete",
		[LEA_INCOMPLETE_DEGRADED] = "degraded",
		[LEA_INCOMPLETE_PARTIAL] = "partial",
	};

	return modes[mode];
}

static const char *value_of(const char *item)
{
	const char *equal = strrchr(item, '=');

	return equal ? equal + 1 : item;
}

/* Length of "VG" or "@TAG"; 0: the item is for all VGs. */
static size_t name_length(const char *item)
{
	const char *equal = strrchr(item, '=');

	return equal ? (size_t)(equal - item) : 0;
}

static bool parse_mode(const char *value, uint32_t *ret_mode)
{
	for (uint32_t i = 0; i < LEA_INCOMPLETE_MODES; i++)
		if (!strcmp(value, words[i])) {
			*ret_mode = i;
			return true;
		}
	return false;
}

static bool parse_ms(const char *value, uint32_t *ret_ms)
{
	const size_t digits = strspn(value, "0123456789");

	if (!digits || value[digits] || digits > DECIMAL_MOST)
		return false;
	*ret_ms = (uint32_t)strtoul(value, NULL, 10);
	return *ret_ms <= LEA_INCOMPLETE_MOST_MS;
}

/* Static text; NULL: the name is valid, or there is none. */
static const char *check_name(const char *item)
{
	const size_t length = name_length(item);
	char name[128];

	if (!strchr(item, '=') || (item[0] == '@' && length > 1))
		return NULL;
	if (length >= sizeof(name))
		return "the name before \"=\" is too long";
	memcpy(name, item, length);
	name[length] = '\0';
	return lea_name_ok(name) ? NULL : "what stands before \"=\" is neither a VG nor @TAG";
}

static const char *check_mode(const char *item)
{
	const char *why = check_name(item);
	uint32_t mode;

	if (!why && !parse_mode(value_of(item), &mode))
		why = "the value is not wait, whole, degraded or partial";
	return why;
}

static const char *check_wait(const char *item)
{
	const char *why = check_name(item);
	uint32_t ms;

	if (!why && !parse_ms(value_of(item), &ms))
		why = "the value is not a number of milliseconds, or is more than a day";
	return why;
}

void lea_incomplete_rules_check(const struct lea_incomplete_rules *rules,
				void (*refused)(void *arg, const char *key, const char *item,
						const char *what),
				void *arg)
{
	const char *why;

	for (uint32_t i = 0; i < rules->mode_count; i++)
		if ((why = check_mode(rules->mode[i])))
			refused(arg, "incomplete", rules->mode[i], why);
	for (uint32_t i = 0; i < rules->wait_count; i++)
		if ((why = check_wait(rules->wait[i])))
			refused(arg, "incomplete_wait_ms", rules->wait[i], why);
}

bool lea_incomplete_rules_act(const struct lea_incomplete_rules *rules)
{
	uint32_t mode;

	for (uint32_t i = 0; i < rules->mode_count; i++)
		if (!check_name(rules->mode[i]) && parse_mode(value_of(rules->mode[i]), &mode) &&
		    mode != LEA_INCOMPLETE_WAIT)
			return true;
	return false;
}

static bool is_named(const char *item, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(item, name, length);
}

static enum match match(const char *item, const struct lea_vg *vg)
{
	const size_t length = name_length(item);

	if (!length)
		return strchr(item, '=') ? MATCH_NOT : MATCH_ALL;
	if (item[0] != '@')
		return is_named(item, length, vg->name) ? MATCH_NAME : MATCH_NOT;
	for (uint32_t i = 0; i < vg->tags.count; i++)
		if (is_named(item + 1, length - 1, vg->tags.item[i]))
			return MATCH_TAG;
	return MATCH_NOT;
}

/* The value that applies to @vg, or @otherwise. */
static uint32_t find(const char *const *items, uint32_t count, const struct lea_vg *vg,
		     bool (*parse)(const char *value, uint32_t *ret_value), uint32_t otherwise)
{
	enum match best = MATCH_NOT;
	uint32_t chosen = otherwise, value;

	for (uint32_t i = 0; i < count; i++) {
		const enum match this = match(items[i], vg);

		if (this <= best || !parse(value_of(items[i]), &value))
			continue;
		best = this;
		chosen = value;
	}
	return chosen;
}

struct lea_incomplete_choice lea_incomplete_choose(const struct lea_incomplete_rules *rules,
						   const struct lea_vg *vg)
{
	return (struct lea_incomplete_choice){
		.mode = (enum lea_incomplete_mode)find(rules->mode, rules->mode_count, vg,
						       parse_mode, LEA_INCOMPLETE_WAIT),
		.wait_ms = find(rules->wait, rules->wait_count, vg, parse_ms,
				LEA_INCOMPLETE_DEFAULT_MS),
	};
}
