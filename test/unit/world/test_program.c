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
#include "world/program.h"

static struct tree tree;
static char program[128];

static void setup(void)
{
	tree_init(&tree);
	snprintf(program, sizeof(program), "%s/usr/libexec/lvmevent/lvmeventd", tree.root);
	tree_put_program(&tree, "/usr/libexec/lvmevent/lvmeventd", "program");
	tree_link(&tree, "/proc/self/exe", program);
}

static void teardown(void)
{
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

TEST(the_program_is_compared_with_what_is_at_its_path)
{
	char moved[160], path[PATH_MAX];

	ck_assert(!lea_program_is_replaced(&tree.world));
	/* as the kernel has it: the link leads to the file that runs, and names its removed path */
	snprintf(moved, sizeof(moved), "%s (deleted)", program);
	ck_assert_int_eq(rename(program, moved), 0);
	tree_remove(&tree, "/proc/self/exe");
	tree_link(&tree, "/proc/self/exe", moved);
	ck_assert_msg(!lea_program_is_replaced(&tree.world), "nothing has come in its place");
	lea_program_path(&tree.world, path);
	ck_assert_str_eq(path, "/proc/self/exe");
	replace("/usr/libexec/lvmevent/lvmeventd");
	ck_assert(lea_program_is_replaced(&tree.world));
	lea_program_path(&tree.world, path);
	ck_assert_str_eq(path, program);
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
