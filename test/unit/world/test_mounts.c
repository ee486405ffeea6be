/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo, swaps, fstab and crypttab as rows: each form of a line, and hostile ones. */
#include "unit/suite.h"
#include "world/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "fake/tree.h"

static struct tree tree;

static void setup(void)
{
	tree_init(&tree);
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static void parse(const char *text, enum lea_mount_text form, struct lea_mounts *ret_mounts)
{
	ck_assert_int_eq(lea_mounts_parse(strdup(text), form, ret_mounts), 0);
}

/* Each line alone: its row, or none (NULL). */
static const struct {
	enum lea_mount_text form;
	const char *line, *row;
} lines[] = {
	{LEA_MOUNTINFO, "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
	 "8:1 /dev/sda1 on / type ext4 ()"},
	{LEA_MOUNTINFO, "30 21 0:40 / /s rw shared:9 master:2 - nfs4 host:/x rw",
	 "0:40 host:/x on /s type nfs4 ()"},
	{LEA_MOUNTINFO, "31 21 0:41 / /with\\040blank rw - 9p a\\134b\\011 rw",
	 "0:41 a\\b\t on /with blank type 9p ()"},
	{LEA_MOUNTINFO, "31 21 0:41 / /empty rw - tmpfs  rw", "0:41  on /empty type tmpfs ()"},
	{LEA_MOUNTINFO, "31 21 0:41 / /a rw - tmpfs", NULL},
	{LEA_MOUNTINFO, "31 21 0:41 / /a rw tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31 21 0 / /a rw - tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31 21 -1:2 / /a rw - tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31 21 1:2x / /a rw - tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31 21 4294967296:2 / /a rw - tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31 21 1:99999999999999999999999 / /a rw - tmpfs none rw", NULL},
	{LEA_MOUNTINFO, "31", NULL},
	{LEA_MOUNTINFO, "", NULL},
	{LEA_SWAPS, "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority", NULL},
	{LEA_SWAPS, "/dev/dm-1                               partition\t999420\t\t0\t\t-2",
	 "0:0 /dev/dm-1 on  type partition ()"},
	{LEA_SWAPS, "/a\\040b file 1 0 -3", "0:0 /a b on  type file ()"},
	{LEA_SWAPS, "/dev/dm-1", "0:0 /dev/dm-1 on  type  ()"},
	{LEA_FSTAB, "/dev/vg/lv /a ext4 rw,noauto 0 0",
	 "0:0 /dev/vg/lv on /a type ext4 (rw,noauto)"},
	{LEA_FSTAB, " \t/dev/vg/lv\t\t/a\text4\r", "0:0 /dev/vg/lv on /a type ext4 ()"},
	{LEA_FSTAB, "UUID=1-2 /a", "0:0 UUID=1-2 on /a type  ()"},
	{LEA_FSTAB, "UUID=\"1-2\" /a ext4", "0:0 UUID=1-2 on /a type ext4 ()"},
	{LEA_FSTAB, "'LABEL=my\\040disk' /a ext4", "0:0 LABEL=my disk on /a type ext4 ()"},
	{LEA_FSTAB, "PARTUUID='1' none swap sw", "0:0 PARTUUID=1 on none type swap (sw)"},
	{LEA_FSTAB, "LABEL=\" /a ext4", "0:0 LABEL=\" on /a type ext4 ()"},
	{LEA_FSTAB, "\" /a ext4", "0:0 \" on /a type ext4 ()"},
	{LEA_FSTAB, "/dev/a /b\\04 ext4", "0:0 /dev/a on /b\\04 type ext4 ()"},
	{LEA_FSTAB, "/dev/a //b///c/ ext4", "0:0 /dev/a on /b/c type ext4 ()"},
	{LEA_FSTAB, "/dev/a // ext4", "0:0 /dev/a on / type ext4 ()"},
	{LEA_FSTAB, "/dev/a none/ swap", "0:0 /dev/a on none/ type swap ()"},
	{LEA_FSTAB, "/dev/a /b\\ ext4", "0:0 /dev/a on /b\\ type ext4 ()"},
	{LEA_FSTAB, "/dev/a /b\\000c ext4", "0:0 /dev/a on /b\\000c type ext4 () wrong"},
	{LEA_FSTAB, "/dev/a\\400 /b ext4", "0:0 /dev/a\\400 on /b type ext4 () wrong"},
	{LEA_FSTAB, "\\043a /b ext4", "0:0 #a on /b type ext4 ()"},
	{LEA_FSTAB, "# /dev/vg/lv /a ext4", NULL},
	{LEA_FSTAB, "  #/dev/vg/lv /a ext4", NULL},
	{LEA_FSTAB, "/dev/vg/lv", NULL},
	{LEA_FSTAB, " \t ", NULL},
	{LEA_CRYPTTAB, "secret UUID=\"1\" none luks,nofail",
	 "0:0 UUID=1 on secret type  (luks,nofail)"},
	{LEA_CRYPTTAB, "secret /dev/vg/lv", "0:0 /dev/vg/lv on secret type  ()"},
	{LEA_CRYPTTAB, "#secret /dev/vg/lv", NULL},
	{LEA_CRYPTTAB, "secret", NULL},
};

TEST_EACH(each_line_is_a_row_or_none, lines)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	char row[256];

	parse(lines[_i].line, lines[_i].form, &mounts);
	ck_assert_uint_eq(mounts.count, lines[_i].row != NULL);
	if (!mounts.count)
		return;
	snprintf(row, sizeof(row), "%u:%u %s on %s type %s (%s)%s", mounts.mount->major,
		 mounts.mount->minor, mounts.mount->source, mounts.mount->point, mounts.mount->type,
		 mounts.mount->options, mounts.mount->has_wrong_escape ? " wrong" : "");
	ck_assert_str_eq(row, lines[_i].row);
}

