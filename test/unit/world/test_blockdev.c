/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/tree.h"
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

static struct tree tree;

static void setup(void)
{
	uint8_t bytes[FILE_BYTES];

	for (unsigned int i = 0; i < FILE_BYTES; i++)
		bytes[i] = (uint8_t)(i % 251);
	tree_init(&tree);
	tree_put_bytes(&tree, "/disk", bytes, sizeof(bytes));
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

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

TEST_EACH(a_read_gives_the_bytes_or_fails, rows)
{
	uint8_t bytes[FILE_BYTES];
	int fd = lea_blockdev_open(&tree.world, "/disk", 0, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_msg(lea_blockdev_read(fd, rows[_i].offset, bytes, rows[_i].len) == rows[_i].r,
		      "%s", rows[_i].claim);
	for (size_t i = 0; i < rows[_i].len && !rows[_i].r; i++)
		ck_assert_msg(bytes[i] == (rows[_i].offset + i) % 251, "%s", rows[_i].claim);
	close(fd);
}

TEST(a_file_has_its_size)
{
	uint64_t bytes = 0;
	int fd = lea_blockdev_open(&tree.world, "/disk", 0, 0);

	ck_assert_int_eq(lea_blockdev_size(fd, &bytes), 0);
	ck_assert_uint_eq(bytes, FILE_BYTES);
	close(fd);
}

TEST(what_is_no_block_device_is_refused)
{
	ck_assert_msg(lea_blockdev_open(&tree.world, "/absent", 8, 1) < 0,
		      "neither path nor number");
	ck_assert_msg(lea_blockdev_open(&tree.world, "/", 8, 1) < 0, "a folder is no device");
	lea_world_done(&tree.world);
	lea_world_init(&tree.world, "", NULL, NULL);
	ck_assert_msg(lea_blockdev_open(&tree.world, "/etc/passwd", 4000, 1) < 0,
		      "on a real machine a file is no device");
	ck_assert_msg(lea_blockdev_open(&tree.world, "/dev/null", 4000, 1) < 0,
		      "a character device is none, either");
}
