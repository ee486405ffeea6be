/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent learns of the end of a child from a pipe that the child closes by ending; in between
 * it wakes up only when a job may be late.
 */
#include "world/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"

#define MOST_TRIES 2U /* children that may die while they do a job */

enum state { WAITING, STARTED, DONE, GIVEN_UP };

struct slot {
	_Atomic uint32_t state, tries;
	_Atomic int32_t thread; /* that last took it; 0: none, or it is remembered */
	_Atomic uint64_t start_ms;
};

/* Shared by the parent and its children. */
struct shared {
	_Atomic uint32_t round; /* of the child that may take jobs */
	_Atomic uint32_t next;	/* index of the next job to look at */
	_Atomic uint32_t has_begun;
	struct slot slot[];
};

struct run {
	struct lea_world *world;
	const struct lea_jobs *jobs;
	struct shared *shared;
	uint32_t round, threads;
	uint64_t start_ms; /* of all */
	int fd;		   /* the child's end of the pipe */
	sem_t finished;	   /* in the child: posted once by each thread */
};

static uint64_t now_ms(const struct run *run)
{
	return run->world->clock->now_ms(run->world->clock);
}

/* ---- the child */

/* False: no job is left for this child. */
static bool take(struct run *run, pid_t thread, uint32_t *ret_index)
{
	struct shared *shared = run->shared;

	while (shared->round == run->round) {
		const uint32_t index = shared->next++;
		uint32_t expected = WAITING;

		if (index >= run->jobs->count)
			return false;
		shared->slot[index].start_ms = now_ms(run);
		*ret_index = index;
		if (!atomic_compare_exchange_strong(&shared->slot[index].state, &expected, STARTED))
			continue;
		shared->slot[index].thread = thread;
		return true;
	}
	return false;
}

static void *work(void *arg)
{
	struct run *run = arg;
	const pid_t thread = lea_proc_thread();
	uint32_t index;

	while (take(run, thread, &index)) {
		uint32_t expected = STARTED;

		run->jobs->run(run->jobs->arg, index);
		atomic_compare_exchange_strong(&run->shared->slot[index].state, &expected, DONE);
	}
	sem_post(&run->finished);
	return NULL;
}

static int child(void *arg)
{
	struct run *run = arg;
	int count;

	lea_world_detach(run->world, run->fd);
	if (sem_init(&run->finished, 0, 0) < 0)
		return 1;
	if (run->jobs->begin && run->jobs->begin(run->jobs->arg))
		return 1;
	run->shared->has_begun = 1;
	count = lea_proc_threads(run->threads, work, run);
	for (int i = 0; i < count; i++)
		while (sem_wait(&run->finished) < 0 && errno == EINTR)
			;
	return count < 0;
}

/* ---- the parent */

static bool give_up(struct slot *slot)
{
	uint32_t expected = STARTED;

	return atomic_compare_exchange_strong(&slot->state, &expected, GIVEN_UP);
}

/* Gives up what is late. Returns when the next job will be late; UINT64_MAX: nothing runs. */
static uint64_t expire(struct run *run, bool *ret_is_late)
{
	const uint64_t now = now_ms(run);
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < run->jobs->count; i++) {
		struct slot *slot = &run->shared->slot[i];
		uint64_t due;

		if (slot->state != STARTED)
			continue;
		due = slot->start_ms + run->jobs->deadline_ms; /* set before the state */
		if (due <= now)
			*ret_is_late |= give_up(slot);
		else if (due < next)
			next = due;
	}
	return next;
}

static bool is_any(const struct run *run, enum state state)
{
	for (uint32_t i = 0; i < run->jobs->count; i++)
		if (run->shared->slot[i].state == (uint32_t)state)
			return true;
	return false;
}

/*
 * Waits until the child has ended, or only jobs that are late keep it, or the time of all is over.
 * Returns true in the first case. @jobs that are late occupy threads: the others go on meanwhile.
 */
static bool watch(struct run *run, int fd)
{
	const uint64_t limit = run->start_ms + run->jobs->limit_ms, begun = now_ms(run);
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	uint32_t late = 0;

	for (;;) {
		bool is_late = false;
		uint64_t next = expire(run, &is_late), now = now_ms(run);

		late += is_late;
		if (next == UINT64_MAX)
			next = (run->shared->has_begun ? now : begun) + run->jobs->deadline_ms;
		if (next > limit)
			next = limit;
		if (now >= limit || (!run->shared->has_begun && now >= next) ||
		    (late && !is_any(run, STARTED)))
			return false;
		if (poll(&ended, 1, next > now ? (int)(next - now) : 0) > 0)
			return true;
	}
}

