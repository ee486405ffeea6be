/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search tree with one entry for each VG name. An entry stays after its line was logged, so that
 * the same line is not logged again, and goes when the VG is complete.
 *
 * Before a VG has its line, PVs that only lost their records are queued. Others remove records, as
 * vgremove of newer lvm2 does, but not our markers, and so udev's rule let no event pass when a VG
 * was made of these PVs again.
 */
#include "batch/incomplete.h"

#include "base/cleanup.h"
#include "base/log_ids.h"
#include "base/order.h"
#include "record/recorded_marker.h"
#include "state/missing.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/device_find.h"
#include "world/udevlinks.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMANTS_MOST 8U
#define QUEUED_MS      1000U /* by then the PVs have been read, or there is no line yet */

struct lea_incomplete_vg {
	char name[128];			/* first: the tree compares it */
	bool is_noted;			/* since the last lea_incomplete_log */
	struct lea_incomplete_vg *next; /* in the list of noted VGs */
	uint64_t told;	  /* hash of the missing ids in its last line; 0: no line yet */
	uint64_t told_ms; /* time of that line */
	uint64_t asked;	  /* hash of the missing ids that were looked for last; 0: none yet */
};

void lea_incomplete_done(struct lea_incomplete *waiting)
{
	tdestroy(waiting->tree, free);
	*waiting = (struct lea_incomplete){0};
}

static struct lea_incomplete_vg *find(const struct lea_incomplete *waiting, const char *name)
{
	struct lea_incomplete_vg *const *node = tfind(name, &waiting->tree, lea_compare_text);

	return node ? *node : NULL;
}

static struct lea_incomplete_vg *add(struct lea_incomplete *waiting, const char *name)
{
	struct lea_incomplete_vg *vg =
		waiting->count < LEA_WAITING_MOST ? calloc(1, sizeof(*vg)) : NULL;

	if (!vg)
		return NULL;
	snprintf(vg->name, sizeof(vg->name), "%s", name);
	if (!tsearch(vg, &waiting->tree, lea_compare_text)) {
		free(vg);
		return NULL;
	}
	waiting->count++;
	return vg;
}

static void note(struct lea_incomplete *waiting, struct lea_incomplete_vg *vg)
{
	if (vg->is_noted)
		return;
	vg->is_noted = true;
	vg->next = waiting->noted;
	waiting->noted = vg;
}

void lea_incomplete_note(struct lea_incomplete *waiting, const char *name, bool is_complete)
{
	struct lea_incomplete_vg *vg = name[0] ? find(waiting, name) : NULL;

	/* A complete VG that had a line is noted, too: lea_incomplete_log then removes it. */
	if (name[0] && !vg && !is_complete)
		vg = add(waiting, name);
	if (vg)
		note(waiting, vg);
}

/* FNV-1a over the missing ids, in the order of the lookup file; never 0. */
static uint64_t sum_of(const struct lea_missing *missing)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (uint32_t i = 0; i < missing->count; i++)
		for (const char *at = missing->pvid[i]; *at; at++)
			sum = (sum ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return sum ? sum : 1;
}

/* If an event has activated the VG, it is in use without the PV: no advice then. One that is to be
 * tried again keeps its file, and is not in use. */
static void log_missing(struct lea_world *world, int run_fd, const struct lea_missing *missing)
{
	char text[LEA_MISSING_TEXT_BYTES];
	const struct lea_log_fields fields = {
		.message_id = LEA_MESSAGE_INCOMPLETE, .vg = missing->vg, .reason = text};

	lea_missing_describe(missing, text);
	if (lea_vg_online_may_exist(run_fd, missing->vg) &&
	    !lea_vg_online_is_kept(run_fd, missing->vg))
		lea_log_with(world->log, LEA_LOG_WARNING, &fields, "VG %s: incomplete: %s",
			     missing->vg, text);
	else
		lea_log_with(world->log, LEA_LOG_WARNING, &fields,
			     "VG %s: not activated, incomplete: %s; an event activates it "
			     "when the missing PVs appear; to activate it now: vgchange -ay "
			     "--activationmode partial %s",
			     missing->vg, text, missing->vg);
}

/* *event_fd: the queue, opened for the first device that udev names; -1: not yet. A shortage, or 0
 * with *any. */
