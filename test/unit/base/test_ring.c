/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of the timeline: several writers, more records than places, and what nobody wrote. */
#include "base/ring.h"

#include "base/arena.h"
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define BOOT	"11111111-2222-3333-4444-555555555555"
#define BOOT_ID "11111111222233334444555555555555"
#define FILE_	"/run/lvm/" LEA_TIMELINE_FILE

static struct tree tree;
static struct lea_arena *arena;
static struct lea_ring *ring;
static struct lea_ring_records records;

static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", BOOT "\n");
	tree_mkdir(&tree, "/run/lvm");
	arena = lea_arena_new(2 * LEA_RING_ARENA_BYTES);
	ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(ring, MAP_FAILED);
	lea_ring_begin(ring, BOOT);
}

static void teardown(void)
{
	munmap(ring, sizeof(*ring));
	lea_arena_free(arena);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static void put(uint32_t count, uint32_t pid)
{
	for (uint32_t i = 0; i < count; i++)
		lea_ring_put(ring,
			     &(struct lea_ring_record){
				     .kind = LEA_RING_SEEN, .time_us = i, .pid = pid, .device = i});
}

static void parse(void)
{
	ck_assert_int_eq(lea_ring_parse(arena, ring, sizeof(*ring), &records), 0);
}

TEST(records_come_back_in_their_order)
{
	put(3, 7);
	parse();
	ck_assert_uint_eq(records.count, 3);
	ck_assert_uint_eq(records.written, 3);
	ck_assert_str_eq(records.boot, BOOT_ID);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(records.record[i].device, i);
}

TEST(the_oldest_records_are_overwritten)
{
	put(LEA_RING_PLACES + 10, 7);
	parse();
	ck_assert_uint_eq(records.count, LEA_RING_PLACES);
	ck_assert_uint_eq(records.written, LEA_RING_PLACES + 10);
	ck_assert_uint_eq(records.record[0].device, 10);
	ck_assert_uint_eq(records.record[LEA_RING_PLACES - 1].device, LEA_RING_PLACES + 9);
}

/* The number of a record is kept modulo 2^32. */
TEST(the_count_may_wrap)
{
	ring->head.written = UINT32_MAX - 1U;
	put(5, 7);
	parse();
	/* The record whose number would be 0 counts as unwritten. */
	ck_assert_uint_eq(records.count, 4);
	ck_assert_uint_eq(records.record[0].device, 0);
	ck_assert_uint_eq(records.record[3].device, 4);
}

/* No record is lost, and none has parts of another. */
TEST(two_processes_write_at_a_time)
{
	enum { EACH = 8000 };
	uint32_t next[2] = {0};
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	put(EACH, child ? 1 : 0);
	if (!child)
		_exit(0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	parse();
	ck_assert_uint_eq(records.count, 2 * EACH);
	for (size_t i = 0; i < records.count; i++) {
		const struct lea_ring_record *record = &records.record[i];

		ck_assert_uint_le(record->pid, 1);
		ck_assert_uint_eq(record->device, next[record->pid]);
		ck_assert_uint_eq(record->time_us, next[record->pid]++);
	}
}

TEST(a_file_has_the_records_without_the_places)
{
	void *bytes;
	size_t len;

	put(LEA_RING_PLACES + 2, 7);
	parse();
	ck_assert_int_eq(lea_ring_format(&records, &bytes, &len), 0);
	ck_assert_uint_eq(len, LEA_RING_BYTES);
	free(bytes);
	records.record += LEA_RING_PLACES - 2;
	records.count = 2;
	ck_assert_int_eq(lea_ring_format(&records, &bytes, &len), 0);
	ck_assert_uint_eq(len, 3 * 48);
	ck_assert_int_eq(lea_ring_parse(arena, bytes, len, &records), 0);
	ck_assert_uint_eq(records.count, 2);
	ck_assert_uint_eq(records.record[1].device, LEA_RING_PLACES + 1);
	ck_assert_str_eq(records.boot, BOOT_ID);
	free(bytes);
}

/* A file of the boot, and the ring, which has gone on since and may have lost the boot. */
static const struct {
	uint32_t before, after;
	size_t count;
} joins[] = {
	{3, 0, 3},
	{3, 4, 7},
	{10, LEA_RING_PLACES - 1, LEA_RING_PLACES + 9},
	{10, LEA_RING_PLACES + 100, LEA_RING_PLACES + 10},
};

TEST_EACH(a_file_and_the_ring_are_one_story, joins)
{
	struct lea_ring_records kept, all;

	put(joins[_i].before, 1);
	parse();
	kept = records;
	put(joins[_i].after, 2);
	parse();
	ck_assert_int_eq(lea_ring_join(arena, &kept, &records, &all), 0);
	ck_assert_uint_eq(all.count, joins[_i].count);
	for (size_t i = 0; i < all.count; i++)
		ck_assert_uint_eq(all.record[i].pid, i < joins[_i].before ? 1 : 2);
	if (joins[_i].after)
		ck_assert_uint_eq(all.record[all.count - 1].device, joins[_i].after - 1);
}

TEST(what_is_no_record_is_left_out)
{
	static const struct lea_ring_record bad[] = {
		{.seq = 0, .kind = LEA_RING_SEEN},
		{.seq = 2, .kind = LEA_RING_NONE},
		{.seq = 3, .kind = LEA_RING_KINDS},
		{.seq = 4, .kind = UINT16_MAX},
		{.seq = 5, .kind = LEA_RING_SEEN, .time_us = UINT64_MAX},
		{.seq = 1000, .kind = LEA_RING_SEEN},
		{.seq = UINT32_MAX, .kind = LEA_RING_SEEN},
	};

	memcpy(ring->place, bad, sizeof(bad));
	ring->place[ARRAY_SIZE(bad)] =
		(struct lea_ring_record){.seq = 8, .kind = LEA_RING_NODE, .text = "a\"\n<\x80z"};
	memset(ring->place[ARRAY_SIZE(bad)].text + 7, 'x', LEA_RING_TEXT_BYTES - 7);
	ring->head.written = 9;
	parse();
	ck_assert_uint_eq(records.count, 1);
	ck_assert(
		!memcmp(records.record[0].text, "a????z\0\0\0\0\0\0\0\0\0\0", LEA_RING_TEXT_BYTES));
}

TEST(what_is_no_ring_is_refused)
{
	ck_assert_int_eq(lea_ring_parse(arena, ring, 47, &records), LEA_RING_REFUSED);
	ck_assert_int_eq(lea_ring_parse(arena, ring, sizeof(*ring) + 1, &records),
			 LEA_RING_REFUSED);
	ck_assert_int_eq(lea_ring_parse(arena, ring, 48, &records), 0);
	ring->head.boot[0] = '"';
	parse();
	ck_assert_str_eq(records.boot, "");
	ring->head.magic[5]++;
	ck_assert_int_eq(lea_ring_parse(arena, ring, sizeof(*ring), &records), LEA_RING_REFUSED);
}

/* ---- the file in /run */

static void read_file(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s" FILE_, tree.root);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, ring, sizeof(*ring)), sizeof(*ring));
	close(fd);
	parse();
}

TEST(the_first_process_makes_the_file_and_later_ones_add)
{
	const char *long_name = "a-name-of-more-than-sixteen-bytes";
	char name[] = "/dev/sdb1";
	const struct lea_device device = {.major = 8, .minor = 17, .name = name};

	lea_timeline_open(&tree.world, "boot");
	ck_assert_ptr_nonnull(tree.world.timeline);
	lea_timeline_open(&tree.world, "again");
	lea_world_done(&tree.world);
	lea_timeline_note_vg(&tree.world, LEA_RING_DONE, "abcdefghij", 0);
	lea_timeline_open(&tree.world, "run");
	lea_timeline_note_name(&tree.world, LEA_RING_CLAIMED, "abcdefghij", long_name);
	lea_timeline_note_device(&tree.world, LEA_RING_READ, &device,
				 (struct lea_timeline_note){.took_us = 5000, .code = -EIO});
	read_file();
	ck_assert_str_eq(records.boot, BOOT_ID);
	ck_assert_uint_eq(records.count, 6);
	ck_assert_str_eq(records.record[0].text, "boot");
	ck_assert_uint_eq(records.record[0].pid, (uint32_t)getpid());
	ck_assert_uint_gt(records.record[0].time_us, 0);
	ck_assert_str_eq(records.record[1].text, "run");
	ck_assert_uint_eq(records.record[2].value, lea_ring_vg("abcdefgh"));
	ck_assert(!memcmp(records.record[2].text, long_name, 16));
	ck_assert(!memcmp(records.record[3].text, long_name + 16, 16));
	ck_assert_uint_eq(records.record[4].code, 32);
	ck_assert_str_eq(records.record[4].text, "s");
	ck_assert_str_eq(records.record[5].text, "sdb1");
	ck_assert_uint_eq(records.record[5].device, 8U << 20 | 17U);
	ck_assert_uint_eq(records.record[5].value, 5000);
	ck_assert_uint_eq(records.record[5].code, EIO);
}

/* A file that is no ring of ours is left alone, and so is what a link leads to. */
static const char *const strange[] = {"", "short", "link"};

TEST_EACH(without_a_ring_nothing_is_noted, strange)
{
	char path[256];

	tree_mkdir(&tree, "/run/lvm/event");
	tree_put(&tree, "/target", "x");
	if (!strcmp(strange[_i], "link"))
		tree_link(&tree, FILE_, "/target");
	else
		tree_put(&tree, FILE_, strange[_i]);
	lea_timeline_open(&tree.world, "boot");
	ck_assert_ptr_null(tree.world.timeline);
	lea_timeline_note_vg(&tree.world, LEA_RING_DONE, "abcdefghij", 0);
	lea_timeline_forked(&tree.world);
	snprintf(path, sizeof(path), "%s/target", tree.root);
	ck_assert_int_eq(truncate(path, 1), 0);
}

/* Another version's file is of the right size. */
TEST(a_ring_of_another_version_is_left_alone)
{
	char path[256];

	lea_timeline_open(&tree.world, "boot");
	lea_world_done(&tree.world);
	snprintf(path, sizeof(path), "%s" FILE_, tree.root);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(truncate(path, sizeof(*ring)), 0);
	lea_timeline_open(&tree.world, "boot");
	ck_assert_ptr_null(tree.world.timeline);
}
