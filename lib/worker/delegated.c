/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only "no LV is active" is certain: lvm alone knows which LVs it left out. */
#include "worker/delegated.h"

#include "activate/dm_activate.h"
#include "activate/refresh.h"
#include "activate/settings.h"
#include "base/cleanup.h"
#include "state/claim.h"
#include "state/lock.h"
#include "world/proc.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BYTES ((size_t)256 * 1024 * 1024)
#define LVM_FAILED  5 /* lvm's exit code when something failed, or was refused */

/* Was lvm killed, or not even started? Then its exit code says nothing of the VG. */
static bool is_no_verdict(int code)
{
	return code == LEA_PROC_NOT_STARTED || code == LEA_PROC_SIGNAL + SIGKILL ||
	       code == LEA_PROC_SIGNAL + SIGTERM;
}

/* For shared VGs lvmlockd decides. */
static bool wants_any(const struct lea_worker_setting *setting, const struct lea_vg *vg)
{
	const struct lea_activate_options *options = &setting->options->activate;
	struct lea_plan_rules rules;

	if (vg->lock_type || options->what == LEA_DEACTIVATE ||
	    (options->what == LEA_ACTIVATE_AUTO && vg->flags & LEA_FLAG_NOAUTOACTIVATE))
		return false;
	lea_activate_settings(setting->world, setting->conf, options, &rules);
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_select_lv(vg, &vg->lvs[i], &rules.select) == LEA_SELECTED)
			return true;
	return false;
}

/* Is some LV active, or was none to be activated? If that cannot be found out, lvm's word
 * counts. */
static bool is_as_meant(const struct lea_worker_setting *setting, const struct lea_vg *vg,
			uint32_t *ret_active)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(ARENA_BYTES);

	return !setting->world->dm || !arena ||
	       lea_dm_count_active(setting->world, arena, vg, ret_active) || *ret_active ||
	       !wants_any(setting, vg);
}

/* LVs that the real lvm found active may still lack a PV that is back. */
static void refresh(const struct lea_worker_setting *setting, const struct lea_scan_vg *now)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	struct lea_refresh list = {0};
	int r = arena ? lea_refresh_find(setting->world, arena, now, NULL, &list) : -ENOMEM;

	if (r)
		lea_log_fault(setting->world->log, r, "VG %s: looking for LVs to refresh",
			      now->vg->name);
	else
		lea_refresh_run(setting->world, setting->options->lvm_path, now, &list);
}

/* lvm also ends with this status when it leaves out LVs because of their missing PVs. */
static bool is_as_far_as_possible(const struct lea_worker_setting *setting,
				  const struct lea_scan_vg *scanned, const struct lea_vg *now,
				  int code, uint32_t *ret_active)
{
	return scanned->in_part && code == LVM_FAILED && is_as_meant(setting, now, ret_active);
}

/* A VG that was renamed has not failed: a scan of its devices finds it by the new name. */
static int check_result(const struct lea_worker_setting *setting, const struct lea_scan_vg *scanned,
			int code, struct lea_worker_report *report)
{
	const struct lea_activate_options *options = &setting->options->activate;
	const struct lea_scan_options scan_options = {
		.devices = options->devices,
		.device_count = options->device_count,
	};
	const struct lea_scan_vg *now = NULL;
	struct lea_scan *scan = NULL;
	int r = lea_scan_new(setting->world, setting->conf, &scan_options, &scan);
	int outcome = code ? LEA_ACTIVATE_FAILED : 0;

	r = r ? r : setting->options->activator->rescan(scan, scanned, &now);
	if (!r && !now)
		outcome = LEA_ACTIVATE_CHANGED;
	else if (!r && !code && !is_as_meant(setting, now->vg, &report->active))
		outcome = scanned->in_part ? 0 : LEA_ACTIVATE_INCOMPLETE;
	else if (!r && is_as_far_as_possible(setting, scanned, now->vg, code, &report->active))
		outcome = 0;
	if (!r && now && !outcome && scanned->refreshes)
		refresh(setting, now);
	lea_scan_free(scan);
	return outcome;
}

static void keep_online(struct lea_world *world, const struct lea_scan_vg *scanned)
{
	const struct lea_vg *vg = scanned->vg;
	struct lea_claims claims;
	int r = lea_claims_init(&claims, world, NULL);

	r = r ? r : lea_claim_keep_online(&claims, vg->id, vg->name, scanned->turn_ms);
	if (r < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "VG %s: its vgs_online file: %s", vg->name,
			strerror(-r));
}

int lea_delegated_ask(const struct lea_worker_setting *setting, const struct lea_scan_vg *scanned,
		      bool wait)
{
	struct lea_lock *lock = NULL;
	int r;

	if (!scanned->has_online)
		return 0;
	r = lea_vg_lock(setting->world, setting->conf, scanned->vg->name,
			wait && setting->conf->wait_for_locks, &lock);
	lea_lock_release(lock);
	if (r == LEA_LOCK_BUSY && !wait)
		return LEA_ACTIVATE_VG_BUSY;
	/* lvm will say why a lock cannot be taken. */
	return lea_vg_is_taken_down(setting->world, scanned) ? LEA_ACTIVATE_CHANGED : 0;
}

void lea_delegated_report(const struct lea_worker_setting *setting,
			  const struct lea_scan_vg *scanned, int r,
			  struct lea_worker_report *report)
{
	const char *lvm_path = setting->options->lvm_path;

	report->outcome = r < 0 ? lea_as_transient(r) : check_result(setting, scanned, r, report);
	if (report->outcome == LEA_ACTIVATE_FAILED) {
		report->shortage = is_no_verdict(r) ? LEA_NOT_NOW : 0;
		snprintf(report->reason, sizeof(report->reason), "%s ended with status %d",
			 lvm_path, r);
	} else if (report->outcome == LEA_ACTIVATE_INCOMPLETE) {
		snprintf(report->reason, sizeof(report->reason),
			 "%s finds it incomplete: its filters or its devices file may hide a PV, "
			 "see lvmdevices and pvs -a",
			 lvm_path);
	}
	if (report->outcome && scanned->has_online)
		keep_online(setting->world, scanned);
}
