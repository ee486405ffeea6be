/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was gathered to answers: facts about a VG, its LVs and its PVs are given to
 * policy/cause.h. */
#include "command/explain_machine.h"

#include "activate/settings.h"
#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "command/explain_process.h"
#include "policy/plan.h"
#include "state/lock.h"
#include "state/monitor_deferred.h"
#include "state/online.h"
#include "world/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define NAMED_MOST  5U /* PVs and LVs named in a line */
#define TEXT_BYTES  LEA_CAUSE_EVIDENCE_BYTES

static const struct lea_activate_options as_an_event = {
	.what = LEA_ACTIVATE_AUTO, .only_complete = true, .quiet_refusals = true, .test = true};

/* One VG: its plan, and which of its LVs can be up without the missing PVs. */
struct subject {
	struct lea_explainer *explainer;
	const struct lea_scan_vg *scanned;
	const struct lea_vg *vg;
	struct lea_arena *arena; /* owned */
	struct lea_plan_rules rules;
	/* With all PVs that are there, in lvm2's modes; NULL: the real lvm activates this VG */
	const struct lea_plan *complete, *degraded;
	const char *delegated_why; /* "": none */
	bool tells_configured;	   /* also what an administrator wants so */
	bool tells_sound;	   /* also what is as it should be */
};

/* @text: of TEXT_BYTES. */
#define add(text, ...) lea_append(text, TEXT_BYTES, __VA_ARGS__)

static void tell(struct subject *subject, struct lea_answer *answer, bool has_reason,
		 struct lea_reason *reason)
{
	const struct lea_explain_options *options = &subject->explainer->options;
	char plain[LEA_CAUSE_EVIDENCE_BYTES];

	if (has_reason && reason->is_configured && !subject->tells_configured)
		return;
	if (!has_reason && !subject->tells_sound)
		return;
	if (has_reason) {
		lea_access_plain(reason->evidence, plain, sizeof(plain));
		memcpy(reason->evidence, plain, sizeof(plain));
	}
	answer->reason = has_reason ? reason : NULL;
	options->tell(options->arg, answer);
}

/* ---- the plan */

static int make_plan(struct subject *subject, const struct lea_plan_pv *pvs,
		     enum lea_plan_mode mode, const struct lea_plan **ret_plan)
{
	struct lea_plan *plan = NULL;
	int r;

	subject->rules.mode = mode;
	r = lea_plan_vg(subject->arena, subject->vg, pvs, &subject->rules, &plan);
	if (r == LEA_PLAN_DELEGATE)
		subject->delegated_why = plan->delegate_reason;
	*ret_plan = r ? NULL : plan;
	return r < 0 ? r : 0;
}

static int plan(struct subject *subject)
{
	const struct lea_scan_vg *scanned = subject->scanned;
	struct lea_plan_pv *pvs =
		lea_arena_alloc(subject->arena, subject->vg->pv_count + 1U, sizeof(*pvs));
	int r;

	if (!pvs)
		return -ENOMEM;
	for (uint32_t i = 0; i < subject->vg->pv_count; i++)
		if (scanned->pv[i])
			pvs[i] = (struct lea_plan_pv){.is_present = true,
						      .major = scanned->pv[i]->device.major,
						      .minor = scanned->pv[i]->device.minor};
	lea_activate_settings(subject->explainer->world, subject->explainer->conf, &as_an_event,
			      &subject->rules);
	r = make_plan(subject, pvs, LEA_MODE_COMPLETE, &subject->complete);
	r = r ? r : make_plan(subject, pvs, LEA_MODE_DEGRADED, &subject->degraded);
	if (subject->explainer->conf->lvm_only)
		subject->delegated_why = subject->explainer->conf->lvm_only;
	else if (scanned->has_conflict)
		subject->delegated_why = "its metadata copies disagree";
	return r;
}

static bool is_refused(const struct lea_plan *of_mode, uint32_t lv)
{
	return of_mode && of_mode->lv[lv].refusal;
}

/* An unused cache pool, for one, is visible and has no device of its own. */
static bool has_node(const struct subject *subject, uint32_t lv)
{
	return is_refused(subject->complete, lv) || !subject->complete ||
	       subject->complete->lv[lv].top != LEA_NONE;
}

static enum lea_selected selected(const struct subject *subject, uint32_t lv)
{
	return lea_select_lv(subject->vg, &subject->vg->lvs[lv], &subject->rules.select);
}

