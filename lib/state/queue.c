/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner's half of the queue. An entry moves by rename from queue/ to taken/, and then to
 * failed/ or away. If a runner dies, the next one finds its entries in taken/.
 */
#include "state/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/libc.h"
#include "base/step.h"
#include "state/flag.h"
#include "state/queue_text.h"

/* An enqueuer publishes at once; a hidden file this old belongs to one that was killed. */
#define HIDDEN_AGE_SECONDS 600
#define NAME_BYTES	   300U

struct batch {
	struct lea_entry *entries;
	size_t count, room;
};

static int open_folder(int event_fd, const char *name)
{
	int fd = openat(event_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

int lea_queue_lock(int event_fd, int *ret_lock_fd)
{
	int r;

	LEA_CRASHPOINT("lock.try", NULL);
	r = lea_flag_raise(event_fd, LEA_FLAG_RUNNER, ret_lock_fd);
	if (r < 0)
		return r;
	if (r == LEA_FLAG_HELD)
		LEA_CRASHPOINT("lock.busy", NULL);
	else
		LEA_CRASHPOINT("lock.held", NULL);
	return r == LEA_FLAG_HELD ? LEA_QUEUE_RUNNING : 0;
}

static int add_entry(struct batch *batch, const struct lea_entry *entry)
{
	if (lea_make_room(&batch->entries, &batch->room, batch->count + 1, sizeof(*batch->entries)))
		return -ENOMEM;
	batch->entries[batch->count++] = *entry;
	return 0;
}

/* Moves a file from taken/ to failed/ and writes the reason to NAME.why. */
static int quarantine(int event_fd, const char *name, const char *reason)
{
	LEA_AUTO(lea_closep) int taken_fd = open_folder(event_fd, "taken");
	LEA_AUTO(lea_closep) int failed_fd = open_folder(event_fd, "failed");
	char why[NAME_BYTES];
	int r;

	if (taken_fd < 0 || failed_fd < 0)
		return taken_fd < 0 ? taken_fd : failed_fd;
	snprintf(why, sizeof(why), "%.250s.why", name);
	r = lea_file_replace(failed_fd, why, reason, strlen(reason));
	if (renameat(taken_fd, name, failed_fd, name) == 0)
		return r;
	/* A missing file must not stop the queue. */
	return errno == ENOENT ? 0 : -errno;
}

/* Reads one file of taken/. Quarantines it if it is not an entry; a shortage says nothing of it. */
static int load(int event_fd, int taken_fd, const char *name, struct lea_entry *entry)
{
	char text[LEA_ENTRY_MAX_BYTES + 2];
	const char *why = "not a readable file";
	int r;

	r = lea_file_read_into(taken_fd, name, text, sizeof(text));
	if (r == LEA_FILE_ABSENT)
		return r;
	if (r == 0 && strlen(text) > LEA_ENTRY_MAX_BYTES)
		r = -EFBIG;
	if (r == 0)
		r = lea_entry_parse(name, text, &why, entry);
	if (r == 0 || lea_is_shortage(r))
		return r;
	r = quarantine(event_fd, name, why);
	if (r < 0)
		return r;
	LEA_CRASHPOINT("take.gone", name);
	return LEA_FILE_ABSENT;
}

/* Adds one file of taken/ to @batch; one that is not an entry, or is gone, adds nothing. */
static int load_one(int event_fd, int taken_fd, const char *name, bool is_leftover,
		    struct batch *batch)
{
	struct lea_entry entry = {0};
	int r = load(event_fd, taken_fd, name, &entry);

	if (r == LEA_FILE_ABSENT)
		return 0;
	entry.is_leftover = is_leftover;
	r = r ? r : add_entry(batch, &entry);
	if (r)
		lea_device_done(&entry.device);
	return r;
}

/* What a dead runner had taken. */
static int load_leftovers(int event_fd, struct batch *batch)
{
	LEA_AUTO(lea_closedirp) DIR *taken = NULL;
	const struct dirent *name;
	size_t before;
	int r;

	r = lea_file_list(event_fd, "taken", &taken);
	while (batch->count < LEA_QUEUE_PASS_MAX && (name = lea_file_next(taken, &r))) {
		if (name->d_name[0] == '.')
			continue;
		before = batch->count;
		r = load_one(event_fd, dirfd(taken), name->d_name, true, batch);
		if (batch->count > before)
			LEA_CRASHPOINT("take.left", batch->entries[before].key);
	}
	return r;
}

static void drop_old_hidden(DIR *queue, const char *name)
{
	struct stat st;
	struct timespec now;

	if (fstatat(dirfd(queue), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	    st.st_mtim.tv_sec + HIDDEN_AGE_SECONDS < now.tv_sec)
		unlinkat(dirfd(queue), name, 0);
}

/*
 * Moves pending files to taken/ and loads them, but not those whose name is there already: a pass
 * in flight has the earlier entry, and must not remove the later one with it. Reads the folder
 * once, so that a storm of events cannot keep us here.
 */
static int take_pending(int event_fd, struct batch *batch)
{
	LEA_AUTO(lea_closedirp) DIR *queue = NULL;
	LEA_AUTO(lea_closep) int taken_fd = open_folder(event_fd, "taken");
	const struct dirent *name;
	size_t moved = 0;
	int r;

	if (taken_fd < 0)
		return taken_fd;
	r = lea_file_list(event_fd, "queue", &queue);
	while (moved < LEA_QUEUE_PASS_MAX && (name = lea_file_next(queue, &r))) {
		if (name->d_name[0] == '.') {
			drop_old_hidden(queue, name->d_name);
		} else if (!renameat2(dirfd(queue), name->d_name, taken_fd, name->d_name,
				      RENAME_NOREPLACE)) {
			LEA_CRASHPOINT("take.moved", name->d_name);
			moved++;
			r = load_one(event_fd, taken_fd, name->d_name, false, batch);
		} else if (errno != ENOENT && errno != EEXIST) {
			return -errno;
		}
	}
	return r;
}

static int compare_age(const void *a, const void *b)
{
	const struct lea_entry *left = a, *right = b;

	/* Leftovers come last: an entry that kills runners must not always go first. */
	if (left->attempts != right->attempts)
		return left->attempts < right->attempts ? -1 : 1;
	if (left->device.seqnum != right->device.seqnum)
		return left->device.seqnum < right->device.seqnum ? -1 : 1;
	return strcmp(left->key, right->key);
}

static int end_take(struct batch *batch, int r, struct lea_entry **ret_entries, size_t *ret_count)
{
	if (r) {
		lea_entries_free(batch->entries, batch->count);
		return r;
	}
	if (!batch->count) {
		free(batch->entries);
		LEA_CRASHPOINT("take.none", NULL);
		return LEA_QUEUE_EMPTY;
	}
	qsort(batch->entries, batch->count, sizeof(*batch->entries), compare_age);
	*ret_entries = batch->entries;
	*ret_count = batch->count;
	LEA_CRASHPOINT("take.end", NULL);
	return 0;
}

/* Leftovers of a dead runner are a pass of their own, processed one by one. */
int lea_queue_take(int event_fd, struct lea_entry **ret_entries, size_t *ret_count)
{
	struct batch batch = {0};
	int r;

	LEA_CRASHPOINT("take.begin", NULL);
	r = load_leftovers(event_fd, &batch);
	if (!r && !batch.count)
		r = take_pending(event_fd, &batch);
	return end_take(&batch, r, ret_entries, ret_count);
}

int lea_queue_take_beside(int event_fd, struct lea_entry **ret_entries, size_t *ret_count)
{
	struct batch batch = {0};

	LEA_CRASHPOINT("take.begin", NULL);
	return end_take(&batch, take_pending(event_fd, &batch), ret_entries, ret_count);
}

int lea_queue_attempt(int event_fd, struct lea_entry *entry)
{
	LEA_AUTO(lea_closep) int taken_fd = open_folder(event_fd, "taken");
	char text[LEA_ENTRY_MAX_BYTES];
	int len, r;

	LEA_CRASHPOINT("att.begin", entry->key);
	entry->attempts++;
	len = lea_entry_emit(entry, text, sizeof(text));
	r = taken_fd < 0 ? taken_fd : len < 0 ? len : 0;
	r = r ? r : lea_file_replace(taken_fd, entry->key, text, (size_t)len);
	if (r)
		entry->attempts--;
	else
		LEA_CRASHPOINT("att.end", entry->key);
	return r;
}

int lea_queue_done(int event_fd, const struct lea_entry *entry)
{
	char path[sizeof(entry->key) + 8];
	int r;

	snprintf(path, sizeof(path), "taken/%s", entry->key);
	r = lea_file_remove(event_fd, path);
	if (r < 0)
		return r;
	LEA_CRASHPOINT("done.gone", entry->key);
	return 0;
}

/* A rename works even where nothing can be written. */
int lea_queue_requeue(int event_fd, const struct lea_entry *entry)
{
	LEA_AUTO(lea_closep) int taken_fd = open_folder(event_fd, "taken");
	LEA_AUTO(lea_closep) int queue_fd = open_folder(event_fd, "queue");
	int r = 0;

	if (taken_fd < 0 || queue_fd < 0)
		return taken_fd < 0 ? taken_fd : queue_fd;
	if (!renameat2(taken_fd, entry->key, queue_fd, entry->key, RENAME_NOREPLACE)) {
		LEA_CRASHPOINT("back.moved", entry->key);
		return 0;
	}
	if (errno == ENOENT)
		return 0;
	if (errno != EEXIST)
		return -errno;
	/* That the device was added is not lost behind a change. Without room for that it stays. */
	if (!entry->device.is_gone)
		r = lea_queue_put_if_absent(event_fd, entry);
	return r < 0 ? r : lea_queue_done(event_fd, entry);
}

/* The text that lea_queue_attempt has stored differs in one digit: it is written over, which needs no space. */
int lea_queue_restore(int event_fd, const struct lea_entry *entry)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[sizeof(entry->key) + 8], text[LEA_ENTRY_MAX_BYTES];
	const int len = lea_entry_emit(entry, text, sizeof(text));

	if (len < 0)
		return len;
	snprintf(path, sizeof(path), "taken/%s", entry->key);
	fd = openat(event_fd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	return pwrite(fd, text, (size_t)len, 0) == len ? 0 : -EIO;
}

int lea_queue_fail(int event_fd, const struct lea_entry *entry, const char *reason)
{
	int r = quarantine(event_fd, entry->key, reason);

	if (r == 0)
		LEA_CRASHPOINT("fail.moved", entry->key);
	return r;
}

void lea_entries_free(struct lea_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lea_device_done(&entries[i].device);
	free(entries);
}

/* It is not in the order of the event that led to the device before. */
static struct lea_entry entry_of(enum lea_entry_kind kind, const struct lea_device *device,
				 const char *pvid)
{
	struct lea_entry entry = {.kind = kind, .device = *device}; /* borrowed */

	entry.device.seqnum = 0;
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	return entry;
}

int lea_queue_put_device(int event_fd, enum lea_entry_kind kind, const struct lea_device *device,
			 const char *pvid)
{
	const struct lea_entry entry = entry_of(kind, device, pvid);

	return lea_queue_put_if_absent(event_fd, &entry);
}

/* A pending entry of the same device is newer than the failed one. */
static int retry_one(int event_fd, DIR *failed, const char *name)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_entry entry = {0};
	const char *why;
	char note[NAME_BYTES];
	int r;

	r = lea_file_read(dirfd(failed), name, LEA_ENTRY_MAX_BYTES, &text, NULL);
	r = r ? r : lea_entry_parse(name, text, &why, &entry);
	if (r)
		return r;
	entry.attempts = 0;
	r = lea_queue_put_if_absent(event_fd, &entry);
	lea_device_done(&entry.device);
	if (r)
		return r;
	snprintf(note, sizeof(note), "%.250s.why", name);
	unlinkat(dirfd(failed), note, 0);
	unlinkat(dirfd(failed), name, 0);
	return 0;
}

int lea_queue_retry(int event_fd, size_t *ret_count)
{
	LEA_AUTO(lea_closedirp) DIR *failed = NULL;
	const struct dirent *name;
	size_t count = 0;
	int r;

	r = lea_file_list(event_fd, "failed", &failed);
	while ((name = lea_file_next(failed, &r))) {
		if (name->d_name[0] == '.')
			continue;
		/* Malformed files and notes stay in failed/. */
		r = retry_one(event_fd, failed, name->d_name);
		count += r == 0;
		r = lea_shortage_of(r);
	}
	if (!r)
		*ret_count = count;
	return r;
}
