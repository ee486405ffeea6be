/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices of a pass that have to be looked at again because the machine was short of something
 * (lea_is_shortage) when their turn came. All others of the pass are done.
 */
#ifndef LEA_FLOW_UNSETTLED_H
#define LEA_FLOW_UNSETTLED_H

#include "flow/scan.h"
#include "state/queue.h"

/* Zeroed: none. */
struct lea_unsettled {
	int fault;	  /* the first shortage; 0: none */
	uint64_t *number; /* of what it left; owned; major << 32 | minor */
	size_t count, room;
	bool is_full; /* no memory for more: nothing is settled */
};

/* @fault: anything that is no shortage is ignored. */
void lea_unsettled_add(struct lea_unsettled *unsettled, int fault, const struct lea_device *device);
/* The same for all PVs of a VG: an entry of one of them is enough to come back to it. */
void lea_unsettled_add_vg(struct lea_unsettled *unsettled, int fault,
			  const struct lea_scan_vg *known);
/* Marks the entries that are settled. Returns the shortage, or 0. */
LEA_MUST_CHECK int lea_unsettled_mark(struct lea_unsettled *unsettled, struct lea_entry *entries,
				      size_t count);
void lea_unsettled_done(struct lea_unsettled *unsettled);

#endif