static const struct lea_active_lv *active(const struct subject *subject, uint32_t lv)
{
	return lea_active_vgs_find(&subject->explainer->active, subject->vg->id,
				   subject->vg->lvs[lv].id);
}

/* ---- texts about a VG */

static void describe_missing_pv(const struct subject *subject, const struct lea_pv *pv, char *text)
{
	const struct lea_explainer *explainer = subject->explainer;
	struct lea_explain_device *device = lea_explainer_device(explainer, pv->id);
	struct lea_explain_pv_texts texts;
	struct lea_pv_facts facts;
	char id[39], seen[320], hint[128];

	lea_id_format(pv->id, id);
	add(text, "PV %s", id);
	lea_explainer_last_seen(explainer, pv->id, seen, sizeof(seen));
	if (device) {
		lea_explainer_pv_facts(explainer, device, &texts, &facts);
		add(text, " (on %.200s, which is not used: %s)", facts.device,
		    facts.what[0]		 ? facts.what
		    : facts.state == LEA_PV_HUNG ? "it did not answer in time"
						 : "see lvmevent explain");
	} else if (seen[0]) {
		add(text, " (%s)", seen);
	} else if (pv->device_hint) {
		lea_access_plain(pv->device_hint, hint, sizeof(hint));
		add(text, " (last written to as %s)", hint);
	}
}

