/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child and we share one slot a PV and one area for texts, so an answer costs no system call.
 * The child has a copy of the store, and reads only what is not in it. What it writes is untrusted:
 * sizes are checked, and a text is believed by its checksum.
 */
#include "scan/quick.h"

#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "disk/crc.h"
#include "scan/metadata_cache.h"
#include "scan/reader.h"
#include "world/confine.h"
#include "world/jobs.h"
#include "world/proc.h"

#define DEFAULT_DEADLINE_MS 10000U
#define PATIENCE_PART	    3U /* a report waits a third of what an event waits for a disk */
#define LIMIT_DEADLINES	    3U /* all disks together */
#define LEAST_AREA_BYTES    (2U * LEA_TEXT_MAX_BYTES)
#define MOST_AREA_BYTES	    (256U * 1024U * 1024U)
#define BYTES_A_PV	    4096U
#define MOST_PASSES	    64U /* each but the last fills the area with texts */

struct area_slot {
	int outcome; /* enum lea_mda_outcome or 0 */
	uint32_t crc, total_bytes;
	char vg_name[LEA_READ_NAME_BYTES], what[96];
	uint64_t why_at;
};

struct slot {
	int fault, label_outcome;
	uint64_t size_bytes;
	struct lea_label label;
	char what[96]; /* of a damaged label */
	uint32_t mda_count;
	bool is_orphan, is_cut; /* cut: the area for texts is full, so read it again */
	struct area_slot mda[LEA_PV_MDAS];
};

struct text_head {
	uint32_t crc, total_bytes;
};

struct area {
	_Atomic uint64_t used;
	uint64_t room;
	uint8_t bytes[]; /* heads with their texts, each aligned for a head */
};

struct pass {
	struct lea_world *world;
	const struct lea_text_store *store;
	const struct lea_quick_pv *pv;
	const uint32_t *index; /* of the PVs of this pass */
	struct slot *slot;     /* shared; one for each of them */
	struct area *area;     /* shared */
	struct lea_scan_texts noted; /* in the child: texts in the area */
	sem_t lock;		     /* of noted */
};

/* ---- in the child */

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static bool lists(void *arg, const struct lea_mda_text *where, const char *pvid)
{
	const struct pass *pass = arg;

	return lea_text_store_find(pass->store, where->crc, where->total_bytes, pvid) != NULL;
}

static bool is_noted(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	struct pass *pass = arg;
	bool found;

	wait_for(&pass->lock);
	found = lea_scan_text_is_cached(&pass->noted, where, vg_name);
	sem_post(&pass->lock);
	return found;
}

/* False: no room. The place is taken first, and another thread may take the next one. */
static bool put_text(struct area *area, const struct lea_mda_text *where, const char *text)
{
	const struct text_head head = {where->crc, where->total_bytes};
	const uint64_t need = (sizeof(head) + where->total_bytes + 7) & ~(uint64_t)7;
	uint64_t at = area->used;

	do {
		if (need > area->room - at)
			return false;
	} while (!atomic_compare_exchange_weak(&area->used, &at, at + need));
	memcpy(area->bytes + at + sizeof(head), text, where->total_bytes);
	memcpy(area->bytes + at, &head, sizeof(head));
	return true;
}

/* Each text goes to the area once, whichever thread read it. */
static bool hand_over(struct pass *pass, const struct lea_read_mda *mda)
{
	bool fits = true;

	wait_for(&pass->lock);
	if (!lea_scan_text_is_cached(&pass->noted, &mda->where, mda->vg_name)) {
		fits = put_text(pass->area, &mda->where, mda->text);
		if (fits && lea_scan_texts_note(&pass->noted, &mda->where, mda->vg_name))
			fits = true; /* out of memory: the text may be there twice */
	}
	sem_post(&pass->lock);
	return fits;
}

static void fill_mda(struct pass *pass, const struct lea_read_mda *mda, struct slot *slot,
		     struct area_slot *to)
{
	to->outcome = mda->outcome;
	to->crc = mda->where.crc;
	to->total_bytes = mda->where.total_bytes;
	to->why_at = mda->why.at;
	snprintf(to->vg_name, sizeof(to->vg_name), "%s", mda->vg_name);
	snprintf(to->what, sizeof(to->what), "%s",
		 mda->outcome == LEA_MDA_CORRUPT && mda->why.what ? mda->why.what : "");
	if (mda->text && !hand_over(pass, mda))
		slot->is_cut = true;
}

