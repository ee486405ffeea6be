/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader child. Its threads may hang in the kernel forever, and then so does this process; so
 * it holds nothing that others need. It ends when the parent's end is closed and each thread has
 * finished its device.
 *
 * There are two locks; a thread holds neither while it reads a device. One guards the jobs, the
 * other the connection to the parent and the list of texts. The child accepts new jobs whether or
 * not the parent reads answers.
 */
#include <errno.h>
#include <malloc.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "scan/reader_private.h"
#include "state/queue.h"
#include "world/confine.h"
#include "world/proc.h"

#define MAPPED_BYTES (512 * 1024)
#define KEPT_BYTES   (2 * 1024 * 1024) /* by each thread */

struct job {
	struct job *next;
	uint32_t index, deadline_ms; /* a device that took longer is queued again */
	struct lea_read_extras extras;
	struct lea_device device; /* owned */
};

struct shared {
	struct lea_reader_child *child;
	sem_t wake, finished; /* finished: posted once by each thread */
	uint32_t thread_count, wanted_threads;
	sem_t jobs_lock;
	struct job *first, **end;
	bool is_closing;
	sem_t send_lock;
	struct lea_scan_texts texts; /* that the parent has; not parsed */
};

/* Both in one write. */
struct answer {
	struct lea_reader_frame frame;
	struct lea_read read;
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static bool is_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	struct shared *shared = arg;
	bool known;

	wait_for(&shared->send_lock);
	known = lea_scan_text_is_cached(&shared->texts, where, vg_name);
	sem_post(&shared->send_lock);
	return known;
}

/* NULL: there is no job, or the parent is gone. */
static struct job *take_job(struct shared *shared)
{
	struct job *job;

	wait_for(&shared->jobs_lock);
	job = shared->is_closing ? NULL : shared->first;
	if (job) {
		shared->first = job->next;
		if (!shared->first)
			shared->end = &shared->first;
	}
	sem_post(&shared->jobs_lock);
	return job;
}

static void free_job(struct job *job)
{
	lea_device_done(&job->device);
	free(job);
}

static bool is_closing(struct shared *shared)
{
	bool closing;

	wait_for(&shared->jobs_lock);
	closing = shared->is_closing;
	sem_post(&shared->jobs_lock);
	return closing;
}

static void set_closing(struct shared *shared)
{
	wait_for(&shared->jobs_lock);
	shared->is_closing = true;
	sem_post(&shared->jobs_lock);
}

static bool send_start(struct shared *shared, const struct job *job, pid_t thread)
{
	const struct lea_reader_frame frame = {
		.kind = LEA_READER_STARTED, .index = job->index, .thread = thread};
	int r;

	wait_for(&shared->send_lock);
	r = lea_wire_write(shared->child->fd, &frame, sizeof(frame));
	sem_post(&shared->send_lock);
	return r == 0;
}

/* Each text is sent to the parent once, whichever thread read it. The caller holds the send
 * lock. */
static void drop_known_texts(struct lea_scan_texts *texts, struct lea_read *read)
{
	for (unsigned int i = 0; i < read->mda_count; i++) {
		struct lea_read_mda *mda = &read->mda[i];

		if (!mda->text)
			continue;
		if (lea_scan_text_is_cached(texts, &mda->where, mda->vg_name)) {
			free(mda->text);
			mda->text = NULL;
		} else if (lea_scan_texts_note(texts, &mda->where, mda->vg_name)) {
			continue; /* out of memory: the text may be sent twice */
		}
	}
}

static bool send_answer(struct shared *shared, struct answer *answer)
{
	const int fd = shared->child->fd;
	const struct lea_read *read = &answer->read;
	int r;

	wait_for(&shared->send_lock);
	drop_known_texts(&shared->texts, &answer->read);
	r = lea_wire_write(fd, answer, sizeof(*answer));
	for (unsigned int i = 0; i < read->mda_count && !r; i++)
		if (read->mda[i].text)
			r = lea_wire_write(fd, read->mda[i].text, read->mda[i].where.total_bytes);
	sem_post(&shared->send_lock);
	return r == 0;
}

/* The parent no longer waits for this device, but the device works after all. */
static void requeue(struct shared *shared, const struct job *job)
{
	struct lea_world *world = shared->child->world;
	/* Devices that an event announced were probed by udev; the others were found by a
	 * reconcile. */
	const enum lea_entry_kind kind = job->extras.content ? LEA_ENTRY_MISSED : LEA_ENTRY_ADD;
	LEA_AUTO(lea_closep) int event_fd = -1;
	int run_fd;

	wait_for(&shared->send_lock);
	run_fd = lea_world_run(world);
	event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	/* An entry that an event wrote meanwhile is newer and stays. Without a queue the next event
	 * or reconcile finds the device. */
	if (event_fd >= 0 && lea_queue_put_device(event_fd, kind, &job->device, "") < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "%s: not queued again", job->device.name);
	sem_post(&shared->send_lock);
}

static bool do_job(struct shared *shared, const struct job *job, pid_t thread,
		   struct answer *answer)
{
	struct lea_world *world = shared->child->world;
	const struct lea_read_cached known = {.is_known = is_known, .arg = shared};
	struct lea_clock *clock = world->clock;
	uint64_t start = clock->now_ms(clock);
	bool sent, in_time;

