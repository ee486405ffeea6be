/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent's part of reading devices in children (world/hanging.h). A device that alone keeps
 * others waiting gets a fifth of its deadline. The child is started early, so that it shares little
 * memory with this process, and a burst of devices costs one process.
 */
#include "scan/reader_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "state/mark.h"
#include "state/queue.h"
#include "world/device_find.h"
#include "world/timeline.h"

/* The child queues what was late, as soon as the deadline is over. In this grace period both may
 * handle a device, which is harmless; neither would lose it. */
#define GRACE_MS  500U
#define US_PER_MS 1000U

#define DEFAULT_DEADLINE_MS 10000U

static struct lea_hanging_item *item_of(void *arg, uint32_t index)
{
	const struct lea_reader *reader = arg;

	return &reader->requests[index].item;
}

static bool name_device(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct lea_reader *reader = arg;
	const struct lea_found *found = reader->requests[index].found;

	lea_reader_name_hung(reader, &found->device, found->again, name);
	return true;
}

/* "KIND MAJOR:MINOR-DISKSEQ PVID": what the thread will queue. */
static void owe(void *arg, uint32_t index, char owed[static LEA_HUNG_OWED_BYTES])
{
	const struct lea_reader *reader = arg;
	const struct lea_found *found = reader->requests[index].found;
	const struct lea_devid id = lea_device_id(&found->device);
	char text[LEA_DEVID_TEXT_BYTES];

	lea_devid_format(&id, text);
	snprintf(owed, LEA_HUNG_OWED_BYTES, "%u %s %s", (unsigned int)found->again, text,
		 found->expected);
	if (reader->forgets)
		owed[0] = '\0';
}

static void tell_abandoned(void *arg, pid_t child)
{
	const struct lea_reader *reader = arg;

	if (reader->abandoned)
		reader->abandoned(reader->abandoned_arg, child);
}

struct debt {
	struct lea_world *world;
	int event_fd;
	bool is_old;
};

/* What cannot be queued for another reason than a shortage will not be later, either. */
static int requeue_owed(void *arg, const char *owed)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	const struct debt *debt = arg;
	char text[LEA_DEVID_TEXT_BYTES], pvid[33] = "";
	struct lea_devid id;
	unsigned int kind;
	int r;

	if (sscanf(owed, "%u %43s %32s", &kind, text, pvid) < 2 || kind >= LEA_ENTRY_KINDS ||
	    !lea_devid_parse(text, &id))
		return 0;
	/* It was refused since, as when its VG is exported: whatever made it usable again was no
	 * add. */
	r = lea_mark_ask(debt->event_fd, LEA_MARK_REFUSED, text);
	if (r < 0)
		return r;
	if (r)
		kind = LEA_ENTRY_CHANGE;
	/* A change that could not be judged, either, must not hide the add. */
	else if (kind == LEA_ENTRY_ADD)
		r = lea_mark_drop(debt->event_fd, LEA_MARK_UNSETTLED, text);
	if (r < 0)
		return lea_shortage_of(r);
	if (debt->is_old && kind == LEA_ENTRY_ADD)
		kind = LEA_ENTRY_MISSED;
	r = lea_device_find(debt->world, &id, &device);
	if (!r) {
		lea_log(debt->world->log, LEA_LOG_VERBOSE,
			"%s: what waited for it was killed; it is queued again", device.name);
		r = lea_queue_put_device(debt->event_fd, (enum lea_entry_kind)kind, &device, pvid);
	}
	return lea_shortage_of(r);
}

int lea_reader_requeue_owed(struct lea_world *world, int event_fd, bool is_old)
{
	LEA_AUTO(lea_closep) int hung_fd = lea_hung_open(world);
	struct debt debt = {world, event_fd, is_old};

	/* A folder that is not ours is as good as none. */
	if (hung_fd < 0)
		return lea_shortage_of(hung_fd);
	return lea_hung_each_owed(hung_fd, requeue_owed, &debt);
}

static void pack(void *arg, uint32_t index, struct lea_wire_out *out)
{
	const struct lea_reader *reader = arg;
	const struct lea_read_request *request = &reader->requests[index];

	lea_wire_put_u64(out, reader->scan->texts->number);
	lea_wire_put_u32(out, request->item.deadline_ms - GRACE_MS);
	lea_wire_put_u32(out, request->extras.tail);
	lea_wire_put_u32(out, request->extras.content);
	lea_wire_put_u32(out, request->extras.measure);
	lea_wire_put_u32(out, request->extras.own_texts);
	lea_wire_put_u32(out, request->found->again);
	lea_wire_put_bytes(out, request->found->expected, sizeof(request->found->expected));
	lea_device_pack(out, &request->found->device);
}

