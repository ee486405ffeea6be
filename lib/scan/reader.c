/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent of reader children. The deadline of a device runs from the moment a thread starts to
 * read it; a device that alone keeps others waiting gets a fifth of it.
 *
 * When all threads of a child hang, the child is abandoned and another reads the remaining devices:
 * a hung device costs a process, not the scan. A child that answered for all its devices waits for
 * the next scan. The child is started early, so that it shares little memory with this process, and
 * a burst of devices costs one process.
 */
#include "scan/reader_private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "state/queue.h"
#include "world/hung.h"
#include "world/proc.h"
#include "world/timeline.h"

/* The child's clock for a device starts a little earlier, and it queues what was late by that
 * clock. In this grace period both may handle a device, which is harmless; neither would lose
 * it. */
#define GRACE_MS    500U
/* A frame to the child is sent when it reaches this size. */
#define CHUNK_BYTES (1024U * 1024U)
/* interval at which the reader asks whether others wait */
#define LOOK_MS	    500
#define US_PER_MS   1000U
/* The second child that died while reading only this device: the device is to blame. */
#define MOST_DEATHS 2U

#define DEFAULT_DEADLINE_MS 10000U

struct active {
	uint32_t index;
	bool has_expired;
	int32_t thread; /* 0: unknown */
	uint64_t start_ms, until_ms;
};

struct round {
	struct lea_scan *scan;
	struct lea_reader *reader;
	struct lea_read_request *jobs;
	size_t job_count, open_count; /* open: in this round, neither answered nor timed out */
	const struct lea_read_request
		*alone; /* the only device of this round; NULL: all jobs that no child died of */
	size_t started_count;
	struct active active[LEA_READER_MAX_THREADS];
	size_t active_count, expired_count;
	uint64_t answered_ms; /* time of the last answer; 0: none yet */
	bool keeps_others;    /* devices outside this scan wait */
	bool is_detached;     /* its child lives on, abandoned */
};

static void set_threads(struct lea_reader *reader, uint32_t threads)
{
	reader->most_threads = threads < LEA_READER_MAX_THREADS ? threads : LEA_READER_MAX_THREADS;
}

int lea_reader_new(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_reader **ret_reader)
{
	struct lea_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->world = world;
	reader->deadline_ms =
		conf->probe_deadline_ms ? conf->probe_deadline_ms : DEFAULT_DEADLINE_MS;
	set_threads(reader, LEA_READER_THREADS);
	reader->fd = -1;
	*ret_reader = reader;
	return 0;
}

void lea_reader_limit(struct lea_reader *reader, uint32_t deadline_ms, uint32_t threads)
{
	if (deadline_ms && deadline_ms < reader->deadline_ms)
		reader->deadline_ms = deadline_ms;
	if (threads)
		set_threads(reader, threads);
}

void lea_reader_drop(struct lea_reader *reader)
{
	lea_closep(&reader->fd);
	reader->fd = -1;
}

/* While our end was open the child answered for every device, so it ends at once and nothing of a
 * command outlives it. A hung child was abandoned before; it becomes init's child when this process
 * ends. */
static void end_child(struct lea_reader *reader)
{
	const bool is_idle = reader->forgets && reader->fd >= 0;
	int code;

	lea_reader_drop(reader);
	if (is_idle && lea_proc_wait(reader->pid, &code) < 0)
		lea_log(reader->world->log, LEA_LOG_DEBUG, "reader: waiting for its end failed");
}

void lea_reader_free(struct lea_reader *reader)
{
	if (reader)
		end_child(reader);
	free(reader);
}

void lea_reader_listen(struct lea_reader *reader, bool (*others_wait)(void *arg), void *arg)
{
	reader->others_wait = others_wait;
	reader->others_arg = arg;
}

void lea_reader_for_command(struct lea_reader *reader)
{
	reader->forgets = true;
}

void lea_reader_remember(struct lea_reader *reader)
{
	reader->remembers = true;
}

static bool is_slow(void *arg, const char *key)
{
	const struct lea_reader *reader = arg;

	return lea_backoff_has_key(&reader->late, key);
}

bool lea_reader_is_awaited(struct lea_reader *reader, int event_fd)
{
	return lea_queue_has_pending_but(event_fd, is_slow, reader);
}

const int *lea_reader_fd(const struct lea_reader *reader)
{
	return &reader->fd;
}

