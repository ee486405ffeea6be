/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass says of devices, and of itself. */
#include "flow/batch_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/id.h"

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

/* Once. Of a copy that keeps a VG from being activated the VG tells, when it is complete. */
static void tell_rival(struct lea_log *log, const struct lea_found *found,
		       const struct lea_record *record)
{
	const char *other = record->other_device[0] ? record->other_device : "?";
	char uuid[39];

	lea_id_format(found->label.pvid, uuid);
	if (record->tie == LEA_RIVAL_PATH && record->is_news)
		lea_log(log, LEA_LOG_WARNING,
			"PV %s: %s and %s are two paths of one disk without multipath, the first "
			"one is used",
			uuid, other, found->device.name);
	else if (record->is_ignored)
		lea_log(log, LEA_LOG_WARNING,
			"PV %s: is in use on %s; it is also on %s, which is ignored", uuid, other,
			found->device.name);
	else
		lea_log(log, LEA_LOG_VERBOSE, "PV %s: is on %s and on %s", uuid, other,
			found->device.name);
}

void lea_batch_tell_record(struct lea_log *log, const struct lea_found *found,
			   const struct lea_record *record)
{
	if (record->kind == LEA_RECORD_DUPLICATE)
		tell_rival(log, found, record);
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
