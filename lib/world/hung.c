/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file for each name: "THREAD START NAMESPACE SINCE", and on a line of its own what the thread
 * owes. It is only as good as the thread: nothing in it is believed that /proc does not confirm. A
 * thread that has its answer, and still owes something, appends "+" to its name.
 */
#include "world/hung.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "world/proc.h"

#define TEXT_BYTES (96U + LEA_HUNG_OWED_BYTES)
#define FILE_BYTES (LEA_HUNG_NAME_BYTES + 1U)
#define MOST_NAMES 1024U
#define ANSWERED   "+"

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
static bool name_file(const char *name, char file[static FILE_BYTES])
{
	const size_t len = strlen(name);

	if (!len || len >= LEA_HUNG_NAME_BYTES || name[0] == '.' || strchr(name, '!') ||
	    name[len - 1] == ANSWERED[0])
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

struct note {
	struct lea_proc_id id;
	uint64_t since_ms;
	char owed[LEA_HUNG_OWED_BYTES]; /* "": nothing */
};

/* Does the thread still wait? GONE also of a file that makes no sense, UNSEEN also without a file. 0 or
 * a shortage. */
static int read_note(int hung_fd, const char *file, struct note *ret_note,
		     enum lea_proc_life *ret_life)
{
	char text[TEXT_BYTES], *owed;
	const int r = lea_file_read_into(hung_fd, file, text, sizeof(text));

	*ret_note = (struct note){0};
	*ret_life = LEA_PROC_UNSEEN;
	if (r == LEA_FILE_ABSENT || lea_is_shortage(r))
		return lea_shortage_of(r);
	*ret_life = LEA_PROC_GONE;
	if (r ||
	    sscanf(text, "%" SCNd32 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ret_note->id.pid,
		   &ret_note->id.start_ticks, &ret_note->id.pid_ns, &ret_note->since_ms) != 4 ||
	    !is_strong(&ret_note->id))
		return 0;
	owed = strchr(text, '\n');
	if (owed)
		snprintf(ret_note->owed, sizeof(ret_note->owed), "%.*s",
			 (int)strcspn(owed + 1, "\n"), owed + 1);
	*ret_life = judge(&ret_note->id);
	return 0;
}

/* The same of who only asks for that one answer. */
static bool is_note(int hung_fd, const char *file, enum lea_proc_life wanted, struct note *ret_note)
{
	enum lea_proc_life life;

	return !read_note(hung_fd, file, ret_note, &life) && life == wanted;
}

static bool forget(int hung_fd, const char *file)
{
	return lea_file_remove(hung_fd, file) >= 0; /* not a file: it stays */
}

/* The folder goes with the last name: without it no scan looks for any. */
static void remove_folder(int hung_fd)
{
	if (unlinkat(hung_fd, "../hung", AT_REMOVEDIR) < 0)
		return;
}

/* As lea_hung_has. */
static int ask(int hung_fd, const char *name, struct note *ret_note)
{
	enum lea_proc_life life;
	char file[FILE_BYTES];
	int r;

	*ret_note = (struct note){0};
	if (hung_fd < 0 || !name_file(name, file))
		return 0;
	r = read_note(hung_fd, file, ret_note, &life);
	if (r)
		return r;
	if (life == LEA_PROC_GONE && forget(hung_fd, file))
		remove_folder(hung_fd);
	return life == LEA_PROC_ALIVE;
}

int lea_hung_has(int hung_fd, const char *name, pid_t *ret_thread, uint64_t *ret_since_ms)
{
	struct note note;
	const int r = ask(hung_fd, name, &note);

	*ret_thread = note.id.pid;
	*ret_since_ms = note.since_ms;
	return r;
}

int lea_hung_owes(int hung_fd, const char *name, char ret_owed[static LEA_HUNG_OWED_BYTES])
{
	struct note note;
	const int r = ask(hung_fd, name, &note);

	memcpy(ret_owed, note.owed, sizeof(note.owed));
	return r;
}

static int tell_file(int hung_fd, const char *file, int (*tell)(void *arg, const char *name),
		     void *arg)
{
	char name[LEA_HUNG_NAME_BYTES];
	struct note note;

	if (file[0] == '.' || strlen(file) >= sizeof(name) ||
	    !is_note(hung_fd, file, LEA_PROC_ALIVE, &note))
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
	int r;

	/* None is known, or none may be believed. */
	if (hung_fd < 0)
		return lea_shortage_of(hung_fd);
	r = lea_file_list(hung_fd, ".", &dir);
	while (seen++ < MOST_NAMES && (entry = lea_file_next(dir, &r)))
		r = tell_file(hung_fd, entry->d_name, tell, arg);
	return r;
}

/* Has the thread ended, and owes nothing? Then the name is forgotten. */
static bool has_ended(int hung_fd, const char *file)
{
	struct note note;

	return is_note(hung_fd, file, LEA_PROC_GONE, &note) && !note.owed[0] &&
	       forget(hung_fd, file);
}

/* Returns how many names are left. Those behind the first MOST_NAMES are not read. */
static uint32_t forget_ended(int hung_fd)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t left = 0, seen = 0;
	int r;

	lea_file_tidy(hung_fd, ".");
	r = lea_file_list(hung_fd, ".", &dir);
	while ((entry = lea_file_next(dir, &r)))
		left += entry->d_name[0] != '.' &&
			(seen++ >= MOST_NAMES || !has_ended(hung_fd, entry->d_name));
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
	/* Where lvm2 is in charge, nobody else makes it. */
	event_fd = lea_file_open_folder(run_fd, "event");
	if (event_fd < 0)
		return event_fd;
	fd = lea_file_open_folder(event_fd, "hung");
	fd = fd < 0 ? fd : check(fd);
	if (fd < 0)
		return fd;
	left = forget_ended(fd);
	*ret_room = left < MOST_NAMES ? MOST_NAMES - left : 0;
	return fd;
}

