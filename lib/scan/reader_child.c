/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of the reader child do with a device. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "scan/reader_private.h"
#include "state/queue.h"
#include "world/confine.h"

#define MAPPED_BYTES (512 * 1024)
#define KEPT_BYTES   (2 * 1024 * 1024) /* by each thread */

struct content {
	uint32_t deadline_ms; /* a device that took longer is queued again */
	struct lea_read_extras extras;
	struct lea_scan_device of;   /* owned */
	struct lea_read_texts texts; /* owned: what was read of it */
};

static void lock(struct lea_reader *reader)
{
	while (sem_wait(&reader->lock) < 0 && errno == EINTR)
		;
}

static bool is_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	struct lea_reader *reader = arg;
	bool is_cached;

	lock(reader);
	is_cached = lea_scan_text_is_cached(&reader->texts, where, vg_name);
	sem_post(&reader->lock);
	return is_cached;
}

/* Each text is sent to the parent once, whichever thread read it. */
static void drop_known_texts(struct lea_reader *reader, struct lea_read *read,
			     struct lea_read_texts *texts)
{
	lock(reader);
	for (unsigned int i = 0; i < read->mda_count; i++) {
		struct lea_read_mda *mda = &read->mda[i];

		if (!mda->has_text)
			continue;
		if (lea_scan_text_is_cached(&reader->texts, &mda->where, mda->vg_name)) {
			free(LEA_TAKE(texts->of_mda[i]));
			mda->has_text = false;
		} else if (lea_scan_texts_note(&reader->texts, &mda->where, mda->vg_name)) {
			continue; /* out of memory: the text may be sent twice */
		}
	}
	sem_post(&reader->lock);
}

void lea_reader_put(void *arg, struct lea_wire_out *out, void *content,
		    struct lea_hanging_answer *answer)
{
	struct content *of = content;
	struct lea_reader_answer *ours = (struct lea_reader_answer *)answer;
	const struct lea_read *read = &ours->read;

	if (!of->extras.own_texts)
		drop_known_texts(arg, &ours->read, &of->texts);
	lea_wire_put_bytes(out, ours, sizeof(*ours));
	for (unsigned int i = 0; i < read->mda_count; i++)
		if (read->mda[i].has_text)
			lea_wire_put_bytes(out, of->texts.of_mda[i],
					   read->mda[i].where.total_bytes);
	lea_read_texts_done(&of->texts);
}

/* A command's child queues nothing, so what it waits for is read here all the same, and so is a
 * device that is to be queued as another kind: an add must not become a change. */
void lea_reader_name_hung(const struct lea_reader *reader, const struct lea_device *device,
			  enum lea_entry_kind again, char name[static LEA_HUNG_NAME_BYTES])
{
	char kind[8] = "";

	if (!reader->forgets)
		snprintf(kind, sizeof(kind), "%u-", (unsigned int)again);
	snprintf(name, LEA_HUNG_NAME_BYTES, "%s" LEA_HUNG_DEVICE, kind, device->major,
		 device->minor);
}

/*
 * The parent no longer waits for this device, but the device works after all. Who takes the entry
 * must not find that this thread still waits. The parent removes what it notes after this
 * (world/hanging.c). What cannot be queued stays owed.
 */
static void requeue(struct lea_reader *reader, const struct content *content)
{
	struct lea_world *world = reader->hanging.world;
	LEA_AUTO(lea_closep) int event_fd = -1;
	LEA_AUTO(lea_closep) int hung_fd = -1;
	char name[LEA_HUNG_NAME_BYTES];
	int run_fd;

	lock(reader);
	run_fd = lea_world_run(world);
	event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	hung_fd = lea_hung_open(world);
	lea_reader_name_hung(reader, &content->of.device, content->of.again, name);
	lea_hung_answer(hung_fd, name);
	/* An entry that an event wrote meanwhile is newer and stays. */
	if (event_fd >= 0 && !lea_queue_put_device(event_fd, content->of.again, &content->of.device,
						   content->of.expected))
		lea_hung_settle(hung_fd, name);
	else
		lea_log(world->log, LEA_LOG_DEBUG, "%s: not queued again", content->of.device.name);
	sem_post(&reader->lock);
}

void lea_reader_work(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer)
{
	struct lea_reader *reader = arg;
	struct content *ours = content;
	const struct lea_read_cached cached = {.is_known = is_known, .arg = reader};

	(void)index;
	lea_read_device(reader->hanging.world, &ours->of.device, &cached, &ours->extras,
			&((struct lea_reader_answer *)answer)->read, &ours->texts);
}

void lea_reader_done(void *arg, void *content, uint32_t took_ms, bool is_sent)
{
	struct lea_reader *reader = arg;
	struct content *ours = content;

	if ((!is_sent || took_ms >= ours->deadline_ms) && !reader->forgets)
		requeue(reader, ours);
	lea_read_texts_done(&ours->texts);
	lea_device_done(&ours->of.device);
	free(ours);
}

/* When the number changes, the parent has forgotten the texts; the child forgets them, too. */
static void begin_texts(struct lea_reader *reader, uint64_t number)
{
	lock(reader);
	if (reader->texts.number != number)
		lea_scan_texts_done(&reader->texts);
	reader->texts.number = number;
	sem_post(&reader->lock);
}

void *lea_reader_unpack(void *arg, struct lea_wire_in *in)
{
	struct content *content = calloc(1, sizeof(*content));

	if (!content)
		return NULL;
	begin_texts(arg, lea_wire_get_u64(in));
	content->deadline_ms = lea_wire_get_u32(in);
	content->extras.tail = lea_wire_get_u32(in) != 0;
	content->extras.content = lea_wire_get_u32(in) != 0;
	content->extras.measure = lea_wire_get_u32(in) != 0;
	content->extras.own_texts = lea_wire_get_u32(in) != 0;
	content->of.again = lea_wire_get_u32(in);
	lea_wire_get_bytes(in, content->of.expected, sizeof(content->of.expected));
	content->of.device = lea_device_unpack(in);
	return content;
}

/* A disk's tail, or a metadata text, is too large for the heap by default: for each disk the kernel
 * would map, clear and unmap its pages. Not every libc lets itself be told. */
static void keep_buffers(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

int lea_reader_begin(void *arg)
{
	struct lea_reader *reader = arg;
	struct lea_world *world = reader->hanging.world;

	keep_buffers();
	/* Opened before the threads start, so that they do not all open them at once. */
	if (lea_world_sys(world) < 0 || lea_world_dev(world) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "reader: opens devices by path only");
	/* The content of a disk is untrusted: from here on the process that reads it can do
	 * little. */
	if (lea_confine_reader(reader->forgets ? -1 : lea_world_run(world)) < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "reader: only partly confined");
	return sem_init(&reader->lock, 0, 1) < 0 ? -errno : 0;
}