/* After the end of a child: jobs that it had begun are tried once more. */
static void take_back(struct run *run)
{
	for (uint32_t i = 0; i < run->jobs->count; i++) {
		struct slot *slot = &run->shared->slot[i];

		slot->thread = 0; /* its number may be another's by now */
		if (slot->state != STARTED)
			continue;
		slot->state = ++slot->tries < MOST_TRIES ? WAITING : GIVEN_UP;
		run->threads = 1; /* so that one job costs no other a try */
	}
}

static int open_pipe(int fds[2])
{
	return pipe2(fds, O_CLOEXEC) < 0 ? -errno : 0;
}

/* Gives up what a child of an earlier command still hangs in. False: nothing can be begun. */
static bool skip_hung(const struct run *run)
{
	const struct lea_jobs *jobs = run->jobs;
	LEA_AUTO(lea_closep) int hung_fd = lea_hung_open(run->world);
	char name[LEA_HUNG_NAME_BYTES];
	pid_t thread;

	for (uint32_t i = 0; i < jobs->count && hung_fd >= 0 && jobs->name; i++)
		if (jobs->name(jobs->arg, i, name) && lea_hung_has(hung_fd, name, &thread))
			run->shared->slot[i].state = GIVEN_UP;
	return !jobs->begin_name || !lea_hung_has(hung_fd, jobs->begin_name, &thread);
}

/* What a child that is abandoned hangs in. */
static void remember_hung(const struct run *run, pid_t pid)
{
	const struct lea_jobs *jobs = run->jobs;
	char name[LEA_HUNG_NAME_BYTES];
	uint32_t room = 0;
	LEA_AUTO(lea_closep) int hung_fd = lea_hung_begin(run->world, &room);

	if (!run->shared->has_begun && jobs->begin_name)
		lea_hung_note(hung_fd, jobs->begin_name, pid, &room);
	for (uint32_t i = 0; i < jobs->count; i++) {
		struct slot *slot = &run->shared->slot[i];

		if (slot->thread && slot->state != DONE && jobs->name &&
		    jobs->name(jobs->arg, i, name))
			lea_hung_note(hung_fd, name, slot->thread, &room);
		slot->thread = 0;
	}
}

/* One child. *ret_goes_on: jobs are left for another one. */
static int run_child(struct run *run, bool *ret_goes_on)
{
	int fds[2], code = 0, r = open_pipe(fds);
	bool has_ended;
	pid_t pid;

	if (r)
		return r;
	run->fd = fds[1];
	run->shared->next = run->shared->has_begun = 0;
	run->shared->round = ++run->round;
	r = lea_proc_fork(child, run, &pid);
	close(fds[1]);
	if (r) {
		close(fds[0]);
		return r;
	}
	has_ended = watch(run, fds[0]);
	close(fds[0]);
	run->shared->round = 0; /* a child that hangs takes no other job when it wakes up */
	*ret_goes_on = run->shared->has_begun && now_ms(run) < run->start_ms + run->jobs->limit_ms;
	/* One that hangs becomes init's child when this process ends. */
	if (!has_ended) {
		remember_hung(run, pid);
		return 0;
	}
	r = lea_proc_wait(pid, &code);
	take_back(run);
	return r;
}

int lea_jobs_run(struct lea_world *world, const struct lea_jobs *jobs, bool *ret_late)
{
	const size_t bytes = sizeof(struct shared) + jobs->count * sizeof(struct slot);
	struct run run = {.world = world, .jobs = jobs, .threads = jobs->threads};
	bool goes_on;
	int r = 0;

	if (!jobs->count)
		return 0;
	run.shared = lea_proc_share(bytes);
	if (!run.shared)
		return -ENOMEM;
	if (run.threads > jobs->count)
		run.threads = jobs->count;
	run.start_ms = now_ms(&run);
	goes_on = skip_hung(&run);
	while (!r && goes_on && (is_any(&run, WAITING) || is_any(&run, STARTED)))
		r = run_child(&run, &goes_on);
	for (uint32_t i = 0; i < jobs->count; i++)
		ret_late[i] = run.shared->slot[i].state != DONE;
	lea_proc_unshare(run.shared, bytes);
	return r;
}