/* Returns 0 when there is a child, an existing or a new one. */
static int start_child(struct lea_reader *reader)
{
	struct lea_reader_child child = {
		.world = reader->world, .forgets = reader->forgets, .remembers = reader->remembers};
	int fds[2], r;

	if (reader->fd >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	child.fd = fds[1];
	/* The runner's child may hang for ever: init reaps it, whenever that is. */
	r = reader->forgets ? lea_proc_fork(lea_reader_child, &child, &reader->pid)
			    : lea_proc_orphan(lea_reader_child, &child);
	close(fds[1]);
	if (r) {
		close(fds[0]);
		return r;
	}
	reader->fd = fds[0];
	reader->thread_count = 0;
	return 0;
}

static uint32_t wanted_threads(const struct round *round)
{
	const struct lea_reader *reader = round->reader;

	return round->open_count < reader->most_threads ? (uint32_t)round->open_count
							: reader->most_threads;
}

static bool is_of_round(const struct round *round, const struct lea_read_request *job)
{
	return job->is_open && (round->alone ? job == round->alone : !job->deaths);
}

/* The child reads the whole request before it waits for anything, so this cannot block on its
 * answers. */
static int send_jobs(struct round *round)
{
	const struct lea_reader_start request = {.texts = round->scan->texts->number,
						 .threads = round->reader->thread_count};
	LEA_AUTO(lea_wire_out_done) struct lea_wire_out out = {0};
	int r = 0;

	for (size_t i = 0; i < round->job_count && !r; i++) {
		if (!is_of_round(round, &round->jobs[i]))
			continue;
		if (!out.len)
			lea_wire_put_bytes(&out, &request, sizeof(request));
		lea_wire_put_u32(&out, (uint32_t)i);
		lea_wire_put_u32(&out, round->jobs[i].deadline_ms);
		lea_wire_put_u32(&out, round->jobs[i].extras.tail);
		lea_wire_put_u32(&out, round->jobs[i].extras.content);
		lea_wire_put_u32(&out, round->jobs[i].extras.measure);
		lea_device_pack(&out, &round->jobs[i].found->device);
		if (out.fault || out.len >= CHUNK_BYTES)
			r = lea_wire_send(round->reader->fd, &out);
	}
	return r ? r : lea_wire_send(round->reader->fd, &out);
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

static int note_start(struct round *round, uint32_t index, int32_t thread)
{
	const uint64_t now = now_ms(round);

	if (!is_of_round(round, &round->jobs[index]) || find_active(round, index) ||
	    round->active_count >= ARRAY_SIZE(round->active))
		return -EPROTO;
	round->started_count++;
	round->active[round->active_count++] = (struct active){
		.index = index,
		.thread = thread,
		.start_ms = now,
		.until_ms = now + round->jobs[index].deadline_ms + GRACE_MS,
	};
	return 0;
}

/* How long the device has taken so far. */
static void note_time(const struct round *round, const struct active *active, int fault)
{
	lea_timeline_note_device(
		round->scan->world, LEA_RING_READ, &round->jobs[active->index].found->device,
		(struct lea_timeline_note){
			.took_us = (now_ms(round) - active->start_ms) * US_PER_MS, .code = fault});
}

static void note_answer(struct round *round, struct active *active, int fault)
{
	note_time(round, active, fault);
	round->answered_ms = now_ms(round);
	/* Only an answer in the usual time makes the device a healthy one again. */
	if (round->answered_ms - active->start_ms < round->reader->deadline_ms)
		lea_backoff_clear(&round->reader->late, &round->jobs[active->index].found->device);
	round->expired_count -= active->has_expired;
	round->open_count -= !active->has_expired;
	*active = round->active[--round->active_count];
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* Are all counts and sizes within their bounds? All code that follows relies on this. The child has
 * decoded what a hostile disk may hold, so it is trusted no more than the disk. */
static bool is_sound(const struct lea_read *read)
{
	if (read->fault > 0 || read->head_bytes > sizeof(read->head) ||
	    read->mda_count > LEA_PV_MDAS || read->label.mda_count > LEA_PV_MDAS ||
	    !is_text(read->label.pvid, sizeof(read->label.pvid)) ||
	    !is_text(read->content, sizeof(read->content)))
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

/* Keeps a text whatever happens to its device, since a child sends each text only once. A new child
 * does not know what was sent, and may send a text again. */
static int keep_text(struct lea_scan *scan, const struct lea_read_mda *mda)
{
	const struct lea_scan_text *text;

	if (!mda->text || lea_scan_texts_find(scan->texts, &mda->where, mda->vg_name))
		return 0;
	return lea_scan_texts_parse(scan->texts, &mda->where, mda->vg_name, mda->text, &text);
}

/* The pointers in @read are the child's; where they are not NULL, texts follow in the stream. */
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
		r = mda->text ? lea_wire_read(round->reader->fd, mda->text, mda->where.total_bytes)
			      : -ENOMEM;
		r = r ? r : keep_text(round->scan, mda);
	}
	return r;
}

static int take_answer(struct round *round, uint32_t index)
{
	LEA_AUTO(lea_freep) struct lea_read *read = calloc(1, sizeof(*read));
	struct active *active = find_active(round, index);
	struct lea_read_request *job = &round->jobs[index];
	int r = read ? 0 : -ENOMEM;

	if (!r && !active)
		r = -EPROTO;
	r = r ? r : lea_wire_read(round->reader->fd, read, sizeof(*read));
	if (!r && !is_sound(read))
		r = -EPROTO;
	if (r)
		return r;
	r = receive_texts(round, read);
	if (!r) {
		note_answer(round, active, read->fault);
		job->is_open = false;
		/* The device may have timed out a moment ago. */
		job->found->fault = 0;
		r = lea_scan_judge(round->scan, job, read);
	}
	lea_read_done(read);
	return r;
}

static int take_frame(struct round *round)
{
	struct lea_reader_frame frame;
	int r = lea_wire_read(round->reader->fd, &frame, sizeof(frame));

	if (r)
		return r;
	if (frame.index >= round->job_count)
		return -EPROTO;
	if (frame.kind == LEA_READER_ANSWER)
		return take_answer(round, frame.index);
	return frame.kind == LEA_READER_STARTED ? note_start(round, frame.index, frame.thread)
						: -EPROTO;
}

static void give_up(struct round *round, struct active *active, int fault)
{
	struct lea_read_request *job = &round->jobs[active->index];

	active->has_expired = true;
	round->expired_count++;
	round->open_count--;
	job->is_open = false;
	lea_scan_note_fault(round->scan, job->found, fault);
}

static void give_up_late(struct round *round, struct active *active, bool had_all)
{
	lea_backoff_note_timeout(&round->reader->late, &round->jobs[active->index].found->device,
				 had_all);
	note_time(round, active, -ETIMEDOUT);
	give_up(round, active, -ETIMEDOUT);
}

/* When all other devices have answered, the scan waits only for this one, so its time is short. The
 * child queues the device when it answers. */
static uint64_t due_ms(const struct round *round, const struct active *active)
{
	uint64_t due = active->start_ms;

	if (round->open_count > round->active_count - round->expired_count ||
	    (!round->answered_ms && !round->keeps_others))
		return active->until_ms;
	if (due < round->answered_ms)
		due = round->answered_ms;
	due += round->reader->deadline_ms / LEA_PATIENCE_PART;
	return due < active->until_ms ? due : active->until_ms;
}

/* Gives up devices that are due. Returns how long to wait for the next one, in ms. */
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
	/* No device was started yet: the child is still starting. */
	return next == UINT64_MAX ? (int)round->reader->deadline_ms : (int)(next - now);
}

/* If every thread hangs, no one is left to read what was not begun. */
static bool is_worth_waiting(const struct round *round)
{
	return round->open_count && round->expired_count < round->reader->thread_count;
}

/* After a while of silence: do all working threads hang? The child may have fewer threads than were
 * asked for. */
static bool is_stuck(const struct round *round)
{
	return round->expired_count && round->expired_count == round->active_count;
}

/* Once a device of this scan has answered, this scan itself waits, and others_wait need not be
 * called. */
static bool asks_for_others(const struct round *round)
{
	return round->reader->others_wait && !round->answered_ms && !round->keeps_others &&
	       round->active_count > round->expired_count;
}

/* Frames that are already in the stream are taken in any case. */
static int wait_for_frame(struct round *round)
{
	struct pollfd ready = {.fd = round->reader->fd, .events = POLLIN};
	int wait_ms = expire(round), r;

	if (!is_worth_waiting(round))
		wait_ms = 0;
	else if (asks_for_others(round) && wait_ms > LOOK_MS)
		wait_ms = LOOK_MS;
	r = poll(&ready, 1, wait_ms);
	if (r == 0 && asks_for_others(round))
		round->keeps_others = round->reader->others_wait(round->reader->others_arg);
	return r < 0 ? (errno == EINTR ? 0 : -errno) : r;
}

/* Runs until each device answered or timed out. Returns LEA_WIRE_END if the child is gone or was
 * abandoned. */
static int run_round(struct round *round)
{
	int r = 0;

	while (!r && (round->open_count || round->active_count)) {
		r = wait_for_frame(round);
		if (r > 0)
			r = take_frame(round);
		else if (!r && (round->is_detached = !is_worth_waiting(round) || is_stuck(round)))
			r = LEA_WIRE_END;
	}
	return r;
}

/*
 * Shuts the child's way to us: it queues the devices whose answers it cannot send. What it has sent
 * already is read, since an answer that came after the last poll would be lost with the connection.
 */
static void take_rest(struct round *round)
{
	if (shutdown(round->reader->fd, SHUT_RD) == 0)
		while (take_frame(round) == 0)
			;
}

static void name_hung(const struct lea_device *device, char name[static LEA_HUNG_NAME_BYTES])
{
	snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_DEVICE, device->major, device->minor);
}

