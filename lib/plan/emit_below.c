/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an LV inherits from everything below it: whether its PVs are present, and their read-ahead.
 * Each LV is computed once and the result is kept.
 */
#include "plan/emit.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#define NOT_ASKED 0U
#define NO_AHEAD  UINT32_MAX /* emit->ahead_of: not computed yet */

static bool lacks_pv(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	for (uint32_t i = 0; i < seg->area_count; i++)
		if (seg->area[i].pv != LEA_NONE && !emit->pvs[seg->area[i].pv].is_present)
			return true;
	return false;
}

/* The worst availability below, as if the segment needed all parts. */
static enum lea_availability worst_below(struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	enum lea_availability worst = lacks_pv(emit, seg) ? LEA_PARTIAL : LEA_AVAIL_ALL;

	for (uint32_t i = 0, lv; (lv = lea_seg_lv_below(seg, i)) != LEA_NONE || i < seg->area_count; i++) {
		enum lea_availability of_part =
			lv != LEA_NONE ? lea_emit_availability(emit, lv) : LEA_AVAIL_ALL;

		worst = of_part > worst ? of_part : worst;
	}
	return worst;
}

static enum lea_availability of_seg(struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	enum lea_availability worst = worst_below(emit, seg);
	const struct lea_emitter *emitter = emit->find(seg->type);

	return worst >= LEA_PARTIAL && emitter->degraded_ok ? emitter->degraded_ok(emit, seg)
							    : worst;
}

enum lea_availability lea_emit_degraded_never_ok(struct lea_emit *emit,
						 const struct lea_lv_seg *seg)
{
	(void)emit;
	(void)seg;
	return LEA_AVAIL_NONE;
}

/* Recurses at most as deep as metadata may nest. */
enum lea_availability lea_emit_availability(struct lea_emit *emit, uint32_t lv)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];
	enum lea_availability worst = LEA_AVAIL_ALL;

	if (emit->availability[lv] != NOT_ASKED)
		return emit->availability[lv];
	emit->availability[lv] = LEA_AVAIL_ALL;
	for (uint32_t i = 0; i < what->seg_count; i++) {
		enum lea_availability of_this = of_seg(emit, &what->seg[i]);

		worst = of_this > worst ? of_this : worst;
	}
	emit->availability[lv] = (uint8_t)worst;
	return worst;
}

enum lea_availability lea_emit_group_availability(struct lea_emit *emit, uint32_t lv)
{
	const struct lea_seg_snapshot *link = emit->vg->lvs[lv].snapshots;
	enum lea_availability worst = lea_emit_availability(emit, lv);

	for (; link; link = link->next) {
		enum lea_availability of_cow = lea_emit_availability(emit, link->cow);

		worst = of_cow > worst ? of_cow : worst;
	}
	return worst;
}

static uint32_t largest_ahead(struct lea_emit *emit, uint32_t lv);

static uint32_t ahead_of_seg(struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	uint32_t largest = 0, sectors;

	for (uint32_t i = 0, lv; (lv = lea_seg_lv_below(seg, i)) != LEA_NONE || i < seg->area_count; i++) {
		sectors = lv != LEA_NONE ? largest_ahead(emit, lv)
					 : emit->pvs[seg->area[i].pv].read_ahead_sectors;
		largest = sectors > largest ? sectors : largest;
	}
	return largest;
}

static uint32_t largest_ahead(struct lea_emit *emit, uint32_t lv)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];
	uint32_t largest = 0;

	if (emit->ahead_of[lv] != NO_AHEAD)
		return emit->ahead_of[lv];
	emit->ahead_of[lv] = 0;
	for (uint32_t i = 0; i < what->seg_count; i++) {
		uint32_t sectors = ahead_of_seg(emit, &what->seg[i]);

		largest = sectors > largest ? sectors : largest;
	}
	emit->ahead_of[lv] = largest;
	return largest;
}

/* Twice the widest stripe, or the largest read-ahead of the PVs. */
static uint64_t automatic(struct lea_emit *emit, const struct lea_lv *lv, bool has_segments)
{
	uint64_t widest = 0;

	for (uint32_t i = 0; has_segments && i < lv->seg_count; i++) {
		const struct lea_emitter *emitter = emit->find(lv->seg[i].type);
		uint64_t wish = emitter->read_ahead_sectors
					? emitter->read_ahead_sectors(emit, &lv->seg[i])
					: 0;

		widest = wish > widest ? wish : widest;
	}
	return widest ? widest : largest_ahead(emit, (uint32_t)(lv - emit->vg->lvs));
}

void lea_emit_read_ahead(struct lea_emit *emit, uint32_t lv, bool has_segments,
			 struct lea_dm_node *node)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];
	uint64_t sectors;

	node->has_read_ahead = true;
	if (what->has_read_ahead ? what->read_ahead != 0 : !emit->rules->readahead_auto) {
		node->read_ahead_sectors = what->has_read_ahead && what->read_ahead > 0
						   ? (uint32_t)what->read_ahead
						   : 0;
		return;
	}
	sectors = automatic(emit, what, has_segments);
	node->read_ahead_sectors = sectors > INT32_MAX ? INT32_MAX : (uint32_t)sectors;
	node->read_ahead_is_minimum = true;
}
