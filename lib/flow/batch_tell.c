/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass says of devices, and of itself. */
#include "flow/batch_parts.h"

#include <inttypes.h>
#include <string.h>

void lea_batch_tell_found(struct lea_log *log, const struct lea_found *found)
{
	if (found->problem[0])
		lea_log(log, LEA_LOG_WARNING, "PV %s: %s", found->device.name, found->problem);
	if (found->kind == LEA_FOUND_UNREADABLE)
		lea_log(log, LEA_LOG_ERROR, "PV %s: reading: %s; %s", found->device.name,
			strerror(-found->fault), lea_found_advice(found));
	else if (found->kind == LEA_FOUND_EXCLUDED)
		lea_log(log, LEA_LOG_VERBOSE, "PV %s: %s", found->device.name, found->excluded_why);
}

void lea_batch_tell_record(struct lea_log *log, const struct lea_found *found,
			   const struct lea_record *record)
{
	if (record->kind == LEA_RECORD_DUPLICATE)
		lea_log(log, LEA_LOG_ERROR,
			"VG %s: not activated: PV %s is on %s and on %s (%" PRIu32 ":%" PRIu32
			"), exclude one of them by devices/filter",
			record->vg_name[0] ? record->vg_name : "unknown", found->label.pvid,
			found->device.name, record->other_device[0] ? record->other_device : "?",
			record->other_major, record->other_minor);
	else if (record->kind == LEA_RECORD_FAILED)
		lea_log(log, LEA_LOG_ERROR, "PV %s: recording: %s", found->device.name,
			strerror(-record->fault));
}

void lea_batch_report(const struct lea_batch_how *how, const struct lea_batch_summary *summary)
{
	if (!summary->pvs && !summary->gone && !summary->vgs_failed)
		return;
	lea_log(how->world->log, LEA_LOG_PRINT,
		"%" PRIu32 " device(s), %" PRIu32 " PV(s), %" PRIu32 " removed, %" PRIu32
		" VG(s) active (%" PRIu32 " LVs), %" PRIu32 " failed",
		summary->devices, summary->pvs, summary->gone, summary->vgs_active, summary->lvs,
		summary->vgs_failed);
}
