/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAID: metadata and image of each device, then the LV itself. The stand-ins for missing images
 * return errors, from which the kernel detects which images are missing.
 */
#include "plan/emit.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <inttypes.h>

/* Split off with --trackchanges: active on its own and read-only. */
static bool is_split_off(const struct lea_emit *emit, uint32_t lv)
{
	return lea_lv_is_visible(&emit->vg->lvs[lv]) && !(emit->vg->lvs[lv].flags & LEA_FLAG_WRITE);
}

/* Pairs of words in the table, and their number. */
struct pairs {
	struct lea_words *words;
	uint32_t count;
};

static void add_pair(struct pairs *pairs, const char *key, int64_t value)
{
	if (pairs->words)
		lea_words_add(pairs->words, " %s %" PRId64, key, value);
	pairs->count++;
}

static void add_wanted(struct pairs *pairs, const char *key, int64_t value)
{
	if (value)
		add_pair(pairs, key, value);
}

static void add_flagged(const struct lea_emit *emit, const struct lea_seg_raid *own, uint32_t flag,
			struct pairs *pairs)
{
	for (uint32_t i = 0; i < own->count; i++)
		if (emit->vg->lvs[own->image[i]].flags & flag)
			add_pair(pairs, flag == LEA_FLAG_REBUILD ? "rebuild" : "write_mostly", i);
}

/* Images that a reshape adds, minus those that it removes. */
static int64_t count_delta(const struct lea_emit *emit, const struct lea_seg_raid *own)
{
	int64_t delta = 0;

	for (uint32_t i = 0; i < own->count; i++) {
		const uint32_t flags = emit->vg->lvs[own->image[i]].flags;

		delta += !!(flags & LEA_FLAG_DELTA_PLUS) - !!(flags & LEA_FLAG_DELTA_MINUS);
	}
	return delta;
}

static void add_reshape(const struct lea_emit *emit, const struct lea_seg_raid *own,
			struct pairs *pairs)
{
	add_wanted(pairs, "delta_disks", count_delta(emit, own));
	/* The value 1 also means "none". */
	if (own->has_data_offset)
		add_pair(pairs, "data_offset",
			 own->data_offset_sectors == 1 ? 0 : (int64_t)own->data_offset_sectors);
}

/* In the order of the kernel's status output, which all targets except 1.9 and 1.10 accept. */
static void add_pairs(const struct lea_emit *emit, const struct lea_seg_raid *own,
		      struct pairs *pairs)
{
	const enum lea_raid_kind kind = own->level->kind;

	if (kind == LEA_RAID_STRIPED)
		return;
	add_flagged(emit, own, LEA_FLAG_REBUILD, pairs);
	add_wanted(pairs, "min_recovery_rate", own->min_recovery);
	add_wanted(pairs, "max_recovery_rate", own->max_recovery);
	if (kind == LEA_RAID_MIRRORED)
		add_flagged(emit, own, LEA_FLAG_WRITEMOSTLY, pairs);
	add_wanted(pairs, "max_write_behind", own->write_behind);
	add_pair(pairs, "region_size", own->region_sectors);
	if (kind == LEA_RAID_COPIES && own->copies > 1)
		add_pair(pairs, "raid10_copies", own->copies);
	add_reshape(emit, own, pairs);
}

static int add_device(struct lea_emit *emit, const struct lea_seg_raid *own, uint32_t i,
		      struct lea_words *words)
{
	uint32_t metadata, image;
	int r = 0;

	if (is_split_off(emit, own->image[i])) {
		lea_words_add(words, " - -");
		return 0;
	}
	if (own->metadata[i] != LEA_NONE) {
		r = lea_plan_require(emit, own->metadata[i], LEA_LAYER_NONE, &metadata);
		lea_words_add(words, " @%" PRIu32, metadata);
	} else {
		lea_words_add(words, " -");
	}
	r = r ? r : lea_plan_require(emit, own->image[i], LEA_LAYER_NONE, &image);
	if (!r)
		lea_words_add(words, " @%" PRIu32, image);
	return r;
}

static int emit_raid(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		     struct lea_words *words)
{
	const struct lea_seg_raid *own = at->seg->own.raid;
	struct pairs counted = {.words = NULL}, written = {.words = words};
	int r = 0;

	row->length_sectors -= (uint64_t)own->reshape_extents * (own->count - own->level->parity) *
			       emit->vg->extent_sectors;
	add_pairs(emit, own, &counted);
	lea_words_add(words, "%s %" PRIu32 " %" PRIu32, own->level->kernel_name,
		      1 + 2 * counted.count, at->seg->stripe_sectors);
	add_pairs(emit, own, &written);
	lea_words_add(words, " %" PRIu32, own->count);
	for (uint32_t i = 0; !r && i < own->count; i++)
		r = add_device(emit, own, i, words);
	return r;
}

static uint64_t two_stripes(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	(void)emit;
	return 2 * (uint64_t)seg->stripe_sectors * seg->own.raid->count;
}

static bool is_missing(struct lea_emit *emit, const struct lea_seg_raid *own, uint32_t i)
{
	if (is_split_off(emit, own->image[i]) ||
	    lea_emit_availability(emit, own->image[i]) >= LEA_PARTIAL)
		return true;
	return own->metadata[i] != LEA_NONE &&
	       lea_emit_availability(emit, own->metadata[i]) >= LEA_PARTIAL;
}

/* Copies of a chunk are on adjacent images, so each group needs one available image. */
static bool has_each_group(struct lea_emit *emit, const struct lea_seg_raid *own)
{
	if (own->count % own->copies)
		return false;
	for (uint32_t i = 0; i < own->count; i += own->copies) {
		uint32_t missing = 0;

		for (uint32_t j = 0; j < own->copies; j++)
			missing += is_missing(emit, own, i + j);
		if (missing == own->copies)
			return false;
	}
	return true;
}

static bool has_integrity(const struct lea_emit *emit, const struct lea_seg_raid *own)
{
	for (uint32_t i = 0; i < own->count; i++)
		if (emit->vg->lvs[own->image[i]].seg[0].segtype->family == LEA_FAMILY_INTEGRITY)
			return true;
	return false;
}

/* raid0 follows lvm2's rule, too, odd as it is: one image is enough. */
static enum lea_availability degraded_ok(struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	const struct lea_seg_raid *own = seg->own.raid;
	uint32_t missing = 0;
	bool works;

	if (has_integrity(emit, own))
		return LEA_AVAIL_NONE;
	for (uint32_t i = 0; i < own->count; i++)
		missing += is_missing(emit, own, i);
	switch (own->level->kind) {
	case LEA_RAID_PARITY:
		works = missing <= own->level->parity;
		break;
	case LEA_RAID_COPIES:
		works = has_each_group(emit, own);
		break;
	case LEA_RAID_MIRRORED:
	case LEA_RAID_STRIPED:
	default:
		works = missing < own->count;
	}
	return works ? LEA_DEGRADED : LEA_PARTIAL;
}

const struct lea_emitter lea_emit_raid = {
	.type = "raid",
	.emit = emit_raid,
	.target = "raid",
	.read_ahead_sectors = two_stripes,
	.degraded_ok = degraded_ok,
};
