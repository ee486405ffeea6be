/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"
#include "world/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES 10000U

static char root[64];
static struct lea_world world;

static void setup(void)
{
	char path[128];
	int fd;

	strcpy(root, "/tmp/lea-blockdev-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/disk", root);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (unsigned int i = 0; i < FILE_BYTES; i++)
		ck_assert_int_eq(write(fd, &(uint8_t){(uint8_t)(i % 251)}, 1), 1);
	close(fd);
	lea_world_init(&world, root, NULL, NULL);
}

static void teardown(void)
{
	char path[128];

	lea_world_done(&world);
	snprintf(path, sizeof(path), "%s/disk", root);
	unlink(path);
	rmdir(root);
}

static const struct {
	const char *claim;
	uint64_t offset;
	size_t len;
	int r;
} rows[] = {
	{"an aligned block", 4096, 4096, 0},
	{"the beginning", 0, 512, 0},
	{"across blocks", 4000, 5000, 0},
	{"the last byte", FILE_BYTES - 1, 1, 0},
	{"up to an odd end", 8192, FILE_BYTES - 8192, 0},
	{"beyond the end", FILE_BYTES - 1, 2, -EIO},
	{"far beyond", 1ULL << 50, 1, -EIO},
	{"an offset that is none", UINT64_MAX - 10, 1, -EINVAL},
	{"nothing", 17, 0, 0},
};

START_TEST(reading)
{
	uint8_t bytes[FILE_BYTES];
	int fd = lea_blockdev_open(&world, "/disk", 0, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_msg(lea_blockdev_read(fd, rows[_i].offset, bytes, rows[_i].len) == rows[_i].r,
		      "%s", rows[_i].claim);
	for (size_t i = 0; i < rows[_i].len && !rows[_i].r; i++)
		ck_assert_msg(bytes[i] == (rows[_i].offset + i) % 251, "%s", rows[_i].claim);
	close(fd);
}
END_TEST

START_TEST(size)
{
	uint64_t bytes = 0;
	int fd = lea_blockdev_open(&world, "/disk", 0, 0);

	ck_assert_int_eq(lea_blockdev_size(fd, &bytes), 0);
	ck_assert_uint_eq(bytes, FILE_BYTES);
	close(fd);
}
END_TEST

START_TEST(refusals)
{
	ck_assert_msg(lea_blockdev_open(&world, "/absent", 8, 1) < 0, "neither path nor number");
	ck_assert_msg(lea_blockdev_open(&world, "/", 8, 1) < 0, "a folder is no device");
	lea_world_done(&world);
	lea_world_init(&world, "", NULL, NULL);
	ck_assert_msg(lea_blockdev_open(&world, "/etc/passwd", 4000, 1) < 0,
		      "on a real machine a file is no device");
	ck_assert_msg(lea_blockdev_open(&world, "/dev/null", 4000, 1) < 0,
		      "a character device is none, either");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("blockdev");
	TCase *tcase = tcase_create("blockdev");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, reading, 0, (int)ARRAY_SIZE(rows));
	tcase_add_test(tcase, size);
	tcase_add_test(tcase, refusals);
	suite_add_tcase(suite, tcase);
	return suite;
}
