/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/needed.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "activate/drive.h"
#include "activate/monitor_poll.h"
#include "activate/rescan.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/step.h"
#include "boot/deadline.h"
#include "boot/lock_folder.h"
#include "boot/needed_disks.h"
#include "boot/needed_udev.h"
#include "filter/filter.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "memory/needs_read.h"
#include "scan/metadata_cache.h"
#include "scan/reader.h"
#include "state/gate.h"
#include "state/lock.h"
#include "world/timeline.h"
#include "world/udevdb.h"

#define LOCK_MS	 1000U /* how long it waits for lvm2's locks; the coldplug waits for it */
#define PAUSE_MS 20U

struct wave {
	struct lea_session *session;
	struct lea_world *world;
	struct lea_arena *arena;
	/* The session's with stricter filters, and stricter still; they borrow its values. */
	struct lea_filter *filter;     /* for probing; owned */
	struct lea_boot_memory memory;
	struct lea_needs *needs;       /* owned */
	struct lea_lock **lock; /* [memory.vg_count]; owned, as is each lock; NULL: not taken */
	/* [memory.vg_count]; owned; why udev is to process the disks of a VG first; NULL: it is not
	 */
	const char **for_udev;
	uint64_t until_ms; /* of the clock: the coldplug waits no longer */
	struct lea_needed_disks *disks;
	struct lea_needed_pv *pv; /* [count]; of the VGs that are taken now; owned */
	size_t count;
	struct lea_scan *scan;	     /* owned */
	struct lea_scan_texts texts; /* of all its scans */
	struct lea_scan_vg *vgs;     /* [vg_count]; borrowed from scan */
	size_t vg_count;
	bool takes_slow; /* the VGs that may take time are taken now, or the others? */
};

static const struct lea_boot_vg *find_needed(const struct wave *wave, const struct lea_vg *vg)
{
	const struct lea_boot_vg *found = lea_boot_memory_vg(&wave->memory, vg->id);

	return found && found->is_needed && !strcmp(found->name, vg->name) ? found : NULL;
}

static void unlock(void *arg, const struct lea_vg *vg)
{
	struct wave *wave = arg;
	const struct lea_boot_vg *found = lea_boot_memory_vg(&wave->memory, vg->id);

	if (found)
		lea_lock_release(LEA_TAKE(wave->lock[found - wave->memory.vg]));
}

/* Takes the VG out of the wave. */
static void leave(struct wave *wave, const struct lea_boot_vg *vg, const char *pvid,
		  const char *why)
{
	char id[39] = "";

	if (pvid)
		lea_id_format(pvid, id);
	lea_log_with(wave->world->log, LEA_LOG_PRINT,
		     &(const struct lea_log_fields){.vg = vg->name, .vg_id = vg->id},
		     "VG %s: left to the normal activation: %s%s%s%s", vg->name, pvid ? "PV " : "",
		     id, pvid ? ": " : "", why);
	wave->memory.vg[vg - wave->memory.vg].is_needed = false;
}

/* The same before its activation has begun: others may lock the VG. */
static void keep_off(struct wave *wave, const struct lea_boot_vg *vg, const char *pvid,
		     const char *why)
{
	leave(wave, vg, pvid, why);
	lea_lock_release(LEA_TAKE(wave->lock[vg - wave->memory.vg]));
}

/* ---- the disks */

/* Why must this PV not be read yet? Notes it if udev can tell more. */
static void judge(struct wave *wave, const struct lea_needed_pv *pv,
		  const struct lea_keep_off_device *seen)
{
	bool is_for_udev;
	const char *why = lea_keep_off_device(pv->pv, seen, &is_for_udev);

	if (why && is_for_udev)
		wave->for_udev[pv->vg - wave->memory.vg] = why;
	else if (why)
		keep_off(wave, pv->vg, pv->pv->pvid, why);
}

static void drop_last(struct wave *wave)
{
	lea_device_done(&wave->pv[--wave->count].device);
}

