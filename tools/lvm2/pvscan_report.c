/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvscan's lines. Other programs parse them, so they have lvm2's words. */
#include "cli/log_sink.h"

#include "base/cleanup.h"
#include "disk/vg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A line of --listvg or --listlvs: printed even with -qq. */
static void bare(const struct lea_report *report, const char *what, const char *name,
		 const char *state)
{
	if (report->is_silent)
		return;
	fprintf(report->out, "%s%s%s %s%s%s\n", report->command_names ? report->command : "",
		report->prefix, what, name, state[0] ? " " : "", state);
	fflush(report->out);
}

/* VG names contain no character that needs quoting. */
static void key_value(const struct lea_report *report, const char *key, const char *value)
{
	fprintf(report->out, "%s='%s'\n", key, value);
	fflush(report->out);
}

void lea_report_event_activation_off(struct lea_report *report)
{
	fprintf(report->out, "LVM_EVENT_ACTIVATION=0\n");
	fflush(report->out);
}

static void log_not_pv(struct lea_report *report, const struct lea_found *found)
{
	const char *name = found->device.name;

	switch (found->kind) {
	case LEA_FOUND_NOT_PV:
		lea_report_say(report, LEA_LOG_PRINT, "%s not an lvm device.", name);
		return;
	case LEA_FOUND_UNREADABLE:
		lea_report_say(report, LEA_LOG_PRINT, "%s cannot read label.", name);
		return;
	case LEA_FOUND_EXCLUDED:
		/* lvm2 writes "excluded by devices file" without a colon. */
		lea_report_say(report, LEA_LOG_PRINT, "%s excluded%s %s.", name,
			       found->excluded == LEA_EXCLUDED_PVID_NOT_IN_FILE ? "" : ":",
			       lea_exclusion_text(found->excluded));
		return;
	case LEA_FOUND_ORPHAN:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s not used.", name);
		return;
	case LEA_FOUND_PV:
	case LEA_FOUND_GONE:
		return;
	}
}

static void log_duplicate(struct lea_report *report, const struct lea_found *found,
			  const struct lea_record *record)
{
	const char *name = found->device.name;

	lea_report_say(report, LEA_LOG_ERROR, "PV %s %u:%u is duplicate for PVID %s on %u:%u %s.",
		       name, found->device.major, found->device.minor, found->label.pvid,
		       record->other_major, record->other_minor, record->other_device);
	lea_report_say(report, LEA_LOG_ERROR, "PV %s failed to create online file.", name);
}

static void log_online(struct lea_report *report, const struct lea_report_form *form,
		       const struct lea_found *found, const struct lea_record *record)
{
	const char *name = found->device.name;

	if (!form->check_complete) {
		if (!form->list_vg && !form->list_lvs)
			lea_report_say(report, LEA_LOG_PRINT, "PV %s online.", name);
		return;
	}
	if (record->rechecked)
		lea_report_say(report, LEA_LOG_PRINT, "VG %s complete after recheck.",
			       record->vg_name);
	switch (record->complete) {
	case LEA_COMPLETE:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s online, VG %s is complete.", name,
			       record->vg_name);
		return;
	case LEA_COMPLETE_WAITING:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s online, VG %s incomplete (need %u).",
			       name, record->vg_name, record->missing);
		return;
	case LEA_COMPLETE_UNKNOWN:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s online, VG unknown.", name);
		return;
	}
}

/* Lines for udev. None for an unknown VG, and none if another process has claimed the VG. */
static void keys(struct lea_report *report, const struct lea_report_form *form,
		 const struct lea_record *record)
{
	bool is_complete = record->complete == LEA_COMPLETE;

	if (!form->check_complete || !record->vg_name[0])
		return;
	if (record->complete == LEA_COMPLETE_WAITING)
		key_value(report, "LVM_VG_NAME_INCOMPLETE", record->vg_name);
	else if (is_complete && (!form->vg_online || record->claimed))
		key_value(report, "LVM_VG_NAME_COMPLETE", record->vg_name);
}

static const char *state_word(const struct lea_report_form *form, const struct lea_record *record)
{
	if (!form->check_complete || record->complete == LEA_COMPLETE_UNKNOWN)
		return "";
	if (record->complete == LEA_COMPLETE_WAITING)
		return "incomplete";
	return form->vg_online && !record->claimed ? "finished" : "complete";
}

static void list_vg(struct lea_report *report, const struct lea_report_form *form,
		    const struct lea_record *record)
{
	if (form->udev_output)
		keys(report, form, record);
	else if (form->list_vg || form->list_lvs)
		bare(report, "VG", record->vg_name[0] ? record->vg_name : "unknown",
		     state_word(form, record));
}

static void log_pv(struct lea_report *report, const struct lea_report_form *form,
		   const struct lea_found *found, const struct lea_record *record)
{
	if (!record->has_metadata)
		lea_report_say(report, LEA_LOG_PRINT, "PV %s has no VG metadata.",
			       found->device.name);
	log_online(report, form, found, record);
	list_vg(report, form, record);
	if (form->list_lvs && !record->has_metadata)
		lea_report_say(report, LEA_LOG_PRINT,
			       "Cannot list LVs from device without metadata.");
}