/* How long the device has taken so far. */
static void note_time(const struct lea_reader *reader, uint32_t index, uint32_t took_ms, int fault)
{
	lea_timeline_note_device(reader->hanging.world, LEA_RING_READ,
				 &reader->requests[index].found->device,
				 (struct lea_timeline_note){
					 .took_us = (uint64_t)took_ms * US_PER_MS, .code = fault});
}

/* Keeps a text whatever happens to its device, since a child sends each text only once. A new child
 * does not know what was sent, and may send a text again. */
static int keep_text(struct lea_scan *scan, const struct lea_read_mda *mda, const char *pvid,
		     const char *bytes)
{
	const struct lea_scan_text *text;

	if (lea_scan_texts_find(scan->texts, &mda->where, mda->vg_name, pvid))
		return 0;
	return lea_scan_texts_parse(scan->texts, &mda->where, mda->vg_name, pvid, bytes, &text);
}

/* The texts that the answer announces follow it. */
static int take_texts(const struct lea_reader *reader, const struct lea_read *read,
		      struct lea_wire_in *in)
{
	int r = 0;

	for (unsigned int i = 0; i < LEA_PV_MDAS && !r; i++) {
		const struct lea_read_mda *mda = &read->mda[i];
		const char *text;

		if (!mda->has_text)
			continue;
		text = lea_wire_get_view(in, mda->where.total_bytes);
		r = text ? keep_text(reader->scan, mda, read->label.pvid, text) : LEA_WIRE_END;
	}
	return r;
}

static int take(void *arg, struct lea_hanging_answer *answer, struct lea_wire_in *in)
{
	struct lea_reader *reader = arg;
	const struct lea_read *read = &((struct lea_reader_answer *)answer)->read;
	const struct lea_read_texts none = {0}; /* they are kept already */
	struct lea_read_request *request = &reader->requests[answer->index];
	int r;

	if (!lea_read_is_sound(read))
		return LEA_WIRE_END;
	r = take_texts(reader, read, in);
	if (!r) {
		note_time(reader, answer->index, answer->took_ms, read->fault);
		/* Only an answer in the usual time makes the device a healthy one again. After its
		 * own time the child has queued it: the next deadline is longer, too. */
		if (answer->took_ms < reader->deadline_ms)
			lea_backoff_clear(&reader->late, &request->found->device);
		else if (answer->took_ms >= request->item.deadline_ms - GRACE_MS)
			lea_backoff_note_timeout(&reader->late, &request->found->device, true,
						 NULL);
		lea_backoff_note_answer(&reader->late, &request->found->device);
		r = lea_scan_judge(reader->scan, request, read, &none);
	}
	return r;
}

/* As lea_backoff_note_timeout has it. */
static const char *owed_to(const struct lea_found *found)
{
	if (!found->is_asked || !lea_entry_kind_is_add(found->again))
		return NULL;
	return found->again == LEA_ENTRY_ADD ? "" : found->expected;
}

/* A child queues the device when it answers after all, and so does one of an earlier scan
 * that still waits for it. */
static void lose(void *arg, uint32_t index, const struct lea_hanging_loss *loss)
{
	struct lea_reader *reader = arg;
	struct lea_found *found = reader->requests[index].found;

	if (loss->thread) {
		lea_log(reader->hanging.world->log, LEA_LOG_VERBOSE,
			"%s is not read: thread %d of an earlier %s still waits for it",
			found->device.name, (int)loss->thread,
			reader->forgets ? "command" : "scan");
	} else if (loss->fault == -ETIMEDOUT) {
		lea_backoff_note_timeout(&reader->late, &found->device, loss->had_all,
					 owed_to(found));
		note_time(reader, index, loss->took_ms, loss->fault);
	}
	lea_scan_note_fault(reader->scan, found, loss->fault);
}

/* The devices that have answered wait, unless each is of a VG that has to wait anyway. */
static bool is_others_turn(void *arg, bool has_answer)
{
	const struct lea_reader *reader = arg;
	const struct lea_scan *scan = reader->scan;

	if (reader->others_wait && reader->others_wait(reader->others_arg))
		return true;
	if (scan->within)
		return lea_scan_is_awaited(scan->within, scan->within_of);
	return scan->is_patient ? lea_scan_is_awaited(reader->scan, NULL) : has_answer;
}

static const struct lea_hanging_kind reading = {
	.answer_bytes = sizeof(struct lea_reader_answer),
	.item = item_of,
	.name = name_device,
	.owe = owe,
	.abandoned = tell_abandoned,
	.pack = pack,
	.take = take,
	.lose = lose,
	.others_wait = is_others_turn,
	.begin = lea_reader_begin,
	.unpack = lea_reader_unpack,
	.work = lea_reader_work,
	.put = lea_reader_put,
	.done = lea_reader_done,
};