/* Adds the VG's devices, unless one of them must not be read, or not yet. */
static int add_vg(struct wave *wave, const struct lea_boot_vg *vg)
{
	const size_t before = wave->count;
	const char **for_udev = &wave->for_udev[vg - wave->memory.vg];
	int r = 0;

	if (!vg->pv_count)
		keep_off(wave, vg, NULL, "no PV of it is remembered");
	for (uint32_t i = 0; !r && vg->is_needed && i < vg->pv_count; i++) {
		struct lea_needed_pv *pv = &wave->pv[wave->count++];
		struct lea_keep_off_device seen;

		*pv = (struct lea_needed_pv){.vg = vg, .pv = &vg->pv[i]};
		r = lea_needed_disks_find(wave->disks, pv, &seen);
		if (r)
			break;
		lea_timeline_note_device(wave->world, LEA_RING_SEEN, &pv->device,
					 (struct lea_timeline_note){0});
		judge(wave, pv, &seen);
	}
	if (!vg->is_needed)
		*for_udev = NULL;
	else if (*for_udev)
		wave->memory.vg[vg - wave->memory.vg].is_needed = false;
	while (!vg->is_needed && wave->count > before)
		drop_last(wave);
	return r;
}

static int add_vgs(struct wave *wave)
{
	size_t most = 0;
	int r = 0;

	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		most += wave->memory.vg[i].is_needed ? wave->memory.vg[i].pv_count : 0;
	wave->pv = calloc(most + 1, sizeof(*wave->pv));
	if (!wave->pv)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < wave->memory.vg_count; i++)
		if (wave->memory.vg[i].is_needed)
			r = add_vg(wave, &wave->memory.vg[i]);
	return r;
}

/* Do we hold the lock for another VG of this name? */
static bool has_namesake(const struct wave *wave, uint32_t at)
{
	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		if (wave->lock[i] && !strcmp(wave->memory.vg[i].name, wave->memory.vg[at].name))
			return true;
	return false;
}

/* Why is the lock of this VG not ours? */
static const char *why_not_locked(const struct wave *wave, uint32_t at, int outcome)
{
	if (outcome != LEA_LOCK_BUSY)
		return "its lock could not be taken";
	return has_namesake(wave, at) ? "another VG that the boot needs has its name"
				      : "another process has its lock";
}

/* At boot lvm2-monitor.service may hold the lock for a moment. */
static int lock_vg(struct wave *wave, uint32_t at, uint64_t until_ms)
{
	struct lea_world *world = wave->world;
	int r;

	while ((r = lea_vg_lock(world, wave->session->conf, wave->memory.vg[at].name, false,
				&wave->lock[at])) == LEA_LOCK_BUSY &&
	       !has_namesake(wave, at) && lea_world_now_ms(world) < until_ms)
		world->clock->sleep_ms(world->clock, PAUSE_MS);
	return r;
}

/* Under its lock no VG changes, so its disks are read only once. */
static void lock_vgs(struct wave *wave)
{
	const uint64_t until_ms = lea_world_now_ms(wave->world) + LOCK_MS;
	const bool may_lock =
		!lea_lock_folder_wait(wave->world, wave->session->conf->locking_dir, LOCK_MS);

	for (uint32_t i = 0; i < wave->memory.vg_count; i++) {
		struct lea_boot_vg *vg = &wave->memory.vg[i];
		int r = vg->is_needed && may_lock ? lock_vg(wave, i, until_ms) : 0;

		if (vg->is_needed && !may_lock)
			keep_off(wave, vg, NULL,
				 "something is yet to be mounted over lvm2's locks");
		else if (r)
			keep_off(wave, vg, NULL, why_not_locked(wave, i, r));
	}
}

/* ---- what is on them */

/* The content's name: udev's, if it knows the device from the initramfs, else libblkid's. */
static const char *type_of(const struct lea_found *found, bool may_be_unnamed)
{
	if (found->is_unnamed)
		return may_be_unnamed ? "LVM2_member" : found->content;
	return lea_udevdb_is(&found->device, "ID_FS_TYPE", "LVM2_member") ? "LVM2_member" : "";
}

/* Why must the VG of this PV be left alone? */
static const char *why_by_content(const struct lea_boot_vg *vg, const struct lea_boot_pv *pv,
				  const struct lea_found *found, bool may_be_unnamed)
{
	const struct lea_keep_off_content content = {
		.is_read = found->kind != LEA_FOUND_UNREADABLE && found->kind != LEA_FOUND_GONE,
		.excluded_why = lea_exclusion_text(found->excluded),
		.type = type_of(found, may_be_unnamed),
		.pvid = found->label.pvid,
		.vg_id = found->vg ? found->vg->id : "",
	};

	return lea_keep_off_content(vg, pv, &content);
}

