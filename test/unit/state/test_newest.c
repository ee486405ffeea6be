/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/newest.h"

#include "fake/tree.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VG	"CCCCCC0000111122223333444455555c"
#define ID	"AAAAAA0000111122223333444455555a"
#define ID2	"BBBBBB0000111122223333444455555b"
#define FILE_OF "/run/lvm/event/newest/" VG "-vg_one"

static struct tree tree;
static int run_fd;

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/run/lvm/event");
	run_fd = lea_world_run(&tree.world);
	ck_assert_int_ge(run_fd, 0);
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static int note(uint32_t seqno, int (*store)(int fd, const struct lea_newest *newest))
{
	char pvid[2][33] = {ID2, ID};
	const struct lea_newest newest = {.vg_id = VG,
					  .vg_name = "vg_one",
					  .seqno = seqno,
					  .seen_ms = 7,
					  .shown_by = {ID, {8, 16, 3}},
					  .pvid = pvid,
					  .pv_count = 2};

	return store(run_fd, &newest);
}

TEST(what_was_noted_is_read)
{
	struct lea_newest newest;
	uint32_t seqno = 0;
	char by[33];

	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, by), LEA_NEWEST_NONE);
	ck_assert_int_eq(note(5, lea_newest_note), 0);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, by), 0);
	ck_assert_uint_eq(seqno, 5);
	ck_assert_str_eq(by, ID);
	ck_assert_int_eq(lea_newest_read(run_fd, VG, "vg_one", &newest), 0);
	ck_assert_str_eq(newest.vg_id, VG);
	ck_assert_str_eq(newest.vg_name, "vg_one");
	ck_assert_uint_eq(newest.seen_ms, 7);
	ck_assert_str_eq(newest.shown_by.pvid, ID);
	ck_assert_uint_eq(newest.shown_by.id.minor, 16);
	ck_assert_uint_eq(newest.shown_by.id.diskseq, 3);
	ck_assert(lea_newest_lists(&newest, ID) && lea_newest_lists(&newest, ID2));
	ck_assert(!lea_newest_lists(&newest, VG));
	lea_newest_done(&newest);
}

TEST(only_a_higher_seqno_replaces_it)
{
	uint32_t seqno;

	ck_assert_int_eq(note(5, lea_newest_note), 0);
	ck_assert_int_eq(note(4, lea_newest_note), LEA_NEWEST_OLDER);
	ck_assert_int_eq(note(5, lea_newest_note), 0);
	ck_assert_int_eq(note(6, lea_newest_note), 0);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), 0);
	ck_assert_uint_eq(seqno, 6);
	ck_assert_int_eq(note(2, lea_newest_replace), 0);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), 0);
	ck_assert_uint_eq(seqno, 2);
	ck_assert_int_eq(lea_newest_drop(run_fd, VG, "vg_one"), 0);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), LEA_NEWEST_NONE);
	ck_assert_int_eq(lea_newest_drop(run_fd, VG, "vg_one"), 0);
}

/* Stock lvm2 handles the events there. */
TEST(without_our_folder_nothing_is_written)
{
	tree_remove(&tree, "/run/lvm/event");
	ck_assert_int_eq(note(5, lea_newest_note), 0);
	ck_assert_int_lt(faccessat(run_fd, "event", F_OK, 0), 0);
}

static const struct {
	const char *claim, *text;
} damages[] = {
	{"another text", "nonsense"},
	{"another version", "lvmevent-newest 2\nseqno 5\n"},
	{"no seqno", "lvmevent-newest 1\npv v\n"},
	{"a seqno that is none", "lvmevent-newest 1\nseqno 5x\n"},
	{"half a seqno", "lvmevent-newest 1\nseqno 5"},
	{"no PV's id", "lvmevent-newest 1\nseqno 5\npv short\n"},
	{"no device", "lvmevent-newest 1\nseqno 5\nby " ID " 8:16\n"},
	{"no time", "lvmevent-newest 1\nseqno 5\nseen x\n"},
};

TEST_EACH(nonsense_counts_as_none, damages)
{
	struct lea_newest newest;

	tree_mkdir(&tree, "/run/lvm/event/newest");
	tree_link(&tree, FILE_OF, damages[_i].text);
	ck_assert_msg(lea_newest_read(run_fd, VG, "vg_one", &newest) == LEA_NEWEST_NONE, "%s",
		      damages[_i].claim);
	ck_assert_int_eq(note(3, lea_newest_replace), 0);
	ck_assert_int_eq(lea_newest_read(run_fd, VG, "vg_one", &newest), 0);
	lea_newest_done(&newest);
}

