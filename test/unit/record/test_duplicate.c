/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_note.h"

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
static struct lea_duplicate listed[LEA_DUPLICATES_MOST];

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

const struct fixture fixture = {setup, teardown};

static struct lea_duplicate duplicate(uint32_t minor, enum lea_duplicate_state state)
{
	struct lea_duplicate duplicate = {.pvid = ID, .id = {8, minor, 7}};

	duplicate.state = state;
	strcpy(duplicate.vg_id, VG);
	return duplicate;
}

static void put(uint32_t minor, enum lea_duplicate_state state)
{
	const struct lea_duplicate one = duplicate(minor, state);

	ck_assert_int_eq(lea_duplicate_put(&tree.world, &one), 0);
}

TEST(a_pv_has_no_duplicates_at_first)
{
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 0);
	ck_assert(!lea_duplicate_is_any(&tree.world));
}

TEST(a_duplicate_that_was_put_is_listed)
{
	put(16, LEA_DUPLICATE_NOTED);
	put(16, LEA_DUPLICATE_IGNORED);
	ck_assert(lea_duplicate_is_any(&tree.world));
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID2, listed), 0);
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 1);
	ck_assert_str_eq(listed[0].pvid, ID);
	ck_assert_str_eq(listed[0].vg_id, VG);
	ck_assert_uint_eq(listed[0].id.major, 8);
	ck_assert_uint_eq(listed[0].id.minor, 16);
	ck_assert_uint_eq(listed[0].id.diskseq, 7);
	ck_assert_int_eq(listed[0].state, LEA_DUPLICATE_IGNORED);
}

/* Also in a new epoch. */
TEST_TIMES(what_was_a_path_stays_one, 2)
{
	struct lea_duplicate path = duplicate(16, LEA_DUPLICATE_SAID);

	path.is_path = _i;
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &path), 0);
	tree_put(&tree, BOOT, "99999999-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 1);
	ck_assert_int_eq(listed[0].is_path, _i);
}

/* Also in a new epoch. Rows: as written, as an earlier version has written it, with and without what
 * stood at the end of the line. */
TEST_TIMES(what_a_copy_has_shown_is_kept, 3)
{
	struct lea_duplicate copy = duplicate(16, LEA_DUPLICATE_SAID);
	const char *file = "/run/lvm/event/duplicates/" ID "/8:16-7";

	copy.seqno = 4000000000U;
	copy.is_path = true;
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &copy), 0);
	if (_i)
		tree_put(&tree, file,
			 _i == 1 ? "99999999-2222-3333-4444-555555555555-1 said " VG " path\n"
				 : "99999999-2222-3333-4444-555555555555-1 said " VG "\n");
	tree_put(&tree, BOOT, "99999999-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 1);
	ck_assert_uint_eq(listed[0].seqno, _i ? 0 : 4000000000U);
	ck_assert_str_eq(listed[0].vg_id, VG);
	ck_assert(listed[0].is_path == (_i < 2));
}

TEST(the_last_duplicate_takes_the_folders_along)
{
	const struct lea_duplicate first = duplicate(16, LEA_DUPLICATE_SAID),
				   other = duplicate(32, LEA_DUPLICATE_SAID);

	put(16, LEA_DUPLICATE_SAID);
	put(32, LEA_DUPLICATE_SAID);
	ck_assert_int_eq(lea_duplicate_drop(&tree.world, &first), 0);
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 1);
	ck_assert_int_eq(lea_duplicate_drop(&tree.world, &other), 0);
	ck_assert(!lea_duplicate_is_any(&tree.world));
	ck_assert_int_eq(lea_duplicate_drop(&tree.world, &other), 0);
}

TEST(in_a_new_epoch_nothing_was_said)
{
	put(16, LEA_DUPLICATE_IGNORED);
	tree_put(&tree, BOOT, "99999999-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), 1);
	ck_assert_int_eq(listed[0].state, LEA_DUPLICATE_NOTED);
	ck_assert_str_eq(listed[0].vg_id, VG);
}

static const struct {
	const char *claim, *name, *text;
	int count;
} hostile[] = {
	{"an empty one was noted", "8:16-7", "", 1},
	{"garbage was noted", "8:16-7", "\1\2\3 \4 ../../../../etc/passwd-and-what-follows it\n",
	 1},
	{"no number is none", "eight", "", 0},
	{"more behind the number is none", "8:16-7x", "", 0},
	{"a hidden one is none", ".new-1-8:16-7", "", 0},
};

TEST_EACH(a_hostile_file_is_no_duplicate, hostile)
{
	char path[128];

	snprintf(path, sizeof(path), "/run/lvm/event/duplicates/" ID "/%s", hostile[_i].name);
	tree_put(&tree, path, hostile[_i].text);
	ck_assert_msg(lea_duplicate_list(&tree.world, ID, listed) == hostile[_i].count, "%s",
		      hostile[_i].claim);
	if (!hostile[_i].count)
		return;
	ck_assert_int_eq(listed[0].state, LEA_DUPLICATE_NOTED);
	ck_assert_str_eq(listed[0].vg_id, "");
}

TEST(duplicates_are_listed_up_to_the_limit)
{
	for (uint32_t i = 0; i < LEA_DUPLICATES_MOST + 5; i++)
		put(i, LEA_DUPLICATE_SAID);
	ck_assert_int_eq(lea_duplicate_list(&tree.world, ID, listed), LEA_DUPLICATES_MOST);
}

TEST(no_duplicate_is_kept_without_the_event_folder)
{
	const struct lea_duplicate one = duplicate(16, LEA_DUPLICATE_SAID);
	struct tree bare;

	tree_init(&bare);
	tree_mkdir(&bare, "/run/lvm");
	tree_put(&bare, BOOT, "11111111-2222-3333-4444-555555555555\n");
	ck_assert_int_eq(lea_duplicate_put(&bare.world, &one), -ENOENT);
	tree_done(&bare);
}

static int note(void *arg, const char *pvid)
{
	strcat(strcat(arg, pvid), " ");
	return 0;
}

TEST(each_pv_is_reported_once)
{
	char told[256] = "";

	put(16, LEA_DUPLICATE_SAID);
	put(32, LEA_DUPLICATE_SAID);
	tree_mkdir(&tree, "/run/lvm/event/duplicates/no-id");
	ck_assert_int_eq(lea_duplicate_each(&tree.world, note, told), 0);
	ck_assert_str_eq(told, ID " ");
}