static void check(struct wave *wave, const struct lea_needed_pv *pv, const struct lea_found *found)
{
	const char *why = pv->vg->is_needed ? why_by_content(pv->vg, pv->pv, found, true) : NULL;

	if (why)
		keep_off(wave, pv->vg, pv->pv->pvid, why);
}

/* Components of arrays are to be known whatever the settings say: udev has not looked for arrays
 * yet. */
static int read_disks(struct wave *wave)
{
	const struct lea_scan_options options = {.use_names_filter = true,
						 .out_of_process = true,
						 .no_probe = true,
						 .md = LEA_FILTER_MD_ANY,
						 .reader = wave->session->reader,
						 .texts = &wave->texts};
	struct lea_device *devices = calloc(wave->count + 1, sizeof(*devices));
	struct lea_found *const *found;
	size_t count;
	int r = devices ? lea_scan_new(wave->world, wave->session->conf, &options, &wave->scan)
			: -ENOMEM;

	for (size_t i = 0; !r && i < wave->count; i++) {
		devices[i] = wave->pv[i].device;
		wave->pv[i].device = (struct lea_device){0};
	}
	r = r ? r : lea_scan_add(wave->scan, devices, wave->count);
	if (devices)
		lea_devices_free(devices, wave->count);
	if (r)
		return r < 0 ? r : -EINVAL;
	found = lea_scan_found(wave->scan, &count);
	for (size_t i = 0; i < count && i < wave->count; i++)
		check(wave, &wave->pv[i], found[i]);
	return 0;
}

/* ---- the disks that needed LVs lie on: read once more before their use, and probed */

static const char *why_not_used(struct wave *wave, const struct lea_scan *scan,
				const struct lea_scan_vg *vg, const bool *is_used)
{
	const struct lea_boot_vg *remembered = find_needed(wave, vg->vg);
	struct lea_found *const *found;
	const char *why = NULL;
	size_t count, at = 0;

	found = lea_scan_found(scan, &count);
	for (uint32_t i = 0; !why && i < vg->vg->pv_count; i++) {
		struct lea_boot_pv pv = {0};

		if (!is_used[i])
			continue;
		memcpy(pv.pvid, vg->pv[i]->label.pvid, LEA_ID_CHARS);
		why = why_by_content(remembered, &pv, found[at++], false);
		if (why)
			leave(wave, remembered, pv.pvid, why);
	}
	return why;
}

/* Does a disk that is about to be used belong to an array, to a map, or to another layer? */
static const char *why_not_use(void *arg, const struct lea_scan_vg *vg, const bool *is_used)
{
	struct wave *wave = arg;
	const struct lea_scan_options options = {.use_names_filter = true,
						 .out_of_process = true,
						 .md = LEA_FILTER_MD_FULL,
						 .reader = wave->session->reader,
						 .texts = &wave->texts,
						 .filter = &wave->filter};
	struct lea_scan *scan = NULL;
	const char *why;
	int r = lea_scan_new(wave->world, wave->session->conf, &options, &scan);

	r = r ? r : lea_vg_scan_pvs(scan, vg, is_used);
	why = r ? "its disks could not be probed" : why_not_used(wave, scan, vg, is_used);
	lea_scan_free(scan);
	return why;
}

/* ---- the VGs */

/* Why was nothing activated? */
static const char *why_not(int outcome, const struct lea_activate_result *result)
{
	if (result->why)
		return result->why;
	switch (outcome) {
	case LEA_ACTIVATE_INCOMPLETE:
		return "a PV is missing";
	case LEA_ACTIVATE_DELEGATE:
		return "only the real lvm can activate it";
	case LEA_ACTIVATE_NOT_AUTO:
	case LEA_ACTIVATE_REFUSED:
		return "it is not activated automatically on this host";
	default:
		return "its activation failed";
	}
}

static bool pick(void *arg, size_t at, struct lea_drive_vg *ret_vg)
{
	struct wave *wave = arg;
	const struct lea_scan_vg *scanned = &wave->vgs[at];
	const struct lea_boot_vg *remembered = find_needed(wave, scanned->vg);

	if (!remembered || lea_monitor_poll_takes_time(scanned->vg) != wave->takes_slow)
		return false;
	if (scanned->has_other_name || scanned->vg->seqno < remembered->seqno) {
		keep_off(wave, remembered, NULL,
			 scanned->has_other_name
				 ? "it has two names"
				 : "its metadata are older than those of the last boot");
		return false;
	}
	lea_timeline_note_name(wave->world, LEA_RING_BEGUN, scanned->vg->id, scanned->vg->name);
	*ret_vg = (struct lea_drive_vg){scanned->vg->name, scanned, false};
	return true;
}

