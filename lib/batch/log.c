/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass logs on devices and on itself. */
#include "batch/batch_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "state/run_files.h"

#define NAMED_MOST  3U
#define DISKS_BYTES 512U

static void log_problem(struct lea_log *log, const struct lea_found *found)
{
	char why[DISKS_BYTES];
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_DAMAGED,
					      .vg = found->vg_name,
					      .pvid = found->label.pvid,
					      .device = found->device.name,
					      .reason = found->problem};

	lea_found_damage(found, why, sizeof(why));
	lea_log_with(log, LEA_LOG_WARNING, &fields, "%s", why);
}

void lea_batch_log_found(struct lea_log *log, const struct lea_found *found)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_UNREADABLE,
					      .device = found->device.name,
					      .reason = lea_found_fault_text(found)};

	if (found->problem[0])
		log_problem(log, found);
	if (found->kind == LEA_FOUND_UNREADABLE)
		lea_log_with(log, found->is_unnamed ? LEA_LOG_VERBOSE : LEA_LOG_ERROR, &fields,
			     "PV %s: reading: %s; %s", found->device.name, lea_found_fault_text(found),
			     lea_found_advice(found));
	else if (found->kind == LEA_FOUND_EXCLUDED)
		lea_log(log, LEA_LOG_VERBOSE, "PV %s: %s", found->device.name,
			lea_exclusion_text(found->excluded));
}

/* Logs a copy once. A copy that prevents activation is logged with its VG, when that is
 * complete. */
static void log_duplicate(struct lea_log *log, const struct lea_found *found,
			  const struct lea_record *record)
{
	const char *other = record->other_device[0] ? record->other_device : "?";
	char uuid[39];

	lea_id_format(found->label.pvid, uuid);
	if (record->tie == LEA_DUPLICATE_PATH && record->is_news)
		lea_log(log, LEA_LOG_WARNING,
			"PV %s: %s and %s are two paths of one disk without multipath, the first "
			"one is used",
			uuid, other, found->device.name);
	else if (record->is_ignored)
		lea_log(log, LEA_LOG_WARNING,
			"PV %s: its device is %s; it is also on %s, which is ignored", uuid, other,
			found->device.name);
	else
		lea_log(log, LEA_LOG_VERBOSE, "PV %s: is on %s and on %s", uuid, other,
			found->device.name);
}

/* A PV that the newer metadata list is sound: commands that write the VG's metadata update it. */
static void log_outdated(struct lea_log *log, const struct lea_found *found,
			 const struct lea_record *record)
{
	char text[LEA_OUTDATED_TEXT_BYTES];
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_OUTDATED,
					      .vg = found->vg->name,
					      .vg_id = found->vg->id,
					      .pvid = found->label.pvid,
					      .device = found->device.name,
					      .reason = text};

	lea_outdated_describe(record->outdated, found->vg, found, text);
	if (record->kind == LEA_RECORD_OUTDATED)
		lea_log_with(log, LEA_LOG_WARNING, &fields,
			     "%s; it is not used: lvmevent explain %s", text, found->device.name);
	else
		lea_log(log, LEA_LOG_VERBOSE, "%s", text);
}

void lea_batch_log_record(struct lea_world *world, const struct lea_found *found,
			  const struct lea_record *record)
{
	struct lea_log *log = world->log;
	char why[LEA_RUN_FAULT_BYTES];

	if (record->kind == LEA_RECORD_DUPLICATE)
		log_duplicate(log, found, record);
	else if (record->outdated && found->vg)
		log_outdated(log, found, record);
	else if (record->kind == LEA_RECORD_FAILED)
		lea_log(log, LEA_LOG_ERROR, "PV %s: writing its record: %s", found->device.name,
			lea_run_files_why(lea_world_run(world), record->fault, why));
}

/* Writes "its disk /dev/sda", or "one of its disks /dev/sda, /dev/sdb and 3 more". */
static void name_disks(const struct lea_scan_vg *scanned, char *text, size_t bytes)
{
	const uint32_t count = lea_scan_vg_count(scanned, LEA_PRESENT);
	const uint32_t most = count <= NAMED_MOST ? count : NAMED_MOST - 1;
	uint32_t named = 0;

	snprintf(text, bytes, "%s", count == 1 ? "its disk " : "one of its disks ");
	for (uint32_t i = 0; named < most; i++)
		if (scanned->pv[i])
			lea_append(text, bytes, "%s%s", named++ ? ", " : "",
				   scanned->pv[i]->device.name);
	if (named < count)
		lea_append(text, bytes, " and %" PRIu32 " more", count - named);
}

