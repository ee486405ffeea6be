/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What segments of each family say beyond extents and areas, as read and checked: every number is
 * in the range its field allows, every LV is an index into vg->lvs. Sizes are in sectors of 512.
 */
#ifndef LEA_DISK_SEGMENTS_H
#define LEA_DISK_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* The link between an origin and one snapshot of it; on the hidden LV snapshotN. */
struct lea_seg_snapshot {
	uint32_t origin, cow; /* LVs */
	uint32_t chunk_sectors;
	bool is_merging;
	const struct lea_seg_snapshot *next; /* of the same origin, in the text's order */
};

enum lea_discards { LEA_DISCARDS_IGNORE, LEA_DISCARDS_NOPASSDOWN, LEA_DISCARDS_PASSDOWN };

struct lea_seg_thin_pool {
	uint32_t data, metadata; /* LVs */
	uint64_t transaction_id;
	uint32_t chunk_sectors;
	enum lea_discards discards;
	bool zero, crop;
};

struct lea_seg_thin {
	uint32_t pool; /* LV */
	uint32_t device_id;
	uint32_t external; /* LV outside the pool that holds what was never written; or LEA_NONE */
	uint32_t merge;	   /* LV that is to become this one; or LEA_NONE */
};

#endif