static void became(void *arg, const struct lea_drive_vg *vg, int outcome,
		   const struct lea_activate_result *result)
{
	struct wave *wave = arg;
	const struct lea_boot_vg *remembered = find_needed(wave, vg->scanned->vg);

	if (!remembered) /* it was said which PV is the reason */
		return;
	if (outcome)
		leave(wave, remembered, NULL, why_not(outcome, result));
	else if (!result->active)
		leave(wave, remembered, NULL, "what the boot needs is not activated automatically");
	else
		lea_log_with(
			wave->world->log, LEA_LOG_PRINT,
			&(const struct lea_log_fields){.vg = vg->name, .vg_id = remembered->id},
			"VG %s: %u LV(s) active before the coldplug: the boot needs them", vg->name,
			result->active);
}

/* One transaction, so that udev handles the LVs of all these VGs at a time. */
static int activate_vgs(struct wave *wave, bool slow)
{
	const struct lea_activate_guard guard = {why_not_use, unlock, wave};
	const struct lea_drive drive = {
		.world = wave->world,
		.conf = wave->session->conf,
		.options = {.what = LEA_ACTIVATE_AUTO,
			    .only_complete = true,
			    /* it has made none, and the boot's pass may have */
			    .keeps_online = true,
			    .guard = &guard,
			    .quiet_refusals = true,
			    .quiet_success = true,
			    .checks_duplicates = true,
			    .lvm_path = wave->session->lvm_path,
			    .monitor = wave->session->conf->monitoring,
			    .poll = true,
			    .defers_watch = true,
			    .only = wave->needs->words,
			    .reader = wave->session->reader},
		.pick = pick,
		.count = wave->vg_count,
		.became = became,
		.arg = wave,
	};
	struct lea_drive_result result;

	wave->takes_slow = slow;
	return lea_drive(&drive, &result);
}

/* A VG whose PVs are what they were may have been renamed, or its metadata may be damaged. */
static int drop_lost(struct wave *wave)
{
	LEA_AUTO(lea_freep) bool *is_found = calloc(wave->memory.vg_count + 1U, sizeof(*is_found));

	if (!is_found)
		return -ENOMEM;
	for (size_t i = 0; i < wave->vg_count; i++) {
		const struct lea_boot_vg *found = find_needed(wave, wave->vgs[i].vg);

		if (found)
			is_found[found - wave->memory.vg] = true;
	}
	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		if (wave->memory.vg[i].is_needed && !is_found[i])
			keep_off(wave, &wave->memory.vg[i], NULL,
				 "its PVs carry no VG of this name");
	return 0;
}

static int activate_all(struct wave *wave)
{
	int r = lea_scan_vgs(wave->scan, &wave->vgs, &wave->vg_count);

	r = r ? r : drop_lost(wave);
	r = r ? r : activate_vgs(wave, false);
	return r ? r : activate_vgs(wave, true);
}

/* ---- */

static bool has_needed(const struct wave *wave)
{
	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		if (wave->memory.vg[i].is_needed)
			return true;
	return false;
}

/* Returns 0 also without a memory; has_needed says whether there is something to do. */
static int remember(struct wave *wave)
{
	int r = lea_boot_memory_read(wave->world, wave->arena, &wave->memory);

	if (r)
		return r < 0 ? r : 0;
	wave->lock = calloc(wave->memory.vg_count + 1U, sizeof(*wave->lock));
	wave->for_udev = calloc(wave->memory.vg_count + 1U, sizeof(*wave->for_udev));
	if (!wave->lock || !wave->for_udev)
		return -ENOMEM;
	r = lea_needs_read(wave->world, wave->session->conf, &wave->needs);
	return r ? r : lea_need_remembered(wave->needs, &wave->memory);
}

