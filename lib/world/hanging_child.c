/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child's threads may hang forever, and then so does the child; so it holds nothing that others
 * need. It ends when the parent's end is closed and each thread has finished its item. It has two
 * locks, and a thread holds neither while it works. One guards the tasks, the other the way to the
 * parent: the child accepts requests whether or not the parent reads answers.
 *
 * While more tasks wait than there are threads, answers are sent together, for each message costs
 * both processes as much as a disk's read. A thread that goes on with its next task, which may
 * hang, leaves them to the others, and at the latest to the thread that sends every FLUSH_MS what
 * is there. So what is done never waits for what hangs. An answer that is not sent when the child
 * is killed is none: the parent has the item done again.
 */
#include "world/hanging_private.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/step.h"
#include "world/proc.h"

/* Answers are sent when they reach this size, which a socket takes without waiting. */
#define BATCH_BYTES (64U * 1024U)
/* For a larger one memory is not kept. */
#define KEPT_BYTES  (4U * BATCH_BYTES)
#define FLUSH_MS    50

struct task {
	struct task *next;
	uint32_t index, took_ms;
	void *content;
};

struct child {
	struct lea_hanging *hanging;
	int fd;
	sem_t wake, late, finished; /* finished: posted once by each thread */
	_Atomic uint32_t thread_count;
	_Atomic uint32_t waiting; /* tasks that no thread has begun */
	uint32_t wanted_threads;
	_Atomic uint32_t slots_taken;
	_Atomic bool has_sender, is_closing;
	sem_t tasks_lock;
	struct task *first, **end;
	sem_t send_lock;
	struct lea_wire_out batch; /* answers that are not sent yet */
	struct task *unsent;	   /* theirs */
};

