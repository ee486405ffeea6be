/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The needs of a machine: its files, read once, and what the journal says of them. */
#include "memory/needs_read.h"

#include "base/cleanup.h"
#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <string.h>

static struct tree tree;
static struct lea_needs *needs;
static const char *needed_words[] = {"conf"}, *last_words[] = {"slow"};
static const struct lea_conf conf = {
	.system_dir = "/etc/lvm",
	.needed = {.item = needed_words, .count = 1, .defined = true},
	.last = {.item = last_words, .count = 1, .defined = true},
};

static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/etc/crypttab", "secret /dev/vg/crypt\n");
	tree_put(&tree, "/proc/cmdline", "root=/dev/vg/root\n");
}

static void teardown(void)
{
	lea_needs_free(LEA_TAKE(needs));
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static unsigned int logged_lines(void)
{
	unsigned int count = 0;

	for (const char *c = tree.logged; *c; c++)
		count += *c == '\n';
	return count;
}

TEST(every_source_counts)
{
	tree_put(&tree, "/etc/fstab", "/dev/vg/data /data ext4\n");
	ck_assert_int_eq(lea_needs_read(&tree.world, &conf, &needs), 0);
	ck_assert_uint_eq(needs->words.count, 4);
	ck_assert_str_eq(needs->words.item[0], "vg/root");
	ck_assert_str_eq(needs->words.item[1], "vg/data");
	ck_assert_str_eq(needs->words.item[2], "vg/crypt");
	ck_assert_str_eq(needs->words.item[3], "conf");
	ck_assert_str_eq(needs->last.item[0], "slow");
	ck_assert_str_eq(tree.logged, "");
}

TEST(missing_files_are_no_news)
{
	tree_remove(&tree, "/etc/crypttab");
	tree_remove(&tree, "/proc/cmdline");
	ck_assert_int_eq(lea_needs_read(&tree.world, &conf, &needs), 0);
	ck_assert_uint_eq(needs->words.count, 1);
	ck_assert_str_eq(tree.logged, "");
}

TEST(unreadable_fstab_is_one_line)
{
	tree_mkdir(&tree, "/etc/fstab");
	ck_assert_int_eq(lea_needs_read(&tree.world, &conf, &needs), 0);
	ck_assert_uint_eq(needs->words.count, 3);
	ck_assert_uint_eq(logged_lines(), 1);
	ck_assert_ptr_nonnull(strstr(tree.logged, "WARNING: /etc/fstab: Is a directory"));
}

TEST(a_refused_word_of_a_setting_is_found_by_file_and_line)
{
	static const char *const lines[] = {
		"WARNING: /etc/lvm/lvmevent.conf:2: Configuration setting \"event/needed\" has word 1, "
		"which is ignored when VGs are ordered: ",
		"WARNING: /etc/lvm/lvmevent.conf:3: Configuration setting \"event/last\" has word 1, ",
	};

	needed_words[0] = "no good", last_words[0] = "/";
	tree_put(&tree, "/etc/lvm/lvmevent.conf",
		 "event {\n\tneeded = \"no good\"\n\tlast = \"/\"\n}\n");
	ck_assert_int_eq(lea_needs_read(&tree.world, &conf, &needs), 0);
	ck_assert_uint_eq(logged_lines(), 2);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		ck_assert_msg(strstr(tree.logged, lines[i]), "%s", tree.logged);
	needed_words[0] = "conf", last_words[0] = "slow";
}

TEST(refusals_are_named_and_counted)
{
	char text[12 * 32] = "\n";

	for (int i = 0; i < 12; i++)
		strcat(text, "LABEL=a\\033 /a ext4\n");
	tree_put(&tree, "/etc/fstab", text);
	ck_assert_int_eq(lea_needs_read(&tree.world, &conf, &needs), 0);
	ck_assert_uint_eq(logged_lines(), 9);
	ck_assert_ptr_nonnull(strstr(tree.logged, "/etc/fstab, line 2 is ignored"));
	ck_assert_ptr_nonnull(strstr(tree.logged, "4 more"));
	tree.logged[0] = '\0';
}

static int ask(void)
{
	struct lea_needs *all = NULL;
	const int r = lea_needs_read(&tree.world, &conf, &all);

	ck_assert(r || all->words.count == 4);
	lea_needs_free(all);
	return r;
}

/* Nobody would end the boot's wait for a disk of which half of the needs do not tell. */
TEST(half_of_the_needs_are_none)
{
	tree_put(&tree, "/etc/fstab", "/dev/vg/data /data ext4\n");
	ck_assert_uint_ge(faults_of(ask, 0), 3);
	ck_assert_str_eq(tree.logged, "");
}