int lea_reader_new(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_reader **ret_reader)
{
	struct lea_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->deadline_ms =
		conf->probe_deadline_ms ? conf->probe_deadline_ms : DEFAULT_DEADLINE_MS;
	reader->hanging = (struct lea_hanging){.world = world,
					       .kind = &reading,
					       .arg = reader,
					       .most_threads = LEA_READER_THREADS,
					       .outlives = true,
					       .remembers = true,
					       .hung_ms = LEA_BACKOFF_MOST_MS,
					       .fd = -1};
	*ret_reader = reader;
	return 0;
}

void lea_reader_limit(struct lea_reader *reader, uint32_t deadline_ms, uint32_t threads)
{
	if (deadline_ms && deadline_ms < reader->deadline_ms)
		reader->deadline_ms = deadline_ms;
	if (threads)
		reader->hanging.most_threads =
			threads < LEA_HANGING_MOST_THREADS ? threads : LEA_HANGING_MOST_THREADS;
}

void lea_reader_drop(struct lea_reader *reader)
{
	lea_hanging_drop(&reader->hanging);
}

void lea_reader_free(struct lea_reader *reader)
{
	if (reader)
		lea_hanging_end(&reader->hanging);
	free(reader);
}

void lea_reader_listen(struct lea_reader *reader, bool (*others_wait)(void *arg), void *arg)
{
	reader->others_wait = others_wait;
	reader->others_arg = arg;
}

void lea_reader_follow(struct lea_reader *reader, void (*abandoned)(void *arg, pid_t child),
		       void *arg)
{
	reader->abandoned = abandoned;
	reader->abandoned_arg = arg;
}

void lea_reader_for_command(struct lea_reader *reader)
{
	reader->forgets = true;
	reader->hanging.outlives = reader->hanging.remembers = false;
}

void lea_reader_remember(struct lea_reader *reader)
{
	reader->hanging.remembers = true;
	reader->hanging.hung_ms = 0;
}

static bool is_slow(void *arg, const char *key)
{
	const struct lea_reader *reader = arg;

	return lea_backoff_has_key(&reader->late, key);
}

bool lea_reader_is_silent(const struct lea_reader *reader, const struct lea_device *device)
{
	return reader && lea_backoff_is_silent(&reader->late, device);
}

/* By a process that has ended, as the boot scan, and whose child still waits for the answer? */
static int is_owed_by_child(const struct lea_reader *reader, int hung_fd,
			    const struct lea_device *device, enum lea_entry_kind kind,
			    const char *pvid)
{
	char name[LEA_HUNG_NAME_BYTES], owed[LEA_HUNG_OWED_BYTES], of[33] = "";
	int r;

	lea_reader_name_hung(reader, device, kind, name);
	r = lea_hung_owes(hung_fd, name, owed);
	if (r <= 0 || kind == LEA_ENTRY_ADD || sscanf(owed, "%*u %*s %32s", of) != 1)
		return r;
	return !pvid[0] || !strcmp(of, pvid);
}

int lea_reader_owes_add(const struct lea_reader *reader, int hung_fd,
			const struct lea_device *device, const char *pvid)
{
	int r = 0;

	if (lea_reader_is_silent(reader, device))
		return lea_backoff_owes_add(&reader->late, device, pvid);
	for (enum lea_entry_kind kind = 0; reader && !r && kind < LEA_ENTRY_KINDS; kind++)
		if (hung_fd >= 0 && lea_entry_kind_is_add(kind))
			r = is_owed_by_child(reader, hung_fd, device, kind, pvid);
	return r;
}

bool lea_reader_is_awaited(struct lea_reader *reader, int event_fd)
{
	return lea_queue_has_pending_but(event_fd, is_slow, reader);
}

int lea_reader_read(struct lea_scan *scan, struct lea_read_request *requests, size_t count)
{
	struct lea_reader *reader;
	int r = 0;

	if (count > UINT32_MAX)
		return -E2BIG;
	if (!scan->reader)
		r = lea_reader_new(scan->world, scan->conf, &scan->own_reader);
	if (r)
		return r;
	reader = scan->reader = scan->reader ? scan->reader : scan->own_reader;
	if (!scan->texts->number)
		scan->texts->number = ++reader->last_texts;
	reader->scan = scan;
	reader->requests = requests;
	reader->hanging.patience_ms = reader->deadline_ms / LEA_PATIENCE_PART;
	for (size_t i = 0; i < count; i++)
		requests[i].item.deadline_ms =
			GRACE_MS + lea_backoff_deadline_ms(&reader->late,
							   &requests[i].found->device,
							   reader->deadline_ms);
	return lea_hanging_run(&reader->hanging, (uint32_t)count, UINT32_MAX);
}
