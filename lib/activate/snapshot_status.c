/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "activate/snapshot_status.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	enum lea_snapshot_state state;
	const char *said;
} words[] = {
	{"Invalid", LEA_SNAPSHOT_INVALID, "full or damaged, and lost"},
	{"Overflow", LEA_SNAPSHOT_OVERFLOW, "full and lost"},
	{"Merge failed", LEA_SNAPSHOT_MERGE_FAILED, "not merged: its merge has failed"},
};

struct lea_snapshot_status lea_snapshot_status_parse(const char *text)
{
	struct lea_snapshot_status status = {.state = LEA_SNAPSHOT_UNKNOWN};
	const char *at = text;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i].word))
			status.state = words[i].state;
	if (!lea_number_take(&at, &status.used_sectors) || *at++ != '/' ||
	    !lea_number_take(&at, &status.total_sectors) || *at++ != ' ' ||
	    !lea_number_take(&at, &status.metadata_sectors) || *at || !status.total_sectors ||
	    status.used_sectors > status.total_sectors)
		return status;
	status.state = LEA_SNAPSHOT_USED;
	return status;
}

uint32_t lea_snapshot_percent(const struct lea_snapshot_status *status)
{
	return (uint32_t)((double)status->used_sectors * 100 / (double)status->total_sectors);
}

int lea_snapshot_tell(const struct lea_snapshot_status *status, uint64_t full_in_s, const char *vg,
		      const char *cow, const char *origin, char *ret_evidence,
		      size_t evidence_bytes, struct lea_next *ret_next)
{
	char name[260];
	int used;

	snprintf(name, sizeof(name), "%.127s/%.127s", vg, cow);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (status->state == words[i].state) {
			snprintf(ret_evidence, evidence_bytes, "is %s (of %s/%s)", words[i].said,
				 vg, origin);
			lea_next_set(ret_next,
				     LEA_LOOK("lvs -o +snap_percent,lv_snapshot_invalid $1"), name);
			return 2;
		}
	if (status->state != LEA_SNAPSHOT_USED ||
	    lea_snapshot_percent(status) < LEA_SNAPSHOT_FULL_PERCENT)
		return 0;
	used = snprintf(ret_evidence, evidence_bytes, "%u %% full (of %s/%s)",
			lea_snapshot_percent(status), vg, origin);
	if (full_in_s != UINT64_MAX && used > 0 && (size_t)used < evidence_bytes)
		snprintf(ret_evidence + used, evidence_bytes - (size_t)used,
			 ", full in about %" PRIu64 " min at the present rate",
			 (full_in_s + 59) / 60);
	lea_next_set(ret_next, LEA_CHANGE("lvextend -L +1g $1"), name);
	return 1;
}