static void describe_missing(const struct subject *subject, char *text)
{
	const struct lea_vg *vg = subject->vg;
	uint32_t count = 0;

	for (uint32_t i = 0; i < vg->pv_count; i++) {
		if (subject->scanned->pv[i])
			continue;
		if (count++ >= NAMED_MOST)
			continue;
		add(text, "%s", count > 1 ? ", " : "");
		describe_missing_pv(subject, &vg->pvs[i], text);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

/* The LVs that the missing PVs do not keep down. */
static void describe_without(const struct subject *subject, char *text)
{
	uint32_t count = 0;

	if (!subject->complete)
		return;
	for (uint32_t i = 0; i < subject->vg->lv_count; i++) {
		if (selected(subject, i) != LEA_SELECTED || !has_node(subject, i) ||
		    is_refused(subject->complete, i))
			continue;
		if (count++ < NAMED_MOST)
			add(text, "%s%s", count > 1 ? ", " : "", subject->vg->lvs[i].name);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

/* The devices of a PV that is on several. */
static void describe_duplicates(const struct subject *subject, char *text)
{
	const struct lea_explainer *explainer = subject->explainer;

	if (!subject->scanned->has_duplicate)
		return;
	for (uint32_t p = 0; p < subject->vg->pv_count; p++) {
		char names[TEXT_BYTES] = "";
		uint32_t count = 0;

		for (size_t d = 0; d < explainer->device_count; d++) {
			const struct lea_found *found = explainer->device[d].found;

			if (!lea_found_is_pv(found) || found->is_covered ||
			    strcmp(found->label.pvid, subject->vg->pvs[p].id) != 0)
				continue;
			if (count++ < NAMED_MOST)
				add(names, "%s%.100s", count > 1 ? " and " : "",
				    found->device.name);
		}
		if (count > 1)
			add(text, "%s%s", text[0] ? "; " : "", names);
	}
	if (!text[0])
		add(text, "see lvmevent status");
}

/* Who holds the VG's lock. */
static void describe_worker(const struct subject *subject, char *text)
{
	struct lea_world *world = subject->explainer->world;
	LEA_AUTO(lea_freep)
	char *dir = lea_world_path(world, subject->explainer->conf->locking_dir);
	const int proc_fd = lea_world_proc(world);
	char name[160];
	pid_t pid;

	snprintf(name, sizeof(name), "V_%s", subject->vg->name);
	pid = dir && proc_fd >= 0 ? lea_lock_holder(proc_fd, dir, name) : 0;
	if (pid <= 0)
		return;
	add(text, "the VG's lock is held by ");
	lea_explain_process(world, pid, text, TEXT_BYTES);
}

/* ---- answers about a VG */

struct vg_texts {
	char access[LEA_ACCESS_TEXT_BYTES];
	char missing[TEXT_BYTES], without[TEXT_BYTES], duplicates[TEXT_BYTES], worker[TEXT_BYTES];
};

static void count_lvs(const struct subject *subject, struct lea_vg_facts *facts)
{
	for (uint32_t i = 0; i < subject->vg->lv_count; i++) {
		const enum lea_selected fate = selected(subject, i);

		facts->lv_count += fate != LEA_SELECT_HIDDEN;
		if (fate != LEA_SELECTED || !has_node(subject, i))
			continue;
		facts->lvs_due++;
		facts->lvs_due_active += active(subject, i) != NULL;
	}
}

static void count_pvs(const struct subject *subject, struct lea_vg_facts *facts)
{
	const struct lea_explainer *explainer = subject->explainer;

	facts->pv_count = subject->vg->pv_count;
	for (uint32_t i = 0; i < subject->vg->pv_count; i++) {
		const struct lea_found *found = subject->scanned->pv[i];

		facts->pvs_found += found != NULL;
		facts->pvs_recorded += explainer->run_fd >= 0 &&
				       lea_online_exists(explainer->run_fd, subject->vg->pvs[i].id);
		facts->pvs_pending +=
			found && (lea_explainer_is_in(explainer, "queue", &found->device) ||
				  lea_explainer_is_in(explainer, "taken", &found->device));
	}
}

static bool is_unmonitored(const struct subject *subject)
{
	char path[64];

	snprintf(path, sizeof(path), "unwatched/%s", subject->vg->id);
	return subject->explainer->event_fd >= 0 &&
	       !faccessat(subject->explainer->event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static void gather_vg(const struct subject *subject, struct vg_texts *texts,
		      struct lea_vg_facts *facts)
{
	const struct lea_explainer *explainer = subject->explainer;
	const struct lea_explain_claim *claim = lea_explainer_claim(explainer, subject->vg->id);
	struct lea_access_host host;
	char file[64];

	memset(texts, 0, sizeof(*texts));
	lea_activate_host(explainer->conf, &host);
	snprintf(file, sizeof(file), "event/claims/%s", subject->vg->id);
	describe_duplicates(subject, texts->duplicates);
	describe_worker(subject, texts->worker);
	*facts = (struct lea_vg_facts){
		.machine = &explainer->machine,
		.name = subject->vg->name,
		.missing = texts->missing,
		.without = texts->without,
		.access = lea_access_check(subject->vg, &host, texts->access),
		.access_text = texts->access,
		.is_auto = !(subject->vg->flags & LEA_FLAG_NOAUTOACTIVATE),
		.duplicates = texts->duplicates,
		.delegated_why = subject->delegated_why,
		.claim = claim ? claim->state : LEA_CAUSE_NO_CLAIM,
		.claim_s = claim ? lea_explainer_age_s(explainer, file) : 0,
		.claim_reason = claim ? claim->reason : "",
		.is_retried = claim && claim->is_retried,
		.worker = texts->worker,
		.is_unmonitored = !explainer->options.is_plan && is_unmonitored(subject),
		.is_plan = explainer->options.is_plan,
	};
	count_lvs(subject, facts);
	count_pvs(subject, facts);
	if (explainer->options.is_plan) {
		facts->pvs_recorded = facts->pv_count;
		facts->pvs_pending = 0;
	}
	if (facts->pvs_found < facts->pv_count) {
		describe_missing(subject, texts->missing);
		describe_without(subject, texts->without);
	}
}

static const char *vg_state(const struct lea_vg_facts *facts)
{
	if (facts->lvs_due && facts->lvs_due_active == facts->lvs_due)
		return "active";
	if (facts->claim == LEA_CAUSE_CLAIMED)
		return "activating";
	return facts->lvs_due_active ? "partly active" : "inactive";
}

static void tell_vg(struct subject *subject)
{
	struct lea_vg_facts facts;
	struct vg_texts texts;
	struct lea_reason reason;
	struct lea_answer answer;
	char uuid[39];
	bool has_reason;

	gather_vg(subject, &texts, &facts);
	lea_id_format(subject->vg->id, uuid);
	has_reason = lea_cause_of_vg(&facts, &reason);
	answer = (struct lea_answer){.type = "vg",
				     .name = subject->vg->name,
				     .uuid = uuid,
				     .vg = subject->vg->name,
				     .state = vg_state(&facts)};
	tell(subject, &answer, has_reason, &reason);
}

/* ---- answers about LVs */

static bool flag_of(const struct subject *subject, const char *node, const char *attribute)
{
	const int sys_fd = lea_world_sys(subject->explainer->world);
	char path[64], text[8];

	snprintf(path, sizeof(path), "class/block/%s/%s", node, attribute);
	return node[0] && sys_fd >= 0 && !lea_file_read_into(sys_fd, path, text, sizeof(text)) &&
	       text[0] == '1';
}

static bool has_link(const struct subject *subject, uint32_t lv)
{
	const int dev_fd = lea_world_dev(subject->explainer->world);
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", subject->vg->name, subject->vg->lvs[lv].name);
	return dev_fd < 0 || !faccessat(dev_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static void tell_lv(struct subject *subject, uint32_t index)
{
	const struct lea_lv *lv = &subject->vg->lvs[index];
	const struct lea_active_lv *up = active(subject, index);
	const bool is_incomplete = lea_scan_vg_missing(subject->scanned) > 0;
	const char *node = up ? up->node : "";
	const struct lea_lv_facts facts = {
		.machine = &subject->explainer->machine,
		.vg = subject->vg->name,
		.name = lv->name,
		.selected = selected(subject, index),
		.is_active = up != NULL,
		.is_suspended = flag_of(subject, node, "dm/suspended"),
		.has_link = !node[0] || has_link(subject, index),
		.is_read_only = flag_of(subject, node, "ro"),
		.is_writable = (lv->flags & LEA_FLAG_WRITE) &&
			       !lea_select_read_only(subject->vg, lv, &subject->rules.select),
		.lacks_data = is_incomplete && is_refused(subject->degraded, index),
		.lacks_copy = is_incomplete && is_refused(subject->complete, index),
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
	snprintf(name, sizeof(name), "%.127s/%.127s", subject->vg->name, lv->name);
	lea_id_format(lv->id, uuid);
	tell(subject, &answer, lea_cause_of_lv(&facts, &reason), &reason);
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

static void tell_device(struct subject *subject, struct lea_explain_device *device)
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
		.vg = device->found->vg ? device->found->vg->name : device->found->vg_name,
		.state = pv_state(&facts, has_reason),
	};
	tell(subject, &answer, has_reason, &reason);
}

static void tell_absent(struct subject *subject, const char *pvid, const char *vg)
{
	char id[39], seen[320];
	const struct lea_pv_facts facts = {.machine = &subject->explainer->machine,
					   .state = LEA_PV_ABSENT,
					   .device = "",
					   .pvid = id,
					   .what = "",
					   .last_seen = seen};
	struct lea_reason reason;
	struct lea_answer answer = {
		.type = "pv", .name = id, .uuid = id, .vg = vg, .state = "missing"};

	lea_id_format(pvid, id);
	lea_explainer_last_seen(subject->explainer, pvid, seen, sizeof(seen));
	tell(subject, &answer, lea_cause_of_pv(&facts, &reason), &reason);
}

/* ---- whom to tell about */

static void subject_done(struct subject *subject)
{
	lea_arena_free(subject->arena);
}

static int begin(struct subject *subject, struct lea_explainer *explainer,
		 const struct lea_scan_vg *scanned)
{
	subject->explainer = explainer;
	subject->scanned = scanned;
	subject->vg = scanned->vg;
	subject->delegated_why = "";
	subject->arena = lea_arena_new(ARENA_BYTES);
	return subject->arena ? plan(subject) : -ENOMEM;
}

/* A VG of the last good boot of which this scan has no metadata. */
static void tell_forgotten(struct subject *subject, const struct lea_boot_vg *vg)
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
		describe_missing_pv(subject, &named, text);
	}
	snprintf(reason.evidence, sizeof(reason.evidence),
		 "no device that LVM may use has its metadata; PVs of the last good boot: %.900s",
		 text);
	snprintf(reason.next, sizeof(reason.next), "lsblk -o NAME,SIZE,SERIAL,WWN,FSTYPE");
	tell(subject, &answer, true, &reason);
}

static const struct lea_boot_vg *forgotten(const struct lea_explainer *explainer, uint32_t index)
{
	const struct lea_boot_vg *vg = &explainer->options.memory->vg[index];

	for (size_t i = 0; i < explainer->vg_count; i++)
		if (!strcmp(explainer->vg[i].vg->id, vg->id))
			return NULL;
	return vg;
}

/* @name: NULL: all of them. Returns how many. */
static uint32_t tell_all_forgotten(struct lea_explainer *explainer, const char *name)
{
	const struct lea_boot_memory *memory = explainer->options.memory;
	struct subject subject = {.explainer = explainer, .tells_configured = true};
	uint32_t count = 0;

	for (uint32_t i = 0; memory && i < memory->vg_count; i++) {
		const struct lea_boot_vg *vg = forgotten(explainer, i);

		if (!vg || (name && strcmp(vg->name, name) != 0))
			continue;
		tell_forgotten(&subject, vg);
		count++;
	}
	return count;
}

int lea_explainer_tell_all(struct lea_explainer *explainer)
{
	struct subject of_devices = {.explainer = explainer};
	int r = 0;

	for (size_t i = 0; !r && i < explainer->vg_count; i++) {
		LEA_AUTO(subject_done) struct subject subject = {0};

		r = begin(&subject, explainer, &explainer->vg[i]);
		if (r)
			return r;
		tell_vg(&subject);
		for (uint32_t lv = 0; lv < subject.vg->lv_count; lv++)
			tell_lv(&subject, lv);
	}
	(void)tell_all_forgotten(explainer, NULL);
	for (size_t i = 0; i < explainer->device_count; i++)
		if (explainer->device[i].pvid[0] || explainer->device[i].found->fault == -ETIMEDOUT)
			tell_device(&of_devices, &explainer->device[i]);
	return r;
}

/* Does the device belong to this VG, or may it? */
static bool is_of_vg(const struct lea_explain_device *device, const struct lea_vg *vg)
{
	return device->pvid[0] && lea_vg_find_pv(vg, device->pvid) != LEA_NONE;
}

/* The VG with all that belongs to it, or with one LV. True: it has such an LV. */
static int tell_scanned(struct lea_explainer *explainer, const struct lea_scan_vg *scanned,
			const char *lv, bool *ret_has_lv)
{
	LEA_AUTO(subject_done)
	struct subject subject = {.tells_configured = true, .tells_sound = true};
	int r = begin(&subject, explainer, scanned);

	if (r)
		return r;
	tell_vg(&subject);
	subject.tells_sound = lv != NULL;
	for (uint32_t i = 0; i < subject.vg->lv_count; i++) {
		if (lv && strcmp(subject.vg->lvs[i].name, lv) != 0)
			continue;
		*ret_has_lv = true;
		tell_lv(&subject, i);
	}
	for (size_t i = 0; !lv && i < explainer->device_count; i++)
		if (is_of_vg(&explainer->device[i], subject.vg))
			tell_device(&subject, &explainer->device[i]);
	for (uint32_t i = 0; !lv && i < subject.vg->pv_count; i++)
		if (!scanned->pv[i] && !lea_explainer_device(explainer, subject.vg->pvs[i].id))
			tell_absent(&subject, subject.vg->pvs[i].id, subject.vg->name);
	return 0;
}

int lea_explainer_tell_vg(struct lea_explainer *explainer, const char *vg, const char *lv)
{
	uint32_t count = 0;
	bool has_lv = !lv;
	int r = 0;

	for (size_t i = 0; !r && i < explainer->vg_count; i++) {
		if (strcmp(explainer->vg[i].vg->name, vg) != 0)
			continue;
		r = tell_scanned(explainer, &explainer->vg[i], lv, &has_lv);
		count++;
	}
	if (r || (count && has_lv))
		return r;
	return !count && tell_all_forgotten(explainer, vg) ? 0 : LEA_EXPLAIN_UNKNOWN;
}

/* The VG that has this PV, by its metadata; NULL: none. */
static const struct lea_vg *vg_of(const struct lea_explainer *explainer, const char *pvid)
{
	for (size_t i = 0; i < explainer->vg_count; i++)
		if (lea_vg_find_pv(explainer->vg[i].vg, pvid) != LEA_NONE)
			return explainer->vg[i].vg;
	return NULL;
}

int lea_explainer_tell_pv(struct lea_explainer *explainer, const char *pvid)
{
	struct subject subject = {
		.explainer = explainer, .tells_configured = true, .tells_sound = true};
	const struct lea_vg *vg = vg_of(explainer, pvid);
	uint32_t count = 0;

	for (size_t i = 0; i < explainer->device_count; i++)
		if (!strcmp(explainer->device[i].pvid, pvid)) {
			tell_device(&subject, &explainer->device[i]);
			count++;
		}
	if (!count && !vg && !lea_explainer_remembered(explainer, pvid))
		return LEA_EXPLAIN_UNKNOWN;
	if (!count)
		tell_absent(&subject, pvid, vg ? vg->name : "");
	return 0;
}

/* The LV whose device has this uuid. */
static int tell_lv_of_uuid(struct lea_explainer *explainer, const char *uuid)
{
	for (size_t i = 0; i < explainer->vg_count; i++) {
		const struct lea_vg *vg = explainer->vg[i].vg;

		for (uint32_t lv = 0; !strncmp(uuid, vg->id, 32) && lv < vg->lv_count; lv++)
			if (!strncmp(uuid + 32, vg->lvs[lv].id, 32))
				return lea_explainer_tell_vg(explainer, vg->name, vg->lvs[lv].name);
	}
	return LEA_EXPLAIN_UNKNOWN;
}

int lea_explainer_tell_device(struct lea_explainer *explainer, const struct lea_device *wanted)
{
	struct subject subject = {
		.explainer = explainer, .tells_configured = true, .tells_sound = true};
	char uuid[LEA_SYSFS_VALUE_BYTES];

	if (!lea_sysfs_text(explainer->world, lea_device_devno(wanted), "dm/uuid", uuid,
			    sizeof(uuid)) &&
	    !strncmp(uuid, "LVM-", 4) && strlen(uuid) >= 68 &&
	    !tell_lv_of_uuid(explainer, uuid + 4))
		return 0;
	for (size_t i = 0; i < explainer->device_count; i++) {
		const struct lea_device *device = &explainer->device[i].found->device;

		if ((device->major != wanted->major || device->minor != wanted->minor) &&
		    strcmp(device->name, wanted->name) != 0)
			continue;
		tell_device(&subject, &explainer->device[i]);
		return 0;
	}
	return LEA_EXPLAIN_UNKNOWN;
}

/* ---- the plan of a boot */

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

static uint32_t marks_of(const struct subject *subject, enum lea_vg_access access)
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
static void plan_lv(struct subject *subject, uint32_t index, struct lea_answer *answer,
		    const struct lea_reason *of_vg)
{
	const struct lea_lv *lv = &subject->vg->lvs[index];
	const struct lea_lv_facts facts = {.machine = &subject->explainer->machine,
					   .vg = subject->vg->name,
					   .name = lv->name,
					   .selected = selected(subject, index)};
	const char *state = answer->state;
	struct lea_reason reason;
	char name[260], uuid[39];
	bool has_reason = lea_cause_of_lv(&facts, &reason);

	if (facts.selected == LEA_SELECT_HIDDEN ||
	    (facts.selected == LEA_SELECTED && !has_node(subject, index)))
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
	tell(subject, answer, has_reason, &reason);
	answer->state = state;
}

static void plan_vg(struct subject *subject, enum lea_need_class when)
{
	struct lea_vg_facts facts;
	struct vg_texts texts;
	struct lea_reason reason;
	struct lea_answer answer;
	char uuid[39];
	bool has_reason, is_delegated;

	gather_vg(subject, &texts, &facts);
	lea_id_format(subject->vg->id, uuid);
	has_reason = lea_cause_of_vg(&facts, &reason);
	is_delegated = has_reason && (!strcmp(reason.cause, "delegated") ||
				      !strcmp(reason.cause, "reserved"));
	answer = (struct lea_answer){.type = "vg",
				     .name = subject->vg->name,
				     .uuid = uuid,
				     .vg = subject->vg->name,
				     .state = is_delegated ? "handed to lvm"
					      : has_reason ? "left alone"
							   : "activated",
				     .marks = marks_of(subject, facts.access),
				     .when = when};
	tell(subject, &answer, has_reason, &reason);
	for (uint32_t lv = 0; lv < subject->vg->lv_count; lv++)
		plan_lv(subject, lv, &answer, has_reason && !is_delegated ? &reason : NULL);
}

static void plan_device(struct lea_explainer *explainer, struct lea_explain_device *device)
{
	struct subject subject = {.explainer = explainer, .tells_configured = true};

	if (device->pvid[0] || device->found->fault == -ETIMEDOUT)
		tell_device(&subject, device);
}

int lea_explainer_plan(struct lea_explainer *explainer, enum lea_need_class when)
{
	for (size_t i = 0; i < explainer->vg_count; i++) {
		LEA_AUTO(subject_done)
		struct subject subject = {.tells_configured = true, .tells_sound = true};
		int r;

		if (lea_need_of_vg(explainer->options.needs, explainer->vg[i].vg) != when)
			continue;
		r = begin(&subject, explainer, &explainer->vg[i]);
		if (r)
			return r;
		plan_vg(&subject, when);
	}
	if (when != LEA_CLASS_LAST)
		return 0;
	(void)tell_all_forgotten(explainer, NULL);
	for (size_t i = 0; i < explainer->device_count; i++)
		plan_device(explainer, &explainer->device[i]);
	return 0;
}