/* As an earlier version of this program made it. */
TEST(a_file_is_no_note_and_is_replaced)
{
	uint32_t seqno;

	tree_put(&tree, FILE_OF, "lvmevent-newest 1\nseqno 5\n");
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), LEA_NEWEST_NONE);
	ck_assert_int_eq(note(3, lea_newest_note), 0);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), 0);
	ck_assert_uint_eq(seqno, 3);
}

#define MANY 200U

static int take(void *arg, const struct lea_newest *newest)
{
	*(uint32_t *)arg += newest->seqno;
	return 0;
}

static int note_many(uint32_t seqno, uint32_t count)
{
	char pvid[MANY][33];
	const struct lea_newest newest = {.vg_id = VG,
					  .vg_name = "vg_one",
					  .seqno = seqno,
					  .shown_by = {ID, {8, 16, 3}},
					  .pvid = pvid,
					  .pv_count = count};

	for (uint32_t i = 0; i < count; i++)
		snprintf(pvid[i], sizeof(pvid[i]), "AAAAAA%026u", i);
	return lea_newest_note(run_fd, &newest);
}

static void check_many(uint32_t seqno, uint32_t count)
{
	struct lea_newest newest;
	char last[33];

	snprintf(last, sizeof(last), "AAAAAA%026u", count - 1);
	ck_assert_int_eq(lea_newest_read(run_fd, VG, "vg_one", &newest), 0);
	ck_assert_uint_eq(newest.seqno, seqno);
	ck_assert_uint_eq(newest.pv_count, count);
	ck_assert(lea_newest_lists(&newest, last));
	ck_assert_str_eq(newest.shown_by.pvid, ID);
	lea_newest_done(&newest);
}

static const struct {
	const char *claim;
	uint32_t count;
} larges[] = {
	{"the most that a link holds", 110},
	{"one more", 111},
	{"many", MANY},
};

TEST_EACH(all_pvs_of_a_large_vg_are_noted, larges)
{
	uint32_t seqno, sum = 0;

	ck_assert_int_eq(note_many(5, larges[_i].count), 0);
	check_many(5, larges[_i].count);
	ck_assert_int_eq(lea_newest_seqno(run_fd, VG, "vg_one", &seqno, NULL), 0);
	ck_assert_uint_eq(seqno, 5);
	ck_assert_int_eq(note_many(4, 2), LEA_NEWEST_OLDER);
	ck_assert_int_eq(note_many(6, MANY), 0);
	check_many(6, MANY);
	ck_assert_int_eq(note_many(7, 2), 0);
	check_many(7, 2);
	ck_assert_int_eq(lea_newest_each(run_fd, take, &sum), 0);
	ck_assert_uint_eq(sum, 7);
	ck_assert_int_eq(lea_newest_drop(run_fd, VG, "vg_one"), 0);
	tree_remove(&tree, "/run/lvm/event/newest"); /* fails unless it is empty */
}

/* It was killed while it dropped the note, or while it wrote one. */
TEST(a_head_without_its_pvs_still_tells_the_seqno)
{
	struct lea_newest newest;

	ck_assert_int_eq(note_many(5, MANY), 0);
	tree_remove(&tree, "/run/lvm/event/newest/:" VG "-vg_one");
	ck_assert_int_eq(lea_newest_read(run_fd, VG, "vg_one", &newest), 0);
	ck_assert_uint_eq(newest.seqno, 5);
	ck_assert_uint_eq(newest.pv_count, 0);
	lea_newest_done(&newest);
	ck_assert_int_eq(note_many(6, MANY), 0);
	check_many(6, MANY);
}

TEST(each_sound_file_is_told)
{
	uint32_t sum = 0;

	ck_assert_int_eq(lea_newest_each(run_fd, take, &sum), 0);
	ck_assert_int_eq(note(5, lea_newest_note), 0);
	tree_put(&tree, "/run/lvm/event/newest/" ID "-vg", "nonsense\n");
	tree_put(&tree, "/run/lvm/event/newest/.new-1", "nonsense\n");
	ck_assert_int_eq(lea_newest_each(run_fd, take, &sum), 0);
	ck_assert_uint_eq(sum, 5);
}
