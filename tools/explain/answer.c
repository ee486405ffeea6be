/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was gathered to answers: facts about a VG, its LVs and its PVs are given to
 * explain/cause.h. */
#include "explain/explain_vg.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "memory/device_spec.h"
#include "world/lost_disk.h"
#include "world/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MOST 5U /* PVs named in a line */
#define TEXT_BYTES LEA_CAUSE_EVIDENCE_BYTES

/* @text: of TEXT_BYTES. */
#define add(text, ...) lea_append(text, TEXT_BYTES, __VA_ARGS__)

/* ---- answers about LVs */

static bool flag_of(const struct lea_subject *subject, const char *node, const char *attribute)
{
	const int sys_fd = lea_world_sys(subject->explainer->world);
	char path[64], text[8];

	snprintf(path, sizeof(path), "class/block/%s/%s", node, attribute);
	return node[0] && sys_fd >= 0 && !lea_file_read_into(sys_fd, path, text, sizeof(text)) &&
	       text[0] == '1';
}

static bool has_link(const struct lea_subject *subject, uint32_t lv)
{
	const int dev_fd = lea_world_dev(subject->explainer->world);
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", subject->vg->name, subject->vg->lvs[lv].name);
	return dev_fd < 0 || !faccessat(dev_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* The disks that an LV uses once it is activated again; nothing of an incomplete VG. */
static void describe_disks(const struct lea_scan_vg *scanned, char *text)
{
	const uint32_t pvs = scanned->vg->pv_count;

	if (!lea_scan_vg_is_complete(scanned))
		return;
	for (uint32_t i = 0; i < pvs && i < NAMED_MOST; i++)
		add(text, "%s%.100s", i ? ", " : "", scanned->pv[i]->device.name);
	if (pvs > NAMED_MOST)
		add(text, " and %u more", pvs - NAMED_MOST);
}

static void tell_lv(struct lea_subject *subject, uint32_t index)
{
	const struct lea_lv *lv = &subject->vg->lvs[index];
	const struct lea_active_lv *up = lea_subject_active(subject, index);
	/* The LV may well use a PV that is only silent. */
	const bool lacks_pv = lea_scan_vg_count(subject->scanned, LEA_ABSENT) > 0;
	const char *node = up && !up->is_part ? up->device : "";
	const char *impossible = lea_subject_impossible(subject, index);
	char taken[TEXT_BYTES] = "", now[TEXT_BYTES] = "", lost[LEA_LOST_DISK_BYTES] = "",
	     device[64];
	struct lea_lv_facts facts = {
		.machine = &subject->explainer->machine,
		.vg = subject->vg->name,
		.name = lv->name,
		.selected = lea_subject_selected(subject, index),
		.is_active = up != NULL,
		.is_suspended = flag_of(subject, node, "dm/suspended"),
		.has_link = !node[0] || has_link(subject, index),
		.is_read_only = flag_of(subject, node, "ro"),
		.is_writable = (lv->flags & LEA_FLAG_WRITE) &&
			       !lea_select_read_only(subject->vg, lv, &subject->rules.select),
		.lacks_data = lacks_pv && lea_subject_refused(subject->degraded, index),
		.lacks_copy = lacks_pv && lea_subject_refused(subject->complete, index),
		.taken_node = "",
		.taken_by = taken,
		.impossible = impossible ? impossible : "",
		.lost = lost,
		.lost_now = now,
		.device = device,
	};
	char name[260], uuid[39];
	struct lea_answer answer = {.type = "lv",
				    .name = name,
				    .uuid = uuid,
				    .vg = subject->vg->name,
				    .state = up ? "active" : "inactive"};
	struct lea_reason reason;

	if (facts.selected == LEA_SELECT_HIDDEN)
		return;
	snprintf(device, sizeof(device), "/dev/%s", node);
	if (node[0] && lea_lost_disk_of(subject->explainer->world, up, lost) == LEA_LOST_DISK)
		describe_disks(subject->scanned, now);
	(void)lea_subject_taken(subject, index, &facts.taken_node, taken);
	snprintf(name, sizeof(name), "%.127s/%.127s", subject->vg->name, lv->name);
	lea_id_format(lv->id, uuid);
	lea_subject_tell(subject, &answer, lea_cause_of_lv(&facts, &reason), &reason);
}

/* ---- LVs that are left of VGs that no disk shows */

struct lost_search {
	struct lea_explainer *explainer;
	const struct lea_meaning *meaning; /* NULL: all are meant */
	uint32_t count;
};

/* The VG has no more than its name and this LV, if that is what is meant. */
static bool is_lost_meant(const struct lea_meaning *meaning, const struct lea_vg *vg)
{
	return !meaning || lea_meaning_is_vg(meaning, vg) || lea_meaning_is_lv(meaning, vg, 0);
}

static int tell_lost_lv(void *arg, const struct lea_active_lv *up, const char *name,
			const char *disk)
{
	struct lost_search *search = arg;
	struct lea_subject subject = {.explainer = search->explainer, .tells_configured = true};
	char vg_name[LEA_ACTIVE_NAME_BYTES], uuid[39], device[64];
	struct lea_lv lv = {.name = strchr(name, '/') + 1};
	struct lea_vg vg = {.name = vg_name, .lvs = &lv, .lv_count = 1};
	const struct lea_lv_facts facts = {.machine = &search->explainer->machine,
					   .vg = vg_name,
					   .name = lv.name,
					   .selected = LEA_SELECTED,
					   .is_active = true,
					   .has_link = true,
					   .taken_node = "",
					   .taken_by = "",
					   .impossible = "",
					   .lost = disk,
					   .lost_now = "",
					   .device = device};
	struct lea_answer answer = {
		.type = "lv", .name = name, .uuid = uuid, .vg = vg_name, .state = "active"};
	struct lea_reason reason;
	size_t count;

	snprintf(vg_name, sizeof(vg_name), "%.*s", (int)strcspn(name, "/"), name);
	if (!lea_spec_parse_ids(up->uuid, vg.id, lv.id) ||
	    lea_index_find(&search->explainer->vg_ids, vg.id, &count) ||
	    !is_lost_meant(search->meaning, &vg))
		return 0;
	snprintf(device, sizeof(device), "/dev/%s", up->device);
	lea_id_format(lv.id, uuid);
	search->count++;
	lea_subject_tell(&subject, &answer, lea_cause_of_lv(&facts, &reason), &reason);
	return 0;
}

static int tell_lost(struct lea_explainer *explainer, const struct lea_meaning *meaning,
		     uint32_t *ret_count)
{
	struct lost_search search = {.explainer = explainer, .meaning = meaning};
	const int r = lea_lost_disk_each(explainer->world, &explainer->active, tell_lost_lv,
					 &search);

	*ret_count = search.count;
	return r < 0 ? r : 0;
}

/* ---- answers about devices */

static const char *pv_state(const struct lea_pv_facts *facts, bool has_reason)
{
	if (facts->state == LEA_PV_ABSENT)
		return "missing";
	if (facts->state == LEA_PV_USED)
		return has_reason ? "found" : "used";
	return "not used";
}

void lea_subject_tell_device(struct lea_subject *subject, struct lea_explain_device *device)
{
	struct lea_explain_pv_texts texts;
	struct lea_pv_facts facts;
	struct lea_reason reason;
	struct lea_answer answer;
	bool has_reason;

	lea_explainer_pv_facts(subject->explainer, device, &texts, &facts);
	has_reason = lea_cause_of_pv(&facts, &reason);
	answer = (struct lea_answer){
		.type = "pv",
		.name = facts.device,
		.uuid = texts.pvid,
		.vg = facts.vg,
		.state = pv_state(&facts, has_reason),
	};
	lea_subject_tell(subject, &answer, has_reason, &reason);
	device->is_told |= answer.is_told;
}

static void tell_absent(struct lea_subject *subject, const char *pvid, const char *vg)
{
	char id[39], seen[320];
	struct lea_pv_facts facts = lea_subject_absent(subject, pvid);
	struct lea_reason reason;
	struct lea_answer answer = {
		.type = "pv", .name = id, .uuid = id, .vg = vg, .state = "missing"};

	lea_id_format(pvid, id);
	lea_explainer_last_seen(subject->explainer, pvid, seen, sizeof(seen));
	facts.last_seen = seen;
	lea_subject_tell(subject, &answer, lea_cause_of_pv(&facts, &reason), &reason);
}

/* ---- whom to tell about */

static void set_forgotten_next(struct lea_subject *subject, const struct lea_boot_vg *vg,
			       struct lea_reason *reason)
{
	struct lea_next search = {.class = LEA_NEXT_NONE};

	for (uint32_t i = 0; i < vg->pv_count; i++)
		lea_subject_remedy(subject, vg->pv[i].pvid, &reason->next, &search);
	if (!reason->next.class)
		reason->next = search;
}

/* A VG of the last good boot of which this scan has no metadata. */
static void tell_forgotten(struct lea_subject *subject, const struct lea_boot_vg *vg)
{
	char uuid[39], text[TEXT_BYTES] = "";
	struct lea_reason reason = {.cause = "not-seen"};
	struct lea_answer answer = {
		.type = "vg", .name = vg->name, .uuid = uuid, .vg = vg->name, .state = "missing"};

	lea_id_format(vg->id, uuid);
	for (uint32_t i = 0; i < vg->pv_count && i < NAMED_MOST; i++) {
		const struct lea_pv pv = {.device_hint = NULL};
		struct lea_pv named = pv;

		snprintf(named.id, sizeof(named.id), "%s", vg->pv[i].pvid);
		add(text, "%s", i ? ", " : "");
		lea_subject_describe_pv(subject, &named, text);
	}
	snprintf(reason.evidence, sizeof(reason.evidence),
		 "no device that LVM may use has its metadata; PVs of the last good boot: %.900s",
		 text);
	set_forgotten_next(subject, vg, &reason);
	lea_subject_tell(subject, &answer, true, &reason);
}

/* NULL: it is there, or was removed. */
static const struct lea_boot_vg *forgotten(struct lea_explainer *explainer, uint32_t index)
{
	const struct lea_boot_vg *vg = &explainer->options.memory->vg[index];
	size_t count;

	if (lea_index_find(&explainer->vg_ids, vg->id, &count))
		return NULL;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (lea_index_find(&explainer->of_pvid, vg->pv[i].pvid, &count))
			return vg;
	return lea_removed_has(&explainer->removed, vg) ? NULL : vg;
}

uint32_t lea_explainer_tell_forgotten(struct lea_explainer *explainer, const char *name)
{
	const struct lea_boot_memory *memory = explainer->options.memory;
	struct lea_subject subject = {.explainer = explainer, .tells_configured = true};
	uint32_t count = 0;

	for (uint32_t i = 0; memory && i < memory->vg_count; i++) {
		const struct lea_boot_vg *vg = forgotten(explainer, i);

		if (!vg || (name && strcmp(vg->name, name) != 0) ||
		    !lea_targets_have_name(explainer->options.targets, vg->name))
			continue;
		tell_forgotten(&subject, vg);
		count++;
	}
	return count;
}

int lea_explainer_tell_all(struct lea_explainer *explainer)
{
	struct lea_subject of_devices = {.explainer = explainer};
	uint32_t lost;
	int r = 0;

	for (size_t i = 0; !r && i < explainer->vg_count; i++) {
		LEA_AUTO(lea_subject_done) struct lea_subject subject = {0};

		r = lea_subject_begin(&subject, explainer, &explainer->vg[i]);
		if (r)
			return r;
		lea_subject_tell_vg(&subject);
		for (uint32_t lv = 0; lv < subject.vg->lv_count; lv++)
			tell_lv(&subject, lv);
	}
	(void)lea_explainer_tell_forgotten(explainer, NULL);
	r = r ? r : tell_lost(explainer, NULL, &lost);
	for (size_t i = 0; i < explainer->device_count; i++)
		if (explainer->device[i].pvid[0] || explainer->device[i].found->fault == -ETIMEDOUT)
			lea_subject_tell_device(&of_devices, &explainer->device[i]);
	return r;
}

/* Does the device belong to this VG, or may it? */
static bool is_of_vg(const struct lea_explain_device *device, const struct lea_vg *vg)
{
	return device->pvid[0] && lea_vg_find_pv(vg, device->pvid) != LEA_NONE;
}

static void tell_pvs(struct lea_subject *subject)
{
	struct lea_explainer *explainer = subject->explainer;

	for (size_t i = 0; i < explainer->device_count; i++)
		if (is_of_vg(&explainer->device[i], subject->vg))
			lea_subject_tell_device(subject, &explainer->device[i]);
	for (uint32_t i = 0; i < subject->vg->pv_count; i++)
		if (!subject->scanned->pv[i] &&
		    !lea_explainer_device(explainer, subject->vg->pvs[i].id))
			tell_absent(subject, subject->vg->pvs[i].id, subject->vg->name);
}

static bool means_lv(const struct lea_meaning *meaning, const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_meaning_is_lv(meaning, vg, i))
			return true;
	return false;
}

/* The VG with all that belongs to it, or with the LVs that are meant. */
static int tell_scanned(struct lea_explainer *explainer, const struct lea_scan_vg *scanned,
			const struct lea_meaning *meaning)
{
	LEA_AUTO(lea_subject_done)
	struct lea_subject subject = {.tells_configured = true, .tells_sound = true};
	const bool is_whole = lea_meaning_is_vg(meaning, scanned->vg);
	int r = lea_subject_begin(&subject, explainer, scanned);

	if (r)
		return r;
	subject.is_beside = !is_whole;
	lea_subject_tell_vg(&subject);
	subject.is_beside = is_whole;
	subject.tells_sound = !is_whole;
	for (uint32_t i = 0; i < subject.vg->lv_count; i++)
		if (is_whole || lea_meaning_is_lv(meaning, subject.vg, i))
			tell_lv(&subject, i);
	if (is_whole)
		tell_pvs(&subject);
	return 0;
}

/* @ret_count: VGs that are meant, or LVs of which are */
static int tell_vgs(struct lea_explainer *explainer, const struct lea_meaning *meaning,
		    uint32_t *ret_count)
{
	int r = 0;

	*ret_count = 0;
	for (size_t i = 0; !r && i < explainer->vg_count; i++) {
		const struct lea_vg *vg = explainer->vg[i].vg;
		const bool is_meant = lea_meaning_is_vg(meaning, vg) || means_lv(meaning, vg);

		/* A VG that lacks the LV is told all the same. */
		if (!is_meant &&
		    (meaning->kind != LEA_TARGET_LV || strcmp(meaning->vg, vg->name) != 0))
			continue;
		r = tell_scanned(explainer, &explainer->vg[i], meaning);
		*ret_count += is_meant;
	}
	return r;
}

static int tell_pv(struct lea_explainer *explainer, const char *pvid)
{
	struct lea_subject subject = {
		.explainer = explainer, .tells_configured = true, .tells_sound = true};
	const struct lea_vg *vg = lea_explainer_vg_of(explainer, pvid);
	size_t count;
	const struct lea_index_row *row = lea_index_find(&explainer->of_pvid, pvid, &count);

	for (size_t i = 0; i < count; i++)
		lea_subject_tell_device(&subject, row[i].value);
	if (!count && !vg && !lea_explainer_remembered(explainer, pvid, NULL))
		return LEA_EXPLAIN_UNKNOWN;
	if (!count)
		tell_absent(&subject, pvid, vg ? vg->name : "");
	return 0;
}

/* @is_lv: it was printed before, as an LV */
static int tell_device(struct lea_explainer *explainer, const struct lea_meaning *meaning,
		       bool is_lv)
{
	struct lea_subject subject = {.explainer = explainer,
				      .tells_configured = true,
				      .tells_sound = true,
				      .is_beside = is_lv};

	for (size_t i = 0; i < explainer->device_count; i++) {
		struct lea_explain_device *device = &explainer->device[i];
		const struct lea_device *found = &device->found->device;

		if ((found->major != meaning->number.major ||
		     found->minor != meaning->number.minor) &&
		    strcmp(found->name, meaning->path) != 0)
			continue;
		/* What lies on an LV may be a PV, as a virtual machine's. */
		if (!is_lv || device->pvid[0])
			lea_subject_tell_device(&subject, device);
		return 0;
	}
	return is_lv ? 0 : LEA_EXPLAIN_UNKNOWN;
}

int lea_explainer_tell(struct lea_explainer *explainer, const struct lea_meaning *meaning)
{
	const bool is_lv = meaning->kind == LEA_TARGET_LV;
	bool is_known = false; /* the VG of this LV */
	uint32_t count, lost;
	size_t ignored;
	int r = tell_vgs(explainer, meaning, &count);

	if (r)
		return r;
	if (is_lv)
		is_known = lea_index_find(&explainer->vg_names, meaning->vg, &ignored);
	if (!count && !is_known && (is_lv || meaning->kind == LEA_TARGET_VG))
		count = lea_explainer_tell_forgotten(explainer, meaning->vg);
	r = tell_lost(explainer, meaning, &lost);
	if (r)
		return r;
	count += lost;
	switch (meaning->kind) {
	case LEA_TARGET_LV:
		return count ? 0 : is_known ? LEA_EXPLAIN_NO_LV : LEA_EXPLAIN_UNKNOWN;
	case LEA_TARGET_ID:
		return count ? 0 : tell_pv(explainer, meaning->id);
	case LEA_TARGET_DEVICE:
		return tell_device(explainer, meaning, count > 0);
	case LEA_TARGET_VG:
	case LEA_TARGET_TAG:
	default:
		return count ? 0 : LEA_EXPLAIN_UNKNOWN;
	}
}

void lea_explainer_tell_excluded(struct lea_explainer *explainer)
{
	struct lea_subject subject = {
		.explainer = explainer, .tells_configured = true, .tells_only_configured = true};

	for (size_t i = 0; i < explainer->device_count; i++)
		if (explainer->device[i].pvid[0] && !explainer->device[i].is_told)
			lea_subject_tell_device(&subject, &explainer->device[i]);
}

int lea_explainer_learn(struct lea_explainer *explainer, const struct lea_found *behind)
{
	int r = 0;

	for (size_t i = 0; lea_found_is_pv(behind) && i < explainer->device_count; i++) {
		struct lea_explain_device *device = &explainer->device[i];

		if (device->found->device.major != behind->device.major ||
		    device->found->device.minor != behind->device.minor)
			continue;
		snprintf(device->found->vg_name, sizeof(device->found->vg_name), "%s",
			 behind->vg ? behind->vg->name : behind->vg_name);
		if (device->pvid[0])
			continue;
		memcpy(device->pvid, behind->label.pvid, sizeof(device->pvid));
		r = lea_index_add(&explainer->of_pvid, device->pvid, device, NULL);
		lea_index_sort(&explainer->of_pvid);
	}
	return r;
}

int lea_explainer_tell_excluded_of(struct lea_explainer *explainer, const char *vg)
{
	struct lea_subject subject = {.explainer = explainer, .tells_configured = true};
	uint32_t count = 0;

	for (size_t i = 0; i < explainer->device_count; i++) {
		struct lea_explain_device *device = &explainer->device[i];

		if ((device->found->kind != LEA_FOUND_EXCLUDED &&
		     !lea_found_silence(device->found)) ||
		    strcmp(device->found->vg_name, vg) != 0)
			continue;
		count++;
		if (!device->is_told)
			lea_subject_tell_device(&subject, device);
	}
	return count ? 0 : LEA_EXPLAIN_UNKNOWN;
}

bool lea_explainer_knows_vg(const struct lea_explainer *explainer, const char *vg)
{
	const struct lea_boot_memory *memory = explainer->options.memory;
	size_t count;

	return lea_index_find(&explainer->vg_names, vg, &count) ||
	       (memory && lea_boot_memory_vg_named(memory, vg));
}

bool lea_explainer_is_active(const struct lea_explainer *explainer, const char *vg, const char *lv)
{
	size_t count;
	const struct lea_index_row *row = lea_index_find(&explainer->vg_names, vg, &count);

	for (size_t i = 0; i < count; i++) {
		const struct lea_vg *found = ((const struct lea_scan_vg *)row[i].value)->vg;

		for (uint32_t l = 0; l < found->lv_count; l++)
			if (!strcmp(found->lvs[l].name, lv) &&
			    lea_active_vgs_find(&explainer->active, found->id, found->lvs[l].id))
				return true;
	}
	return false;
}
