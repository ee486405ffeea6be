/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes queues that are idle. Each process that uses a queue has a read lock on it as long as it has
 * it open; so who gets the write lock is alone, and a process that opened the state file before, and
 * gets its lock later, finds it without a name, and opens again. The state file goes last, but for
 * the folder: a kill before that leaves an idle queue, and after it an empty folder, in which the
 * next one makes a state file anew.
 */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/step.h"
#include "throttle/command_line.h"

/* Not each time: the making of many queues takes time for each of them, and not for each two. */
#define SWEEP_S 600
#define SWEPT	"swept"

static bool has_orphans(const struct lea_throttle *queue)
{
	for (uint32_t i = 0; i < SLOTS_MOST; i++)
		if (lea_throttle_has_orphan(queue, &queue->state->slot[i]))
			return true;
	return false;
}

/* What is there is of the dead: tickets, and a state file that was not finished. */
static int remove_files(const struct lea_throttle *queue)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(queue->folder_fd, ".", &dir);

	while ((entry = lea_file_next(dir, &r))) {
		if (!strcmp(entry->d_name, LEA_THROTTLE_STATE) || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		LEA_CRASHPOINT("throttle.remove", entry->d_name);
		r = lea_file_remove(queue->folder_fd, entry->d_name);
		r = r < 0 ? r : 0;
	}
	LEA_CRASHPOINT("throttle.remove", LEA_THROTTLE_STATE);
	return r ? r : lea_file_remove(queue->folder_fd, LEA_THROTTLE_STATE);
}

static void remove_queue(int event_fd, int kinds_fd, enum lea_throttle_kind kind, const char *name,
			 struct lea_clock *clock)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;
	int r = lea_throttle_open_to_remove(event_fd, kind, name, &queue);

	if (r && r != -ENOENT)
		return;
	if (queue) {
		queue->clock = clock;
		if (has_orphans(queue) || remove_files(queue))
			return;
	}
	LEA_CRASHPOINT("throttle.remove", name);
	/* Not if another process has made a state file in it meanwhile. */
	if (unlinkat(kinds_fd, name, AT_REMOVEDIR) < 0)
		errno = 0;
}

static bool is_ours(enum lea_throttle_kind kind, const char *name)
{
	return kind == LEA_THROTTLE_CLASSES &&
	       (!strcmp(name, LEA_THROTTLE_READ) || !strcmp(name, LEA_THROTTLE_CHANGE) ||
		!strcmp(name, LEA_THROTTLE_DATA));
}

void lea_throttle_sweep(int event_fd, enum lea_throttle_kind kind, struct lea_clock *clock,
			int64_t now_s)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	LEA_AUTO(lea_closep) int kinds = lea_throttle_open_kind(event_fd, kind);
	const struct dirent *entry;
	struct stat st;
	int r = kinds < 0 ? kinds : lea_file_list(kinds, ".", &dir);

	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] != '.' && !is_ours(kind, entry->d_name) &&
		    !fstatat(kinds, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_mtim.tv_sec + LEA_THROTTLE_IDLE_S <= now_s)
			remove_queue(event_fd, kinds, kind, entry->d_name, clock);
}

/* The file has the time of the last sweep; a time of the future counts for nothing. */
static bool is_due(int throttle_fd, int64_t now_s)
{
	LEA_AUTO(lea_closep) int fd = -1;
	struct stat st;

	if (!fstatat(throttle_fd, SWEPT, &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_mtim.tv_sec <= now_s && st.st_mtim.tv_sec + SWEEP_S > now_s)
		return false;
	fd = openat(throttle_fd, SWEPT, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		    0600);
	return fd >= 0 && !futimens(fd, NULL);
}

void lea_throttle_sweep_if_due(int event_fd, struct lea_clock *clock)
{
	LEA_AUTO(lea_closep) int throttle =
		openat(event_fd, LEA_THROTTLE_FOLDER, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	const int64_t now_s = time(NULL);

	if (throttle < 0 || !is_due(throttle, now_s))
		return;
	lea_throttle_sweep(event_fd, LEA_THROTTLE_CLASSES, clock, now_s);
	lea_throttle_sweep(event_fd, LEA_THROTTLE_VGS, clock, now_s);
}
