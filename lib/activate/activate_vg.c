/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks come in lvm2's order: may this host use the VG, is it selected, is it complete. */
#include "activate/activate_vg.h"

#include "activate/dm_activate.h"
#include "activate/hold.h"
#include "activate/settings.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/step.h"
#include "disk/segtype.h"
#include "record/duplicates.h"
#include "record/outdated.h"
#include "world/sysfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define HINT_BYTES 129
#define WHY_BYTES  192U

static int refuse_vg(const struct lea_activate_vg *vg, struct lea_activate_result *result,
		     const char *text)
{
	result->why = lea_arena_strdup(vg->arena, text);
	if (vg->options->named && !vg->options->quiet_refusals) {
		lea_log(vg->world->log, LEA_LOG_ERROR, "%s", text);
		return LEA_ACTIVATE_FAILED;
	}
	lea_log(vg->world->log, LEA_LOG_VERBOSE, "%s", text);
	return LEA_ACTIVATE_REFUSED;
}

/* LVs of another host's VG may be active here by mistake: deactivating them is always allowed. */
static bool may_take_down(const struct lea_activate_vg *vg, enum lea_vg_access judgement)
{
	uint32_t active = 0;

	if (vg->options->what != LEA_DEACTIVATE)
		return false;
	if (judgement == LEA_VG_ACCESS_FOREIGN_EXTRA)
		return true;
	return judgement == LEA_VG_ACCESS_FOREIGN &&
	       !lea_dm_count_active(vg->world, vg->arena, vg->scanned->vg, &active) && active;
}

/* 0: go on. */
static int check_access(const struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	char text[LEA_ACCESS_TEXT_BYTES];
	enum lea_vg_access judgement;
	struct lea_access_host host;

	lea_activate_host(vg->conf, &host);
	judgement = lea_access_check(vg->scanned->vg, &host, text);
	if (judgement == LEA_VG_ACCESS_OK || may_take_down(vg, judgement))
		return 0;
	if (judgement == LEA_VG_ACCESS_DELEGATE) {
		result->why = "lvmlockd or a persistent reservation guards it";
		return LEA_ACTIVATE_DELEGATE;
	}
	if (judgement == LEA_VG_ACCESS_FOREIGN_EXTRA && !vg->options->quiet_refusals) {
		lea_log(vg->world->log, LEA_LOG_ERROR, "%s", text);
		return LEA_ACTIVATE_FAILED;
	}
	return refuse_vg(vg, result, text);
}

/* Lines as lvm2's: scripts look for them. */
static void warn_absent(const struct lea_activate_vg *vg, uint32_t index)
{
	const struct lea_pv *pv = &vg->scanned->vg->pvs[index];
	char id[39], hint[HINT_BYTES];

	lea_id_format(pv->id, id);
	lea_access_plain(pv->device_hint ? pv->device_hint : "unknown", hint, sizeof(hint));
	lea_log(vg->world->log, LEA_LOG_WARNING,
		"WARNING: VG %s is missing PV %s (last written to %s).", vg->scanned->vg->name, id,
		hint);
}

static void warn_silent(const struct lea_activate_vg *vg, uint32_t index)
{
	char id[39], why[WHY_BYTES];

	lea_id_format(vg->scanned->vg->pvs[index].id, id);
	lea_found_describe_silence(vg->scanned->silent[index], why, sizeof(why));
	lea_log(vg->world->log, LEA_LOG_WARNING, "WARNING: VG %s is used without PV %s: %s.",
		vg->scanned->vg->name, id, why);
}

static void warn_missing(const struct lea_activate_vg *vg)
{
	const struct lea_vg *metadata = vg->scanned->vg;
	char id[39];

	for (uint32_t i = 0; i < metadata->pv_count; i++) {
		if (lea_scan_vg_presence(vg->scanned, i) != LEA_ABSENT)
			continue;
		lea_id_format(metadata->pvs[i].id, id);
		lea_log(vg->world->log, LEA_LOG_WARNING,
			"WARNING: Couldn't find device with uuid %s.", id);
	}
	for (uint32_t i = 0; i < metadata->pv_count; i++)
		switch (lea_scan_vg_presence(vg->scanned, i)) {
		case LEA_ABSENT:
			warn_absent(vg, i);
			break;
		case LEA_SILENT:
			warn_silent(vg, i);
			break;
		case LEA_PRESENT:
			break;
		}
}