/* What has not answered until the child is abandoned. */
static void remember_hung(const struct round *round)
{
	LEA_AUTO(lea_closep) int hung_fd = -1;
	char name[LEA_HUNG_NAME_BYTES];
	uint32_t room = 0;

	for (size_t i = 0; i < round->active_count; i++) {
		const struct active *active = &round->active[i];

		if (!active->has_expired || !active->thread)
			continue;
		name_hung(&round->jobs[active->index].found->device, name);
		if (hung_fd < 0)
			hung_fd = lea_hung_begin(round->reader->world, &room);
		lea_hung_note(hung_fd, name, active->thread, &room);
	}
}

/* Devices for which an earlier command's child still waits. */
static void skip_hung(struct lea_scan *scan, struct lea_read_request *jobs, size_t count)
{
	LEA_AUTO(lea_closep) int hung_fd = lea_hung_open(scan->world);
	char name[LEA_HUNG_NAME_BYTES];
	pid_t thread;

	for (size_t i = 0; i < count && hung_fd >= 0; i++) {
		if (!jobs[i].is_open)
			continue;
		name_hung(&jobs[i].found->device, name);
		if (!lea_hung_has(hung_fd, name, &thread))
			continue;
		lea_log(scan->world->log, LEA_LOG_VERBOSE,
			"%s is not read: thread %d of an earlier command still waits for it",
			jobs[i].found->device.name, (int)thread);
		jobs[i].is_open = false;
		lea_scan_note_fault(scan, jobs[i].found, -ETIMEDOUT);
	}
}