/* Activates the VGs whose devices are listed. */
static int take_listed(struct wave *wave)
{
	struct lea_session *session = wave->session;
	int r = 0;

	lock_vgs(wave);
	if (!has_needed(wave))
		return 0;
	if (!session->reader) {
		r = lea_reader_new(wave->world, session->conf, &session->reader);
		if (r)
			return r;
		/* A disk that answers too late has its event yet to come. */
		lea_reader_for_command(session->reader);
		/* No disk may keep the wave longer than the coldplug waits. */
		lea_reader_limit(session->reader, session->conf->needed_deadline_ms, 0);
	}
	r = read_disks(wave);
	return r || !has_needed(wave) ? r : activate_all(wave);
}

/* ---- what udev is to find first */

static void forget_listed(struct wave *wave)
{
	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		wave->memory.vg[i].is_needed = false;
	while (wave->count)
		drop_last(wave);
	lea_scan_free(LEA_TAKE(wave->scan));
	/* The kernel may have loaded a driver since it was made. */
	lea_filter_free(LEA_TAKE(wave->filter));
}

/* Keeps the PVs of the VGs that udev has found whole. */
static void list_found(struct wave *wave)
{
	const size_t count = wave->count;

	wave->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct lea_needed_pv *pv = &wave->pv[i];
		const char **why = &wave->for_udev[pv->vg - wave->memory.vg];

		if (!*why || (pv->device.name && !pv->is_twice))
			continue;
		leave(wave, pv->vg, pv->pv->pvid, pv->is_twice ? "it is on two devices" : *why);
		*why = NULL;
	}
	for (size_t i = 0; i < count; i++) {
		const ptrdiff_t at = wave->pv[i].vg - wave->memory.vg;

		wave->memory.vg[at].is_needed = wave->for_udev[at];
		if (wave->for_udev[at])
			wave->pv[wave->count++] = wave->pv[i];
		else
			lea_device_done(&wave->pv[i].device);
	}
}

static int take_from_udev(struct wave *wave)
{
	int r;

	forget_listed(wave);
	for (uint32_t i = 0; i < wave->memory.vg_count; i++)
		for (uint32_t k = 0; wave->for_udev[i] && k < wave->memory.vg[i].pv_count; k++)
			wave->pv[wave->count++] = (struct lea_needed_pv){
				.vg = &wave->memory.vg[i], .pv = &wave->memory.vg[i].pv[k]};
	r = lea_needed_udev_find(wave->world, wave->disks, wave->pv, wave->count, wave->until_ms);
	if (r)
		return r;
	list_found(wave);
	return wave->count ? take_listed(wave) : 0;
}

static int run_wave(struct wave *wave, void (*ready)(void *arg), void *arg)
{
	struct lea_session *session = wave->session;
	int r = remember(wave);

	if (r || !has_needed(wave))
		return r;
	wave->until_ms = lea_world_now_ms(wave->world) + session->conf->needed_deadline_ms;
	r = lea_deadline_start(session->world->clock, session->conf->needed_deadline_ms, ready,
			       arg);
	r = r ? r : lea_needed_disks_list(wave->world, session->conf, wave->arena, &wave->disks);
	r = r ? r : add_vgs(wave);
	if (!r && wave->count)
		r = take_listed(wave);
	return r ? r : take_from_udev(wave);
}

static bool may_run(const struct lea_session *session)
{
	const int run_fd = lea_world_run(session->world);

	return run_fd >= 0 && lea_gate_is_closed(run_fd) && !lea_gate_is_aside(run_fd) &&
	       session->conf->event_activation && session->conf->needed_deadline_ms &&
	       session->world->dm;
}

int lea_needed_run(struct lea_session *session, void (*ready)(void *arg), void *arg)
{
	struct wave wave = {.session = session, .world = session->world};
	int r;

	if (!may_run(session))
		return 0;
	LEA_CRASHPOINT("needed.begin", NULL);
	wave.arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	r = wave.arena ? run_wave(&wave, ready, arg) : -ENOMEM;
	lea_scan_free(wave.scan);
	lea_filter_free(wave.filter);
	lea_scan_texts_done(&wave.texts);
	while (wave.count)
		drop_last(&wave);
	free(wave.pv);
	for (size_t i = 0; wave.lock && i < wave.memory.vg_count; i++)
		lea_lock_release(wave.lock[i]);
	free(wave.lock);
	free(wave.for_udev);
	lea_needs_free(wave.needs);
	lea_arena_free(wave.arena);
	LEA_CRASHPOINT("needed.end", NULL);
	return r;
}
