/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal messages about incomplete VGs, and when they appear. */
#include "batch/incomplete.h"

#include "fake/tree.h"
#include "state/online.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#define ID(letter) letter "AAAAA000011112222333344445555aa"
#define DASHED	   "AAAAA-0000-1111-2222-3333-4444-5555aa"

static struct tree tree;
static struct lea_incomplete own, *const waiting = &own;
static uint64_t now;

static uint64_t get_now(struct lea_clock *clock)
{
	return now;
}

static struct lea_clock set_clock = {.now_ms = get_now};

static void setup(void)
{
	tree_init(&tree);
	tree.world.clock = &set_clock;
	now = 5000;
	tree_put(&tree, "/run/lvm/pvs_lookup/data", ID("a") "\n" ID("b") "\n" ID("c") "\n");
	tree_put(&tree, "/run/lvm/pvs_online/" ID("a"), "8:0\nvg:data\n");
}

static void teardown(void)
{
	lea_incomplete_done(waiting);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static unsigned int lines(void)
{
	unsigned int n = 0;

	for (const char *at = tree.logged; (at = strchr(at, '\n')); at++)
		n++;
	return n;
}

static int come_and_rest(bool is_complete)
{
	lea_incomplete_note(waiting, "data", is_complete);
	return lea_incomplete_log(waiting, &tree.world);
}

TEST(an_incomplete_vg_has_one_line_when_nothing_comes_any_more)
{
	for (int i = 0; i < 5; i++)
		lea_incomplete_note(waiting, "data", false);
	ck_assert_str_eq(tree.logged, "");
	ck_assert_int_eq(lea_incomplete_log(waiting, &tree.world), -1);
	ck_assert_str_eq(
		tree.logged,
		"VG data: not activated, incomplete: 1 of 3 PVs is there, missing PVs "
		"b" DASHED ", c" DASHED "; an event activates it when the missing PVs "
		"appear; to activate it now: vgchange -ay --activationmode partial data\n");
	ck_assert_int_eq(lea_incomplete_log(waiting, &tree.world), -1);
	ck_assert_int_eq(come_and_rest(false), -1);
	ck_assert_msg(lines() == 1, "the same is not said again: %s", tree.logged);
}

TEST(another_line_tells_what_is_missing_later_a_minute_after_the_first)
{
	ck_assert_int_eq(come_and_rest(false), -1);
	tree_put(&tree, "/run/lvm/pvs_online/" ID("b"), "8:16\nvg:data\n");
	now += 10000;
	ck_assert_int_eq(come_and_rest(false), LEA_WAITING_PAUSE_MS - 10000);
	ck_assert_uint_eq(lines(), 1);
	now += LEA_WAITING_PAUSE_MS - 10000;
	ck_assert_int_eq(lea_incomplete_log(waiting, &tree.world), -1);
	ck_assert_uint_eq(lines(), 2);
	ck_assert_ptr_nonnull(strstr(tree.logged, "2 of 3 PVs are there, missing PV c" DASHED ";"));
}

TEST(a_vg_that_became_complete_has_no_line)
{
	lea_incomplete_note(waiting, "data", false);
	tree_put(&tree, "/run/lvm/pvs_online/" ID("b"), "8:16\nvg:data\n");
	tree_put(&tree, "/run/lvm/pvs_online/" ID("c"), "8:32\nvg:data\n");
	ck_assert_int_eq(come_and_rest(true), -1);
	ck_assert_str_eq(tree.logged, "");
}

TEST(a_vg_that_was_complete_in_between_is_told_again)
{
	come_and_rest(false);
	tree_put(&tree, "/run/lvm/pvs_online/" ID("b"), "8:16\nvg:data\n");
	tree_put(&tree, "/run/lvm/pvs_online/" ID("c"), "8:32\nvg:data\n");
	come_and_rest(true);
	tree_remove(&tree, "/run/lvm/pvs_online/" ID("b"));
	tree_remove(&tree, "/run/lvm/pvs_online/" ID("c"));
	come_and_rest(false);
	ck_assert_uint_eq(lines(), 2);
}

TEST(a_vg_that_is_active_gets_no_advice)
{
	tree_put(&tree, "/run/lvm/vgs_online/data", "");
	come_and_rest(false);
	ck_assert_str_eq(tree.logged, "VG data: incomplete: 1 of 3 PVs is there, missing PVs "
				      "b" DASHED ", c" DASHED "\n");
}

/* Its activation failed for now, and was to be tried again. */
TEST(a_vg_that_has_failed_for_now_gets_advice)
{
	tree_put(&tree, "/run/lvm/vgs_online/data", "");
	ck_assert_int_eq(lea_vg_online_keep(lea_world_run(&tree.world), "data"), 0);
	come_and_rest(false);
	ck_assert_ptr_nonnull(strstr(tree.logged, "to activate it now"));
}

TEST(what_is_remembered_is_bounded)
{
	char name[32];

	for (unsigned int i = 0; i < LEA_WAITING_MOST + 10; i++) {
		snprintf(name, sizeof(name), "vg%u", i);
		lea_incomplete_note(waiting, name, false);
	}
	ck_assert_int_eq(come_and_rest(false), -1);
	ck_assert_msg(!lines(), "it had no place");
	ck_assert_int_eq(come_and_rest(false), -1);
	ck_assert_msg(lines() == 1, "those without a lookup file gave theirs back");
}
