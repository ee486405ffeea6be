/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake/tree.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "unit/suite.h"

#define ID   "0123456789abcdefghijABCDEFGHIJKL"
#define UUID "012345-6789-abcd-efgh-ijAB-CDEF-GHIJKL"

static struct tree tree;
static int event_fd;

static void setup(void)
{
	int run_fd;

	tree_init(&tree);
	tree_put(&tree, "/sys/dev/block/8:16/diskseq", "7\n");
	run_fd = lea_world_run(&tree.world);
	ck_assert_int_eq(mkdirat(run_fd, "event", 0700), 0);
	event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(event_fd, 0);
}

static void teardown(void)
{
	close(event_fd);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

TEST(a_marker_is_of_one_pv_on_one_instance)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 7},
				other = {.major = 8, .minor = 16, .diskseq = 8};
	int fd = lea_marker_open(event_fd);

	ck_assert_int_eq(lea_marker_set(fd, &device, ID), 0);
	ck_assert_int_eq(lea_marker_set(fd, &device, ID), LEA_MARKER_WAS_SET);
	ck_assert(lea_marker_ask(event_fd, &device, ID));
	ck_assert(!lea_marker_ask(event_fd, &other, ID));
	ck_assert(!lea_marker_ask(event_fd, &device, "x123456789abcdefghijABCDEFGHIJKL"));
	ck_assert(!lea_marker_ask(event_fd, &device, ""));
	ck_assert_int_eq(lea_marker_drop(fd, &device, ID), 0);
	ck_assert(!lea_marker_ask(event_fd, &device, ID));
	ck_assert_msg(!lea_marker_drop(fd, &device, ID), "none is fine");
	close(fd);
}

#define OTHER "x123456789abcdefghijABCDEFGHIJKL"

TEST(a_device_leads_to_the_pv_that_it_was)
{
	char before[33] = "";

	ck_assert_int_eq(lea_carried_ask(event_fd, "8:16-7", before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:16-7", ID, before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:16-7", ID, before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:16-7", OTHER, before), LEA_CARRIED_ANOTHER);
	ck_assert_str_eq(before, ID);
	ck_assert_msg(lea_carried_ask(event_fd, "8:16-7", before) == 1 && !strcmp(before, ID),
		      "it stays until nothing is kept any more");
	ck_assert_int_eq(lea_carried_replace(event_fd, "8:16-7", OTHER), 0);
	ck_assert_int_eq(lea_carried_ask(event_fd, "8:16-7", before), 1);
	ck_assert_str_eq(before, OTHER);
	ck_assert_int_lt(lea_carried_put(event_fd, "8:16-7", "../newest", before), 0);
}

TEST(a_pv_leads_to_the_devices_that_were_it)
{
	struct lea_carried_list marks = {0};
	const struct lea_carried *first, *second;
	char before[33];
	size_t at;

	ck_assert_int_eq(lea_carried_find(event_fd, &marks, ID, &at), 0);
	ck_assert_ptr_null(lea_carried_at(&marks, ID, at));
	lea_carried_done(&marks);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:32-9", ID, before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:16-7", OTHER, before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:48-3", ID, before), 0);
	tree_link(&tree, "/run/lvm/event/carried/eight", ID);
	ck_assert_int_eq(lea_carried_find(event_fd, &marks, ID, &at), 0);
	first = lea_carried_at(&marks, ID, at);
	second = lea_carried_at(&marks, ID, at + 1);
	ck_assert(first && second && first->id.minor + second->id.minor == 80);
	ck_assert_ptr_null(lea_carried_at(&marks, ID, at + 2));
	ck_assert_int_eq(lea_carried_find(event_fd, &marks, OTHER, &at), 0);
	ck_assert_uint_eq(lea_carried_at(&marks, OTHER, at)->id.minor, 16);
	lea_carried_done(&marks);
}

/* What nobody of ours has written counts for nothing, and is replaced. */
TEST(nonsense_leads_nowhere)
{
	char before[33] = "";

	tree_link(&tree, "/run/lvm/event/carried/8:16-7", "../../../etc/passwd");
	ck_assert_int_eq(lea_carried_ask(event_fd, "8:16-7", before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:16-7", ID, before), 0);
	ck_assert_int_eq(lea_carried_ask(event_fd, "8:16-7", before), 1);
	tree_put(&tree, "/run/lvm/event/carried/8:32-9", "a file");
	ck_assert_int_eq(lea_carried_ask(event_fd, "8:32-9", before), 0);
	ck_assert_int_eq(lea_carried_put(event_fd, "8:32-9", ID, before), 0);
}

static const struct {
	const char *claim, *folder, *name;
	bool stays;
} rows[] = {
	{"the instance is there", "known", "8:16-7-" UUID, true},
	{"another instance has the number", "known", "8:16-6-" UUID, false},
	{"no device has the number", "known", "8:32-7-" UUID, false},
	{"a UUID that begins with a digit is no instance", "known", "8:16--" UUID, true},
	{"no device has the number, and no instance is known", "known", "8:32--" UUID, false},
	{"the refused instance is there", "refused", "8:16-7", true},
	{"another instance than the refused one has the number", "refused", "8:16-6", false},
	{"the kernel counted no instances", "refused", "8:16-0", true},
	{"a name of something else", "refused", "eight", true},
	{"the unsettled instance is there", "unsettled", "8:16-7", true},
	{"another instance than the unsettled one has the number", "unsettled", "8:16-6", false},
	{"another instance than the probed one has the number", "probed", "8:16-6", false},
	{"the instance that was a PV is there", "carried", "8:16-7", true},
	{"another instance than the one that was a PV has the number", "carried", "8:16-6", false},
};

TEST_EACH(markers_of_gone_instances_are_removed, rows)
{
	char path[128];
	struct stat st;

	ck_assert_int_eq(mkdirat(event_fd, rows[_i].folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s", rows[_i].folder, rows[_i].name);
	close(openat(event_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ck_assert_int_eq(fstatat(event_fd, path, &st, 0), 0);
	lea_marker_tidy(&tree.world, event_fd);
	ck_assert_msg((fstatat(event_fd, path, &st, 0) == 0) == rows[_i].stays, "%s",
		      rows[_i].claim);
}
