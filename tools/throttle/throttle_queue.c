/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder and the state file of a queue; counters; the child's claim to its slot. */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/step.h"

static const char magic[8] = "lvmthr1";

/* Who removes a queue takes no longer, unless it is stopped; in ms. */
#define REMOVAL_MS 2000U

enum purpose {
	TO_LOOK,
	TO_USE,
	TO_REMOVE,
};
enum outcome {
	OUTCOME_GONE = 1, /* the queue that was there is removed, or just being removed */
};

static const char *const folders[] = {
	[LEA_THROTTLE_CLASSES] = "class",
	[LEA_THROTTLE_VGS] = "vg",
};

static size_t state_bytes(enum lea_throttle_kind kind)
{
	return sizeof(struct state) +
	       (kind == LEA_THROTTLE_CLASSES ? sizeof(struct slot_texts) : 0);
}

int lea_throttle_lock(int fd, int command, short type, off_t byte)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	if (fcntl(fd, command, &lock) < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	return 0;
}

bool lea_throttle_is_locked(int fd, off_t byte)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Opens throttle/KIND; creates it only for a process that joins. */
static int open_folders(int event_fd, enum lea_throttle_kind kind, bool creates)
{
	LEA_AUTO(lea_closep) int top = -1;
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	int r, fd;

	top = openat(event_fd, LEA_THROTTLE_FOLDER, flags);
	if (top < 0 && errno == ENOENT && creates)
		top = lea_file_open_folder(event_fd, LEA_THROTTLE_FOLDER);
	else if (top < 0)
		return -errno;
	if (top < 0)
		return top;
	r = lea_file_check_private(top);
	if (r)
		return r;
	fd = openat(top, folders[kind], flags);
	if (fd < 0 && errno == ENOENT && creates)
		return lea_file_open_folder(top, folders[kind]);
	return fd < 0 ? -errno : fd;
}

/* Written whole, so that its memory is there: to a mapped file without it, on a full /run, the
 * kernel answers with SIGBUS. */
static int make_state(int kinds_fd, const char *name, enum lea_throttle_kind kind)
{
	LEA_AUTO(lea_freep) char *bytes = calloc(1, state_bytes(kind));
	int r;

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, magic, sizeof(magic));
	r = lea_file_create_in(kinds_fd, name, LEA_THROTTLE_STATE, bytes, state_bytes(kind));
	return r < 0 ? r : 0;
}