static void fill(struct pass *pass, const struct lea_read *read, struct slot *slot)
{
	slot->fault = read->fault;
	slot->label_outcome = read->label_outcome;
	slot->size_bytes = read->size_bytes;
	slot->label = read->label;
	slot->mda_count = read->mda_count;
	slot->is_orphan = !read->label_outcome && lea_read_is_orphan(read);
	snprintf(slot->what, sizeof(slot->what), "%s",
		 read->label_outcome == LEA_LABEL_CORRUPT && read->why.what ? read->why.what : "");
	for (unsigned int i = 0; i < read->mda_count; i++)
		fill_mda(pass, &read->mda[i], slot, &slot->mda[i]);
}

static void read_pv(void *arg, uint32_t index)
{
	struct pass *pass = arg;
	const struct lea_quick_pv *pv = &pass->pv[pass->index[index]];
	struct slot *slot = &pass->slot[index];
	const struct lea_device device = {
		.major = pv->major,
		.minor = pv->minor,
		/* not changed, and without a name the number leads to the device */
		.name = pv->device[0] ? (char *)(uintptr_t)pv->device : NULL,
	};
	const struct lea_read_cached known = {.is_known = is_noted, .lists = lists, .arg = pass};
	const struct lea_read_extras extras = {0};
	LEA_AUTO(lea_freep) struct lea_read *read = calloc(1, sizeof(*read));

	slot->fault = -ENOMEM;
	if (!read)
		return;
	lea_read_device(pass->world, &device, &known, &extras, read);
	fill(pass, read, slot);
	lea_read_done(read);
}

static int begin(void *arg)
{
	struct pass *pass = arg;

	/* Opened before the threads start, so that they do not all open them at once. */
	if (lea_world_sys(pass->world) < 0 || lea_world_dev(pass->world) < 0)
		lea_log(pass->world->log, LEA_LOG_DEBUG, "reader: opens devices by path only");
	if (lea_confine_reader(-1) < 0)
		lea_log(pass->world->log, LEA_LOG_DEBUG, "reader: only partly confined");
	return sem_init(&pass->lock, 0, 1) < 0 ? 1 : 0;
}

/* ---- in the parent */

/* Stops at the first text that is not whole: its thread was given up. */
static int take_texts(const struct area *area, struct lea_text_store *store)
{
	uint64_t used = area->used, at = 0;
	int r = 0;

	if (used > area->room)
		used = area->room;
	while (!r && used - at >= sizeof(struct text_head)) {
		struct text_head head;
		uint64_t need;

		memcpy(&head, area->bytes + at, sizeof(head));
		need = (sizeof(head) + (uint64_t)head.total_bytes + 7) & ~(uint64_t)7;
		if (!head.total_bytes || head.total_bytes > LEA_TEXT_MAX_BYTES || need > used - at)
			break;
		if (lea_crc(LEA_CRC_INITIAL, area->bytes + at + sizeof(head), head.total_bytes) ==
		    head.crc)
			r = lea_text_store_add(store, head.crc,
					       (const char *)area->bytes + at + sizeof(head),
					       head.total_bytes);
		at += need;
	}
	return r;
}

static void note_problem(struct lea_quick_pv *pv, const char *what, const char *detail)
{
	if (!pv->problem[0])
		snprintf(pv->problem, sizeof(pv->problem), "%s%s%.90s", what, *detail ? ": " : "",
			 detail);
}

static void take_mda(const struct lea_text_store *store, const struct area_slot *mda,
		     struct lea_quick_pv *pv)
{
	struct lea_stored_text *text;
	char at[128];

	if (mda->outcome == LEA_MDA_CORRUPT) {
		snprintf(pv->vg_name, sizeof(pv->vg_name), "%.*s", (int)sizeof(mda->vg_name) - 1,
			 mda->vg_name);
		snprintf(at, sizeof(at), "%.*s at byte %" PRIu64, (int)sizeof(mda->what) - 1,
			 mda->what, mda->why_at);
		note_problem(pv, "damaged", at);
	}
	if (mda->outcome)
		return;
	text = lea_text_store_find(store, mda->crc, mda->total_bytes, pv->pvid);
	if (text) {
		text->is_used = true;
		if (!pv->text || pv->text->vg->seqno < text->vg->seqno)
			pv->text = text;
		return;
	}
	text = lea_text_store_find_text(store, mda->crc, mda->total_bytes, NULL);
	if (!text)
		note_problem(pv, "its metadata changes all the time", "");
	else if (!text->vg)
		note_problem(pv, "metadata cannot be used", text->why.what ? text->why.what : "");
	else
		note_problem(pv, "its metadata does not list it", "");
	snprintf(pv->vg_name, sizeof(pv->vg_name), "%.*s", (int)sizeof(mda->vg_name) - 1,
		 mda->vg_name);
}

