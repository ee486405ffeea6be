/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * D8: thick snapshots. Each write to a chunk of the origin that a snapshot has not copied yet is
 * copied for each snapshot; the kernel holds these copies in memory.
 */
#include "doctor/check.h"

#include "activate/snapshot_status.h"
#include "base/append.h"
#include "base/id.h"
#include "disk/segments.h"

#include <inttypes.h>
#include <stdio.h>

#define SLAB_PERCENT 5U
#define COPY_BYTES   8192U /* of memory for a copy in flight, by the report that measured it */
#define WHY_KERNEL   "the kernel keeps a copy in memory for each chunk in flight and each snapshot"

static uint64_t full_in_s(const struct lea_doctor_lv *state)
{
	const struct lea_snapshot_status first = lea_snapshot_status_parse(state->status);
	const struct lea_snapshot_status second = lea_snapshot_status_parse(state->later);
	uint64_t grown;

	if (first.state != LEA_SNAPSHOT_USED || second.state != LEA_SNAPSHOT_USED ||
	    second.used_sectors <= first.used_sectors || !state->between_ms)
		return UINT64_MAX;
	grown = second.used_sectors - first.used_sectors;
	return (second.total_sectors - second.used_sectors) * state->between_ms / grown / 1000;
}

static void check_fullness(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			   uint32_t cow, uint32_t origin, const struct lea_doctor_report *report)
{
	const struct lea_doctor_lv *state = &vg->lv[cow];
	const struct lea_lv *lv = &vg->vg->lvs[cow];
	const struct lea_snapshot_status status =
		lea_snapshot_status_parse(state->later[0] ? state->later : state->status);
	struct lea_doctor_finding finding;
	int severity;

	if (state->status_is_late || (state->status[0] && status.state == LEA_SNAPSHOT_UNKNOWN))
		lea_doctor_not_known(report, "%s/%s: device-mapper %s", vg->vg->name, lv->name,
				     state->status_is_late ? "has not answered in time"
							   : "gives no number");
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg->vg, .lv = lv},
			 &finding);
	severity = lea_snapshot_tell(&status, full_in_s(state), vg->vg->name, lv->name,
				     vg->vg->lvs[origin].name, finding.evidence,
				     sizeof(finding.evidence), &finding.next);
	if (!severity)
		return;
	finding.severity = (unsigned int)severity;
	finding.why = "a snapshot that is full is lost; a mounted file system on it fails";
	lea_doctor_tell(report, &finding);
}

static void check_copies(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			 uint32_t origin, uint32_t count, uint32_t chunk_sectors,
			 const struct lea_doctor_report *report)
{
	const struct lea_doctor_lv *state = &vg->lv[origin];
	const struct lea_lv *lv = &vg->vg->lvs[origin];
	struct lea_doctor_finding finding;

	if (!state->is_active || !state->has_io || !state->io.writes)
		return;
	lea_doctor_begin(report, facts, 1, &(struct lea_doctor_about){.vg = vg->vg, .lv = lv},
			 &finding);
	finding.why = "the first write to each chunk is copied for every snapshot before it is "
		      "done";
	lea_doctor_evidence(&finding,
			    "%u thick snapshot%s: a write to it can become %u requests (chunks "
			    "of %u KiB)",
			    count, count == 1 ? "" : "s", 2 * count + 1, chunk_sectors / 2);
	lea_next_set(&finding.next, LEA_LOOK("lvs -a -o +origin,snap_percent $1"), vg->vg->name);
	lea_doctor_advice(&finding, "keep fewer snapshots, or use thin ones");
	lea_doctor_tell(report, &finding);
}

/* @advice: NULL: the throttle is taken off */
static void tell_kernel(const struct lea_doctor_facts *facts,
			const struct lea_doctor_report *report, const char *evidence,
			const char *advice)
{
	struct lea_doctor_finding finding;

	lea_doctor_begin(report, facts, 1,
			 &(struct lea_doctor_about){.text = "snapshots in the kernel"}, &finding);
	finding.why = WHY_KERNEL;
	lea_doctor_evidence(&finding, "%s", evidence);
	if (advice)
		lea_next_set(&finding.next,
			     LEA_LOOK("grep . /sys/module/dm_snapshot/parameters/*"));
	else
		lea_next_set(
			&finding.next,
			LEA_CHANGE("echo 100 "
				   ">/sys/module/dm_snapshot/parameters/snapshot_copy_throttle"));
	lea_doctor_advice(&finding, "%s", advice ? advice : "");
	lea_doctor_tell(report, &finding);
}