static int queue_lost(struct lea_world *world, int run_fd, const char *pvid, int *event_fd,
		      bool *any)
{
	struct lea_devno devnos[CLAIMANTS_MOST];
	size_t count = 0;
	int r = lea_udevlinks_pv(world, pvid, devnos, ARRAY_SIZE(devnos), &count);

	if (count && *event_fd < 0)
		*event_fd = lea_queue_open(run_fd);
	for (size_t i = 0; *event_fd >= 0 && i < count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = {0};
		const struct lea_devid id = {devnos[i].major, devnos[i].minor, 0};

		*any |= !lea_device_find(world, &id, &device) &&
			lea_marker_ask(*event_fd, &device, pvid) != 0 &&
			lea_queue_put_device(*event_fd, LEA_ENTRY_CHANGE, &device, pvid) >= 0;
	}
	return r;
}

/* Was any of the missing PVs recorded once, and is it there? Such a change completes the VG. */
static int queue_all_lost(struct lea_world *world, int run_fd, const struct lea_missing *missing,
			  bool *any)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	int r = 0;

	for (uint32_t i = 0; !r && i < missing->count; i++)
		r = queue_lost(world, run_fd, missing->pvid[i], &event_fd, any);
	return r;
}

/* Looks for PVs that only lost their records, once for each set of missing PVs. Returns the ms
 * after which the line may be logged; 0: now. */
static uint32_t look_for_lost(struct lea_incomplete_vg *vg, struct lea_world *world, int run_fd,
			      const struct lea_missing *missing, uint64_t sum)
{
	bool any = false;

	if (vg->asked == sum)
		return 0;
	if (queue_all_lost(world, run_fd, missing, &any))
		return LEA_WAITING_PAUSE_MS;
	vg->asked = sum;
	return any ? QUEUED_MS : 0;
}

/* Logs the VG's line. Returns the ms after which it may be logged; 0: logged, or none is due. */
static uint32_t tell_or_wait(struct lea_incomplete_vg *vg, struct lea_world *world, int run_fd)
{
	const uint64_t now = lea_world_now_ms(world);
	struct lea_missing missing = {0};
	uint32_t wait_ms;
	uint64_t sum;
	int r = lea_missing_read(run_fd, vg->name, &missing);

	if (lea_is_shortage(r))
		return LEA_WAITING_PAUSE_MS;
	if (r < 0 || !missing.count) {
		vg->told = 0;
		lea_missing_done(&missing);
		return 0;
	}
	sum = sum_of(&missing);
	wait_ms = look_for_lost(vg, world, run_fd, &missing, sum);
	if (wait_ms) {
		lea_missing_done(&missing);
		return wait_ms;
	}
	if (vg->told != sum && vg->told && now - vg->told_ms < LEA_WAITING_PAUSE_MS) {
		wait_ms = (uint32_t)(LEA_WAITING_PAUSE_MS - (now - vg->told_ms));
	} else if (vg->told != sum) {
		log_missing(world, run_fd, &missing);
		vg->told = sum;
		vg->told_ms = now;
	}
	lea_missing_done(&missing);
	return wait_ms;
}

void lea_incomplete_told(struct lea_incomplete *waiting, struct lea_world *world, const char *name)
{
	const int run_fd = lea_world_run(world);
	struct lea_missing missing = {0};
	struct lea_incomplete_vg *vg = find(waiting, name);

	if (!vg)
		vg = add(waiting, name);
	if (vg && run_fd >= 0 && !lea_missing_read(run_fd, name, &missing) && missing.count) {
		vg->told = sum_of(&missing);
		vg->told_ms = lea_world_now_ms(world);
	}
	lea_missing_done(&missing);
}

static void remove_vg(struct lea_incomplete *waiting, struct lea_incomplete_vg *vg)
{
	tdelete(vg, &waiting->tree, lea_compare_text);
	waiting->count--;
	free(vg);
}

int lea_incomplete_log(struct lea_incomplete *waiting, struct lea_world *world)
{
	struct lea_incomplete_vg *vg, *next;
	const int run_fd = lea_world_run(world);
	uint32_t least_ms = 0;

	if (run_fd < 0)
		return -1;
	vg = waiting->noted;
	waiting->noted = NULL;
	for (; vg; vg = next) {
		const uint32_t wait_ms = tell_or_wait(vg, world, run_fd);

		next = vg->next;
		vg->is_noted = false;
		if (wait_ms)
			note(waiting, vg);
		else if (!vg->told)
			remove_vg(waiting, vg);
		if (wait_ms && (!least_ms || wait_ms < least_ms))
			least_ms = wait_ms;
	}
	return least_ms ? (int)least_ms : -1;
}
