/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread hangs in what: remembered while it lives, and nothing that a file says is believed
 * without it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/tree.h"
#include "unit/suite.h"
#include "world/hung.h"
#include "world/proc.h"
#include "world/world.h"

#define FOLDER "/run/lvm/event/hung"

static struct tree tree;
static int hung_fd;

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/run/lvm/event");
	hung_fd = -1;
}

static void teardown(void)
{
	if (hung_fd >= 0)
		close(hung_fd);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static bool has(const char *name)
{
	pid_t thread = 0;
	uint64_t since_ms = 0;
	bool answer;

	if (hung_fd >= 0)
		close(hung_fd);
	hung_fd = lea_hung_open(&tree.world);
	answer = lea_hung_has(hung_fd, name, &thread, &since_ms) > 0;
	ck_assert(!answer || (thread > 0 && since_ms == 7));
	return answer;
}

static void note_owed(const char *name, pid_t thread, const char *owed)
{
	uint32_t room = 0;
	const int fd = lea_hung_begin(&tree.world, &room);

	lea_hung_note(fd, name, thread, 7, owed, &room);
	if (fd >= 0)
		close(fd);
}

static void note(const char *name, pid_t thread)
{
	note_owed(name, thread, "");
}

static bool is_there(const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", tree.root, path);
	return !lstat(full, &st);
}

static int wait_for_end(void *arg)
{
	(void)arg;
	return pause();
}

static pid_t start(void)
{
	pid_t pid = 0;

	ck_assert_int_eq(lea_proc_fork(wait_for_end, NULL, &pid), 0);
	return pid;
}

static void stop(pid_t pid)
{
	int code;

	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
}

TEST(a_name_is_remembered_while_its_thread_lives)
{
	const pid_t one = start(), other = start();

	ck_assert(!has("8:16"));
	note("8:16", one);
	note("file-/srv/disk", other);
	ck_assert(has("8:16") && has("file-/srv/disk"));
	ck_assert(!has("8:1") && !has("8:160"));
	stop(one);
	ck_assert(!has("8:16"));
	ck_assert_msg(!is_there(FOLDER "/8:16"), "what has ended is removed");
	ck_assert(has("file-/srv/disk"));
	stop(other);
	ck_assert(!has("file-/srv/disk"));
	ck_assert_msg(!is_there(FOLDER), "and the folder with the last");
}

static int list(void *arg, const char *name)
{
	char *names = arg;

	strcat(strcat(names, name), " ");
	return strcmp(name, "stop") ? 0 : 3;
}

TEST(what_hangs_is_listed)
{
	const pid_t one = start(), other = start();
	char names[64] = "";

	ck_assert_int_eq(lea_hung_each(&tree.world, list, names), 0);
	ck_assert_str_eq(names, "");
	note("8:16", one);
	note("file-/srv/disk", other);
	stop(one);
	ck_assert_int_eq(lea_hung_each(&tree.world, list, names), 0);
	ck_assert_str_eq(names, "file-/srv/disk ");
	note("stop", other);
	ck_assert_int_eq(lea_hung_each(&tree.world, list, names), 3);
	stop(other);
}

/* A device that has gone is never asked about again. */
TEST(what_has_ended_is_forgotten_with_the_next_note)
{
	const pid_t one = start(), other = start();

	note("8:16", one);
	stop(one);
	note("8:32", other);
	ck_assert(!is_there(FOLDER "/8:16") && has("8:32"));
	stop(other);
}

static char owed_text[256];
static int told;

static int take_owed(void *arg, const char *owed)
{
	snprintf(owed_text + strlen(owed_text), sizeof(owed_text) - strlen(owed_text), "%s;", owed);
	return told;
}

/* What is told of, after @ret. */
static const char *owed(int ret)
{
	owed_text[0] = '\0';
	told = ret;
	(void)has("none"); /* opens the folder */
	ck_assert_int_eq(hung_fd < 0 ? 0 : lea_hung_each_owed(hung_fd, take_owed, NULL), ret);
	return owed_text;
}

/* Rows: how far the thread had come with its answer when it was killed. */
TEST_TIMES(what_a_killed_thread_owes_is_told, 3)
{
	const pid_t one = start(), other = start();

	note_owed("4-8:16", one, "4 8:16-7");
	note("8:32", other);
	(void)has("4-8:16");
	if (_i)
		lea_hung_answer(hung_fd, "4-8:16");
	if (_i == 2)
		lea_hung_settle(hung_fd, "4-8:16");
	ck_assert_msg(has("4-8:16") == !_i, "who has an answer hangs no longer");
	ck_assert_str_eq(owed(0), "");
	stop(one);
	note("8:48", other);
	stop(other);
	if (_i < 2)
		ck_assert_msg(!strcmp(owed(-ENOSPC), "4 8:16-7;"), "others' notes let it be");
	ck_assert_str_eq(owed(0), _i < 2 ? "4 8:16-7;" : "");
	ck_assert_str_eq(owed(0), "");
	ck_assert(!has("8:32") && !has("8:48") && !is_there(FOLDER));
}

/* Somebody has asked again, and waits in its place. */
TEST(what_is_asked_anew_is_owed_no_longer)
{
	const pid_t one = start();

	note_owed("4-8:16", one, "4 8:16-7");
	stop(one);
	ck_assert(!has("4-8:16"));
	ck_assert_str_eq(owed(0), "");
}

TEST(where_lvm2_is_in_charge_the_folders_are_made)
{
	tree_remove(&tree, "/run/lvm/event");
	note("8:16", getpid());
	ck_assert(has("8:16"));
}

TEST(names_that_make_no_file_are_not_remembered)
{
	char longest[LEA_HUNG_NAME_BYTES + 1];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	note(longest, getpid());
	note("", getpid());
	note("..", getpid());
	note("../../8:16", getpid());
	ck_assert(!has(longest) && !has("") && !has(".."));
	note("file-/a!b", getpid());
	ck_assert_msg(!has("file-/a!b") && !has("file-/a/b"), "two names are never one");
	ck_assert(!is_there("/run/lvm/8:16"));
	note("8:16+", getpid());
	ck_assert(!has("8:16+") && !has("8:16"));
}

static const struct {
	const char *claim, *text;
} hostile[] = {
	{"empty", ""},
	{"words", "this one hangs"},
	{"one number", "1"},
	{"no start", "1 0 4026531836 7\n"},
	{"no namespace", "1 1 0 7\n"},
	{"a negative number", "-1 1 1\n"},
	{"another start", "1 99999999999 1 7\n"},
	{"numbers without end", "99999999999999999999999999 99999999999999999999999999 "
				"99999999999999999999999999 99999999999999999999999999\n"},
};

TEST_EACH(what_makes_no_sense_is_not_believed, hostile)
{
	char text[256];
	struct lea_proc_id id;

	lea_proc_identify(&id);
	tree_put(&tree, FOLDER "/8:16", hostile[_i].text);
	ck_assert_msg(!has("8:16"), "%s", hostile[_i].claim);
	/* Our own number with another start: the number was used again. */
	snprintf(text, sizeof(text), "%d %" PRIu64 " %" PRIu64 " 7\n", (int)id.pid,
		 id.start_ticks + 1, id.pid_ns);
	tree_put(&tree, FOLDER "/8:16", text);
	ck_assert(!has("8:16") && !is_there(FOLDER "/8:16"));
}

/* For instance init, which would make a disk hang for ever. */
TEST(a_thread_that_is_not_ours_is_not_believed)
{
	struct lea_proc_id id;
	char text[256];
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		execlp("sleep", "sleep", "60", NULL);
		_exit(1);
	}
	while (lea_proc_runs_us(pid) == 1) /* until it has begun */
		usleep(1000);
	lea_proc_identify_thread(pid, &id);
	snprintf(text, sizeof(text), "%d %" PRIu64 " %" PRIu64 " 7\n", (int)id.pid, id.start_ticks,
		 id.pid_ns);
	tree_put(&tree, FOLDER "/8:16", text);
	ck_assert(!has("8:16") && !is_there(FOLDER "/8:16"));
	stop(pid);
}

