/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be a file or a folder of ours is something else: it is named, with what to do. */
#include "daemon/session.h"
#include "flow/batch_scratch.h"
#include "state/run_files.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const struct fixture fixture = {setup, teardown};

static const struct {
	const char *claim;
	mode_t type;
} types[] = {
	{"FIFO", S_IFIFO},    {"file", S_IFREG},	  {"folder", S_IFDIR},
	{"socket", S_IFSOCK}, {"symbolic link", S_IFLNK},
};

static void put(const char *path, mode_t type)
{
	char full[256], command[300];

	snprintf(full, sizeof(full), "%s/run/lvm/%s", machine.tree.root, path);
	snprintf(command, sizeof(command), "rm -rf %s", full);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(type == S_IFDIR   ? mkdir(full, 0700)
			 : type == S_IFLNK ? symlink("/nowhere", full)
					   : mknod(full, type | 0600, 0),
			 0);
}

static int open_session(void)
{
	struct lea_session session = {.world = machine.world, .event_fd = -1};
	const int r = lea_session_open_queue(&session);

	lea_closep(&session.event_fd);
	return r;
}

static const struct {
	const char *claim; /* the path */
	const char *type;  /* that it is to have */
} files[] = {
	{"event", "folder"},	   {"event/lock", "file"},     {"event/queue", "folder"},
	{"event/taken", "folder"}, {"event/failed", "folder"}, {"event/claims", "folder"},
	{"event/known", "folder"}, {"event/newest", "folder"}, {"pvs_online", "folder"},
	{"pvs_lookup", "folder"},  {"vgs_online", "folder"},
};

/* Each file as each type. */
TEST_EACH(what_has_the_wrong_type_is_named, files)
{
	const char *path = files[_i].claim;
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const bool is_right = !strcmp(types[i].claim, files[_i].type);

		put(path, types[i].type);
		ck_assert_msg(open_session() == (is_right ? 0 : LEA_SESSION_FAILED), "%s: %s", path,
			      types[i].claim);
		snprintf(line, sizeof(line),
			 "  events: /run/lvm/%s is a %s and not a %s; remove it: rm -r "
			 "/run/lvm/%s\n",
			 path, types[i].claim, files[_i].type, path);
		ck_assert_msg(is_right || strstr(machine.err, line), "%s: %s", path, machine.err);
	}
}

/* Rows: what is replaced while the runner runs, and the line. */
static const struct {
	const char *claim, *line;
} replaced[] = {
	{"pvs_online", "  PV /dev/sda: writing its record: /run/lvm/pvs_online is a FIFO and not a "
		       "folder; remove it: rm -r /run/lvm/pvs_online\n"},
	{"event/newest", "  PV /dev/sda: writing its record: /run/lvm/event/newest is a FIFO and "
			 "not a folder; remove it: rm -r /run/lvm/event/newest\n"},
};

TEST_EACH(what_is_replaced_is_named, replaced)
{
	put(replaced[_i].claim, S_IFIFO);
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "");
	ck_assert_str_eq(machine.err, replaced[_i].line);
}

/* A fault of the queue, and one that the files do not explain. */
TEST(a_fault_is_told_by_its_file)
{
	char why[LEA_RUN_FAULT_BYTES];
	const int run_fd = lea_world_run(machine.world);

	ck_assert_str_eq(lea_run_files_why(run_fd, -EIO, why), strerror(EIO));
	put("event/known", S_IFREG);
	ck_assert_int_eq(lea_session_fail(machine.world, -ENOTDIR, "events"), LEA_SESSION_FAILED);
	ck_assert_str_eq(machine.err, "  events: /run/lvm/event/known is a file and not a folder; "
				      "remove it: rm -r /run/lvm/event/known\n");
	ck_assert_msg(!strcmp(lea_run_files_why(run_fd, -ENOSPC, why), strerror(ENOSPC)),
		      "a shortage has another remedy");
}

/* There was no memory for the name of the folder. */
TEST(a_watch_that_was_not_begun_closes_nothing)
{
	struct lea_session session = {.world = machine.world, .event_fd = -1, .watch_fault = -ENOMEM};
	struct lea_queue_watch watch;
	const int before = fcntl(0, F_GETFD);

	ck_assert_int_ge(before, 0);
	ck_assert_int_eq(lea_session_watch(&session, &watch), -ENOMEM);
	ck_assert_int_eq(fcntl(0, F_GETFD), before);
}
