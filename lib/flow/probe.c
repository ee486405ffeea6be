/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent of probing children. A device has its deadline from the moment a thread takes it up.
 * When every thread of a child hangs, the child is left alone and another one does the rest: it
 * costs a process, not the scan.
 */
#include "flow/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"

#define DEFAULT_THREADS	    16U
#define MAX_THREADS	    256U
#define DEFAULT_DEADLINE_MS 10000U
/* The child counts from a little earlier and queues what was late by its own clock. In between
 * both may handle a device, which does no harm; neither would lose it. */
#define GRACE_MS	    500U

struct active {
	uint32_t index;
	bool has_expired;
	uint64_t until_ms;
};

struct round {
	struct lea_scan *scan;
	struct lea_scan_job *jobs;
	size_t job_count, open_count; /* open: not answered and not expired */
	size_t started_count;
	struct active active[MAX_THREADS];
	size_t active_count, expired_count, thread_count;
	uint32_t deadline_ms;
	int fd;
};

enum round_outcome {
	ROUND_OVER = 1, /* the child is done or gone */
};

static int spawn(void *arg)
{
	pid_t pid;

	/* The grandchild is init's: nobody here has to wait for a process that may never end. */
	return lea_proc_fork(lea_probe_child, arg, &pid) ? 1 : 0;
}

static int start_child(struct round *round)
{
	struct lea_probe_child child = {
		.scan = round->scan,
		.jobs = round->jobs,
		.job_count = round->job_count,
		.thread_count = round->thread_count,
		.deadline_ms = round->deadline_ms,
	};
	int fds[2], code = 0, r;
	pid_t pid = 0;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	child.pipe_fd = fds[1];
	r = lea_proc_fork(spawn, &child, &pid);
	close(fds[1]);
	if (!r)
		r = lea_proc_wait(pid, &code);
	if (!r && code)
		r = -EAGAIN;
	if (r)
		close(fds[0]);
	else
		round->fd = fds[0];
	return r;
}