static void log_outdated(struct lea_report *report, const struct lea_found *found,
			 const struct lea_record *record)
{
	char text[LEA_OUTDATED_TEXT_BYTES];

	lea_outdated_describe(record->outdated, found->vg, found, text);
	lea_log(&report->log, LEA_LOG_WARNING, "WARNING: %s.", text);
}

void lea_report_device(struct lea_report *report, const struct lea_report_form *form,
		       const struct lea_found *found, const struct lea_record *record)
{
	const char *name = found->device.name;

	if (found->problem[0])
		lea_log(&report->log, LEA_LOG_WARNING, "WARNING: %s: %s", name, found->problem);
	switch (record->kind) {
	case LEA_RECORD_NOTHING:
		log_not_pv(report, found);
		return;
	case LEA_RECORD_MD:
		lea_report_say(report, LEA_LOG_PRINT, "ignore md component %s.", name);
		return;
	case LEA_RECORD_NOT_IN_VG:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s not found in VG %s.", name,
			       record->vg_name);
		return;
	case LEA_RECORD_SHARED:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s ignore shared VG.", name);
		return;
	case LEA_RECORD_FOREIGN:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s ignore foreign VG.", name);
		return;
	case LEA_RECORD_EXPORTED:
		lea_report_say(report, LEA_LOG_PRINT, "PV %s ignore exported VG.", name);
		return;
	case LEA_RECORD_DUPLICATE:
		log_duplicate(report, found, record);
		return;
	case LEA_RECORD_OUTDATED:
		log_outdated(report, found, record);
		return;
	case LEA_RECORD_FAILED:
		lea_log_fault(&report->log, record->fault, "Failed to create record of PV %s",
			      name);
		lea_report_say(report, LEA_LOG_ERROR, "PV %s failed to create online file.", name);
		return;
	case LEA_RECORD_ONLINE:
		log_pv(report, form, found, record);
		return;
	}
}

bool lea_report_knows_lvs(const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < vg->lv_count; i++)
		for (uint32_t s = 0; s < vg->lvs[i].seg_count; s++)
			if (!vg->lvs[i].seg[s].segtype)
				return false;
	return true;
}

/* A walk down from one LV. The metadata decides its depth, so it does not recurse. */
struct walk {
	const struct lea_vg *vg;
	uint32_t *todo; /* [lv_count]: each LV is added at most once */
	uint32_t count;
	bool *seen, *uses; /* [lv_count], [pv_count] */
};

static void walk_to(struct walk *walk, uint32_t lv)
{
	if (walk->seen[lv])
		return;
	walk->seen[lv] = true;
	walk->todo[walk->count++] = lv;
}

static void mark_segment(struct walk *walk, const struct lea_lv_seg *seg)
{
	for (uint32_t a = 0; a < seg->area_count; a++) {
		if (seg->area[a].pv != LEA_NONE)
			walk->uses[seg->area[a].pv] = true;
		else if (seg->area[a].lv != LEA_NONE)
			walk_to(walk, seg->area[a].lv);
	}
}

/* Marks the PVs below @lv in walk->uses. */
static void mark_pvs(struct walk *walk, uint32_t lv)
{
	const struct lea_vg *vg = walk->vg;

	memset(walk->seen, 0, vg->lv_count * sizeof(*walk->seen));
	memset(walk->uses, 0, vg->pv_count * sizeof(*walk->uses));
	walk_to(walk, lv);
	while (walk->count) {
		lv = walk->todo[--walk->count];
		for (uint32_t s = 0; s < vg->lvs[lv].seg_count; s++)
			mark_segment(walk, &vg->lvs[lv].seg[s]);
	}
}

static void list_lv(struct lea_report *report, const struct lea_vg *vg, uint32_t lv,
		    const bool *uses, const bool *recorded)
{
	const char *state = recorded ? "complete" : "";
	char name[2 * 128 + 2];

	for (uint32_t i = 0; recorded && i < vg->pv_count; i++)
		if (uses[i] && !recorded[i])
			state = "incomplete";
	snprintf(name, sizeof(name), "%.127s/%.127s", vg->name, vg->lvs[lv].name);
	bare(report, "LV", name, state);
}

int lea_report_lvs(struct lea_report *report, const struct lea_vg *vg, const char *pvid,
		   const bool *recorded)
{
	LEA_AUTO(lea_freep) bool *seen = calloc((size_t)vg->lv_count + 1, sizeof(*seen));
	LEA_AUTO(lea_freep) bool *uses = calloc((size_t)vg->pv_count + 1, sizeof(*uses));
	LEA_AUTO(lea_freep) uint32_t *todo = calloc((size_t)vg->lv_count + 1, sizeof(*todo));
	struct walk walk = {.vg = vg, .todo = todo, .seen = seen, .uses = uses};
	uint32_t own = lea_vg_find_pv(vg, pvid);

	if (!seen || !uses || !todo)
		return -ENOMEM;
	for (uint32_t i = 0; own != LEA_NONE && i < vg->lv_count; i++) {
		if (!lea_lv_is_visible(&vg->lvs[i]))
			continue;
		mark_pvs(&walk, i);
		if (uses[own])
			list_lv(report, vg, i, uses, recorded);
	}
	return 0;
}
