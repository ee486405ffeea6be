/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs and who waits, for people; cancelling. */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "base/id.h"

/* ---- tickets */

struct found {
	uint32_t lane;
	uint64_t number;
	int32_t holder; /* as we see it; 0: in a namespace that we don't see */
	struct ticket ticket;
};

struct list {
	struct found *found;
	size_t count, room;
};

static bool parse_name(const char *name, uint32_t *ret_lane, uint64_t *ret_number)
{
	const char *lane = name[0] ? strchr("hnl", name[0]) : NULL;

	if (!lane || !lea_number_parse(name + 1, UINT64_MAX / 2, ret_number))
		return false;
	*ret_lane = (uint32_t)(lane - "hnl");
	return true;
}

/* The pid of the process that holds the lock; 0: not seen; -1: none. */
static int32_t holder_of(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_GETLK, &whole) < 0 || whole.l_type == F_UNLCK)
		return -1;
	return whole.l_pid > 0 ? whole.l_pid : 0;
}

static void end_texts(struct lea_throttle_entry *entry)
{
	entry->class_[sizeof(entry->class_) - 1] = '\0';
	entry->vg[sizeof(entry->vg) - 1] = '\0';
	entry->label[sizeof(entry->label) - 1] = '\0';
	entry->command[sizeof(entry->command) - 1] = '\0';
}

/* Only tickets of the living. @keeps_fd: owned by the caller, or NULL */
static int read_found(int folder_fd, const char *name, struct found *ret_found, int *keeps_fd)
{
	LEA_AUTO(lea_closep) int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return LEA_FILE_ABSENT;
	ret_found->holder = holder_of(fd);
	if (ret_found->holder < 0 || pread(fd, &ret_found->ticket, sizeof(ret_found->ticket), 0) !=
					     (ssize_t)sizeof(ret_found->ticket))
		return LEA_FILE_ABSENT;
	end_texts(&ret_found->ticket.entry);
	if (keeps_fd)
		*keeps_fd = LEA_TAKE_FD(fd);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct found *one = a, *other = b;

	if (one->lane != other->lane)
		return one->lane < other->lane ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static int list_tickets(const struct lea_throttle *queue, struct list *list)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct found found = {0};
	int r = lea_file_list(queue->folder_fd, ".", &dir);

	while ((entry = lea_file_next(dir, &r))) {
		if (!parse_name(entry->d_name, &found.lane, &found.number) ||
		    read_found(queue->folder_fd, entry->d_name, &found, NULL))
			continue;
		r = lea_make_room(&list->found, &list->room, list->count + 1, sizeof(found));
		if (!r)
			list->found[list->count++] = found;
	}
	if (!r && list->count)
		qsort(list->found, list->count, sizeof(*list->found), compare);
	return r;
}

int lea_throttle_place(const struct lea_throttle *queue, size_t *ret_place, size_t *ret_all)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	size_t before = 0, all = 0;
	struct found found = {0};
	int r = lea_file_list(queue->folder_fd, ".", &dir);

	while ((entry = lea_file_next(dir, &r))) {
		if (!parse_name(entry->d_name, &found.lane, &found.number))
			continue;
		all++;
		before += found.lane < queue->lane ||
			  (found.lane == queue->lane && found.number < queue->number);
	}
	if (r)
		return r;
	*ret_place = before + 1;
	*ret_all = all;
	return 0;
}

/* ---- the view */

static int add_waiting(const struct lea_throttle *queue, struct lea_throttle_view *view)
{
	struct list list = {0};
	int r = list_tickets(queue, &list);

	if (!r && list.count) {
		view->waiting = calloc(list.count, sizeof(*view->waiting));
		r = view->waiting ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !r && i < list.count; i++)
		view->waiting[view->waiting_count++] = list.found[i].ticket.entry;
	free(list.found);
	return r;
}

static int add_running(const struct lea_throttle *queue, struct lea_throttle_view *view)
{
	struct lea_proc_id own;

	lea_proc_identify(&own);
	view->running = calloc(SLOTS_MOST, sizeof(*view->running));
	view->command = calloc(SLOTS_MOST, sizeof(*view->command));
	if (!view->running || !view->command)
		return -ENOMEM;
	for (uint32_t i = 0; i < SLOTS_MOST; i++) {
		struct lea_throttle_entry *entry = &view->running[view->running_count];
		const struct slot *slot = &queue->state->slot[i];

		if (!lea_throttle_is_locked(queue->state_fd, i) &&
		    !lea_throttle_has_orphan(queue, &queue->state->slot[i]))
			continue;
		if (queue->texts)
			*entry = queue->texts->entry[i];
		end_texts(entry);
		if (LOAD(slot->pid_ns) == own.pid_ns)
			view->command[view->running_count] = (int32_t)(uint32_t)LOAD(slot->word);
		view->running_count++;
	}
	return 0;
}

int lea_throttle_look(int event_fd, enum lea_throttle_kind kind, const char *name,
		      struct lea_throttle_view *ret_view)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;
	struct lea_throttle_view view = {0};
	int r = lea_throttle_open_to_look(event_fd, kind, name, &queue);

	if (r)
		return r;
	view.slots = LOAD(queue->state->slots);
	for (size_t i = 0; i < LEA_THROTTLE_COUNTERS; i++)
		view.counter[i] = LOAD(queue->state->counter[i]);
	for (size_t i = 0; i < LEA_THROTTLE_WAIT_BUCKETS; i++)
		view.wait[i] = LOAD(queue->state->wait[i]);
	r = add_running(queue, &view);
	r = r ? r : add_waiting(queue, &view);
	if (r)
		lea_throttle_view_done(&view);
	else
		*ret_view = view;
	return r;
}

void lea_throttle_view_done(struct lea_throttle_view *view)
{
	free(view->running);
	free(view->command);
	free(view->waiting);
	*view = (struct lea_throttle_view){0};
}

/* ---- cancelling */

/* The descriptor of the process keeps its pid from being used again; only then the lock says that
 * it is still the waiter. */
static bool tell(const struct lea_throttle *queue, const struct found *found)
{
	LEA_AUTO(lea_closep) int process = lea_proc_open(found->holder);
	LEA_AUTO(lea_closep) int fd = -1;
	struct found now = {0};
	char name[24];

	lea_throttle_name(found->lane, found->number, name);
	if (process < 0 || read_found(queue->folder_fd, name, &now, &fd) ||
	    now.holder != found->holder)
		return false;
#ifdef SYS_pidfd_send_signal
	return !syscall(SYS_pidfd_send_signal, process, LEA_THROTTLE_CANCEL, NULL, 0U);
#else
	return false;
#endif
}

int lea_throttle_cancel(int event_fd, enum lea_throttle_kind kind, const char *name,
			bool (*matches)(void *arg, const struct lea_throttle_entry *entry),
			void *arg, size_t *ret_count, size_t *ret_unseen)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;
	struct list list = {0};
	int r = lea_throttle_open_to_look(event_fd, kind, name, &queue);

	r = r ? r : list_tickets(queue, &list);
	/* The last ones first: else a slot that one leaves would go to the next. */
	for (size_t i = list.count; !r && i--;) {
		const struct found *found = &list.found[i];

		if (!matches(arg, &found->ticket.entry))
			continue;
		if (found->holder && tell(queue, found))
			++*ret_count;
		else if (!found->holder)
			++*ret_unseen;
	}
	free(list.found);
	return r;
}
