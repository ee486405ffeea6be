/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about one VG, for explain/cause.h: its plan, its PVs, and what stands in its way. */
#include "explain/explain_vg.h"

#include "activate/activate_vg.h"
#include "activate/dm_activate.h"
#include "activate/settings.h"
#include "base/append.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "explain/explain_process.h"
#include "plan/plan.h"
#include "record/duplicate_tie.h"
#include "state/lock.h"
#include "state/online.h"
#include "world/dm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define NAMED_MOST  5U /* PVs and LVs named in a line */
#define TEXT_BYTES  LEA_CAUSE_EVIDENCE_BYTES

static const struct lea_activate_options as_an_event = {
	.what = LEA_ACTIVATE_AUTO, .only_complete = true, .quiet_refusals = true, .test = true};

/* @text: of TEXT_BYTES. */
#define add(text, ...) lea_append(text, TEXT_BYTES, __VA_ARGS__)

/* Does the boot need a VG, or an LV or a PV of it? */
static bool is_in_needs(const struct lea_needs *needs, const struct lea_answer *answer)
{
	const bool is_lv = !strcmp(answer->type, "lv");

	for (uint32_t i = 0; i < needs->count; i++) {
		const struct lea_need *need = &needs->need[i];

		if (need->kind != LEA_NEED_WORD || !lea_need_word_names_vg(need->value, answer->vg))
			continue;
		if (!is_lv || !strchr(need->value, '/') || !strcmp(need->value, answer->name))
			return true;
	}
	return false;
}

/* Was this PV there in the last good boot, and is no device used as it now? */
static bool is_missed(const struct lea_explainer *explainer, const char *uuid)
{
	const struct lea_index_row *row;
	char pvid[33];
	size_t count;

	if (lea_id_parse(uuid, pvid) || !lea_explainer_remembered(explainer, pvid, NULL))
		return false;
	row = lea_index_find(&explainer->of_pvid, pvid, &count);
	for (size_t i = 0; i < count; i++)
		if (lea_found_is_pv(((const struct lea_explain_device *)row[i].value)->found))
			return false;
	return true;
}

/* What an administrator has configured so is an answer if the boot needs it. */
static bool is_needed(const struct lea_explainer *explainer, const struct lea_answer *answer)
{
	if (explainer->options.needs && is_in_needs(explainer->options.needs, answer))
		return true;
	return !strcmp(answer->type, "pv") && is_missed(explainer, answer->uuid);
}

void lea_subject_tell(struct lea_subject *subject, struct lea_answer *answer, bool has_reason,
		      struct lea_reason *reason)
{
	const struct lea_explain_options *options = &subject->explainer->options;
	char plain[LEA_CAUSE_EVIDENCE_BYTES];

	if (has_reason && reason->is_configured && !subject->tells_configured &&
	    !is_needed(subject->explainer, answer))
		return;
	if (!has_reason && !subject->tells_sound)
		return;
	if (subject->tells_only_configured && !(has_reason && reason->is_configured))
		return;
	answer->is_told = true;
	answer->is_beside = subject->is_beside;
	if (has_reason) {
		lea_access_plain(reason->evidence, plain, sizeof(plain));
		memcpy(reason->evidence, plain, sizeof(plain));
	}
	answer->reason = has_reason ? reason : NULL;
	options->tell(options->arg, answer);
}

/* ---- the plan */

