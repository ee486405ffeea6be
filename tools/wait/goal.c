/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "wait/goal.h"

#include "base/id.h"
#include "cli/target.h"
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

/* What every other command takes: a VG or an LV by its name, or what has to be looked up. */
static int parse_target(const char *word, struct lea_goal *ret_goal, const char **ret_why)
{
	struct lea_target target;
	const int r = lea_target_parse(word, &target);
	const struct lea_meaning *meaning = target.meaning;

	*ret_why = "it is no VG, VG/LV, @tag, UUID or path, nor pvs:N, needed, settled or healthy";
	if (r == LEA_TARGET_BAD || strlen(word) >= LEA_TARGET_PATH_BYTES)
		return LEA_GOAL_BAD;
	*ret_goal = (struct lea_goal){.kind = LEA_GOAL_TARGET, .target = word};
	if (target.count == 1 && meaning->kind <= LEA_TARGET_LV)
		ret_goal->kind = meaning->kind == LEA_TARGET_VG ? LEA_GOAL_VG : LEA_GOAL_LV;
	if (ret_goal->kind != LEA_GOAL_TARGET) {
		memcpy(ret_goal->vg, meaning->vg, sizeof(ret_goal->vg));
		memcpy(ret_goal->lv, meaning->lv, sizeof(ret_goal->lv));
	}
	return 0;
}

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
	return parse_target(word, ret_goal, ret_why);
}