/* 0, OUTCOME_GONE or -errno. */
static int map_state(struct lea_throttle *queue, enum purpose purpose)
{
	const int flags = purpose == TO_LOOK ? O_RDONLY : O_RDWR;
	const int protection = PROT_READ | (flags == O_RDWR ? PROT_WRITE : 0);
	struct stat st;
	void *map;
	int r = 0;

	queue->state_fd = openat(queue->folder_fd, LEA_THROTTLE_STATE, flags | O_NOFOLLOW | O_CLOEXEC);
	if (queue->state_fd < 0)
		return -errno;
	queue->map_bytes = state_bytes(queue->kind);
	if (purpose != TO_LOOK)
		r = lea_throttle_lock(queue->state_fd, F_SETLK,
				      purpose == TO_USE ? F_RDLCK : F_WRLCK, USE);
	if (r)
		return r == -EAGAIN ? OUTCOME_GONE : r;
	if (fstat(queue->state_fd, &st) < 0)
		return -errno;
	/* What has a name now keeps it. */
	if (purpose != TO_LOOK && !st.st_nlink)
		return OUTCOME_GONE;
	if (!S_ISREG(st.st_mode) || (size_t)st.st_size != queue->map_bytes)
		return -EPROTO;
	map = mmap(NULL, queue->map_bytes, protection, MAP_SHARED, queue->state_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	queue->state = map;
	if (queue->kind == LEA_THROTTLE_CLASSES)
		queue->texts = (struct slot_texts *)(void *)(queue->state + 1);
	return memcmp(queue->state->magic, magic, sizeof(magic)) ? -EPROTO : 0;
}

/* A folder without a state file may be removed by another process at any time: then nothing can be
 * made in it. */
static int make_queue(struct lea_throttle *queue, int kinds_fd, const char *name)
{
	int r = make_state(kinds_fd, name, queue->kind);

	r = r ? r : map_state(queue, TO_USE);
	/* A drain that came before our state, and did not find it, is there now. */
	if (!r && queue->kind == LEA_THROTTLE_CLASSES &&
	    !faccessat(kinds_fd, "../hold", F_OK, 0))
		lea_throttle_tell_hold(queue, true);
	queue->is_new = !r;
	return r == -ENOENT ? OUTCOME_GONE : r;
}

/* 0, OUTCOME_GONE or -errno. */
static int open_queue(int event_fd, const char *name, enum purpose purpose,
		      struct lea_throttle *queue)
{
	const bool creates = purpose == TO_USE;
	LEA_AUTO(lea_closep) int kinds = open_folders(event_fd, queue->kind, creates);
	int r;

	if (kinds < 0)
		return kinds;
	queue->folder_fd = openat(kinds, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (queue->folder_fd < 0 && (errno != ENOENT || !creates))
		return -errno;
	if (queue->folder_fd < 0)
		queue->folder_fd = lea_file_open_folder(kinds, name);
	if (queue->folder_fd < 0)
		return queue->folder_fd == -ENOENT ? OUTCOME_GONE : queue->folder_fd;
	r = map_state(queue, purpose);
	return r == -ENOENT && creates ? make_queue(queue, kinds, name) : r;
}

static void close_files(struct lea_throttle *queue)
{
	lea_closep(&queue->ticket_fd);
	lea_closep(&queue->state_fd);
	lea_closep(&queue->folder_fd);
	queue->ticket_fd = queue->state_fd = queue->folder_fd = -1;
}

static int new_queue(int event_fd, enum lea_throttle_kind kind, const char *name,
		     enum purpose purpose, struct lea_throttle **ret_queue)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = calloc(1, sizeof(*queue));
	int r;

	if (!queue)
		return -ENOMEM;
	*queue = (struct lea_throttle){
		.folder_fd = -1, .state_fd = -1, .ticket_fd = -1, .slot = -1, .kind = kind};
	r = open_queue(event_fd, name, purpose, queue);
	for (uint32_t i = 0; r == OUTCOME_GONE && purpose == TO_USE && i < REMOVAL_MS; i++) {
		close_files(queue);
		poll(NULL, 0, 1);
		r = open_queue(event_fd, name, purpose, queue);
	}
	if (!r)
		*ret_queue = LEA_TAKE(queue);
	return r == OUTCOME_GONE ? -EBUSY : r;
}

int lea_throttle_open(int event_fd, enum lea_throttle_kind kind, const char *name,
		      struct lea_clock *clock, struct lea_throttle **ret_queue)
{
	int r = new_queue(event_fd, kind, name, TO_USE, ret_queue);

	if (!r)
		(*ret_queue)->clock = clock;
	return r;
}

bool lea_throttle_is_new(const struct lea_throttle *queue)
{
	return queue->is_new;
}

int lea_throttle_open_to_look(int event_fd, enum lea_throttle_kind kind, const char *name,
			      struct lea_throttle **ret_queue)
{
	return new_queue(event_fd, kind, name, TO_LOOK, ret_queue);
}

int lea_throttle_open_to_remove(int event_fd, enum lea_throttle_kind kind, const char *name,
				struct lea_throttle **ret_queue)
{
	return new_queue(event_fd, kind, name, TO_REMOVE, ret_queue);
}

int lea_throttle_open_kind(int event_fd, enum lea_throttle_kind kind)
{
	return open_folders(event_fd, kind, false);
}

/* The hint comes before the lock ends: the head that wakes by the closing reads it. */
void lea_throttle_release(struct lea_throttle *queue)
{
	LEA_CRASHPOINT("throttle.release", NULL);
	if (queue->slot < 0)
		return;
	STORE(queue->state->slot[queue->slot].word, 0);
	STORE(queue->state->free_slot, (uint32_t)queue->slot);
	queue->slot = -1;
}

void lea_throttle_close(struct lea_throttle *queue)
{
	if (!queue)
		return;
	lea_throttle_release(queue);
	if (queue->state)
		munmap(queue->state, queue->map_bytes);
	close_files(queue);
	free(queue);
}

void lea_throttle_tell_hold(struct lea_throttle *queue, bool is_held)
{
	STORE(queue->state->hold, is_held);
}

uint64_t lea_throttle_next_id(struct lea_throttle *queue)
{
	return __atomic_add_fetch(&queue->state->next_id, 1, __ATOMIC_SEQ_CST);
}

uint32_t lea_throttle_slot(const struct lea_throttle *queue)
{
	return (uint32_t)queue->slot;
}

void lea_throttle_add(struct lea_throttle *queue, enum lea_throttle_counter counter)
{
	__atomic_add_fetch(&queue->state->counter[counter], 1, __ATOMIC_SEQ_CST);
}

void lea_throttle_add_wait(struct lea_throttle *queue, uint32_t bucket)
{
	if (bucket < LEA_THROTTLE_WAIT_BUCKETS)
		__atomic_add_fetch(&queue->state->wait[bucket], 1, __ATOMIC_SEQ_CST);
}

/* The swap fails if the wrapper died and the slot has a new holder. */
bool lea_throttle_adopt(struct lea_throttle *queue, const struct lea_proc_id *child)
{
	struct slot *slot = &queue->state->slot[queue->slot];
	uint64_t expected = queue->id << 32;

	LEA_CRASHPOINT("throttle.adopt", NULL);
	if (!__atomic_compare_exchange_n(&slot->word, &expected, expected | (uint32_t)child->pid,
					 false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	STORE(slot->pid_ns, child->pid_ns);
	STORE(slot->start_ticks, child->start_ticks);
	return true;
}

static struct lea_proc_id command_of(const struct slot *slot)
{
	return (struct lea_proc_id){.start_ticks = LOAD(slot->start_ticks),
				    .pid_ns = LOAD(slot->pid_ns),
				    .pid = (int32_t)(uint32_t)LOAD(slot->word)};
}

bool lea_throttle_has_orphan(const struct lea_throttle *queue, const struct slot *slot)
{
	const struct lea_proc_id id = command_of(slot);
	enum lea_proc_life life;

	if (!id.pid)
		return false;
	life = lea_proc_life_of(&id);
	if (life != LEA_PROC_UNSEEN)
		return life == LEA_PROC_ALIVE;
	return !queue->clock ||
	       queue->clock->now_ms(queue->clock) < LOAD(slot->since_ms) + UNSEEN_MS;
}

void lea_throttle_name(uint32_t lane, uint64_t number, char ret_name[static 24])
{
	snprintf(ret_name, 24, "%c%llu", "hnl"[lane], (unsigned long long)number);
}

bool lea_throttle_is_running(int event_fd, const char *class_, uint32_t slot, uint64_t id)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;

	if (slot >= SLOTS_MOST ||
	    lea_throttle_open_to_look(event_fd, LEA_THROTTLE_CLASSES, class_, &queue))
		return false;
	return LOAD(queue->state->slot[slot].word) >> 32 == (id & UINT32_MAX) &&
	       (lea_throttle_is_locked(queue->state_fd, slot) ||
		lea_throttle_has_orphan(queue, &queue->state->slot[slot]));
}

int lea_throttle_each(int event_fd, enum lea_throttle_kind kind,
		      int (*each)(void *arg, const char *name), void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	LEA_AUTO(lea_closep) int fd = open_folders(event_fd, kind, false);
	const struct dirent *entry;
	int r = fd < 0 ? fd : lea_file_list(fd, ".", &dir);

	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] != '.')
			r = each(arg, entry->d_name);
	return r == -ENOENT ? 0 : r;
}