/* 0, or ROUND_OVER at the end of the pipe. */
static int receive(int fd, void *bytes, size_t len)
{
	char *to = bytes;

	while (len) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return ROUND_OVER;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

static struct active *find_active(struct round *round, uint32_t index)
{
	for (size_t i = 0; i < round->active_count; i++)
		if (round->active[i].index == index)
			return &round->active[i];
	return NULL;
}

static void note_start(struct round *round, uint32_t index)
{
	struct lea_clock *clock = round->scan->world->clock;

	round->started_count++;
	if (round->active_count < MAX_THREADS)
		round->active[round->active_count++] = (struct active){
			.index = index,
			.until_ms = clock->now_ms(clock) + round->deadline_ms + GRACE_MS,
		};
}

static void note_answer(struct round *round, uint32_t index)
{
	struct active *active = find_active(round, index);

	if (!active)
		return;
	round->expired_count -= active->has_expired;
	round->open_count -= !active->has_expired;
	*active = round->active[--round->active_count];
}

/* Texts first and whatever becomes of the device: the child sends each only once. */
static int keep_texts(struct lea_scan *scan, struct lea_read *read)
{
	const struct lea_scan_text *text;
	int r = 0;

	for (unsigned int i = 0; i < read->mda_count && !r; i++)
		if (read->mda[i].text)
			r = lea_scan_texts_parse(&scan->texts, &read->mda[i].where,
						 read->mda[i].vg_name, read->mda[i].text, &text);
	return r;
}

/* The pointers in it are the child's; texts follow in the pipe where those are not NULL. */
static int receive_texts(int fd, struct lea_read *read)
{
	int r = 0;

	for (unsigned int i = 0; i < LEA_PV_MDAS; i++) {
		struct lea_read_mda *mda = &read->mda[i];
		bool follows = mda->text && !r && i < read->mda_count;

		mda->text = NULL;
		if (!follows)
			continue;
		mda->text = malloc(mda->where.total_bytes);
		r = mda->text ? receive(fd, mda->text, mda->where.total_bytes) : -ENOMEM;
	}
	return r;
}

static int take_answer(struct round *round, uint32_t index)
{
	LEA_AUTO(lea_freep) struct lea_read *read = calloc(1, sizeof(*read));
	struct lea_scan_job *job = &round->jobs[index];
	int r = read ? receive(round->fd, read, sizeof(*read)) : -ENOMEM;

	if (r)
		return r;
	r = receive_texts(round->fd, read);
	if (!r)
		r = keep_texts(round->scan, read);
	if (!r) {
		note_answer(round, index);
		job->is_open = false;
		/* It may have been given up a moment ago. */
		job->found->fault = 0;
		r = lea_scan_judge(round->scan, job, read);
	}
	lea_read_done(read);
	return r;
}

static int take_frame(struct round *round)
{
	struct lea_probe_frame frame;
	int r = receive(round->fd, &frame, sizeof(frame));

	if (r)
		return r;
	if (frame.index >= round->job_count)
		return -EPROTO;
	if (frame.kind == LEA_PROBE_ANSWER)
		return take_answer(round, frame.index);
	note_start(round, frame.index);
	return 0;
}

static void give_up(struct round *round, struct active *active, int fault)
{
	struct lea_scan_job *job = &round->jobs[active->index];

	active->has_expired = true;
	round->expired_count++;
	round->open_count--;
	job->is_open = false;
	lea_scan_judge_fault(round->scan, job->found, fault);
}

/* Gives up what is due; returns how long to wait for the next one, -1: nothing to wait for. */
static int expire(struct round *round)
{
	struct lea_clock *clock = round->scan->world->clock;
	uint64_t now = clock->now_ms(clock), next = UINT64_MAX;

	for (size_t i = 0; i < round->active_count; i++) {
		struct active *active = &round->active[i];

		if (active->has_expired)
			continue;
		if (active->until_ms <= now)
			give_up(round, active, -ETIMEDOUT);
		else if (active->until_ms < next)
			next = active->until_ms;
	}
	/* Nothing taken up yet: the child is only just starting. */
	return next == UINT64_MAX ? (int)round->deadline_ms : (int)(next - now);
}

static bool is_worth_waiting(const struct round *round)
{
	return round->open_count && round->expired_count < round->thread_count;
}

static int run_round(struct round *round)
{
	int r = 0;

	while (!r) {
		struct pollfd ready = {.fd = round->fd, .events = POLLIN};
		int wait_ms = expire(round);

		/* What lies in the pipe already is taken in any case. */
		r = poll(&ready, 1, is_worth_waiting(round) ? wait_ms : 0);
		if (r < 0)
			r = errno == EINTR ? 0 : -errno;
		else if (r > 0)
			r = take_frame(round);
		else if (!is_worth_waiting(round))
			r = ROUND_OVER;
	}
	return r == ROUND_OVER ? 0 : r;
}

/* A child that ended with devices in hand was killed by one of them: not tried again. */
static void close_round(struct round *round)
{
	close(round->fd);
	for (size_t i = 0; i < round->active_count; i++)
		if (!round->active[i].has_expired)
			give_up(round, &round->active[i], -EIO);
}

static int probe_round(struct lea_scan *scan, struct lea_scan_job *jobs, size_t count, size_t open)
{
	const struct lea_conf *conf = scan->conf;
	struct round round = {
		.scan = scan,
		.jobs = jobs,
		.job_count = count,
		.open_count = open,
		.thread_count = conf->probe_threads ? conf->probe_threads : DEFAULT_THREADS,
		.deadline_ms =
			conf->probe_deadline_ms ? conf->probe_deadline_ms : DEFAULT_DEADLINE_MS,
	};
	int r;

	if (round.thread_count > MAX_THREADS)
		round.thread_count = MAX_THREADS;
	if (round.thread_count > open)
		round.thread_count = open;
	r = start_child(&round);
	if (r)
		return r;
	r = run_round(&round);
	close_round(&round);
	/* A child that did nothing at all won't do better the next time. */
	return r || round.started_count ? r : -EAGAIN;
}

static size_t count_open(const struct lea_scan_job *jobs, size_t count)
{
	size_t open = 0;

	for (size_t i = 0; i < count; i++)
		open += jobs[i].is_open;
	return open;
}

int lea_probe_jobs(struct lea_scan *scan, struct lea_scan_job *jobs, size_t count)
{
	size_t open;
	int r = 0;

	if (count > UINT32_MAX)
		return -E2BIG;
	while (!r && (open = count_open(jobs, count)))
		r = probe_round(scan, jobs, count, open);
	return r;
}