#define CHECK_LINE                                                                                 \
	"VG %s: not activated yet: a pool of it is being checked, for %" PRIu32                    \
	" s by now; it is activated when the check ends, and other VGs do not wait for it"

/* What the worker waits for. */
static const char *const detached_steps[] = {
	[LEA_DETACHED_DISK] = "a disk",
	[LEA_DETACHED_LOCK] = "the VG's lock",
	[LEA_DETACHED_UDEV] = "udev",
	[LEA_DETACHED_BESIDE] = "another VG",
	[LEA_DETACHED_LVM] = "the real lvm",
	[LEA_DETACHED_OTHER] = "something unknown",
	[LEA_DETACHED_CHECK] = "the check of a pool",
};

void lea_batch_log_detached(struct lea_log *log, const struct lea_scan_vg *scanned,
			    const struct lea_worker_result *result)
{
	const char *name = scanned->vg->name;
	char disks[DISKS_BYTES];
	struct lea_log_fields fields = {.message_id = LEA_MESSAGE_UNFINISHED,
					.vg = name,
					.vg_id = scanned->vg->id,
					.step = detached_steps[result->detached_why]};

	name_disks(scanned, disks, sizeof(disks));
	switch (result->detached_why) {
	case LEA_DETACHED_DISK:
		lea_log_with(
			log, LEA_LOG_WARNING, &fields,
			"VG %s: not finished: %s does not answer (see journalctl -k); other VGs do "
			"not wait for it",
			name, disks);
		break;
	case LEA_DETACHED_LOCK:
		lea_log_with(log, LEA_LOG_WARNING, &fields,
			     "VG %s: not activated yet: another command has its lock (see "
			     "lslocks); it is activated when that command ends",
			     name);
		break;
	case LEA_DETACHED_UDEV:
		lea_log_with(
			log, LEA_LOG_WARNING, &fields,
			"VG %s: udev does not finish with its LVs: %s, or one of an LV that was "
			"activated with them, may not answer (see journalctl -k)",
			name, disks);
		break;
	case LEA_DETACHED_BESIDE:
		lea_log_with(
			log, LEA_LOG_PRINT, &fields,
			"VG %s: its LVs are set up; its lock is held until VG %s is finished, which "
			"the same process activates",
			name, result->detached_by);
		break;
	case LEA_DETACHED_LVM:
		lea_log_with(
			log, LEA_LOG_WARNING, &fields,
			"VG %s: lvm, which activates it, does not finish: %s may not answer (see "
			"journalctl -k), or another command has the VG's lock",
			name, disks);
		break;
	case LEA_DETACHED_CHECK:
		lea_log_with(log, LEA_LOG_WARNING, &fields, CHECK_LINE, name, result->detached_s);
		break;
	case LEA_DETACHED_OTHER:
	default:
		lea_log_with(
			log, LEA_LOG_WARNING, &fields,
			"VG %s: not finished: its worker process makes no progress; other VGs do not "
			"wait for it (see journalctl -k, lslocks)",
			name);
	}
}

void lea_batch_note_active(struct lea_log *log, struct lea_batch_active *active, const char *vg,
			   uint32_t lvs)
{
	if (!lvs)
		return;
	snprintf(active->name[active->count], sizeof(active->name[0]), "%s", vg);
	active->lvs[active->count++] = lvs;
	if (active->count == LEA_LOG_VGS)
		lea_batch_log_active(log, active);
}

void lea_batch_log_active(struct lea_log *log, struct lea_batch_active *active)
{
	const char *names[LEA_LOG_VGS];
	const struct lea_log_fields fields = {.vgs = names, .vg_count = active->count};
	char text[LEA_LOG_VGS * 48] = "";

	if (!active->count)
		return;
	for (uint32_t i = 0; i < active->count; i++) {
		names[i] = active->name[i];
		lea_append(text, sizeof(text), "%s%s (%" PRIu32 " LV%s)", i ? ", " : "", names[i],
			   active->lvs[i], active->lvs[i] == 1 ? "" : "s");
	}
	lea_log_with(log, LEA_LOG_PRINT, &fields, "active: VG%s %s", active->count == 1 ? "" : "s",
		     text);
	active->count = 0;
}

void lea_batch_report(const struct lea_batch_options *options,
		      const struct lea_batch_summary *summary)
{
	if (!summary->pvs && !summary->gone && !summary->vgs_failed)
		return;
	lea_log(options->world->log, LEA_LOG_PRINT,
		"%" PRIu32 " device(s), %" PRIu32 " PV(s), %" PRIu32 " removed, %" PRIu32
		" VG(s) active (%" PRIu32 " LVs), %" PRIu32 " failed",
		summary->devices, summary->pvs, summary->gone, summary->vgs_active, summary->lvs,
		summary->vgs_failed);
}