static uint64_t now_ms(const struct child *child)
{
	return lea_world_now_ms(child->hanging->world);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

/* ---- answers */

/* Is somebody going to send what is left unsent? */
static bool may_leave(const struct child *child)
{
	return child->has_sender && !child->is_closing && child->waiting >= child->thread_count;
}

/* The caller holds send_lock. Returns the tasks whose answers were sent, or will never be. */
static struct task *send_batch(struct child *child, bool *ret_is_sent)
{
	struct task *tasks = child->unsent;

	*ret_is_sent = !lea_wire_send(child->fd, &child->batch);
	if (!*ret_is_sent)
		child->is_closing = true;
	if (child->batch.room > KEPT_BYTES)
		lea_wire_out_done(&child->batch);
	child->unsent = NULL;
	return tasks;
}

static void end_tasks(const struct child *child, struct task *task, bool is_sent)
{
	const struct lea_hanging *hanging = child->hanging;
	struct task *next;

	for (; task; task = next) {
		next = task->next;
		if (hanging->kind->done)
			hanging->kind->done(hanging->arg, task->content, task->took_ms, is_sent);
		free(task);
	}
}

static void flush(struct child *child)
{
	struct task *tasks;
	bool is_sent;

	wait_for(&child->send_lock);
	tasks = send_batch(child, &is_sent);
	sem_post(&child->send_lock);
	end_tasks(child, tasks, is_sent);
}

static bool is_any_left(struct child *child)
{
	bool is_any;

	wait_for(&child->send_lock);
	is_any = child->unsent || may_leave(child);
	sem_post(&child->send_lock);
	return is_any;
}

static void *send_late(void *arg)
{
	struct child *child = arg;

	while (!child->is_closing) {
		wait_for(&child->late);
		while (is_any_left(child)) {
			poll(NULL, 0, FLUSH_MS);
			flush(child);
		}
	}
	sem_post(&child->finished);
	return NULL;
}

/* ---- tasks */

/* NULL: there is no task, or the parent is gone. */
static struct task *take_task(struct child *child)
{
	struct task *task;

	wait_for(&child->tasks_lock);
	task = child->is_closing ? NULL : child->first;
	if (task) {
		child->waiting--;
		child->first = task->next;
		if (!child->first)
			child->end = &child->first;
	}
	sem_post(&child->tasks_lock);
	return task;
}

static void do_task(struct child *child, struct task *task, struct lea_hanging_slot *slot,
		    struct lea_hanging_answer *answer)
{
	const struct lea_hanging_kind *kind = child->hanging->kind;
	void *arg = child->hanging->arg;
	const uint64_t start = now_ms(child);
	struct task *tasks = NULL;
	bool is_sent = false;

	slot->start_ms = start;
	slot->item = task->index + 1;
	memset(answer, 0, kind->answer_bytes);
	kind->work(arg, task->index, task->content, answer);
	answer->index = task->index;
	answer->took_ms = task->took_ms = (uint32_t)(now_ms(child) - start);
	wait_for(&child->send_lock);
	if (kind->put)
		kind->put(arg, &child->batch, task->content, answer);
	else
		lea_wire_put_bytes(&child->batch, answer, kind->answer_bytes);
	task->next = child->unsent;
	child->unsent = task;
	if (child->batch.len >= BATCH_BYTES || !may_leave(child))
		tasks = send_batch(child, &is_sent);
	sem_post(&child->send_lock);
	slot->item = 0;
	end_tasks(child, tasks, is_sent);
}

static void *do_tasks(void *arg)
{
	struct child *child = arg;
	struct lea_hanging_slot *slot = &child->hanging->slots[child->slots_taken++];
	struct lea_hanging_answer *answer = calloc(1, child->hanging->kind->answer_bytes);
	struct task *task;

	if (child->hanging->remembers) {
		slot->thread = lea_proc_thread();
		slot->process = getpid();
	}
	while (answer && !child->is_closing) {
		wait_for(&child->wake);
		while ((task = take_task(child)))
			do_task(child, task, slot, answer);
	}
	free(answer);
	sem_post(&child->finished);
	return NULL;
}

/* ---- requests */

static int add_task(struct child *child, struct lea_wire_in *in)
{
	const struct lea_hanging_kind *kind = child->hanging->kind;
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	task->index = lea_wire_get_u32(in);
	if (kind->unpack)
		task->content = kind->unpack(child->hanging->arg, in);
	if (in->fault || (kind->unpack && !task->content)) {
		free(task);
		return in->fault ? in->fault : -ENOMEM;
	}
	wait_for(&child->tasks_lock);
	*child->end = task;
	child->end = &task->next;
	child->waiting++;
	sem_post(&child->tasks_lock);
	return 0;
}

/* Has as many threads as the largest request so far could use: a single item needs one. */
static int grow(struct child *child, uint32_t wanted)
{
	int started;

	if (wanted > LEA_HANGING_MOST_THREADS)
		return -EPROTO;
	if (wanted <= child->wanted_threads)
		return 0;
	started = lea_proc_threads(wanted - child->wanted_threads, do_tasks, child);
	if (started > 0)
		child->thread_count += (uint32_t)started;
	child->wanted_threads = wanted;
	return child->thread_count ? 0 : started;
}

/* Without it, each answer is sent by itself. */
static void wake_sender(struct child *child)
{
	if (child->waiting <= child->thread_count)
		return;
	if (!child->has_sender)
		child->has_sender = lea_proc_threads(1, send_late, child) > 0;
	sem_post(&child->late);
}

static int take_request(struct child *child, const uint8_t *bytes, size_t len)
{
	struct lea_wire_in in = {.at = bytes, .left = len};
	const uint32_t wanted = lea_wire_get_u32(&in);
	uint32_t count = 0;
	int r = in.fault ? in.fault : grow(child, wanted);

	for (; !r && in.left; count++)
		r = add_task(child, &in);
	wake_sender(child);
	/* Threads that are busy take further tasks by themselves. */
	for (uint32_t i = 0; i < count && i < child->thread_count; i++)
		sem_post(&child->wake);
	return r;
}

/* What was not sent will not be, and the sender ends it. */
static void close_all(struct child *child)
{
	const uint32_t threads = child->thread_count + child->has_sender;

	child->is_closing = true;
	sem_post(&child->late);
	for (uint32_t i = 0; i < child->thread_count; i++)
		sem_post(&child->wake);
	for (uint32_t i = 0; i < threads; i++)
		wait_for(&child->finished);
}

int lea_hanging_child(void *arg)
{
	const struct lea_hanging_start *start = arg;
	struct child child = {.hanging = start->hanging, .fd = start->fd};
	struct lea_hanging *hanging = start->hanging;
	uint8_t *bytes;
	size_t len;
	int r = 0;

	LEA_CRASHPOINT_ROLE("probe");
	child.end = &child.first;
	lea_world_detach(hanging->world, child.fd);
	if (sem_init(&child.tasks_lock, 0, 1) < 0 || sem_init(&child.send_lock, 0, 1) < 0 ||
	    sem_init(&child.wake, 0, 0) < 0 || sem_init(&child.late, 0, 0) < 0 ||
	    sem_init(&child.finished, 0, 0) < 0)
		return 1;
	if (hanging->kind->begin)
		r = hanging->kind->begin(hanging->arg);
	while (!r && !(r = lea_wire_receive(child.fd, &bytes, &len))) {
		r = take_request(&child, bytes, len);
		free(bytes);
	}
	close_all(&child);
	return 0;
}