TEST(rows_have_the_numbers_of_their_lines)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	parse("# x\n\n/dev/a /a\n/dev/b /b", LEA_FSTAB, &mounts);
	ck_assert_uint_eq(mounts.count, 2);
	ck_assert_uint_eq(mounts.mount[0].line, 3);
	ck_assert_uint_eq(mounts.mount[1].line, 4);
}

static const char mountinfo[] = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
				"30 21 0:40 / /srv rw shared:9 master:2 - nfs4 host:/x rw\n"
				"31 21 0:41 / /with\\040blank rw - 9p tag rw\n"
				"32 21 8:16 / /twice rw - xfs /dev/sdb rw\n"
				"33 32 0:43 / /twice rw - fuse.sshfs host: rw\n"
				"34 21 8:16 /x /bound rw - xfs /dev/sdb rw\n"
				"nonsense\n";

static const struct {
	const char *path, *type;
} paths[] = {
	{"/srv/a/b", "nfs4"}, {"/srv", "nfs4"},	       {"/srvx", "ext4"},
	{"/", "ext4"},	      {"/with blank/f", "9p"}, {"/twice/x", "fuse.sshfs"},
};

TEST_EACH(each_path_is_on_its_file_system, paths)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	parse(mountinfo, LEA_MOUNTINFO, &mounts);
	ck_assert_str_eq(lea_mounts_find_path(&mounts, paths[_i].path)->type, paths[_i].type);
}

TEST(the_first_row_of_a_device_point_or_source_is_found)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	parse(mountinfo, LEA_MOUNTINFO, &mounts);
	ck_assert_str_eq(lea_mounts_find_device(&mounts, 8, 16)->point, "/twice");
	ck_assert_ptr_null(lea_mounts_find_device(&mounts, 8, 161));
	ck_assert_ptr_null(lea_mounts_find_device(&mounts, 8, 6));
	ck_assert_str_eq(lea_mounts_find_point(&mounts, "/with blank")->type, "9p");
	ck_assert_ptr_null(lea_mounts_find_point(&mounts, "/sr"));
	ck_assert_str_eq(lea_mounts_find_source(&mounts, "/dev/sdb")->point, "/twice");
	ck_assert_ptr_null(lea_mounts_find_source(&mounts, "/dev/sd"));
}

TEST(without_rows_nothing_is_found)
{
	const struct lea_mounts mounts = {0};

	ck_assert_ptr_null(lea_mounts_find_device(&mounts, 0, 0));
	ck_assert_ptr_null(lea_mounts_find_point(&mounts, ""));
	ck_assert_ptr_null(lea_mounts_find_source(&mounts, ""));
	ck_assert_ptr_null(lea_mounts_find_path(&mounts, "/"));
}

