/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_tie.h"

#include "fake/tree.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATHS	  80U
#define CALLS_MOST 1000U

static unsigned int opened, fails_at; /* the call that finds no descriptor; 0: none */

/* In place of libc's, as the next */
int openat(int dir_fd, const char *path, int flags, ...)
{
	va_list arguments;
	unsigned int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, unsigned int) : 0;
	va_end(arguments);
	errno = EMFILE;
	return ++opened == fails_at ? -1 : (int)syscall(SYS_openat, dir_fd, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	unsigned int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, unsigned int) : 0;
	va_end(arguments);
	return openat(AT_FDCWD, path, flags, mode);
}

static struct tree tree;

#define PUT(value, ...)                                                                            \
	do {                                                                                       \
		snprintf(path, sizeof(path), __VA_ARGS__);                                         \
		tree_put(&tree, path, value);                                                      \
	} while (0)

/* A map 253:0 of many paths, 8:0 and up; loop devices 7:0 and up, each on a file that is the next. */
static void setup(void)
{
	char text[32], path[128];

	tree_init(&tree);
	for (unsigned int i = 0; i < PATHS; i++) {
		snprintf(text, sizeof(text), "8:%u\n", i);
		PUT(text, "/sys/dev/block/253:0/slaves/sd%u/dev", i);
		PUT(text, "/sys/dev/block/8:%u/dev", i);
		snprintf(text, sizeof(text), "/dev/loop%u\n", (i + 1) % PATHS);
		PUT(text, "/sys/dev/block/7:%u/loop/backing_file", i);
		snprintf(text, sizeof(text), "7:%u\n", i);
		PUT(text, "/sys/class/block/loop%u/dev", i);
	}
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static int tie(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of)
{
	const struct lea_device a = {.major = major, .minor = minor};
	const struct lea_device b = {.major = of_major, .minor = of};

	return lea_duplicate_tie(&tree.world, &a, &b);
}

/* A path that is taken for a copy keeps its VG down. */
TEST(a_map_lies_on_each_of_its_paths)
{
	for (uint32_t i = 0; i < PATHS; i++)
		ck_assert_msg(tie(253, 0, 8, i) == LEA_DUPLICATE_STACKED, "path %u", i);
	ck_assert_int_eq(tie(253, 0, 8, PATHS), LEA_DUPLICATE_COPY);
}

TEST(a_ring_of_loop_devices_ends)
{
	ck_assert_int_eq(tie(7, 0, 7, 4), LEA_DUPLICATE_STACKED);
	ck_assert_int_eq(tie(7, 0, 8, 1), LEA_DUPLICATE_COPY);
}

static int is_used(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of)
{
	(void)of_major;
	(void)of;
	return lea_duplicate_is_in_use(&tree.world, (struct lea_devno){major, minor}, NULL);
}

#define PVID "abcdefghijklmnopqrstuvwxyz012345"
#define OTHER_PVID "0bcdefghijklmnopqrstuvwxyz012345"
#define UUID "abcdef-ghij-klmn-opqr-stuv-wxyz-012345"

static int is_named(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of)
{
	const struct lea_device device = {.major = major, .minor = minor};

	(void)of_major;
	(void)of;
	return lea_duplicate_is_named(&tree.world, &device, PVID);
}

static int is_named_another(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of)
{
	const struct lea_device device = {.major = major, .minor = minor};

	(void)of_major;
	(void)of;
	return lea_duplicate_is_named_another(&tree.world, &device, OTHER_PVID);
}

/* Two paths to one disk, the path of a map, a loop device on a file in /dev, a PV that an LV uses, and what
 * udev has read */
static const struct question {
	int (*ask)(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of);
	uint32_t major, minor, of_major, of;
	int answer;
} questions[] = {
	{tie, 65, 0, 65, 16, LEA_DUPLICATE_PATH},
	{tie, 253, 0, 8, PATHS - 1, LEA_DUPLICATE_STACKED},
	{tie, 8, 3, 253, 0, LEA_DUPLICATE_STACKED},
	{tie, 7, 0, 7, 2, LEA_DUPLICATE_STACKED},
	{is_used, 65, 0, 0, 0, 1},
	{is_named, 65, 0, 0, 0, 1},
	{is_named_another, 65, 0, 0, 0, 1},
};

static void put_paths(void)
{
	char path[128];

	for (unsigned int i = 0; i < 2; i++) {
		PUT("8192\n", "/sys/dev/block/65:%u/size", 16 * i);
		PUT("naa.5000c500a1b2c3d4\n", "/sys/dev/block/65:%u/device/wwid", 16 * i);
	}
	PUT("I:1\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID "\n", "/run/udev/data/b65:0");
	PUT("LVM-GUetLOo5Gp19A2XKrJeENXFnMeOFEu21\n", "/sys/dev/block/65:0/holders/dm-7/dm/uuid");
}

/* No descriptor is no answer: a path that is taken for a copy, or a PV that is taken for one that nothing uses,
 * would give the PV's place to another disk. */
TEST_EACH(a_shortage_is_no_answer, questions)
{
	const struct question *question = &questions[_i];
	unsigned int calls, failed = 0;
	int r;

	put_paths();
	opened = 0;
	r = question->ask(question->major, question->minor, question->of_major, question->of);
	ck_assert_int_eq(r, question->answer);
	calls = opened;
	ck_assert(calls > 0 && calls < CALLS_MOST);
	for (unsigned int i = 1; i <= calls; i++) {
		opened = 0;
		fails_at = i;
		r = question->ask(question->major, question->minor, question->of_major,
				  question->of);
		fails_at = 0;
		ck_assert_msg(r == -EMFILE || r == question->answer, "call %u of %u: %d", i, calls,
			      r);
		failed += r < 0;
	}
	ck_assert_uint_gt(failed, 0);
}
