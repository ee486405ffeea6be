/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rule applies to an incomplete VG, and which items are refused. */
#include "plan/incomplete_rules.h"

#include "base/append.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#define MOST 8

/* Splits @text at blanks. */
static uint32_t split(const char *text, char *copy, const char **items)
{
	char *save = NULL;
	uint32_t count = 0;

	strcpy(copy, text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		items[count++] = word;
	return count;
}

static const char *const tags[] = {"disks", "a=b"};
static const struct lea_vg vg = {.name = "data", .tags = {tags, ARRAY_SIZE(tags)}};

static const struct {
	const char *claim, *modes, *waits;
	enum lea_incomplete_mode mode;
	uint32_t wait_ms;
	bool act;
} rows[] = {
	{"nothing is set", "", "", LEA_INCOMPLETE_WAIT, 30000, false},
	{"lvm2's behaviour", "wait", "30000", LEA_INCOMPLETE_WAIT, 30000, false},
	{"one word for all", "degraded", "500", LEA_INCOMPLETE_DEGRADED, 500, true},
	{"another VG", "other=whole", "other=1", LEA_INCOMPLETE_WAIT, 30000, true},
	{"this VG", "data=whole", "data=1", LEA_INCOMPLETE_WHOLE, 1, true},
	{"a longer name", "datas=whole dat=partial", "", LEA_INCOMPLETE_WAIT, 30000, true},
	{"a tag", "@disks=partial", "@disks=0", LEA_INCOMPLETE_PARTIAL, 0, true},
	{"a tag with the sign", "@a=b=whole", "@a=b=7", LEA_INCOMPLETE_WHOLE, 7, true},
	{"a tag that it has not", "@disk=whole", "", LEA_INCOMPLETE_WAIT, 30000, true},
	{"the name comes before the tag", "partial @disks=degraded data=whole", "9 @disks=8 data=7",
	 LEA_INCOMPLETE_WHOLE, 7, true},
	{"the tag comes before all", "partial @disks=degraded", "9 @disks=8",
	 LEA_INCOMPLETE_DEGRADED, 8, true},
	{"all but this one", "degraded data=wait", "", LEA_INCOMPLETE_WAIT, 30000, true},
	{"the first of two counts", "data=whole data=partial", "5 6", LEA_INCOMPLETE_WHOLE, 5, true},
	{"a wrong item counts for nothing", "data=full degraded", "data=-1 5",
	 LEA_INCOMPLETE_DEGRADED, 5, true},
	{"a day at most", "whole", "86400000", LEA_INCOMPLETE_WHOLE, 86400000, true},
	{"more than a day", "whole", "86400001", LEA_INCOMPLETE_WHOLE, 30000, true},
	{"an item without a name before the sign", "=whole", "=1", LEA_INCOMPLETE_WAIT, 30000,
	 false},
};

TEST_EACH(closest_rule_applies, rows)
{
	const char *mode[MOST], *wait[MOST];
	char modes[128], waits[128];
	const struct lea_incomplete_rules rules = {
		.mode = mode,
		.mode_count = split(rows[_i].modes, modes, mode),
		.wait = wait,
		.wait_count = split(rows[_i].waits, waits, wait),
	};
	const struct lea_incomplete_choice choice = lea_incomplete_choose(&rules, &vg);

	ck_assert_msg(choice.mode == rows[_i].mode, "%s: %s", rows[_i].claim,
		      lea_incomplete_word(choice.mode));
	ck_assert_msg(choice.wait_ms == rows[_i].wait_ms, "%s: %u", rows[_i].claim, choice.wait_ms);
	ck_assert_msg(lea_incomplete_rules_act(&rules) == rows[_i].act, "%s", rows[_i].claim);
}

static void note_refused(void *arg, const char *key, const char *item, const char *what)
{
	lea_append(arg, 512, "%s \"%s\": %s\n", key, item, what);
}

static const struct {
	const char *modes, *waits, *refused;
} refusals[] = {
	{"degraded data=whole @t=partial other=wait", "0 data=1 @t=86400000", ""},
	{"Degraded", "",
	 "incomplete \"Degraded\": the value is not wait, whole, degraded or partial\n"},
	{"complete", "",
	 "incomplete \"complete\": the value is not wait, whole, degraded or partial\n"},
	{"data=", "", "incomplete \"data=\": the value is not wait, whole, degraded or partial\n"},
	{"=whole", "",
	 "incomplete \"=whole\": what stands before \"=\" is neither a VG nor @TAG\n"},
	{"@=whole", "",
	 "incomplete \"@=whole\": what stands before \"=\" is neither a VG nor @TAG\n"},
	{"a/b=whole", "",
	 "incomplete \"a/b=whole\": what stands before \"=\" is neither a VG nor @TAG\n"},
	{"", "1s",
	 "incomplete_wait_ms \"1s\": the value is not a number of milliseconds, or is more than a "
	 "day\n"},
	{"", "86400001",
	 "incomplete_wait_ms \"86400001\": the value is not a number of milliseconds, or is more "
	 "than a day\n"},
	{"", "99999999999999999999",
	 "incomplete_wait_ms \"99999999999999999999\": the value is not a number of milliseconds, "
	 "or is more than a day\n"},
};

TEST_EACH(wrong_items_are_named, refusals)
{
	const char *mode[MOST], *wait[MOST];
	char modes[128], waits[128], refused[512] = "";
	const struct lea_incomplete_rules rules = {
		.mode = mode,
		.mode_count = split(refusals[_i].modes, modes, mode),
		.wait = wait,
		.wait_count = split(refusals[_i].waits, waits, wait),
	};

	lea_incomplete_rules_check(&rules, note_refused, refused);
	ck_assert_str_eq(refused, refusals[_i].refused);
}

TEST(long_name_is_refused)
{
	char item[256], refused[512] = "";
	const char *mode[] = {item};
	const struct lea_incomplete_rules rules = {.mode = mode, .mode_count = 1};

	memset(item, 'a', 200);
	strcpy(item + 200, "=whole");
	lea_incomplete_rules_check(&rules, note_refused, refused);
	ck_assert_ptr_nonnull(strstr(refused, "the name before \"=\" is too long"));
	ck_assert(!lea_incomplete_rules_act(&rules));
}
