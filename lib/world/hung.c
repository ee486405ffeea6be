/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file for each name: "THREAD START NAMESPACE SINCE". It is only as good as the thread: nothing
 * in it is believed that /proc does not confirm. */
#include "world/hung.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/proc.h"

#define TEXT_BYTES 96U
#define MOST_NAMES 1024U

/* Returns @fd, or closes it: what others may write there is not believed. */
static int check(int fd)
{
	const int r = lea_file_check_private(fd);

	if (!r)
		return fd;
	close(fd);
	return r;
}

int lea_hung_open(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);
	int fd;

	if (run_fd < 0)
		return run_fd;
	fd = openat(run_fd, "event/hung", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : check(fd);
}

/* Names that begin with a dot are those of files on their way. One with "!" would be another's. */
static bool name_file(const char *name, char file[static LEA_HUNG_NAME_BYTES])
{
	const size_t len = strlen(name);

	if (!len || len >= LEA_HUNG_NAME_BYTES || name[0] == '.' || strchr(name, '!'))
		return false;
	memcpy(file, name, len + 1);
	for (char *at = strchr(file, '/'); at; at = strchr(at, '/'))
		*at = '!';
	return true;
}

/* Of a weak id, /proc could not tell whether the number was given to another thread meanwhile. */
static bool is_strong(const struct lea_proc_id *id)
{
	return id->pid > 0 && id->start_ticks && id->pid_ns;
}

/* ALIVE: it is a thread of a child of ours. A note about any other is false, though its thread may
 * live as long as the machine. */
static enum lea_proc_life judge(const struct lea_proc_id *id)
{
	const enum lea_proc_life life = lea_proc_life_of(id);
	struct lea_proc_id own;
	int r;

	if (life != LEA_PROC_ALIVE)
		return life;
	lea_proc_identify(&own);
	/* Its number is another one here. */
	if (id->pid_ns != own.pid_ns)
		return LEA_PROC_UNSEEN;
	r = lea_proc_runs_us(id->pid);
	return r < 0 ? LEA_PROC_UNSEEN : r ? LEA_PROC_ALIVE : LEA_PROC_GONE;
}

/* GONE: it was forgotten. UNSEEN also without a file. */
static enum lea_proc_life look(int hung_fd, const char *file, pid_t *ret_thread,
			       uint64_t *ret_since_ms)
{
	enum lea_proc_life life = LEA_PROC_GONE;
	struct lea_proc_id id = {0};
	char text[TEXT_BYTES];
	const int r = lea_file_read_into(hung_fd, file, text, sizeof(text));

	if (r == LEA_FILE_ABSENT)
		return LEA_PROC_UNSEEN;
	if (!r &&
	    sscanf(text, "%" SCNd32 " %" SCNu64 " %" SCNu64 " %" SCNu64, &id.pid, &id.start_ticks,
		   &id.pid_ns, ret_since_ms) == 4 &&
	    is_strong(&id))
		life = judge(&id);
	if (life == LEA_PROC_GONE && lea_file_remove(hung_fd, file) < 0)
		life = LEA_PROC_UNSEEN; /* not a file */
	*ret_thread = id.pid;
	return life;
}

bool lea_hung_has(int hung_fd, const char *name, pid_t *ret_thread, uint64_t *ret_since_ms)
{
	char file[LEA_HUNG_NAME_BYTES];
	enum lea_proc_life life;

	if (hung_fd < 0 || !name_file(name, file))
		return false;
	life = look(hung_fd, file, ret_thread, ret_since_ms);
	/* The folder goes with the last name: without it no scan looks for any. */
	if (life == LEA_PROC_GONE && unlinkat(hung_fd, "../hung", AT_REMOVEDIR) < 0)
		return false;
	return life == LEA_PROC_ALIVE;
}

static int tell_file(int hung_fd, const char *file, int (*tell)(void *arg, const char *name),
		     void *arg)
{
	char name[LEA_HUNG_NAME_BYTES];
	uint64_t since_ms;
	pid_t thread;

	if (file[0] == '.' || strlen(file) >= sizeof(name) ||
	    look(hung_fd, file, &thread, &since_ms) != LEA_PROC_ALIVE)
		return 0;
	strcpy(name, file);
	for (char *at = strchr(name, '!'); at; at = strchr(at, '!'))
		*at = '/';
	return tell(arg, name);
}

int lea_hung_each(struct lea_world *world, int (*tell)(void *arg, const char *name), void *arg)
{
	LEA_AUTO(lea_closep) int hung_fd = lea_hung_open(world);
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t seen = 0;
	int r = 0;

	if (hung_fd < 0 || lea_file_list(hung_fd, ".", &dir))
		return 0;
	while (!r && seen++ < MOST_NAMES && (entry = readdir(dir)))
		r = tell_file(hung_fd, entry->d_name, tell, arg);
	return r;
}

/* Returns how many names are left. Those behind the first MOST_NAMES are not read. */
static uint32_t forget_ended(int hung_fd)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t left = 0, seen = 0;
	uint64_t since_ms;
	pid_t thread;

	lea_file_tidy(hung_fd, ".");
	if (lea_file_list(hung_fd, ".", &dir))
		return 0;
	while ((entry = readdir(dir)))
		left += entry->d_name[0] != '.' &&
			(seen++ >= MOST_NAMES ||
			 look(hung_fd, entry->d_name, &thread, &since_ms) != LEA_PROC_GONE);
	return left;
}

int lea_hung_begin(struct lea_world *world, uint32_t *ret_room)
{
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = -1;
	uint32_t left;
	int fd;

	if (run_fd < 0)
		return run_fd;
	event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (event_fd < 0)
		return -errno;
	fd = lea_file_open_folder(event_fd, "hung");
	fd = fd < 0 ? fd : check(fd);
	if (fd < 0)
		return fd;
	left = forget_ended(fd);
	*ret_room = left < MOST_NAMES ? MOST_NAMES - left : 0;
	return fd;
}

void lea_hung_note(int hung_fd, const char *name, pid_t thread, uint64_t since_ms, uint32_t *room)
{
	char file[LEA_HUNG_NAME_BYTES], text[TEXT_BYTES];
	struct lea_proc_id id;
	uint64_t earlier_ms;
	pid_t earlier;

	lea_proc_identify_thread(thread, &id);
	if (hung_fd < 0 || !*room || !is_strong(&id) || !name_file(name, file) ||
	    lea_hung_has(hung_fd, name, &earlier, &earlier_ms))
		return;
	snprintf(text, sizeof(text), "%" PRId32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", id.pid,
		 id.start_ticks, id.pid_ns, since_ms);
	/* What cannot be written is asked again by the next command. */
	if (!lea_file_replace(hung_fd, file, text, strlen(text)))
		--*room;
}

void lea_hung_forget(int hung_fd, const char *name)
{
	char file[LEA_HUNG_NAME_BYTES];

	/* What stays counts for as long as its thread lives. */
	if (hung_fd < 0 || !name_file(name, file) || lea_file_remove(hung_fd, file) < 0 ||
	    unlinkat(hung_fd, "../hung", AT_REMOVEDIR) < 0)
		return;
}