/* A line may be cut, or a byte be wrong, anywhere: the sanitizers see reads beyond the text. */
TEST(cut_and_damaged_texts_do_no_harm)
{
	static const char *const texts[] = {mountinfo, "/dev/dm-1 partition 1 0 -2\n",
					    "UUID=\"1\" /a\\040b ext4 rw 0 0\n",
					    "secret LABEL='a\\040b' none luks\n"};
	static const char bytes[] = "\n \t\\\"'#=0:-\xff";

	for (size_t form = 0; form < ARRAY_SIZE(texts); form++)
		for (size_t at = 0; at < strlen(texts[form]); at++)
			for (size_t i = 0; i < sizeof(bytes); i++) {
				LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
				char *text = strdup(texts[form]);

				text[at] = bytes[i];
				ck_assert_int_eq(lea_mounts_parse(text, form, &mounts), 0);
				ck_assert_uint_le(mounts.count, strlen(texts[form]));
			}
}

TEST(a_large_text_takes_linear_time)
{
	enum { ROWS = 200000 };
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	char *text = malloc((size_t)ROWS * 8 + 1), *end = text;

	ck_assert_ptr_nonnull(text);
	for (int i = 0; i < ROWS; i++)
		end = stpcpy(end, i % 2 ? "/a /b x\n" : "\"\\\\\\\\\\\\\n");
	ck_assert_int_eq(lea_mounts_parse(text, LEA_FSTAB, &mounts), 0);
	ck_assert_uint_eq(mounts.count, ROWS / 2);
}

static const struct {
	enum lea_mount_text form;
	const char *path, *text;
} files[] = {
	{LEA_MOUNTINFO, "/proc/self/mountinfo", mountinfo},
	{LEA_SWAPS, "/proc/swaps", "/dev/dm-1 partition 1 0 -2\n"},
	{LEA_FSTAB, "/etc/fstab", "/dev/vg/lv / ext4\n"},
	{LEA_CRYPTTAB, "/etc/crypttab", "secret /dev/vg/lv\n"},
};

TEST_EACH(each_file_is_read_below_the_root, files)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	LEA_AUTO(lea_freep) char *text = NULL;

	tree_mkdir(&tree, "/proc");
	ck_assert_int_eq(lea_mounts_read(&tree.world, files[_i].form, &mounts), LEA_FILE_ABSENT);
	ck_assert_ptr_null(mounts.text);
	tree_put(&tree, files[_i].path, files[_i].text);
	ck_assert_int_eq(lea_mounts_read(&tree.world, files[_i].form, &mounts), 0);
	ck_assert_uint_ge(mounts.count, 1);
	ck_assert_int_eq(lea_mounts_read_text(&tree.world, files[_i].form, &text), 0);
	ck_assert_str_eq(text, files[_i].text);
}

TEST(a_file_that_is_too_large_is_refused)
{
	const size_t bytes = (size_t)1024 * 1024 + 1;
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	LEA_AUTO(lea_freep) char *text = malloc(bytes);

	ck_assert_ptr_nonnull(text);
	memset(text, '#', bytes);
	tree_put_bytes(&tree, "/etc/fstab", text, bytes);
	ck_assert_int_eq(lea_mounts_read(&tree.world, LEA_FSTAB, &mounts), -EFBIG);
	ck_assert_uint_eq(mounts.count, 0);
}

/* The lines behind it count, and no name has the byte. */
TEST(a_nul_byte_spoils_its_line_only)
{
	static const char text[] = "/dev/vg/a\0b /a ext4\n/dev/vg/c /c ext4\n\0";
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	tree_put_bytes(&tree, "/etc/fstab", text, sizeof(text) - 1);
	ck_assert_int_eq(lea_mounts_read(&tree.world, LEA_FSTAB, &mounts), 0);
	ck_assert_ptr_null(lea_mounts_find_source(&mounts, "/dev/vg/a"));
	ck_assert_ptr_nonnull(lea_mounts_find_source(&mounts, "/dev/vg/c"));
}