/* An LV's automatic read-ahead is that of its PVs. A partition shares its disk's queue. */
static uint32_t read_ahead_sectors(struct lea_world *world, const struct lea_device *device)
{
	static const char *const attributes[] = {"queue/read_ahead_kb", "../queue/read_ahead_kb"};
	uint64_t kib;

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (!lea_sysfs_number(world, lea_device_devno(device), attributes[i], &kib) &&
		    kib <= UINT32_MAX / 2)
			return (uint32_t)(kib * 2);
	return 0;
}

static bool is_pmem(struct lea_world *world, const struct lea_device *device)
{
	uint64_t dax;

	return !lea_sysfs_number(world, lea_device_devno(device), "queue/dax", &dax) && dax;
}

/* Only a write cache has another table on pmem. */
static bool asks_for_pmem(const struct lea_vg *vg)
{
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (vg->lvs[i].seg[0].segtype &&
		    vg->lvs[i].seg[0].segtype->family == LEA_FAMILY_WRITECACHE)
			return true;
	return false;
}

static struct lea_plan_pv *place_pvs(const struct lea_activate_vg *vg)
{
	const uint32_t count = vg->scanned->vg->pv_count;
	const bool needs_read_ahead = vg->conf->readahead_auto && vg->scanned->vg->lv_count &&
				      vg->options->what != LEA_DEACTIVATE;
	const bool needs_pmem = asks_for_pmem(vg->scanned->vg);
	struct lea_plan_pv *pvs = lea_arena_alloc(vg->arena, count, sizeof(*pvs));

	for (uint32_t i = 0; pvs && i < count; i++) {
		const struct lea_found *found = vg->scanned->pv[i];

		if (!found)
			continue;
		pvs[i] = (struct lea_plan_pv){
			.is_present = true,
			.major = found->device.major,
			.minor = found->device.minor,
		};
		pvs[i].is_pmem = needs_pmem && is_pmem(vg->world, &found->device);
		if (needs_read_ahead)
			pvs[i].read_ahead_sectors = read_ahead_sectors(vg->world, &found->device);
	}
	return pvs;
}

/* Returns 0 or LEA_ACTIVATE_DELEGATE, with the reason in @result. */
static int plan_vg(struct lea_activate_vg *vg, struct lea_activate_result *result,
		   struct lea_plan **ret_plan)
{
	struct lea_plan_rules rules;
	struct lea_plan_pv *pvs = place_pvs(vg);
	int r;

	if (!pvs)
		return -ENOMEM;
	lea_activate_settings(vg->world, vg->conf, vg->options, &rules);
	if (vg->options->what == LEA_DEACTIVATE) {
		/* Any LV may be active, activated by any command. */
		rules.select.everything = true;
		rules.mode = LEA_MODE_PARTIAL;
	}
	r = lea_plan_vg(vg->arena, vg->scanned->vg, pvs, &rules, ret_plan);
	if (r == LEA_PLAN_DELEGATE) {
		result->why = (*ret_plan)->delegate_reason;
		return LEA_ACTIVATE_DELEGATE;
	}
	if (!r && !vg->options->skips_lacking)
		warn_missing(vg);
	return r;
}

/* A VG is active without that. */
static void find_refresh(struct lea_activate_vg *vg, const bool *was_active)
{
	int r = was_active ? lea_refresh_find(vg->world, vg->arena, vg->scanned, was_active,
					      &vg->refresh)
			   : 0;

	if (r < 0)
		lea_log_fault(vg->world->log, r, "VG %s: looking for LVs to refresh",
			      vg->scanned->vg->name);
}

/* 0: go on. */
static int ask_guard(const struct lea_activate_vg *vg, const struct lea_plan *plan,
		     struct lea_activate_result *result)
{
	const struct lea_activate_guard *guard = vg->options->guard;

	if (guard)
		result->why = guard->why_not(guard->arg, vg->scanned, plan->uses_pv);
	return guard && result->why ? LEA_ACTIVATE_REFUSED : 0;
}

/* While a slow disk was read, another one may have gone, and its number may be a third one's by
 * now. 0: go on. */
static int hold_pvs(const struct lea_activate_vg *vg, const struct lea_plan *plan,
		    struct lea_hold *hold, struct lea_activate_result *result)
{
	const int r = lea_hold_pvs(vg->world, vg->scanned, plan->uses_pv, hold);

	if (r == LEA_HOLD_TOO_MANY) {
		result->why = "it has more PVs than this process may open files";
		return LEA_ACTIVATE_DELEGATE;
	}
	return r == LEA_HOLD_NOT_AS_READ ? lea_activate_not_as_read(vg, "a disk of it went") : r;
}

