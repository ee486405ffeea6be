/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one pass keeps for the next: parsed texts, which members of incomplete VGs are recorded, the
 * devices file, claims and lookup files that were read. The PVs of a large VG arrive over many
 * passes; with the cache a pass costs what arrived in it, not the whole VG or all of them.
 *
 * Each cached item is checked before it is used: a text against the PV's header, a count against
 * the VG's lookup file (and a VG that seems complete is counted again), the devices file against
 * its status, claims and lookup files against their inodes.
 *
 * Which entries of the next pass may be older than what this one had (event_order.h), and which of them
 * this one has sent back (repeats.h).
 *
 * And, while passes are in flight, which VGs have had another turn before a worker had reported the
 * earlier one: that report may count no more (lea_claim_report).
 */
#pragma once

#include "batch/event_order.h"
#include "batch/repeats.h"
#include "record/vg_count.h"
#include "scan/metadata_cache.h"
#include "state/claim_index.h"
#include "state/lookup_index.h"

struct lea_devicesfile;

/* Bytes of texts that are kept in addition to the largest one; beyond that the cache is emptied. */
#define LEA_PASS_CACHE_MAX_BYTES (2U * 1024U * 1024U)

/* For scans and recorders. Zeroed: empty. */
struct lea_pass_cache {
	struct lea_scan_texts texts;
	struct lea_record_vgs vgs;
	struct lea_devicesfile *file; /* owned; NULL: not read yet */
	struct lea_claim_index claims;
	struct lea_lookup_index lookups;
	struct lea_event_order order; /* not forgotten with the rest */
	struct lea_repeats repeats;   /* likewise, until nothing is pending */
	char (*overtaken)[33]; /* [overtaken_count], ids; owned */
	size_t overtaken_count, overtaken_room;
	unsigned int users;
};

/* A pass starts to use the cache, until lea_pass_cache_end; several passes may. */
void lea_pass_cache_begin(struct lea_pass_cache *cache);
/* The VG has had another turn. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_pass_cache_overtake(struct lea_pass_cache *cache, const char *vg_id);
bool lea_pass_cache_is_overtaken(const struct lea_pass_cache *cache, const char *vg_id);
/* A pass ends, after its scan and recorder are freed. */
void lea_pass_cache_end(struct lea_pass_cache *cache);
/* Empties the cache, and gives the memory back. No pass may be using it. */
void lea_pass_cache_forget(struct lea_pass_cache *cache);
