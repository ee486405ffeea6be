/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table rows of the segment types that are done natively: one file a family, one row of the table
 * each. Pure.
 */
#ifndef LEA_POLICY_EMIT_H
#define LEA_POLICY_EMIT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "policy/plan.h"

/* What an emitter sees of the plan being made. */
struct lea_emit {
	struct lea_arena *arena;
	const struct lea_vg *vg;
	const struct lea_plan_pv *pvs;
	const struct lea_plan_rules *rules;
};

struct lea_emitter {
	const char *type; /* as written in the metadata */
	/* One segment to one row; start and length are set by the caller. 0, -ENOMEM, -ERANGE. */
	int (*emit)(const struct lea_emit *emit, const struct lea_lv_seg *seg, struct lea_row *row);
	/* Automatic read-ahead that the segment asks for, 0: none of its own. */
	uint64_t (*read_ahead_sectors)(const struct lea_emit *emit, const struct lea_lv_seg *seg);
};

extern const struct lea_emitter lea_emit_striped, lea_emit_linear;

/* The row for this type, NULL: not ours. */
const struct lea_emitter *lea_emitter_find(const char *type);

/* First sector of an area on its PV; -ERANGE when the numbers do not fit. */
LEA_MUST_CHECK int lea_emit_area_sector(const struct lea_emit *emit, const struct lea_area *area,
					uint64_t *ret_sector);

#endif
