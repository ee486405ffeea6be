/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent of probing children. A device has its deadline from the moment a thread takes it up,
 * and a fifth of it where it alone keeps others waiting.
 * When every thread of a child hangs, the child is left alone and another one does the rest: it
 * costs a process, not the scan. A child that answered for all its devices waits for the next ones.
 */
#include "flow/probe.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "world/device_wire.h"

/* The child counts from a little earlier and queues what was late by its own clock. In between
 * both may handle a device, which does no harm; neither would lose it. */
#define GRACE_MS    500U
/* A frame to the child is sent when it is so long. */
#define CHUNK_BYTES (1024U * 1024U)
/* So often is asked whether somebody waits. */
#define LOOK_MS	    500
/* The second one of a child that had nothing else: this device is to blame. */
#define MOST_DEATHS 2U

struct active {
	uint32_t index;
	bool has_expired;
	uint64_t start_ms, until_ms;
};

struct round {
	struct lea_scan *scan;
	struct lea_prober *prober;
	struct lea_scan_job *jobs;
	size_t job_count, open_count;	  /* open: of this round, not answered and not expired */
	const struct lea_scan_job *alone; /* this round is for it; NULL: for those without blame */
	size_t started_count;
	struct active active[LEA_PROBE_MAX_THREADS];
	size_t active_count, expired_count;
	uint64_t answered_ms; /* when somebody did last, 0: nobody yet */
	bool keeps_others;    /* who are not of this scan */
	bool is_left;	      /* its child lives, and is not waited for */
};

static uint32_t wanted_threads(const struct round *round)
{
	const struct lea_prober *prober = round->prober;

	return round->open_count < prober->most_threads ? (uint32_t)round->open_count
							: prober->most_threads;
}

static bool is_of_round(const struct round *round, const struct lea_scan_job *job)
{
	return job->is_open && (round->alone ? job == round->alone : !job->deaths);
}

/* The child reads all of it before it waits for anything: this can't block on its answers. */
static int send_jobs(struct round *round)
{
	const struct lea_probe_request request = {.texts = round->scan->texts->number,
						  .threads = round->prober->thread_count};
	LEA_AUTO(lea_wire_out_done) struct lea_wire_out out = {0};
	int r = 0;

	for (size_t i = 0; i < round->job_count && !r; i++) {
		if (!is_of_round(round, &round->jobs[i]))
			continue;
		if (!out.len)
			lea_wire_put_bytes(&out, &request, sizeof(request));
		lea_wire_put_u32(&out, (uint32_t)i);
		lea_wire_put_u32(&out, round->jobs[i].deadline_ms);
		lea_wire_put_u32(&out, round->jobs[i].wants_tail);
		lea_device_pack(&out, &round->jobs[i].found->device);
		if (out.fault || out.len >= CHUNK_BYTES)
			r = lea_wire_send(round->prober->fd, &out);
	}
	return r ? r : lea_wire_send(round->prober->fd, &out);
}

static struct active *find_active(struct round *round, uint32_t index)
{
	for (size_t i = 0; i < round->active_count; i++)
		if (round->active[i].index == index)
			return &round->active[i];
	return NULL;
}

static uint64_t now_ms(const struct round *round)
{
	struct lea_clock *clock = round->scan->world->clock;

	return clock->now_ms(clock);
}

static int note_start(struct round *round, uint32_t index)
{
	const uint64_t now = now_ms(round);

	if (!is_of_round(round, &round->jobs[index]) || find_active(round, index) ||
	    round->active_count >= ARRAY_SIZE(round->active))
		return -EPROTO;
	round->started_count++;
	round->active[round->active_count++] = (struct active){
		.index = index,
		.start_ms = now,
		.until_ms = now + round->jobs[index].deadline_ms + GRACE_MS,
	};
	return 0;
}