int lea_activate_not_as_read(const struct lea_activate_vg *vg, const char *why)
{
	lea_log(vg->world->log, vg->options->named ? LEA_LOG_ERROR : LEA_LOG_VERBOSE,
		"VG %s: not activated: %s while another disk was read; try again",
		vg->scanned->vg->name, why);
	return vg->options->named ? LEA_ACTIVATE_FAILED : LEA_ACTIVATE_CHANGED;
}

static int activate(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	struct lea_dm_exec_up options = {vg->arena, vg->conf, vg->options->test, NULL};
	LEA_AUTO(lea_hold_done) struct lea_hold hold = {0};
	struct lea_plan *plan;
	int r = plan_vg(vg, result, &plan);

	r = r ? r : ask_guard(vg, plan, result);
	r = r ? r : hold_pvs(vg, plan, &hold, result);
	if (r)
		return r;
	if (vg->refreshes)
		options.was_active = lea_arena_alloc(vg->arena, vg->scanned->vg->lv_count + 1U,
						     sizeof(*options.was_active));
	LEA_CRASHPOINT("vg.dm", vg->scanned->vg->id);
	r = lea_dm_activate(vg->world, &options, plan, result);
	vg->announce = r != LEA_ACTIVATE_DELEGATE;
	if (vg->announce)
		find_refresh(vg, options.was_active);
	return r;
}

static int deactivate(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	const struct lea_dm_deactivate options = {
		.arena = vg->arena,
		.conf = vg->conf,
		.test = vg->options->test,
		.monitor = vg->options->monitor,
	};
	struct lea_plan *plan;
	int r = plan_vg(vg, result, &plan);

	if (r)
		return r;
	r = lea_dm_deactivate(vg->world, &options, plan, result);
	/* When an LV is open, lvm2 prints no count. */
	vg->announce = !r;
	return r;
}

/* A PV that shows the metadata that count. */
static const struct lea_found *find_shown(const struct lea_scan_vg *scanned)
{
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (scanned->pv[i] && scanned->pv[i]->vg == scanned->vg)
			return scanned->pv[i];
	return NULL;
}

/* Have devices outside this scan newer metadata of the VG? */
static int check_age(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	const struct lea_ages_options options = {
		.world = vg->world,
		.conf = vg->conf,
		.scan = {.use_names_filter = !vg->options->devices,
			 .devices = vg->options->devices,
			 .device_count = vg->options->device_count,
			 .out_of_process = true},
		.test = vg->options->test,
		.has_read = &vg->has_read,
	};
	const struct lea_found *shown = find_shown(vg->scanned);
	const struct lea_outdated *outdated;
	LEA_AUTO(lea_ages_freep) struct lea_ages *ages = NULL;
	char reason[LEA_OUTDATED_TEXT_BYTES];
	int r = shown ? lea_ages_new(&options, &ages) : 0;

	r = r || !shown ? r : lea_ages_note(ages, shown);
	r = r || !shown ? r : lea_ages_ask(ages, vg->scanned->vg, shown, &outdated);
	result->shortage = lea_shortage_of(r);
	if (r != LEA_OUTDATED)
		return r;
	lea_outdated_describe(outdated, vg->scanned->vg, shown, reason);
	result->why = lea_arena_strdup(vg->arena, reason);
	result->shortage = outdated->is_silent ? -ETIMEDOUT : 0;
	lea_log(vg->world->log, vg->options->quiet_success ? LEA_LOG_VERBOSE : LEA_LOG_ERROR,
		"VG %s: not activated: %s", vg->scanned->vg->name, reason);
	return LEA_ACTIVATE_OUTDATED;
}

static bool is_up(void *arg)
{
	struct lea_activate_vg *vg = arg;
	const struct lea_dm_exec_up options = {.arena = vg->arena, .conf = vg->conf};
	struct lea_activate_result result = {.lock_fd = -1};
	struct lea_plan *plan;
	bool is = false;

	return !plan_vg(vg, &result, &plan) && !lea_dm_is_up(vg->world, &options, plan, &is) && is;
}

/* Checks for duplicates of the PVs among devices outside this scan. An event says nothing new of a
 * VG that is active; a command is refused, as lvm2's. */