/* ---- whose command is it? */

bool lea_throttle_is_among(const struct lea_proc_id *id, const struct lea_proc_id ids[],
			   size_t count)
{
	for (size_t i = 0; id->pid && i < count; i++)
		if (ids[i].pid == id->pid && ids[i].pid_ns == id->pid_ns &&
		    ids[i].start_ticks == id->start_ticks)
			return true;
	return false;
}

struct search {
	int event_fd;
	const struct lea_throttle *own;
	const char *class_;
	const struct lea_proc_id *ids;
	size_t count;
	bool is_found;
};

/* A slot whose command lives is that command's: the record needs no lock. */
static int search_class(void *arg, const char *name)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *other = NULL;
	struct search *search = arg;
	const struct lea_throttle *queue = search->own;

	/* Our own one is not opened again: the closing would release its locks. */
	if (!queue || strcmp(name, search->class_) != 0) {
		if (lea_throttle_open_to_look(search->event_fd, LEA_THROTTLE_CLASSES, name, &other))
			return 0;
		queue = other;
	}
	for (uint32_t i = 0; i < SLOTS_MOST && !search->is_found; i++) {
		const struct lea_proc_id id = command_of(&queue->state->slot[i]);

		search->is_found = lea_throttle_is_among(&id, search->ids, search->count);
	}
	return 0;
}

bool lea_throttle_is_any_command(int event_fd, const struct lea_throttle *own, const char *class_,
				 const struct lea_proc_id ids[], size_t count)
{
	struct search search = {event_fd, own, class_, ids, count, false};

	if (!count)
		return false;
	/* What cannot be read names no command: who asks then waits as others do. */
	return !lea_throttle_each(event_fd, LEA_THROTTLE_CLASSES, search_class, &search) &&
	       search.is_found;
}