/* @count: of snapshots on the machine. @risky: of the largest origin, if its chunks are small. */
static void check_threshold(const struct lea_doctor_facts *facts, uint32_t count,
			    const struct lea_doctor_report *report)
{
	const struct lea_doctor_snapshots *kernel = &facts->machine.snapshots;
	uint64_t threshold;
	char text[256];

	if (!kernel->has_module)
		return;
	if (!kernel->cow_threshold[0]) {
		tell_kernel(facts, report,
			    "the kernel has no limit of copies in flight (no parameter "
			    "snapshot_cow_threshold): 8 snapshots of one LV with 4 KiB chunks took "
			    "7 GB in one report",
			    "a kernel from 5.4 on, or larger chunks (lvcreate -c)");
		return;
	}
	if (!lea_number_parse(kernel->cow_threshold, UINT64_MAX, &threshold)) {
		lea_doctor_not_known(report, "snapshot_cow_threshold is not a number");
		return;
	}
	if (!threshold)
		tell_kernel(facts, report,
			    "snapshot_cow_threshold is 0: since the kernel's rework of October "
			    "2019 (5.4, and backported) that means one copy at a time, before it "
			    "meant no limit",
			    "set a number: snapshot_cow_threshold in lvmevent.conf");
	else if (count && kernel->memory_kib && threshold <= 1000000 &&
		 threshold * count * (COPY_BYTES / 1024) > kernel->memory_kib * SLAB_PERCENT / 100) {
		snprintf(text, sizeof(text),
			 "snapshot_cow_threshold is %" PRIu64 ": %u snapshots may take %" PRIu64
			 " MiB of memory for copies in flight",
			 threshold, count, threshold * count * COPY_BYTES >> 20);
		tell_kernel(facts, report, text,
			    "a smaller snapshot_cow_threshold in lvmevent.conf");
	}
}

static void check_kernel(const struct lea_doctor_facts *facts, uint32_t count,
			 const struct lea_doctor_report *report)
{
	const struct lea_doctor_snapshots *kernel = &facts->machine.snapshots;
	char text[128];

	check_threshold(facts, count, report);
	if (kernel->copy_throttle_percent != LEA_DOCTOR_UNKNOWN &&
	    kernel->copy_throttle_percent < 100) {
		snprintf(text, sizeof(text), "snapshot_copy_throttle is %" PRIu64 " %%",
			 kernel->copy_throttle_percent);
		tell_kernel(facts, report, text, NULL);
	}
	if (kernel->memory_kib &&
	    kernel->slab_kib > kernel->memory_kib * SLAB_PERCENT / 100) {
		snprintf(text, sizeof(text),
			 "copies in flight take %" PRIu64 " MiB of the kernel's memory "
			 "(kcopyd_job, dm_snap_pending_exception)",
			 kernel->slab_kib / 1024);
		tell_kernel(facts, report, text,
			    "a smaller snapshot_cow_threshold in lvmevent.conf");
	}
}

void lea_doctor_check_snapshots(const struct lea_doctor_facts *facts,
				struct lea_doctor_report *report)
{
	uint32_t all = 0;

	for (uint32_t v = 0; v < facts->vgs.count; v++) {
		const struct lea_doctor_vg *vg = &facts->vgs.vg[v];

		for (uint32_t i = 0; i < vg->vg->lv_count; i++) {
			const struct lea_seg_snapshot *at = vg->vg->lvs[i].snapshots;
			uint32_t count = 0, chunk = at ? at->chunk_sectors : 0;

			for (; at; at = at->next, count++) {
				chunk = at->chunk_sectors < chunk ? at->chunk_sectors : chunk;
				check_fullness(facts, vg, at->cow, i, report);
			}
			if (count)
				check_copies(facts, vg, i, count, chunk, report);
			all += vg->lv[i].is_active ? count : 0;
		}
	}
	if (all)
		check_kernel(facts, all, report);
}
