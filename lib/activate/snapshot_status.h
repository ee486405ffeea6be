/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * The status of a thick snapshot, as device-mapper gives it: "USED/TOTAL METADATA" in sectors, or a
 * word. Pure. Source: the kernel's dm-snap.c, snapshot_status.
 */
#pragma once

#include "base/err.h"
#include "base/next.h"

#include <stddef.h>
#include <stdint.h>

enum lea_snapshot_state {
	LEA_SNAPSHOT_UNKNOWN, /* nonsense, or no status */
	LEA_SNAPSHOT_USED,    /* the numbers are set */
	LEA_SNAPSHOT_INVALID,
	LEA_SNAPSHOT_OVERFLOW,
	LEA_SNAPSHOT_MERGE_FAILED,
};

struct lea_snapshot_status {
	enum lea_snapshot_state state;
	uint64_t used_sectors, total_sectors, metadata_sectors;
};

#define LEA_SNAPSHOT_FULL_PERCENT 80U

struct lea_snapshot_status lea_snapshot_status_parse(const char *text);
/* Percent of the room that is used, rounded down; of LEA_SNAPSHOT_USED only. */
uint32_t lea_snapshot_percent(const struct lea_snapshot_status *status);

/*
 * lea_snapshot_tell - what a person should know, as one line
 * @vg, @cow, @origin: names
 * @full_in_s: at the present rate; UINT64_MAX: unknown
 * Returns 0: nothing; 1: it is nearly full; 2: it is lost.
 */
int lea_snapshot_tell(const struct lea_snapshot_status *status, uint64_t full_in_s, const char *vg,
		      const char *cow, const char *origin, char *ret_evidence,
		      size_t evidence_bytes, struct lea_next *ret_next);