	if (!send_start(shared, job, thread))
		return false;
	memset(answer, 0, sizeof(*answer));
	answer->frame = (struct lea_reader_frame){.kind = LEA_READER_ANSWER, .index = job->index};
	lea_read_device(world, &job->device, &known, &job->extras, &answer->read);
	in_time = clock->now_ms(clock) - start < job->deadline_ms;
	sent = send_answer(shared, answer);
	if ((!sent || !in_time) && !shared->child->forgets)
		requeue(shared, job);
	lea_read_done(&answer->read);
	return sent;
}

static void *read_devices(void *arg)
{
	struct shared *shared = arg;
	const pid_t thread = shared->child->remembers ? lea_proc_thread() : 0;
	struct answer *answer = calloc(1, sizeof(*answer));
	struct job *job;

	while (answer && !is_closing(shared)) {
		wait_for(&shared->wake);
		while ((job = take_job(shared))) {
			if (!do_job(shared, job, thread, answer))
				set_closing(shared);
			free_job(job);
		}
	}
	free(answer);
	sem_post(&shared->finished);
	return NULL;
}

/* When the number changes, the parent has forgotten the texts; the child forgets them, too. */
static void begin_texts(struct shared *shared, uint64_t number)
{
	wait_for(&shared->send_lock);
	if (shared->texts.number != number)
		lea_scan_texts_done(&shared->texts);
	shared->texts.number = number;
	sem_post(&shared->send_lock);
}

static int add_job(struct shared *shared, struct lea_wire_in *in)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	job->index = lea_wire_get_u32(in);
	job->deadline_ms = lea_wire_get_u32(in);
	job->extras.tail = lea_wire_get_u32(in) != 0;
	job->extras.content = lea_wire_get_u32(in) != 0;
	job->extras.measure = lea_wire_get_u32(in) != 0;
	job->device = lea_device_unpack(in);
	if (in->fault) {
		free_job(job);
		return in->fault;
	}
	wait_for(&shared->jobs_lock);
	*shared->end = job;
	shared->end = &job->next;
	sem_post(&shared->jobs_lock);
	return 0;
}

/* Has as many threads as the largest scan so far could use: a single device needs one. */
static int grow(struct shared *shared, uint32_t wanted)
{
	int started;

	if (wanted > LEA_READER_MAX_THREADS)
		return -EPROTO;
	if (wanted <= shared->wanted_threads)
		return 0;
	started = lea_proc_threads(wanted - shared->wanted_threads, read_devices, shared);
	if (started > 0)
		shared->thread_count += (uint32_t)started;
	shared->wanted_threads = wanted;
	return shared->thread_count ? 0 : started;
}

static int take_request(struct shared *shared, const uint8_t *bytes, size_t len)
{
	struct lea_wire_in in = {.at = bytes, .left = len};
	struct lea_reader_start request;
	uint32_t count = 0;
	int r;

	lea_wire_get_bytes(&in, &request, sizeof(request));
	if (in.fault)
		return in.fault;
	begin_texts(shared, request.texts);
	r = grow(shared, request.threads);
	for (; !r && in.left; count++)
		r = add_job(shared, &in);
	/* Threads that are busy take further jobs by themselves. */
	for (uint32_t i = 0; i < count && i < shared->thread_count; i++)
		sem_post(&shared->wake);
	return r;
}

static void serve(struct shared *shared)
{
	uint8_t *bytes;
	size_t len;
	int r = 0;

	while (!r) {
		r = lea_wire_receive(shared->child->fd, &bytes, &len);
		if (r)
			break;
		r = take_request(shared, bytes, len);
		free(bytes);
	}
	set_closing(shared);
	for (uint32_t i = 0; i < shared->thread_count; i++)
		sem_post(&shared->wake);
	for (uint32_t i = 0; i < shared->thread_count; i++)
		wait_for(&shared->finished);
}

/* A disk's tail, or a metadata text, is too large for the heap by default: for each disk the kernel
 * would map, clear and unmap its pages. */
static void keep_buffers(void)
{
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

int lea_reader_child(void *arg)
{
	struct shared shared = {.child = arg};
	struct lea_world *world = shared.child->world;

	LEA_CRASHPOINT_ROLE("probe");
	keep_buffers();
	shared.end = &shared.first;
	lea_world_detach(world, shared.child->fd);
	/* Opened before the threads start, so that they do not all open them at once. */
	if (lea_world_sys(world) < 0 || lea_world_dev(world) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "reader: opens devices by path only");
	/* The content of a disk is untrusted: from here on the process that reads it can do
	 * little. */
	if (lea_confine_reader(shared.child->forgets ? -1 : lea_world_run(world)) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "reader: only partly confined");
	if (sem_init(&shared.jobs_lock, 0, 1) < 0 || sem_init(&shared.send_lock, 0, 1) < 0 ||
	    sem_init(&shared.wake, 0, 0) < 0 || sem_init(&shared.finished, 0, 0) < 0)
		return 1;
	serve(&shared);
	return 0;
}