static void take_pv(const struct lea_text_store *store, const struct slot *slot,
		    struct lea_quick_pv *pv)
{
	pv->fault = slot->fault > 0 ? -EPROTO : slot->fault;
	pv->kind = LEA_QUICK_UNREADABLE;
	if (pv->fault)
		return;
	pv->size_bytes = slot->size_bytes;
	pv->kind = LEA_QUICK_NOT_PV;
	if (slot->label_outcome == LEA_LABEL_CORRUPT)
		note_problem(pv, "damaged label", slot->what);
	if (slot->label_outcome || memcmp(slot->label.pvid, pv->pvid, LEA_PVID_CHARS) != 0)
		return;
	pv->kind = slot->is_orphan ? LEA_QUICK_ORPHAN : LEA_QUICK_PV;
	pv->label_bytes = slot->label.device_bytes;
	pv->data_offset_bytes = slot->label.data_offset_bytes;
	pv->mda_count = slot->label.mda_count;
	for (uint32_t i = 0; i < slot->mda_count && i < LEA_PV_MDAS; i++)
		take_mda(store, &slot->mda[i], pv);
}

/* *index, *count: the PVs to read; then those that must be read again. */
static int run_pass(struct pass *pass, const struct lea_jobs *jobs, struct lea_text_store *store,
		    struct lea_quick_pv *pv, uint32_t *index, uint32_t *count)
{
	LEA_AUTO(lea_freep) bool *late = calloc(*count, sizeof(*late));
	uint32_t again = 0;
	int r = late ? lea_jobs_run(pass->world, jobs, late) : -ENOMEM;

	r = r ? r : take_texts(pass->area, store);
	for (uint32_t i = 0; !r && i < *count; i++) {
		/* the child may still write to it */
		const struct slot slot = pass->slot[i];

		if (late[i]) {
			pv[index[i]].kind = LEA_QUICK_UNREADABLE;
			pv[index[i]].fault = -ETIMEDOUT;
		} else if (slot.is_cut) {
			index[again++] = index[i];
		} else {
			take_pv(store, &slot, &pv[index[i]]);
		}
	}
	*count = again;
	return r;
}

static struct lea_jobs jobs_of(const struct lea_conf *conf, struct pass *pass, uint32_t count)
{
	const uint32_t deadline = (conf->probe_deadline_ms ? conf->probe_deadline_ms
							   : DEFAULT_DEADLINE_MS) /
				  PATIENCE_PART;

	return (struct lea_jobs){
		.count = count,
		.threads = conf->probe_threads ? conf->probe_threads : LEA_READER_THREADS,
		.deadline_ms = deadline,
		.limit_ms = deadline * LIMIT_DEADLINES,
		.begin = begin,
		.run = read_pv,
		.arg = pass,
	};
}

static int read_all(struct pass *pass, const struct lea_conf *conf, struct lea_text_store *store,
		    struct lea_quick_pv *pv, uint32_t count)
{
	LEA_AUTO(lea_freep) uint32_t *index = calloc(count, sizeof(*index));
	int r = index ? 0 : -ENOMEM;

	pass->index = index;
	for (uint32_t i = 0; !r && i < count; i++)
		index[i] = i;
	for (unsigned int i = 0; !r && count && i < MOST_PASSES; i++) {
		const struct lea_jobs jobs = jobs_of(conf, pass, count);

		pass->area->used = 0;
		memset(pass->slot, 0, count * sizeof(*pass->slot));
		r = run_pass(pass, &jobs, store, pv, index, &count);
	}
	for (uint32_t i = 0; !r && i < count; i++) {
		pv[index[i]].kind = LEA_QUICK_UNREADABLE;
		pv[index[i]].fault = -EFBIG;
	}
	return r;
}

int lea_quick_read(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_text_store *store, struct lea_quick_pv *pv, size_t count)
{
	struct pass pass = {.world = world, .store = store, .pv = pv};
	uint64_t room = (uint64_t)count * BYTES_A_PV;
	int r;

	if (!count)
		return 0;
	if (count > UINT32_MAX)
		return -E2BIG;
	room = room < LEAST_AREA_BYTES ? LEAST_AREA_BYTES
	       : room > MOST_AREA_BYTES ? MOST_AREA_BYTES
					: room;
	pass.slot = lea_proc_share(count * sizeof(*pass.slot));
	pass.area = lea_proc_share(sizeof(*pass.area) + room);
	r = pass.slot && pass.area ? 0 : -ENOMEM;
	if (!r)
		pass.area->room = room;
	r = r ? r : read_all(&pass, conf, store, pv, (uint32_t)count);
	lea_proc_unshare(pass.area, sizeof(*pass.area) + room);
	lea_proc_unshare(pass.slot, count * sizeof(*pass.slot));
	return r;
}
