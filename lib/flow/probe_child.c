/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child that reads. Its threads may hang in the kernel for ever, and then so does this
 * process; that is why it holds nothing that others need. One lock guards the pipe, the next
 * index and what is known of texts; it is never held while a device is read.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "flow/probe.h"
#include "state/queue.h"
#include "world/blockdev.h"
#include "world/proc.h"

struct shared {
	struct lea_probe_child *child;
	sem_t lock, finished; /* finished: posted once by each thread */
	size_t next;
};

static void lock(struct shared *shared)
{
	while (sem_wait(&shared->lock) < 0 && errno == EINTR)
		;
}

static void unlock(struct shared *shared)
{
	sem_post(&shared->lock);
}

static bool send_bytes(int fd, const void *bytes, size_t len)
{
	const char *from = bytes;

	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		len -= (size_t)n;
	}
	return true;
}

static bool is_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	struct shared *shared = arg;
	bool known;

	lock(shared);
	known = lea_scan_text_is_known(&shared->child->scan->texts, where, vg_name);
	unlock(shared);
	return known;
}

static bool take_job(struct shared *shared, size_t *ret_index)
{
	const struct lea_probe_child *child = shared->child;
	struct lea_probe_frame frame = {.kind = LEA_PROBE_STARTED};
	bool taken;

	lock(shared);
	while (shared->next < child->job_count && !child->jobs[shared->next].is_open)
		shared->next++;
	taken = shared->next < child->job_count;
	if (taken) {
		*ret_index = shared->next++;
		frame.index = (uint32_t)*ret_index;
		taken = send_bytes(child->pipe_fd, &frame, sizeof(frame));
	}
	unlock(shared);
	return taken;
}

static void read_device(struct shared *shared, const struct lea_device *device,
			struct lea_read *read)
{
	const struct lea_read_known known = {.is_known = is_known, .arg = shared};
	LEA_AUTO(lea_closep)
	int fd = lea_blockdev_open(shared->child->scan->world, device->name, device->major,
				   device->minor);

	read->fault = fd < 0 ? fd : 0;
	if (fd >= 0)
		lea_read_head(fd, read);
	if (!read->fault && !read->label_outcome && !lea_read_is_orphan(read))
		lea_read_mdas(fd, &known, read);
}

/* A text goes through the pipe once, whoever read it. Under the lock. */
static void drop_known_texts(struct lea_scan_texts *texts, struct lea_read *read)
{
	for (unsigned int i = 0; i < read->mda_count; i++) {
		struct lea_read_mda *mda = &read->mda[i];

		if (!mda->text)
			continue;
		if (lea_scan_text_is_known(texts, &mda->where, mda->vg_name)) {
			free(mda->text);
			mda->text = NULL;
		} else if (lea_scan_texts_note(texts, &mda->where, mda->vg_name)) {
			continue; /* not remembered: it is sent again next time, no more */
		}
	}
}

static bool send_answer(struct shared *shared, size_t index, struct lea_read *read)
{
	const int fd = shared->child->pipe_fd;
	const struct lea_probe_frame frame = {.kind = LEA_PROBE_ANSWER, .index = (uint32_t)index};
	bool sent;

	lock(shared);
	drop_known_texts(&shared->child->scan->texts, read);
	sent = send_bytes(fd, &frame, sizeof(frame)) && send_bytes(fd, read, sizeof(*read));
	for (unsigned int i = 0; i < read->mda_count && sent; i++)
		if (read->mda[i].text)
			sent = send_bytes(fd, read->mda[i].text, read->mda[i].where.total_bytes);
	unlock(shared);
	return sent;
}

/* Nobody waits for this device any more, and it works after all. */
static void requeue(struct shared *shared, size_t index)
{
	struct lea_entry entry = {.device = shared->child->jobs[index].found->device};
	LEA_AUTO(lea_closep) int event_fd = -1;
	int run_fd;

	snprintf(entry.key, sizeof(entry.key), "%u:%u-%llu", entry.device.major, entry.device.minor,
		 (unsigned long long)entry.device.diskseq);
	lock(shared);
	run_fd = lea_world_run(shared->child->scan->world);
	event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	/* Without a queue there is nobody to tell: the next event or scan finds the device. */
	if (event_fd >= 0 && lea_queue_put(event_fd, &entry) < 0)
		lea_log(shared->child->scan->world->log, LEA_LOG_DEBUG, "%s: not queued again",
			entry.key);
	unlock(shared);
}

static void *work(void *arg)
{
	struct shared *shared = arg;
	struct lea_clock *clock = shared->child->scan->world->clock;
	struct lea_read *read = calloc(1, sizeof(*read));
	bool sent = read != NULL;
	size_t index;

	while (sent && take_job(shared, &index)) {
		uint64_t start = clock->now_ms(clock);
		bool in_time;

		memset(read, 0, sizeof(*read));
		read_device(shared, &shared->child->jobs[index].found->device, read);
		in_time = clock->now_ms(clock) - start < shared->child->deadline_ms;
		sent = send_answer(shared, index, read);
		if (!sent || !in_time)
			requeue(shared, index);
		lea_read_done(read);
	}
	free(read);
	sem_post(&shared->finished);
	return NULL;
}

int lea_probe_child(void *arg)
{
	struct shared shared = {.child = arg};
	struct lea_world *world = shared.child->scan->world;
	int started;

	signal(SIGPIPE, SIG_IGN);
	lea_proc_detach(shared.child->pipe_fd);
	world->run_fd = world->dev_fd = world->sys_fd = world->proc_fd = -1;
	/* Opened before there are threads that would open them all at once. */
	if (lea_world_sys(world) < 0 || lea_world_dev(world) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "probe: devices by path only");
	if (sem_init(&shared.lock, 0, 1) < 0 || sem_init(&shared.finished, 0, 0) < 0)
		return 1;
	started = lea_proc_threads(shared.child->thread_count, work, &shared);
	for (int i = 0; i < started; i++)
		while (sem_wait(&shared.finished) < 0 && errno == EINTR)
			;
	return started < 0;
}
