/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What the checks share: findings, figures for people, and where an LV lies. */
#include "doctor/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define DEPTH_MOST 8U

/* ---- findings */

void lea_doctor_begin(const struct lea_doctor_report *report, const struct lea_doctor_facts *facts,
		      unsigned int severity, const struct lea_doctor_about *about,
		      struct lea_doctor_finding *ret_finding)
{
	const struct lea_doctor_disk *disk = about->disk;
	const struct lea_vg *vg = about->vg;

	if (disk && !vg && disk->vg != LEA_NONE)
		vg = facts->vgs.vg[disk->vg].vg;
	*ret_finding = (struct lea_doctor_finding){
		.check = report->check,
		.title = report->title,
		.severity = severity,
		.vg = vg ? vg->name : "",
		.lv = about->lv ? about->lv->name : "",
		.device = disk ? disk->name : "",
		.pvid = disk ? disk->pvid : "",
		.why = "",
	};
	if (about->text)
		snprintf(ret_finding->object, sizeof(ret_finding->object), "%s", about->text);
	else if (about->lv)
		snprintf(ret_finding->object, sizeof(ret_finding->object), "%s/%s", vg->name,
			 about->lv->name);
	else if (disk)
		snprintf(ret_finding->object, sizeof(ret_finding->object), "%s%s%s%s", disk->name,
			 disk->is_pv ? " (PV of " : " (below a PV of ",
			 vg		   ? vg->name
			 : disk->is_orphan ? "no VG"
					   : "an unknown VG",
			 ")");
	else if (vg)
		snprintf(ret_finding->object, sizeof(ret_finding->object), "%s", vg->name);
}

void lea_doctor_tell(const struct lea_doctor_report *report,
		     const struct lea_doctor_finding *finding)
{
	struct lea_doctor_finding plain = *finding;

	/* Names of files, nodes and tasks may have any byte. */
	lea_log_plain(plain.object);
	lea_log_plain(plain.evidence);
	lea_log_plain(plain.advice);
	(*report->findings)++;
	report->sink->find(report->sink->arg, &plain);
}

void lea_doctor_not_known(const struct lea_doctor_report *report, const char *format, ...)
{
	char text[LEA_DOCTOR_EVIDENCE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	report->sink->not_known(report->sink->arg, report->check, text);
}

void lea_doctor_time(uint64_t us, char ret_text[static LEA_SIZE_BYTES])
{
	if (us >= 10000)
		snprintf(ret_text, LEA_SIZE_BYTES, "%" PRIu64 " ms", us / 1000);
	else
		snprintf(ret_text, LEA_SIZE_BYTES, "%" PRIu64 ".%" PRIu64 " ms", us / 1000,
			 us % 1000 / 100);
}

/* ---- where an LV lies */

struct walk {
	const struct lea_vg *vg;
	void (*seen)(void *arg, uint32_t pv, uint32_t extents);
	void *arg;
};

static void walk_lv(const struct walk *walk, const struct lea_lv *lv, unsigned int depth)
{
	for (uint32_t s = 0; s < lv->seg_count; s++) {
		const struct lea_lv_seg *seg = &lv->seg[s];

		for (uint32_t a = 0; a < seg->area_count; a++) {
			const struct lea_area *area = &seg->area[a];

			if (area->pv != LEA_NONE)
				walk->seen(walk->arg, area->pv, seg->area_extents);
			else if (depth < DEPTH_MOST && area->lv != LEA_NONE)
				walk_lv(walk, &walk->vg->lvs[area->lv], depth + 1);
		}
	}
}

void lea_doctor_each_pv(const struct lea_vg *vg, const struct lea_lv *lv,
			void (*seen)(void *arg, uint32_t pv, uint32_t extents), void *arg)
{
	const struct walk walk = {vg, seen, arg};

	walk_lv(&walk, lv, 0);
}

struct lies_arg {
	const struct lea_doctor_report *report;
	const struct lea_doctor_facts *facts;
	const struct lea_doctor_vg *vg;
	struct lea_doctor_lies *lies;
};

static void add_area(void *arg, uint32_t pv, uint32_t extents)
{
	struct lies_arg *to = arg;
	struct lea_doctor_lies *lies = to->lies;
	const uint32_t index = to->vg->disk[pv];
	const struct lea_doctor_disk *disk;
	unsigned int faults;

	(void)extents;
	lies->areas++;
	if (index == LEA_NONE)
		return;
	disk = &to->facts->disks.disk[index];
	faults = lea_doctor_judgement(to->report, to->facts, disk)->faults;
	lies->any = disk;
	lies->solid += disk->is_rotational == LEA_DOCTOR_NO;
	for (unsigned int bit = 0; bit < ARRAY_SIZE(lies->with); bit++)
		if (faults & (1U << bit)) {
			lies->with[bit]++;
			lies->first[bit] = lies->first[bit] ? lies->first[bit] : disk;
		}
}

void lea_doctor_lies_on(const struct lea_doctor_report *report,
			const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			const struct lea_lv *lv, struct lea_doctor_lies *ret_lies)
{
	struct lies_arg arg = {report, facts, vg, ret_lies};

	*ret_lies = (struct lea_doctor_lies){0};
	lea_doctor_each_pv(vg->vg, lv, add_area, &arg);
}

/* Extents of a PV that LVs have. */
static uint64_t used_extents(const struct lea_vg *vg, uint32_t pv)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		for (uint32_t s = 0; s < vg->lvs[i].seg_count; s++)
			for (uint32_t a = 0; a < vg->lvs[i].seg[s].area_count; a++)
				if (vg->lvs[i].seg[s].area[a].pv == pv)
					used += vg->lvs[i].seg[s].area_extents;
	return used;
}

const struct lea_doctor_disk *lea_doctor_fast_pv(const struct lea_doctor_report *report,
						 const struct lea_doctor_facts *facts,
						 const struct lea_doctor_vg *vg, uint32_t extents)
{
	const struct lea_doctor_disk *best = NULL;

	for (uint32_t i = 0; i < vg->vg->pv_count; i++) {
		const struct lea_doctor_disk *disk =
			vg->disk[i] == LEA_NONE ? NULL : &facts->disks.disk[vg->disk[i]];

		if (!disk ||
		    (lea_doctor_judgement(report, facts, disk)->faults &
		     ~LEA_DOCTOR_FAULT_ROTATIONAL) ||
		    !(vg->vg->pvs[i].flags & LEA_FLAG_ALLOCATABLE) ||
		    used_extents(vg->vg, i) + extents > vg->vg->pvs[i].pe_count)
			continue;
		if (!best ||
		    (best->is_rotational != LEA_DOCTOR_NO && disk->is_rotational == LEA_DOCTOR_NO))
			best = disk;
	}
	return best;
}
