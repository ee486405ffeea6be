/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fake/tree.h"
#include "world/children.h"
#include "world/stamps.h"

#define MAPS                                                                                       \
	"3000-4000 r-xp 00000000 fe:00 12    /lib/libone.so\n"                                     \
	"4000-5000 rw-p 00001000 fe:00 12    /lib/libone.so\n"                                     \
	"5000-6000 r--p 00000000 fe:00 13    /lib/data\n"                                          \
	"6000-7000 r-xp 00000000 00:00 0                          [vdso]\n"

static struct tree tree;
static struct lea_conf conf;
static struct lea_stamps *stamps;
static char program[128];

static void setup(void)
{
	tree_init(&tree);
	snprintf(program, sizeof(program), "%s/usr/sbin/lvmevent", tree.root);
	tree_put_program(&tree, "/usr/sbin/lvmevent", "program");
	tree_put(&tree, "/lib/libone.so", "library");
	tree_put(&tree, "/lib/data", "data");
	tree_put(&tree, "/proc/self/maps", MAPS);
	tree_link(&tree, "/proc/self/exe", program);
	tree_mkdir(&tree, "/etc/lvm");
	conf = (struct lea_conf){.system_dir = "/etc/lvm"};
	stamps = NULL;
}

static void teardown(void)
{
	lea_stamps_free(stamps);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* As a package manager does it: the name then leads to another file. */
static void replace(const char *path)
{
	char to[160], from[170];

	snprintf(to, sizeof(to), "%s%s", tree.root, path);
	snprintf(from, sizeof(from), "%s.new", to);
	tree_put_program(&tree, from + strlen(tree.root), "newer");
	ck_assert_int_eq(rename(from, to), 0);
}

static void take(void)
{
	ck_assert_int_eq(lea_stamps_new(&tree.world, &conf, &stamps), 0);
}

TEST(nothing_has_changed_by_itself)
{
	take();
	replace("/lib/data");
	tree_put(&tree, "/etc/lvm/lvm.conf", "plain files have a watch\n");
	ck_assert(!lea_stamps_program_changed(stamps) && !lea_stamps_settings_changed(stamps));
}

TEST(a_library_that_is_replaced_is_noticed)
{
	take();
	replace("/lib/libone.so");
	ck_assert(lea_stamps_program_changed(stamps));
}

TEST(a_library_that_was_replaced_while_we_began_is_noticed)
{
	tree_put(&tree, "/proc/self/maps",
		 "3000-4000 r-xp 00000000 fe:00 12    /lib/libone.so (deleted)\n");
	take();
	ck_assert(lea_stamps_program_changed(stamps));
}

TEST(the_program_is_compared_with_what_is_at_its_path)
{
	char moved[160], path[PATH_MAX];

	take();
	/* the running program keeps its file, wherever the path leads */
	snprintf(moved, sizeof(moved), "%s.old", program);
	ck_assert_int_eq(rename(program, moved), 0);
	ck_assert_msg(!lea_stamps_program_changed(stamps), "there is nothing to begin anew from");
	lea_stamps_own_path(&tree.world, path);
	ck_assert_str_eq(path, "/proc/self/exe");
	replace("/usr/sbin/lvmevent");
	ck_assert(lea_stamps_program_changed(stamps));
	lea_stamps_own_path(&tree.world, path);
	ck_assert_str_eq(path, program);
}

TEST(settings_behind_a_link_are_noticed)
{
	tree_put(&tree, "/store/lvm.conf", "one\n");
	tree_link(&tree, "/etc/lvm/lvm.conf", "../../store/lvm.conf");
	take();
	ck_assert(!lea_stamps_settings_changed(stamps));
	replace("/store/lvm.conf");
	ck_assert(lea_stamps_settings_changed(stamps));
}

TEST(a_folder_of_settings_behind_a_link_is_noticed)
{
	tree_mkdir(&tree, "/store/one");
	tree_put(&tree, "/store/two/lvm.conf", "two\n");
	tree_link(&tree, "/etc/store", "../store/one");
	conf.system_dir = "/etc/store";
	take();
	ck_assert(!lea_stamps_settings_changed(stamps));
	tree_remove(&tree, "/etc/store");
	tree_link(&tree, "/etc/store", "../store/two");
	ck_assert(lea_stamps_settings_changed(stamps));
}

TEST(the_file_of_the_system_id_is_noticed_also_when_it_comes)
{
	conf.system_id_path = "/etc/id";
	take();
	ck_assert(!lea_stamps_settings_changed(stamps));
	tree_put(&tree, "/etc/id", "host\n");
	ck_assert(lea_stamps_settings_changed(stamps));
}

TEST(children_of_before_are_asked_for_and_no_others)
{
	struct lea_children *children;
	char path[64], list[64];
	pid_t ours, later;

	ours = fork();
	if (!ours)
		_exit(0);
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	snprintf(list, sizeof(list), "%ld ", (long)ours);
	tree_put(&tree, path, list);
	ck_assert_int_eq(lea_children_new(&tree.world, &children), 0);
	later = fork();
	if (!later)
		_exit(0);
	/* ended, but not reaped */
	ck_assert_int_eq(waitid(P_PID, (id_t)ours, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)later, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	lea_children_reap(children);
	ck_assert_int_eq(waitpid(ours, NULL, 0), -1);
	ck_assert_int_eq(waitpid(later, NULL, 0), later);
	lea_children_free(children);
}