bool lea_hung_note(int hung_fd, const char *name, pid_t thread, uint64_t since_ms, const char *owed,
		   uint32_t *room)
{
	char file[FILE_BYTES], text[TEXT_BYTES];
	struct lea_proc_id id;
	uint64_t earlier_ms;
	pid_t earlier;

	lea_proc_identify_thread(thread, &id);
	if (!is_strong(&id) || !name_file(name, file) ||
	    lea_hung_has(hung_fd, name, &earlier, &earlier_ms) > 0)
		return true;
	if (hung_fd < 0 || !*room)
		return false;
	snprintf(text, sizeof(text), "%" PRId32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n%s%s",
		 id.pid, id.start_ticks, id.pid_ns, since_ms, owed, owed[0] ? "\n" : "");
	/* What cannot be written is asked again by the next command. */
	if (lea_file_replace(hung_fd, file, text, strlen(text)))
		return false;
	--*room;
	return true;
}

struct lea_hung_name {
	struct lea_proc_id id;
	uint64_t since_ms;
	char name[LEA_HUNG_NAME_BYTES];
};

void lea_hung_unnoted_done(struct lea_hung_unnoted *unnoted)
{
	free(unnoted->list);
	*unnoted = (struct lea_hung_unnoted){0};
}

bool lea_hung_is_kept(struct lea_hung_unnoted *unnoted, const char *name, pid_t *ret_thread,
		      uint64_t *ret_since_ms)
{
	struct lea_hung_name *kept = unnoted->list, *end = kept + unnoted->count;

	while (kept < end && strcmp(kept->name, name) != 0)
		kept++;
	if (kept == end)
		return false;
	if (lea_proc_life_of(&kept->id) == LEA_PROC_GONE) {
		*kept = unnoted->list[--unnoted->count];
		return false;
	}
	*ret_thread = kept->id.pid;
	*ret_since_ms = kept->since_ms;
	return true;
}

void lea_hung_keep(struct lea_hung_unnoted *unnoted, const char *name, pid_t thread,
		   uint64_t since_ms)
{
	struct lea_hung_name kept = {.since_ms = since_ms};
	uint64_t earlier_ms;
	pid_t earlier;

	if (strlen(name) >= sizeof(kept.name) || unnoted->count == MOST_NAMES ||
	    lea_hung_is_kept(unnoted, name, &earlier, &earlier_ms) ||
	    lea_make_room(&unnoted->list, &unnoted->room, unnoted->count + 1, sizeof(kept)))
		return;
	lea_proc_identify_thread(thread, &kept.id);
	strcpy(kept.name, name);
	unnoted->list[unnoted->count++] = kept;
}

void lea_hung_forget(int hung_fd, const char *name)
{
	char file[FILE_BYTES];

	/* What stays counts for as long as its thread lives. */
	if (hung_fd >= 0 && name_file(name, file) && forget(hung_fd, file))
		remove_folder(hung_fd);
}

static bool name_answered(const char *name, char file[static FILE_BYTES])
{
	return name_file(name, file) && strcat(file, ANSWERED);
}

void lea_hung_answer(int hung_fd, const char *name)
{
	char file[FILE_BYTES], answered[FILE_BYTES];

	if (hung_fd < 0 || !name_file(name, file) || !name_answered(name, answered) ||
	    renameat(hung_fd, file, hung_fd, answered) < 0)
		return; /* it was not noted */
}

void lea_hung_settle(int hung_fd, const char *name)
{
	char answered[FILE_BYTES];

	if (hung_fd >= 0 && name_answered(name, answered) && forget(hung_fd, answered))
		remove_folder(hung_fd);
}

int lea_hung_each_owed(int hung_fd, int (*tell)(void *arg, const char *owed), void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct note note;
	int r = lea_file_list(hung_fd, ".", &dir);

	while ((entry = lea_file_next(dir, &r))) {
		if (entry->d_name[0] == '.' ||
		    !is_note(hung_fd, entry->d_name, LEA_PROC_GONE, &note) || !note.owed[0])
			continue;
		r = tell(arg, note.owed);
		if (!r && forget(hung_fd, entry->d_name))
			remove_folder(hung_fd);
	}
	return r;
}
