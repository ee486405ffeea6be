/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "wait/goal.h"

#include "base/id.h"
#include "memory/boot_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PVS_MOST 1000000U

/* False: it is not a name. Its characters may be written as udev does, as \x and two digits. */
static bool parse_name(const char *from, size_t chars, char name[static 128])
{
	char text[4 * 128];

	if (chars >= sizeof(text))
		return false;
	memcpy(text, from, chars);
	text[chars] = '\0';
	if (!lea_boot_memory_decode(text) || !lea_name_ok(text))
		return false;
	snprintf(name, 128, "%.127s", text);
	return true;
}

static bool parse_vg(const char *value, struct lea_goal *goal)
{
	return parse_name(value, strlen(value), goal->vg);
}

static bool parse_lv(const char *value, struct lea_goal *goal)
{
	const char *slash = strchr(value, '/');

	return slash && parse_name(value, (size_t)(slash - value), goal->vg) &&
	       parse_name(slash + 1, strlen(slash + 1), goal->lv);
}

static bool parse_pvs(const char *value, struct lea_goal *goal)
{
	uint64_t count = 0;

	if (!lea_number_parse(value, PVS_MOST, &count) || !count)
		return false;
	goal->pvs = (uint32_t)count;
	return true;
}

static const struct {
	const char *word;
	bool (*parse)(const char *value, struct lea_goal *goal); /* NULL: nothing follows */
	enum lea_goal_kind kind;
	const char *why;
} rows[] = {
	{"vg:", parse_vg, LEA_GOAL_VG, "the name of a VG must follow vg:"},
	{"lv:", parse_lv, LEA_GOAL_LV, "VG/LV must follow lv:"},
	{"pvs:", parse_pvs, LEA_GOAL_PVS, "a number from 1 to 1000000 must follow pvs:"},
	{"needed", NULL, LEA_GOAL_NEEDED, ""},
	{"settled", NULL, LEA_GOAL_SETTLED, ""},
	{"healthy", NULL, LEA_GOAL_HEALTHY, ""},
};

int lea_goal_parse(const char *word, struct lea_goal *ret_goal, const char **ret_why)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t chars = strlen(rows[i].word);

		if (strncmp(word, rows[i].word, chars) != 0 || (!rows[i].parse && word[chars]))
			continue;
		*ret_goal = (struct lea_goal){.kind = rows[i].kind};
		if (!rows[i].parse || rows[i].parse(word + chars, ret_goal))
			return 0;
		*ret_why = rows[i].why;
		return LEA_GOAL_BAD;
	}
	*ret_why = "expected vg:NAME, lv:VG/LV, pvs:N, needed, settled or healthy";
	return LEA_GOAL_BAD;
}