static int make_plan(struct lea_subject *subject, const struct lea_plan_pv *pvs,
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

static int plan(struct lea_subject *subject)
{
	const struct lea_scan_vg *scanned = subject->scanned;
	const struct lea_activate_vg activation = {.world = subject->explainer->world,
						   .conf = subject->explainer->conf,
						   .options = &as_an_event,
						   .arena = subject->arena,
						   .scanned = scanned};
	const char *why_lvm = lea_activate_why_lvm(&activation);
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
	if (why_lvm)
		subject->delegated_why = why_lvm;
	else if (scanned->has_conflict)
		subject->delegated_why = "its metadata copies disagree";
	return r;
}

bool lea_subject_refused(const struct lea_plan *of_mode, uint32_t lv)
{
	return of_mode && of_mode->lv[lv].refusal;
}

const char *lea_subject_impossible(const struct lea_subject *subject, uint32_t lv)
{
	/* Of an incomplete VG that is what the missing PVs do. */
	if (!lea_scan_vg_is_complete(subject->scanned))
		return NULL;
	return subject->complete ? subject->complete->lv[lv].refusal : NULL;
}

bool lea_subject_has_node(const struct lea_subject *subject, uint32_t lv)
{
	return lea_subject_refused(subject->complete, lv) || !subject->complete ||
	       subject->complete->lv[lv].top != LEA_NONE;
}

enum lea_selected lea_subject_selected(const struct lea_subject *subject, uint32_t lv)
{
	return lea_select_lv(subject->vg, &subject->vg->lvs[lv], &subject->rules.select);
}

const struct lea_active_lv *lea_subject_active(const struct lea_subject *subject, uint32_t lv)
{
	return lea_active_vgs_find(&subject->explainer->active, subject->vg->id,
				   subject->vg->lvs[lv].id);
}

/* ---- texts about a VG */

void lea_subject_describe_pv(const struct lea_subject *subject, const struct lea_pv *pv, char *text)
{
	struct lea_explainer *explainer = subject->explainer;
	struct lea_explain_device *device = lea_explainer_device(explainer, pv->id);
	struct lea_explain_pv_texts texts;
	struct lea_pv_facts facts;
	char id[39], seen[320], hint[128];

	lea_id_format(pv->id, id);
	add(text, "PV %s", id);
	lea_explainer_last_seen(explainer, pv->id, seen, sizeof(seen));
	if (device && device->found->vg &&
	    (!subject->vg || strcmp(device->found->vg->id, subject->vg->id) != 0)) {
		add(text, " (on %.200s, in VG %.100s now)", device->found->device.name,
		    device->found->vg->name);
	} else if (device) {
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

static void describe_pvs(const struct lea_subject *subject, enum lea_presence presence,
			 const char *heading, char *text)
{
	const struct lea_vg *vg = subject->vg;
	uint32_t count = 0;

	for (uint32_t i = 0; i < vg->pv_count; i++) {
		if (lea_scan_vg_presence(subject->scanned, i) != presence)
			continue;
		if (count++ >= NAMED_MOST)
			continue;
		add(text, "%s%s", count > 1 ? "" : text[0] ? "; " : "", count > 1 ? ", " : heading);
		lea_subject_describe_pv(subject, &vg->pvs[i], text);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

static void describe_missing(const struct lea_subject *subject, char *text)
{
	describe_pvs(subject, LEA_ABSENT, "missing: ", text);
	describe_pvs(subject, LEA_SILENT, "no answer: ", text);
}

/* The LVs that the missing PVs do not keep down. */
static void describe_without(const struct lea_subject *subject, char *text)
{
	uint32_t count = 0;

	if (!subject->complete)
		return;
	for (uint32_t i = 0; i < subject->vg->lv_count; i++) {
		if (lea_subject_selected(subject, i) != LEA_SELECTED ||
		    !lea_subject_has_node(subject, i) || lea_subject_refused(subject->complete, i))
			continue;
		if (count++ < NAMED_MOST)
			add(text, "%s%s", count > 1 ? ", " : "", subject->vg->lvs[i].name);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

/* Why the VG's metadata are out of date: by the PVs that show them. */
static void describe_outdated(const struct lea_subject *subject, char *text)
{
	const struct lea_scan_vg *scanned = subject->scanned;

	if (scanned->moved)
		add(text, "%s", scanned->moved_why);
	for (uint32_t i = 0; i < subject->vg->pv_count && !text[0]; i++)
		if (scanned->pv[i] && scanned->pv[i]->vg == scanned->vg)
			lea_found_age(scanned->pv[i], text, TEXT_BYTES);
}

/* PVs whose metadata have the id of this VG and are as new, and do not list its PVs: as of disks
 * that were copied, and whose PVs got other ids and the VG none. */
static void describe_strangers(const struct lea_subject *subject, char *text)
{
	const struct lea_explainer *explainer = subject->explainer;
	uint32_t count = 0;
	char id[39];

	for (size_t i = 0; subject->scanned->has_conflict && i < explainer->device_count; i++) {
		const struct lea_found *found = explainer->device[i].found;

		if (found->kind != LEA_FOUND_PV || !found->vg || found->newer ||
		    strcmp(found->vg->id, subject->vg->id) != 0 ||
		    lea_vg_find_pv(subject->vg, found->label.pvid) != LEA_NONE ||
		    count++ >= NAMED_MOST)
			continue;
		lea_id_format(found->label.pvid, id);
		add(text, "%sPV %s on %.100s", count > 1 ? ", " : "", id, found->device.name);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

/* Who holds the VG's lock. */
static void describe_worker(const struct lea_subject *subject, char *text)
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

struct lea_pv_facts lea_subject_absent(const struct lea_subject *subject, const char *pvid)
{
	return (struct lea_pv_facts){
		.machine = &subject->explainer->machine,
		.state = LEA_PV_ABSENT,
		.device = "",
		.what = "",
		.vg = "",
		.last_seen = "",
		.twin = "",
		.lacks = "",
		.backup = "",
		.remembered = lea_explainer_remembered(subject->explainer, pvid, NULL)};
}

void lea_subject_remedy(const struct lea_subject *subject, const char *pvid,
			struct lea_next *remedy, struct lea_next *search)
{
	struct lea_explain_device *device = lea_explainer_device(subject->explainer, pvid);
	struct lea_explain_pv_texts texts;
	struct lea_pv_facts facts = lea_subject_absent(subject, pvid);
	struct lea_next *next = device ? remedy : search;
	struct lea_reason reason;

	if (next->class)
		return;
	if (device)
		lea_explainer_pv_facts(subject->explainer, device, &texts, &facts);
	if (lea_cause_of_pv(&facts, &reason))
		*next = reason.next;
}

/* What lets other hosts use the VG as well. */
static void describe_guard(const struct lea_vg *vg, char *text)
{
	char type[64];

	lea_access_plain(vg->lock_type ? vg->lock_type : "", type, sizeof(type));
	if (type[0])
		add(text, "lvmlockd (lock type %s)%s", type, vg->pr_required ? " and " : "");
	if (vg->pr_required)
		add(text, "a persistent reservation of its disks");
}

/* Why the real lvm activates the VG, and the LVs whose segment type is the reason. */
static void describe_delegation(const struct lea_subject *subject, char *text)
{
	const struct lea_vg *vg = subject->vg;
	uint32_t count = 0;
	char type[64];

	if (!subject->delegated_why[0])
		return;
	add(text, "%s", subject->delegated_why);
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const char *foreign = lea_plan_foreign_type(&vg->lvs[i]);

		if (!foreign || count++ >= NAMED_MOST)
			continue;
		lea_access_plain(foreign, type, sizeof(type));
		add(text, "%s%s (type %s)", count > 1 ? ", " : "; LVs: ", vg->lvs[i].name, type);
	}
	if (count > NAMED_MOST)
		add(text, " and %u more", count - NAMED_MOST);
}

/* Another VG of this name that this host may use. */
static void describe_twin(const struct lea_subject *subject, char *text)
{
	const char *system_id = subject->explainer->conf->system_id;
	size_t count;
	const struct lea_index_row *row =
		lea_index_find(&subject->explainer->vg_names, subject->vg->name, &count);
	char id[39];

	for (size_t i = 0; i < count && !text[0]; i++) {
		const struct lea_scan_vg *other = row[i].value;

		if (!strcmp(other->vg->id, subject->vg->id) ||
		    lea_access_is_foreign(other->vg, system_id))
			continue;
		lea_id_format(other->vg->id, id);
		add(text, "%s", id);
	}
}

/* The kernel's name of the device that has this device-mapper name: "dm-3". */
static bool find_node(const struct lea_explainer *explainer, const char *name, char *node,
		      size_t node_bytes)
{
	const int dev_fd = lea_world_dev(explainer->world);
	char path[300], target[300];
	ssize_t bytes;
	struct stat st;

	snprintf(path, sizeof(path), "mapper/%.250s", name);
	bytes = dev_fd < 0 ? -1 : readlinkat(dev_fd, path, target, sizeof(target) - 1);
	if (bytes > 0) {
		target[bytes] = '\0';
		snprintf(node, node_bytes, "%s",
			 strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
		return true;
	}
	if (dev_fd < 0 || fstatat(dev_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISBLK(st.st_mode))
		return false;
	snprintf(node, node_bytes, "dm-%u", minor(st.st_rdev));
	return true;
}

/* Has another device the name that the LV's own device would have? */
bool lea_subject_taken(const struct lea_subject *subject, uint32_t lv, const char **ret_name,
		       char *text)
{
	const struct lea_plan *plan = subject->complete;
	const int sys_fd = lea_world_sys(subject->explainer->world);
	const struct lea_dm_node *wanted;
	char node[300], path[340], uuid[160], plain[160];

	if (!plan || plan->lv[lv].top == LEA_NONE || lea_subject_active(subject, lv))
		return false;
	wanted = &plan->node[plan->lv[lv].top].node;
	if (!find_node(subject->explainer, wanted->name, node, sizeof(node)) || sys_fd < 0)
		return false;
	snprintf(path, sizeof(path), "class/block/%s/dm/uuid", node);
	if (lea_file_read_into(sys_fd, path, uuid, sizeof(uuid)))
		return false;
	uuid[strcspn(uuid, "\n")] = '\0';
	if (!strcmp(uuid, wanted->uuid))
		return false;
	lea_access_plain(uuid, plain, sizeof(plain));
	add(text, "%s, %s%s", node, plain[0] ? "UUID " : "without a UUID", plain);
	*ret_name = wanted->name;
	return true;
}

/* Does the kernel have this target, as far as it is known? Each is asked for once. */
static bool has_target(struct lea_explainer *explainer, const char *name)
{
	struct lea_dm *dm = explainer->world->dm;
	struct lea_explain_target *target = explainer->target;

	for (size_t i = 0; i < explainer->target_count; i++)
		if (!strcmp(target[i].name, name))
			return target[i].is_there;
	if (!dm || strlen(name) >= sizeof(target->name) ||
	    explainer->target_count == ARRAY_SIZE(explainer->target))
		return true;
	target += explainer->target_count++;
	snprintf(target->name, sizeof(target->name), "%s", name);
	target->is_there = dm->has_target(dm, name) != LEA_DM_ABSENT;
	return target->is_there;
}

/* The first target of its LVs that are down and that the kernel lacks; "": none. The kernel loads a
 * target's module by itself, so this is a cause only if an activation has failed. */
static const char *find_target(const struct lea_subject *subject)
{
	const struct lea_plan *plan = subject->complete;

	for (uint32_t n = 0; plan && n < plan->node_count; n++) {
		const struct lea_plan_node *node = &plan->node[n];

		for (uint32_t i = 0;
		     !lea_subject_active(subject, node->lv) && i < node->table.row_count; i++)
			if (!has_target(subject->explainer, node->table.row[i].target))
				return node->table.row[i].target;
	}
	return "";
}

/* The kernel itself asks for a module of this name, but not for targets of device-mapper's core. */
static void find_module(const char *target, char *text)
{
	static const char *const core[] = {"linear", "striped", "error", "zero"};

	for (size_t i = 0; i < ARRAY_SIZE(core); i++)
		if (!strcmp(target, core[i])) {
			add(text, "dm_mod");
			return;
		}
	add(text, "dm-%s", target);
}

/* ---- answers about a VG */

static void count_lvs(const struct lea_subject *subject, struct lea_subject_texts *texts,
		      struct lea_vg_facts *facts)
{
	const char *impossible;

	facts->impossible = texts->impossible;
	for (uint32_t i = 0; i < subject->vg->lv_count; i++) {
		const enum lea_selected fate = lea_subject_selected(subject, i);

		facts->lv_count += fate != LEA_SELECT_HIDDEN;
		if (fate != LEA_SELECTED || !lea_subject_has_node(subject, i))
			continue;
		facts->lvs_due++;
		facts->lvs_due_active += lea_subject_active(subject, i) != NULL;
		facts->lvs_degraded += !lea_subject_refused(subject->degraded, i);
		impossible = lea_subject_impossible(subject, i);
		if (impossible && !facts->lvs_impossible++)
			add(texts->impossible, "%s", impossible);
	}
}

/* What keeps a VG down of which all PVs are there. */
static void find_obstacles(struct lea_subject *subject, struct lea_subject_texts *texts,
			   struct lea_vg_facts *facts)
{
	char file[160];

	describe_twin(subject, texts->twin);
	for (uint32_t i = 0; i < subject->vg->lv_count && !texts->taken[0]; i++)
		if (lea_subject_selected(subject, i) == LEA_SELECTED)
			(void)lea_subject_taken(subject, i, &facts->taken_node, texts->taken);
	facts->is_refused = strstr(facts->claim_reason, LEA_DM_LOADING) != NULL;
	if (facts->claim == LEA_CAUSE_FAILED)
		facts->target = find_target(subject);
	find_module(facts->target, texts->module);
	snprintf(file, sizeof(file), "vgs_online/%s", subject->vg->name);
	facts->is_marked = subject->explainer->run_fd >= 0 &&
			   !faccessat(subject->explainer->run_fd, file, F_OK, AT_SYMLINK_NOFOLLOW);
	facts->marked_s = lea_explainer_age_s(subject->explainer, file);
}

/* The first of its PVs that waits. */
static void place_pv(struct lea_explainer *explainer, const struct lea_found *found,
		     struct lea_vg_facts *facts)
{
	uint32_t age_s, place = lea_explainer_place(explainer, &found->device, &age_s);

	if (facts->pvs_pending++ && place >= facts->queue_place)
		return;
	facts->queue_place = place;
	facts->pending_s = age_s;
}

static void count_pvs(const struct lea_subject *subject, struct lea_vg_facts *facts)
{
	struct lea_explainer *explainer = subject->explainer;

	facts->pv_count = subject->vg->pv_count;
	for (uint32_t i = 0; i < subject->vg->pv_count; i++) {
		const struct lea_found *found = subject->scanned->pv[i];

		facts->pvs_found += found != NULL;
		facts->pvs_recorded += explainer->run_fd >= 0 &&
				       !lea_online_look(explainer->run_fd, subject->vg->pvs[i].id);
		if (found && (lea_explainer_is_in(explainer, "queue", &found->device) ||
			      lea_explainer_is_in(explainer, "taken", &found->device)))
			place_pv(explainer, found, facts);
	}
}

static bool is_unmonitored(const struct lea_subject *subject)
{
	char path[64];

	snprintf(path, sizeof(path), "unwatched/%s", subject->vg->id);
	return subject->explainer->event_fd >= 0 &&
	       !faccessat(subject->explainer->event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Missing PVs; of a complete VG, what else keeps it down. */
static void find_lack(struct lea_subject *subject, struct lea_subject_texts *texts,
		      struct lea_vg_facts *facts)
{
	if (facts->pvs_found < facts->pv_count) {
		describe_missing(subject, texts->missing);
		describe_without(subject, texts->without);
		for (uint32_t i = 0; i < subject->vg->pv_count; i++)
			if (!subject->scanned->pv[i])
				lea_subject_remedy(subject, subject->vg->pvs[i].id, &facts->remedy,
						   &facts->search);
	} else if (facts->lvs_due_active < facts->lvs_due) {
		find_obstacles(subject, texts, facts);
	}
}

void lea_subject_gather(struct lea_subject *subject, struct lea_subject_texts *texts,
			struct lea_vg_facts *facts)
{
	const struct lea_explainer *explainer = subject->explainer;
	const struct lea_explain_claim *claim = lea_explainer_claim(explainer, subject->vg->id);
	const struct lea_incomplete_rules rules = lea_activate_incomplete_rules(explainer->conf);
	const struct lea_incomplete_choice choice = lea_incomplete_choose(&rules, subject->vg);
	struct lea_access_host host;
	char file[64];

	memset(texts, 0, sizeof(*texts));
	lea_activate_host(explainer->conf, &host);
	snprintf(file, sizeof(file), "event/claims/%s", subject->vg->id);
	lea_id_format(subject->vg->id, texts->uuid);
	lea_duplicate_tell_copies(subject->explainer->world, subject->explainer->options.scan,
				  subject->scanned, texts->duplicates,
				  sizeof(texts->duplicates));
	describe_outdated(subject, texts->outdated);
	describe_strangers(subject, texts->strangers);
	describe_worker(subject, texts->worker);
	describe_guard(subject->vg, texts->guard);
	describe_delegation(subject, texts->delegated);
	*facts = (struct lea_vg_facts){
		.machine = &explainer->machine,
		.name = subject->vg->name,
		.uuid = texts->uuid,
		.missing = texts->missing,
		.without = texts->without,
		.in_part = claim && claim->state == LEA_CAUSE_DONE ? claim->in_part : "",
		.rule = choice.mode == LEA_INCOMPLETE_WAIT ? "" : lea_incomplete_word(choice.mode),
		.rule_wait_ms = choice.wait_ms,
		.module = texts->module,
		.guard = texts->guard,
		.twin = texts->twin,
		.taken_node = "",
		.taken_by = texts->taken,
		.target = "",
		.access = lea_access_check(subject->vg, &host, texts->access),
		.access_text = texts->access,
		.is_auto = !(subject->vg->flags & LEA_FLAG_NOAUTOACTIVATE),
		.duplicates = texts->duplicates,
		.outdated = texts->outdated,
		.strangers = texts->strangers,
		.delegated_why = texts->delegated,
		.claim = claim ? claim->state : LEA_CAUSE_NO_CLAIM,
		.claim_s = claim ? lea_explainer_age_s(explainer, file) : 0,
		.claim_reason = claim ? claim->reason : "",
		.is_retried = claim && claim->is_retried,
		.worker = texts->worker,
		.is_unmonitored = !explainer->options.is_plan && is_unmonitored(subject),
		.is_plan = explainer->options.is_plan,
	};
	count_lvs(subject, texts, facts);
	count_pvs(subject, facts);
	if (explainer->options.is_plan) {
		facts->pvs_recorded = facts->pv_count;
		facts->pvs_pending = 0;
	}
	find_lack(subject, texts, facts);
}

static const char *vg_state(const struct lea_vg_facts *facts)
{
	if (facts->lvs_due && facts->lvs_due_active == facts->lvs_due)
		return "active";
	if (facts->claim == LEA_CAUSE_CLAIMED)
		return "activating";
	return facts->lvs_due_active ? "partly active" : "inactive";
}

void lea_subject_tell_vg(struct lea_subject *subject)
{
	struct lea_vg_facts facts;
	struct lea_subject_texts texts;
	struct lea_reason reason;
	struct lea_answer answer;
	bool has_reason;

	lea_subject_gather(subject, &texts, &facts);
	has_reason = lea_cause_of_vg(&facts, &reason);
	answer = (struct lea_answer){.type = "vg",
				     .name = subject->vg->name,
				     .uuid = texts.uuid,
				     .vg = subject->vg->name,
				     .state = vg_state(&facts)};
	lea_subject_tell(subject, &answer, has_reason, &reason);
}

void lea_subject_done(struct lea_subject *subject)
{
	lea_arena_free(subject->arena);
}

int lea_subject_begin(struct lea_subject *subject, struct lea_explainer *explainer,
		      const struct lea_scan_vg *scanned)
{
	subject->explainer = explainer;
	subject->scanned = scanned;
	subject->vg = scanned->vg;
	subject->delegated_why = "";
	subject->arena = lea_arena_new(ARENA_BYTES);
	return subject->arena ? plan(subject) : -ENOMEM;
}
