/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pvs, vgs and lvs would say of this machine now, for lvmevent inventory: from the metadata on
 * the PVs, found by their records, and device-mapper's state. Takes no lock and starts no lvm. Disks
 * and device-mapper are asked in children with deadlines.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "cli/target.h"
#include "conf/conf.h"
#include "inventory/fields.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A PV that is there. Strings and pointers are the inventory's. */
struct lea_inventory_pv {
	char pvid[33];
	const struct lea_found *found; /* of the scan */
	const char *device;
	uint32_t major, minor;
	uint64_t size_bytes;  /* of the device; 0: unknown */
	uint64_t label_bytes; /* the size that the label gives */
	uint32_t mda_count;
	bool is_orphan;
	const struct lea_vg *vg; /* of its own metadata; NULL: none, or damaged */
	const char *vg_name;	 /* of damaged metadata; "": unknown */
	const char *problem;	 /* "": none */
	bool is_duplicate;	 /* another device is a copy of it */
	bool is_placed;		 /* a VG lists it */
	bool is_chosen;		 /* no VG does, and it was asked for */
};

struct lea_inventory_vg {
	const struct lea_vg *vg; /* NULL: all copies of its metadata are damaged, see problem */
	const char *name;
	const char *problem;		      /* one line; "": none */
	const struct lea_inventory_pv **pv; /* [pv_count]; NULL: not there */
	uint32_t pv_missing;
	uint64_t *used; /* [pv_count]: allocated extents */
	struct lea_inventory_vg_facts facts;
	bool is_chosen;	       /* at least a part of it was asked for */
	const bool *chosen_lv; /* [lv_count] */
};

struct lea_inventory {
	struct lea_arena *arena;
	struct lea_scan *scan; /* owns the VGs */
	struct lea_filter *filter;
	struct lea_inventory_pv *pv; /* [pv_count], sorted by pvid */
	size_t pv_count, pv_room;
	struct lea_inventory_vg *vg; /* [vg_count], sorted by name */
	size_t vg_count;
	const char **problem; /* [problem_count]: of devices that are no PV, or not known to be one */
	size_t problem_count, problem_room;
	bool is_whole;	   /* no targets were given */
	bool is_dm_silent; /* device-mapper did not answer for some LVs */
	size_t pending, taken, quarantined; /* entries of the queue */
	size_t failed_vgs;
	uint64_t oldest_s; /* age of the oldest pending entry; 0: none */
	char generation[LEA_GENERATION_BYTES];
};

struct lea_inventory_options {
	struct lea_targets *targets; /* NULL or none: all; a PV stands for its VG; borrowed */
	struct lea_scan_options scan;
	bool has_queue; /* count the queue, failures and ages */
	bool skips_states; /* device-mapper is not asked */
};

enum lea_inventory_outcome {
	LEA_INVENTORY_UNKNOWN = 1, /* a target means nothing that is there: lea_targets_unmet */
};

/*
 * lea_inventory_collect - gather all of it
 * @ret_inventory: to be freed in every case
 * Logs what a filter's settings have wrong. 0, an outcome, or -errno.
 */
LEA_MUST_CHECK int lea_inventory_collect(struct lea_world *world, const struct lea_conf *conf,
					 const struct lea_inventory_options *options,
					 struct lea_inventory *ret_inventory);
void lea_inventory_done(struct lea_inventory *inventory);

/* ---- parts, for the files of this room */

/* All PVs, by their records, udev's links, or a walk over all devices. 0 or -errno. */
LEA_MUST_CHECK int lea_inventory_find_pvs(struct lea_world *world, const struct lea_conf *conf,
					  const struct lea_inventory_options *options,
					  struct lea_inventory *inventory);
/* Asks device-mapper about the chosen VGs. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_inventory_ask_dm(struct lea_world *world, const struct lea_conf *conf,
					struct lea_inventory *inventory);
/* After that: which active LVs that were chosen use a disk that has gone? Waits for no disk. 0 or a
 * shortage. */
LEA_MUST_CHECK int lea_inventory_find_lost(struct lea_world *world,
					   struct lea_inventory *inventory);
