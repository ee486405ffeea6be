/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "conf/lvm_defaults.h"
#include "fake/tree.h"

#define LVM    "/sbin/lvm"
#define ANSWER "devices {\n\t# use_devicesfile=%s\n}\n# global {\n\t# umask=077\n# }\n"

static struct tree tree;

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/var/cache");
	tree_mkdir(&tree, "/etc/lvm");
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static void full_path(const char *path, char full[static 256])
{
	snprintf(full, 256, "%s%s", tree.root, path);
}

/* An lvm that leaves a mark whenever it runs. */
static void put_lvm(const char *use_devicesfile, int code)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\necho \"$*\" >>$0.asked\nprintf '" ANSWER "'\nexit %d\n",
		 use_devicesfile, code);
	tree_put_program(&tree, LVM, text);
}

static long asked(void)
{
	char full[256];
	struct stat st;

	full_path(LVM ".asked", full);
	return stat(full, &st) ? 0 : st.st_size / (long)strlen("lvmconfig --type default\n");
}

static bool uses_devicesfile(void)
{
	const struct lea_conf_options options = {0};
	const struct lea_conf *conf = NULL;
	bool uses;

	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	uses = conf->use_devicesfile;
	lea_conf_free(conf);
	return uses;
}

static const struct {
	const char *claim, *answer, *text;
} rows[] = {
	{"the same defaults leave the stamp alone", "devices {\n\t# scan_lvs=0\n}\n", ""},
	{"a number that differs", "devices {\n\t# use_devicesfile=1\n}\n",
	 "devices/use_devicesfile=1\n"},
	{"a string that differs",
	 "global {\n\t# thin_check_executable=\"/usr/bin/thin_check\"\n}\n",
	 "global/thin_check_executable=\"/usr/bin/thin_check\"\n"},
	{"an empty string differs", "global {\n\t# thin_check_executable=\"\"\n}\n",
	 "global/thin_check_executable=\"\"\n"},
	{"a list that differs", "global {\n\t# thin_check_options=[\"-q\",\"-x\"]\n}\n",
	 "global/thin_check_options=[\"-q\",\"-x\"]\n"},
	{"an undefined value is none", "devices {\n\t# use_devicesfile=\n\t# scan_lvs=1\n}\n",
	 "devices/scan_lvs=1\n"},
	{"an empty list is none", "log {\n\t# journal=[]\n}\n", ""},
	{"lvm2's filter of all devices is none", "devices {\n\t# filter=[\"a|.*|\"]\n}\n", ""},
	{"a section that is a comment counts", "# devices {\n\t# scan_lvs=1\n# }\n",
	 "devices/scan_lvs=1\n"},
	{"a line that is no comment counts", "devices {\n\tscan_lvs = 1\n}\n",
	 "devices/scan_lvs=1\n"},
	{"a section inside another is not meant",
	 "allocation {\n\t# cache_settings {\n\t# scan_lvs=1\n\t# }\n}\ndevices {\n\t# dir=\"/dev\"\n}\n",
	 ""},
	{"a key of another section is not meant", "global {\n\t# scan_lvs=1\n}\n", ""},
	{"our own settings are not lvm2's", "event {\n\t# workers=7\n}\n", ""},
	{"an error message is no answer", "lvmconfig: no such command\n", NULL},
	{"what would not parse is no answer", "devices {\n\t# dir=\"/d}\n\t# scan_lvs=1\n}\n",
	 NULL},
};

TEST_EACH(each_answer_is_compared, rows)
{
	char *answer = strdup(rows[_i].answer), *text = NULL;
	char expected[256];
	int r = lea_lvm_defaults_compare(&tree.log, answer, "1 2", &text);

	snprintf(expected, sizeof(expected), "lvm=\"1 2\"\n%s", rows[_i].text ? rows[_i].text : "");
	ck_assert_msg((r == 0) == !!rows[_i].text, "%s: %d", rows[_i].claim, r);
	ck_assert_msg(r || !strcmp(text, expected), "%s: %s", rows[_i].claim, text);
	free(answer);
	free(text);
}

TEST(a_default_of_another_lvm2_is_used_and_said)
{
	put_lvm("1", 0);
	ck_assert(!uses_devicesfile());
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert(uses_devicesfile());
	ck_assert_ptr_nonnull(strstr(tree.logged, "devices/use_devicesfile"));
}

TEST(lvm_conf_is_stronger_than_any_default)
{
	put_lvm("1", 0);
	tree_put(&tree, "/etc/lvm/lvm.conf", "devices { use_devicesfile = 0 }");
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert(!uses_devicesfile());
}

TEST(one_lvm_is_asked_once_over_all_boots)
{
	put_lvm("1", 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
		ck_assert(uses_devicesfile());
		/* a reboot */
		tree_remove(&tree, LEA_LVM_DEFAULTS_RUN);
	}
	ck_assert_int_eq(asked(), 1);
}

TEST(a_new_lvm_is_asked_again)
{
	put_lvm("1", 0);
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	put_lvm("0 ", 0); /* of another size */
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert_int_eq(asked(), 2);
	ck_assert(!uses_devicesfile());
}

TEST(without_a_cache_the_answer_lasts_for_the_boot)
{
	char full[256];

	full_path("/var/cache", full);
	ck_assert_int_eq(rmdir(full), 0);
	put_lvm("1", 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert(uses_devicesfile());
	ck_assert_int_eq(asked(), 1);
}

TEST(an_lvm_that_gives_no_answer_changes_nothing)
{
	put_lvm("1", 3);
	ck_assert_int_lt(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert(!uses_devicesfile());
	ck_assert_int_lt(lea_lvm_defaults_update(&tree.world, "/sbin/no-lvm"), 0);
	ck_assert(!uses_devicesfile());
	ck_assert_str_eq(tree.logged, "");
}

TEST(the_lvm_of_the_build_is_not_asked)
{
	struct timespec times[2] = {{0}};
	long long bytes, seconds;
	char full[256];

	ck_assert_int_eq(sscanf(LEA_LVM_STAMP, "%lld %lld", &bytes, &seconds), 2);
	put_lvm("1", 0);
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	full_path(LVM, full);
	times[0].tv_sec = times[1].tv_sec = seconds;
	ck_assert_int_eq(truncate(full, bytes), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, full, times, 0), 0);
	ck_assert_int_eq(lea_lvm_defaults_update(&tree.world, LVM), 0);
	ck_assert_int_eq(asked(), 1);
	ck_assert(!uses_devicesfile());
}

TEST(a_broken_file_of_defaults_is_none)
{
	tree_put(&tree, LEA_LVM_DEFAULTS_RUN, "devices { use_devicesfile =");
	ck_assert(!uses_devicesfile());
}