TEST(a_thread_of_another_namespace_does_not_count)
{
	struct lea_proc_id id;
	char text[256];

	lea_proc_identify(&id);
	snprintf(text, sizeof(text), "%d %" PRIu64 " %" PRIu64 " 7\n", (int)id.pid, id.start_ticks,
		 id.pid_ns + 1);
	tree_put(&tree, FOLDER "/8:16", text);
	ck_assert(!has("8:16"));
}

TEST(a_folder_that_others_may_write_is_not_believed)
{
	char path[256];

	note("8:16", getpid());
	ck_assert(has("8:16"));
	snprintf(path, sizeof(path), "%s" FOLDER, tree.root);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert(!has("8:16"));
	note("8:32", getpid());
	ck_assert(!is_there(FOLDER "/8:32"));
}

TEST(links_pipes_and_folders_are_not_read)
{
	char path[256];

	tree_put(&tree, "/elsewhere", "1 1 1 7\n");
	tree_link(&tree, FOLDER "/8:16", "/elsewhere");
	ck_assert(!has("8:16"));
	tree_mkdir(&tree, FOLDER "/8:32");
	ck_assert(!has("8:32"));
	snprintf(path, sizeof(path), "%s" FOLDER "/8:48", tree.root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!has("8:48"));
	ck_assert(is_there("/elsewhere"));
}

/* As many as there are, and not one more. */
TEST(the_number_of_names_is_limited)
{
	enum { MOST = 1024 };
	char path[64], text[128];
	struct lea_proc_id id;

	lea_proc_identify(&id);
	snprintf(text, sizeof(text), "%d %" PRIu64 " %" PRIu64 " 7\n", (int)id.pid, id.start_ticks,
		 id.pid_ns);
	for (int i = 0; i < MOST - 1; i++) {
		snprintf(path, sizeof(path), FOLDER "/9:%d", i);
		tree_put(&tree, path, text);
	}
	note("8:16", getpid());
	ck_assert(has("8:16"));
	note("8:32", getpid());
	ck_assert(!has("8:32"));
}