static int check_duplicates(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	const bool is_event = vg->options->only_complete || vg->options->skips_lacking;
	const struct lea_duplicates_options options = {
		.world = vg->world,
		.conf = vg->conf,
		.devices = vg->options->devices,
		.device_count = vg->options->device_count,
		.test = vg->options->test,
		.quiet = vg->options->quiet_success,
		.is_up = is_event ? is_up : NULL,
		.arg = vg,
		.has_read = &vg->has_read,
	};
	char reason[LEA_DUPLICATES_REASON_BYTES];
	int r;

	r = lea_duplicates_check(&options, vg->scanned, reason);
	result->shortage = lea_duplicates_shortage(r);
	if (r <= 0)
		return r;
	result->why = lea_arena_strdup(vg->arena, reason);
	return LEA_ACTIVATE_COPY;
}

/* We never choose between two devices with the same PV. */
static int check_copies(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	int r = 0;

	if (vg->options->checks_duplicates && vg->options->what != LEA_DEACTIVATE) {
		r = check_age(vg, result);
		r = r ? r : check_duplicates(vg, result);
	}
	if (r)
		return r;
	if (vg->scanned->has_conflict) {
		result->why = "its metadata copies disagree";
		return LEA_ACTIVATE_DELEGATE;
	}
	if (!vg->scanned->has_duplicate || vg->options->what == LEA_DEACTIVATE)
		return 0;
	if (vg->conf->allow_changes_with_duplicate_pvs) {
		result->why = "a PV is on two devices, and lvm2 decides which one counts";
		return LEA_ACTIVATE_DELEGATE;
	}
	lea_log(vg->world->log, LEA_LOG_ERROR,
		"Cannot activate LVs in VG %s while PVs appear on duplicate devices.",
		vg->scanned->vg->name);
	return LEA_ACTIVATE_FAILED;
}

static bool is_in_system_dir(const struct lea_activate_vg *vg, const char *name)
{
	const char *path = lea_arena_printf(vg->arena, "%s/devices/%s", vg->conf->system_dir, name);
	LEA_AUTO(lea_freep) char *full = path ? lea_world_path(vg->world, path) : NULL;

	return full && access(full, F_OK) == 0;
}

/* Is the root file system on an LV of this VG? */
static bool is_root_vg(const struct lea_activate_vg *vg)
{
	LEA_AUTO(lea_freep) char *root = lea_world_path(vg->world, "/");
	char uuid[LEA_SYSFS_VALUE_BYTES];
	struct stat st;

	if (!root || stat(root, &st) < 0 ||
	    lea_sysfs_text(vg->world, (struct lea_devno){major(st.st_dev), minor(st.st_dev)},
			   "dm/uuid", uuid, sizeof(uuid)))
		return false;
	return !strncmp(uuid, "LVM-", 4) && !strncmp(uuid + 4, vg->scanned->vg->id, 32);
}

/*
 * An image-based system leaves the file auto-import-rootvg; lvm2's own activation of the root VG
 * then creates the devices file. Source: lvm2 2.03.25, commands-and-run-files 2.1.
 */
static bool is_to_be_imported(const struct lea_activate_vg *vg)
{
	return vg->options->what == LEA_ACTIVATE_AUTO &&
	       is_in_system_dir(vg, "auto-import-rootvg") &&
	       !is_in_system_dir(vg, "system.devices") && is_root_vg(vg);
}

const char *lea_activate_why_lvm(const struct lea_activate_vg *vg)
{
	if (vg->conf->lvm_only)
		return vg->conf->lvm_only;
	return is_to_be_imported(vg) ? "its devices are to be imported (auto-import-rootvg)" : NULL;
}

int lea_activate_check(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	int r = check_access(vg, result);

	if (r)
		return r;
	result->why = lea_activate_why_lvm(vg);
	if (result->why)
		return LEA_ACTIVATE_DELEGATE;
	if (vg->options->what == LEA_ACTIVATE_AUTO &&
	    vg->scanned->vg->flags & LEA_FLAG_NOAUTOACTIVATE)
		return LEA_ACTIVATE_NOT_AUTO;
	if (vg->options->only_complete && vg->options->what != LEA_DEACTIVATE &&
	    !lea_scan_vg_is_complete(vg->scanned)) {
		lea_log(vg->world->log, LEA_LOG_PRINT, "VG %s is incomplete.",
			vg->scanned->vg->name);
		return LEA_ACTIVATE_INCOMPLETE;
	}
	return check_copies(vg, result);
}

int lea_activate_scanned(struct lea_activate_vg *vg, struct lea_activate_result *result)
{
	return vg->options->what == LEA_DEACTIVATE ? deactivate(vg, result) : activate(vg, result);
}
