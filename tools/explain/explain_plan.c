/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a boot would do with each VG, LV and PV: the same facts and causes, as if nothing were
 * active yet. */
#include "explain/explain_vg.h"

#include "base/cleanup.h"
#include "base/id.h"
#include "memory/need.h"
#include "world/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Does the device lie on an LV, or in an image? */
static bool is_in_guest_storage(const struct lea_explainer *explainer,
				const struct lea_device *device)
{
	char uuid[LEA_SYSFS_VALUE_BYTES];
	const char *name = strrchr(device->name, '/');

	if (!strncmp(name ? name + 1 : device->name, "loop", 4))
		return true;
	return !lea_sysfs_text(explainer->world, lea_device_devno(device), "dm/uuid", uuid,
			       sizeof(uuid)) &&
	       (!strncmp(uuid, "LVM-", 4) || (!strncmp(uuid, "part", 4) && strstr(uuid, "-LVM-")));
}

static uint32_t marks_of(const struct lea_subject *subject, enum lea_vg_access access)
{
	static const uint32_t marks_of_access[] = {
		[LEA_VG_ACCESS_OK] = 0,
		[LEA_VG_ACCESS_CLUSTERED] = LEA_MARK_CLUSTER,
		[LEA_VG_ACCESS_SHARED] = LEA_MARK_CLUSTER,
		[LEA_VG_ACCESS_FOREIGN] = LEA_MARK_HOST,
		[LEA_VG_ACCESS_FOREIGN_EXTRA] = LEA_MARK_HOST,
		[LEA_VG_ACCESS_EXPORTED] = LEA_MARK_HOST,
		[LEA_VG_ACCESS_READ_ONLY] = 0,
		[LEA_VG_ACCESS_DELEGATE] = LEA_MARK_CLUSTER,
	};
	uint32_t marks = marks_of_access[access];

	for (uint32_t i = 0; i < subject->vg->pv_count; i++) {
		const struct lea_found *found = subject->scanned->pv[i];

		if (found && is_in_guest_storage(subject->explainer, &found->device))
			marks |= LEA_MARK_GUEST;
	}
	return marks;
}

/* What happens to an LV whose VG has no reason, or is handed to lvm. */
static void plan_lv(struct lea_subject *subject, uint32_t index, struct lea_answer *answer,
		    const struct lea_reason *of_vg)
{
	const struct lea_lv *lv = &subject->vg->lvs[index];
	const char *impossible = lea_subject_impossible(subject, index);
	const struct lea_lv_facts facts = {.machine = &subject->explainer->machine,
					   .vg = subject->vg->name,
					   .name = lv->name,
					   .selected = lea_subject_selected(subject, index),
					   .taken_node = "",
					   .taken_by = "",
					   .impossible = impossible ? impossible : "",
					   .lost = "",
					   .lost_now = "",
					   .device = ""};
	const char *state = answer->state;
	struct lea_reason reason;
	char name[260], uuid[39];
	bool has_reason = lea_cause_of_lv(&facts, &reason);

	if (facts.selected == LEA_SELECT_HIDDEN ||
	    (facts.selected == LEA_SELECTED && !lea_subject_has_node(subject, index)))
		return;
	if (!has_reason && of_vg) {
		reason = *of_vg;
		has_reason = true;
	}
	if (has_reason && !of_vg)
		answer->state = "left alone";
	snprintf(name, sizeof(name), "%.127s/%.127s", subject->vg->name, lv->name);
	lea_id_format(lv->id, uuid);
	answer->type = "lv";
	answer->name = name;
	answer->uuid = uuid;
	lea_subject_tell(subject, answer, has_reason, &reason);
	answer->state = state;
}

/* @is_whole: all of its LVs are meant */
static void plan_vg(struct lea_subject *subject, enum lea_need_class when, bool is_whole)
{
	struct lea_targets *targets = subject->explainer->options.targets;
	struct lea_vg_facts facts;
	struct lea_subject_texts texts;
	struct lea_reason reason;
	struct lea_answer answer;
	char uuid[39];
	bool has_reason, is_delegated;

	lea_subject_gather(subject, &texts, &facts);
	lea_id_format(subject->vg->id, uuid);
	has_reason = lea_cause_of_vg(&facts, &reason);
	is_delegated = has_reason &&
		       (!strcmp(reason.cause, "delegated") || !strcmp(reason.cause, "reserved"));
	answer = (struct lea_answer){.type = "vg",
				     .name = subject->vg->name,
				     .uuid = uuid,
				     .vg = subject->vg->name,
				     .state = is_delegated ? "handed to lvm"
					      : has_reason ? "left alone"
							   : "activated",
				     .marks = marks_of(subject, facts.access),
				     .when = when,
				     .scanned = subject->scanned};
	lea_subject_tell(subject, &answer, has_reason, &reason);
	answer.scanned = NULL;
	for (uint32_t lv = 0; lv < subject->vg->lv_count; lv++)
		if (is_whole || lea_targets_have_lv(targets, subject->vg, lv))
			plan_lv(subject, lv, &answer, has_reason && !is_delegated ? &reason : NULL);
}

/* ---- what is meant */

/* Is all of the VG meant, by itself or by a PV? */
static bool is_whole(struct lea_targets *targets, const struct lea_scan_vg *scanned)
{
	bool is = lea_targets_have_vg(targets, scanned->vg);

	for (uint32_t i = 0; i < scanned->vg->pv_count; i++) {
		const struct lea_found *found = scanned->pv[i];

		is |= lea_targets_have_pv(targets, scanned->vg->pvs[i].id,
					  found ? lea_device_devno(&found->device)
						: (struct lea_devno){0, 0},
					  found ? found->device.name : "");
	}
	return is;
}

static bool has_meant_lv(struct lea_targets *targets, const struct lea_vg *vg)
{
	bool any = false;

	for (uint32_t lv = 0; lv < vg->lv_count; lv++)
		any |= lea_targets_have_lv(targets, vg, lv);
	return any;
}

static void plan_device(struct lea_explainer *explainer, struct lea_explain_device *device)
{
	struct lea_subject subject = {.explainer = explainer, .tells_configured = true};

	if ((device->pvid[0] || device->found->fault == -ETIMEDOUT) &&
	    lea_targets_have_pv(explainer->options.targets, device->pvid,
				lea_device_devno(&device->found->device),
				device->found->device.name))
		lea_subject_tell_device(&subject, device);
}

int lea_explainer_plan(struct lea_explainer *explainer, enum lea_need_class when)
{
	struct lea_targets *targets = explainer->options.targets;

	for (size_t i = 0; i < explainer->vg_count; i++) {
		LEA_AUTO(lea_subject_done)
		struct lea_subject subject = {.tells_configured = true, .tells_sound = true};
		bool whole, part;
		int r;

		if (lea_need_of_vg(explainer->options.needs, explainer->vg[i].vg) != when)
			continue;
		whole = is_whole(targets, &explainer->vg[i]);
		part = has_meant_lv(targets, explainer->vg[i].vg);
		if (!whole && !part)
			continue;
		r = lea_subject_begin(&subject, explainer, &explainer->vg[i]);
		if (r)
			return r;
		plan_vg(&subject, when, whole);
	}
	if (when != LEA_CLASS_LAST)
		return 0;
	(void)lea_explainer_tell_forgotten(explainer, NULL);
	for (size_t i = 0; i < explainer->device_count; i++)
		plan_device(explainer, &explainer->device[i]);
	return 0;
}