/*
 * A child that died while it read devices was killed by one of them or by something else (lack of
 * memory), so each of them is tried again alone.
 */
static void close_round(struct round *round)
{
	take_rest(round);
	remember_hung(round);
	lea_reader_drop(round->reader);
	/* A child that was abandoned did not die: its devices are late, not to blame. */
	for (size_t i = 0; !round->is_detached && i < round->active_count; i++)
		if (!round->active[i].has_expired &&
		    ++round->jobs[round->active[i].index].deaths >= MOST_DEATHS)
			give_up(round, &round->active[i], -EIO);
}

/* Jobs that no child died of come first, together; then the others, one by one. */
static void choose(struct round *round)
{
	const struct lea_read_request *suspect = NULL;

	for (size_t i = round->job_count; i > 0; i--) {
		const struct lea_read_request *job = &round->jobs[i - 1];

		round->open_count += is_of_round(round, job);
		if (job->is_open && job->deaths)
			suspect = job;
	}
	if (round->open_count)
		return;
	round->alone = suspect;
	round->open_count = 1;
}

static int probe_round(struct lea_scan *scan, struct lea_read_request *jobs, size_t count)
{
	struct lea_reader *reader = scan->reader;
	const bool is_new = reader->fd < 0;
	struct round round = {
		.scan = scan,
		.reader = reader,
		.jobs = jobs,
		.job_count = count,
	};
	int r = start_child(reader);

	if (r)
		return r;
	choose(&round);
	if (reader->thread_count < wanted_threads(&round))
		reader->thread_count = wanted_threads(&round);
	r = send_jobs(&round);
	r = r ? r : run_round(&round);
	/* A child without outstanding devices serves the next scan, too. */
	if (r)
		close_round(&round);
	if (r < 0)
		return r;
	/* A new child that did nothing at all would do no better the next time. */
	return round.started_count || !is_new ? 0 : -EAGAIN;
}

static bool is_any_open(const struct lea_read_request *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (jobs[i].is_open)
			return true;
	return false;
}

int lea_reader_read(struct lea_scan *scan, struct lea_read_request *jobs, size_t count)
{
	int r = 0;

	if (count > UINT32_MAX)
		return -E2BIG;
	if (!scan->reader) {
		r = lea_reader_new(scan->world, scan->conf, &scan->own_reader);
		scan->reader = scan->own_reader;
	}
	if (!r && !scan->texts->number)
		scan->texts->number = ++scan->reader->last_texts;
	if (!r && scan->reader->remembers)
		skip_hung(scan, jobs, count);
	for (size_t i = 0; i < count && !r; i++)
		jobs[i].deadline_ms = lea_backoff_deadline_ms(
			&scan->reader->late, &jobs[i].found->device, scan->reader->deadline_ms);
	while (!r && is_any_open(jobs, count))
		r = probe_round(scan, jobs, count);
	return r;
}
