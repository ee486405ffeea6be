/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/rival.h"

#include "fake/tree.h"
#include "state/queue.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ID   "AAAAAA0000111122223333444455555a"
#define ID2  "BBBBBB0000111122223333444455555b"
#define VG   "CCCCCC0000111122223333444455555c"
#define BOOT "/proc/sys/kernel/random/boot_id"

static struct tree tree;
static struct lea_rival listed[LEA_RIVALS_MOST];

static void setup(void)
{
	int fd;

	tree_init(&tree);
	tree_mkdir(&tree, "/run/lvm");
	tree_put(&tree, BOOT, "11111111-2222-3333-4444-555555555555\n");
	fd = lea_queue_open(lea_world_run(&tree.world));
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	tree_done(&tree);
}

static struct lea_rival rival(uint32_t minor, enum lea_rival_state state)
{
	struct lea_rival rival = {.pvid = ID, .major = 8, .minor = minor, .diskseq = 7};

	rival.state = state;
	strcpy(rival.vg_id, VG);
	return rival;
}

static void put(uint32_t minor, enum lea_rival_state state)
{
	const struct lea_rival one = rival(minor, state);

	ck_assert_int_eq(lea_rival_put(&tree.world, &one), 0);
}

START_TEST(none_at_first)
{
	ck_assert_int_eq(lea_rival_list(&tree.world, ID, listed), 0);
	ck_assert(!lea_rival_is_any(&tree.world));
}
END_TEST

START_TEST(what_was_put_is_listed)
{
	put(16, LEA_RIVAL_NOTED);
	put(16, LEA_RIVAL_IGNORED);
	ck_assert(lea_rival_is_any(&tree.world));
	ck_assert_int_eq(lea_rival_list(&tree.world, ID2, listed), 0);
	ck_assert_int_eq(lea_rival_list(&tree.world, ID, listed), 1);
	ck_assert_str_eq(listed[0].pvid, ID);
	ck_assert_str_eq(listed[0].vg_id, VG);
	ck_assert_uint_eq(listed[0].major, 8);
	ck_assert_uint_eq(listed[0].minor, 16);
	ck_assert_uint_eq(listed[0].diskseq, 7);
	ck_assert_int_eq(listed[0].state, LEA_RIVAL_IGNORED);
}
END_TEST

START_TEST(the_last_one_takes_the_folders_along)
{
	const struct lea_rival first = rival(16, LEA_RIVAL_SAID), other = rival(32, LEA_RIVAL_SAID);

	put(16, LEA_RIVAL_SAID);
	put(32, LEA_RIVAL_SAID);
	ck_assert_int_eq(lea_rival_drop(&tree.world, &first), 0);
	ck_assert_int_eq(lea_rival_list(&tree.world, ID, listed), 1);
	ck_assert_int_eq(lea_rival_drop(&tree.world, &other), 0);
	ck_assert(!lea_rival_is_any(&tree.world));
	ck_assert_int_eq(lea_rival_drop(&tree.world, &other), 0);
}
END_TEST

START_TEST(in_a_new_epoch_nothing_was_said)
{
	put(16, LEA_RIVAL_IGNORED);
	tree_put(&tree, BOOT, "99999999-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_rival_list(&tree.world, ID, listed), 1);
	ck_assert_int_eq(listed[0].state, LEA_RIVAL_NOTED);
	ck_assert_str_eq(listed[0].vg_id, VG);
}
END_TEST

static const struct {
	const char *claim, *name, *text;
	int count;
} hostile[] = {
	{"an empty one was noted", "8:16-7", "", 1},
	{"garbage was noted", "8:16-7", "\1\2\3 \4 ../../../../etc/passwd-and-what-follows it\n", 1},
	{"no number is none", "eight", "", 0},
	{"more behind the number is none", "8:16-7x", "", 0},
	{"a hidden one is none", ".new-1-8:16-7", "", 0},
};

START_TEST(hostile_files)
{
	char path[128];

	snprintf(path, sizeof(path), "/run/lvm/event/rivals/" ID "/%s", hostile[_i].name);
	tree_put(&tree, path, hostile[_i].text);
	ck_assert_msg(lea_rival_list(&tree.world, ID, listed) == hostile[_i].count, "%s",
		      hostile[_i].claim);
	if (!hostile[_i].count)
		return;
	ck_assert_int_eq(listed[0].state, LEA_RIVAL_NOTED);
	ck_assert_str_eq(listed[0].vg_id, "");
}
END_TEST

START_TEST(not_more_than_there_is_room_for)
{
	for (uint32_t i = 0; i < LEA_RIVALS_MOST + 5; i++)
		put(i, LEA_RIVAL_SAID);
	ck_assert_int_eq(lea_rival_list(&tree.world, ID, listed), LEA_RIVALS_MOST);
}
END_TEST

START_TEST(not_without_a_folder_for_events)
{
	const struct lea_rival one = rival(16, LEA_RIVAL_SAID);
	struct tree bare;

	tree_init(&bare);
	tree_mkdir(&bare, "/run/lvm");
	tree_put(&bare, BOOT, "11111111-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_rival_put(&bare.world, &one), -ENOENT);
	tree_done(&bare);
}
END_TEST

static int note(void *arg, const char *pvid)
{
	strcat(strcat(arg, pvid), " ");
	return 0;
}

START_TEST(each_pv_is_told_once)
{
	char told[256] = "";

	put(16, LEA_RIVAL_SAID);
	put(32, LEA_RIVAL_SAID);
	tree_mkdir(&tree, "/run/lvm/event/rivals/no-id");
	ck_assert_int_eq(lea_rival_each(&tree.world, note, told), 0);
	ck_assert_str_eq(told, ID " ");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("rival");
	TCase *tcase = tcase_create("rival");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, none_at_first);
	tcase_add_test(tcase, what_was_put_is_listed);
	tcase_add_test(tcase, the_last_one_takes_the_folders_along);
	tcase_add_test(tcase, in_a_new_epoch_nothing_was_said);
	tcase_add_loop_test(tcase, hostile_files, 0, ARRAY_SIZE(hostile));
	tcase_add_test(tcase, not_more_than_there_is_room_for);
	tcase_add_test(tcase, not_without_a_folder_for_events);
	tcase_add_test(tcase, each_pv_is_told_once);
	suite_add_tcase(suite, tcase);
	return suite;
}