static void note_answer(struct round *round, struct active *active)
{
	round->answered_ms = now_ms(round);
	if (round->answered_ms - active->start_ms < round->prober->deadline_ms)
		lea_late_forget(&round->prober->late, &round->jobs[active->index].found->device);
	round->expired_count -= active->has_expired;
	round->open_count -= !active->has_expired;
	*active = round->active[--round->active_count];
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* Within the bounds of what it stands in: everybody after this relies on that. */
static bool is_sound(const struct lea_read *read)
{
	if (read->fault > 0 || read->head_bytes > sizeof(read->head) ||
	    read->mda_count > LEA_PV_MDAS || read->label.mda_count > LEA_PV_MDAS ||
	    !is_text(read->label.pvid, sizeof(read->label.pvid)))
		return false;
	for (unsigned int i = 0; i < LEA_PV_MDAS; i++) {
		const struct lea_read_mda *mda = &read->mda[i];

		if (!is_text(mda->vg_name, sizeof(mda->vg_name)) ||
		    (mda->text && (i >= read->mda_count || !mda->where.total_bytes ||
				   mda->where.total_bytes > LEA_TEXT_MAX_BYTES)))
			return false;
	}
	return true;
}

/* Texts first and whatever becomes of the device: the child sends each only once. A new child knows
 * of none, and sends what we may have. */
static int keep_text(struct lea_scan *scan, const struct lea_read_mda *mda)
{
	const struct lea_scan_text *text;

	if (!mda->text || lea_scan_texts_find(scan->texts, &mda->where, mda->vg_name))
		return 0;
	return lea_scan_texts_parse(scan->texts, &mda->where, mda->vg_name, mda->text, &text);
}

/* The pointers in it are the child's; texts follow in the stream where those are not NULL. */
static int receive_texts(const struct round *round, struct lea_read *read)
{
	int r = 0;

	for (unsigned int i = 0; i < LEA_PV_MDAS; i++) {
		struct lea_read_mda *mda = &read->mda[i];
		bool follows = mda->text && !r;

		mda->text = NULL;
		if (!follows)
			continue;
		mda->text = malloc(mda->where.total_bytes);
		r = mda->text ? lea_wire_read(round->prober->fd, mda->text, mda->where.total_bytes)
			      : -ENOMEM;
		r = r ? r : keep_text(round->scan, mda);
	}
	return r;
}

static int take_answer(struct round *round, uint32_t index)
{
	LEA_AUTO(lea_freep) struct lea_read *read = calloc(1, sizeof(*read));
	struct active *active = find_active(round, index);
	struct lea_scan_job *job = &round->jobs[index];
	int r = read ? 0 : -ENOMEM;

	if (!r && !active)
		r = -EPROTO;
	r = r ? r : lea_wire_read(round->prober->fd, read, sizeof(*read));
	if (!r && !is_sound(read))
		r = -EPROTO;
	if (r)
		return r;
	r = receive_texts(round, read);
	if (!r) {
		note_answer(round, active);
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
	int r = lea_wire_read(round->prober->fd, &frame, sizeof(frame));

	if (r)
		return r;
	if (frame.index >= round->job_count)
		return -EPROTO;
	if (frame.kind == LEA_PROBE_ANSWER)
		return take_answer(round, frame.index);
	return frame.kind == LEA_PROBE_STARTED ? note_start(round, frame.index) : -EPROTO;
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

static void give_up_late(struct round *round, struct active *active, bool had_all)
{
	lea_late_note(&round->prober->late, &round->jobs[active->index].found->device, had_all);
	give_up(round, active, -ETIMEDOUT);
}

/* When all others have answered, they wait for it: not for long. It comes back when it answers. */
static uint64_t due_ms(const struct round *round, const struct active *active)
{
	uint64_t due = active->start_ms;

	if (round->open_count > round->active_count - round->expired_count ||
	    (!round->answered_ms && !round->keeps_others))
		return active->until_ms;
	if (due < round->answered_ms)
		due = round->answered_ms;
	due += round->prober->deadline_ms / LEA_PATIENCE_PART;
	return due < active->until_ms ? due : active->until_ms;
}

/* Gives up what is due; returns how long to wait for the next one, -1: nothing to wait for. */
static int expire(struct round *round)
{
	uint64_t now = now_ms(round), next = UINT64_MAX, due;

	for (size_t i = 0; i < round->active_count; i++) {
		struct active *active = &round->active[i];

		if (active->has_expired)
			continue;
		due = due_ms(round, active);
		if (due <= now)
			give_up_late(round, active, active->until_ms <= now);
		else if (due < next)
			next = due;
	}
	/* Nothing taken up yet: the child is only just starting. */
	return next == UINT64_MAX ? (int)round->prober->deadline_ms : (int)(next - now);
}

static bool is_worth_waiting(const struct round *round)
{
	return round->open_count && round->expired_count < round->prober->thread_count;
}

/* After a while of silence: does nobody work but those that hang? The child may have got fewer
 * threads than it should have. */
static bool is_stuck(const struct round *round)
{
	return round->expired_count && round->expired_count == round->active_count;
}

/* Those of this scan wait anyway once they have answered. */
static bool asks_for_others(const struct round *round)
{
	return round->prober->others_wait && !round->answered_ms && !round->keeps_others &&
	       round->active_count > round->expired_count;
}

/* What lies in the stream already is taken in any case. */
static int wait_for_frame(struct round *round)
{
	struct pollfd ready = {.fd = round->prober->fd, .events = POLLIN};
	int wait_ms = expire(round), r;

	if (!is_worth_waiting(round))
		wait_ms = 0;
	else if (asks_for_others(round) && wait_ms > LOOK_MS)
		wait_ms = LOOK_MS;
	r = poll(&ready, 1, wait_ms);
	if (r == 0 && asks_for_others(round))
		round->keeps_others = round->prober->others_wait(round->prober->others_arg);
	return r < 0 ? (errno == EINTR ? 0 : -errno) : r;
}

/* Until all is answered or given up, LEA_WIRE_END: or the child is gone, or left. */
static int run_round(struct round *round)
{
	int r = 0;

	while (!r && (round->open_count || round->active_count)) {
		r = wait_for_frame(round);
		if (r > 0)
			r = take_frame(round);
		else if (!r && (round->is_left = !is_worth_waiting(round) || is_stuck(round)))
			r = LEA_WIRE_END;
	}
	return r;
}

/*
 * What the child says from here on it can't say, and queues that device. What it has said is taken:
 * an answer in between, after our last look, would be lost with the connection.
 */
static void take_rest(struct round *round)
{
	if (shutdown(round->prober->fd, SHUT_RD) == 0)
		while (take_frame(round) == 0)
			;
}

/*
 * A child that ended with devices in hand was killed by one of them, or by something else (no
 * memory): each is tried again, alone.
 */
static void close_round(struct round *round)
{
	take_rest(round);
	lea_prober_drop(round->prober);
	for (size_t i = 0; !round->is_left && i < round->active_count; i++)
		if (!round->active[i].has_expired &&
		    ++round->jobs[round->active[i].index].deaths >= MOST_DEATHS)
			give_up(round, &round->active[i], -EIO);
}

/* Those without blame come first, then the others one by one. */
static void choose(struct round *round)
{
	const struct lea_scan_job *suspect = NULL;

	for (size_t i = round->job_count; i > 0; i--) {
		const struct lea_scan_job *job = &round->jobs[i - 1];

		round->open_count += is_of_round(round, job);
		if (job->is_open && job->deaths)
			suspect = job;
	}
	if (round->open_count)
		return;
	round->alone = suspect;
	round->open_count = 1;
}

static int probe_round(struct lea_scan *scan, struct lea_scan_job *jobs, size_t count)
{
	struct lea_prober *prober = scan->prober;
	const bool is_new = prober->fd < 0;
	struct round round = {
		.scan = scan,
		.prober = prober,
		.jobs = jobs,
		.job_count = count,
	};
	int r = lea_prober_start(prober);

	if (r)
		return r;
	choose(&round);
	if (prober->thread_count < wanted_threads(&round))
		prober->thread_count = wanted_threads(&round);
	r = send_jobs(&round);
	r = r ? r : run_round(&round);
	/* With nothing outstanding it serves the next scan, too. */
	if (r)
		close_round(&round);
	if (r < 0)
		return r;
	/* A new child that did nothing at all won't do better the next time. */
	return round.started_count || !is_new ? 0 : -EAGAIN;
}

static bool is_any_open(const struct lea_scan_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (jobs[i].is_open)
			return true;
	return false;
}

int lea_probe_jobs(struct lea_scan *scan, struct lea_scan_job *jobs, size_t count)
{
	int r = 0;

	if (count > UINT32_MAX)
		return -E2BIG;
	if (!scan->prober) {
		r = lea_prober_new(scan->world, scan->conf, &scan->own_prober);
		scan->prober = scan->own_prober;
	}
	if (!r && !scan->texts->number)
		scan->texts->number = ++scan->prober->last_texts;
	for (size_t i = 0; i < count && !r; i++)
		jobs[i].deadline_ms = lea_late_deadline_ms(
			&scan->prober->late, &jobs[i].found->device, scan->prober->deadline_ms);
	while (!r && is_any_open(jobs, count))
		r = probe_round(scan, jobs, count);
	return r;
}
