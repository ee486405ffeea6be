/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan under construction: nodes, each once, and steps. One file per family of segment types;
 * each adds the LVs below a segment to the plan and then writes the segment's table row. Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "plan/plan.h"

#include <stddef.h>

/* The parameters of a row while they are built. A fault is kept until the end; check it there. */
struct lea_words {
	struct lea_arena *arena;
	char *text;
	size_t used, room;
	int fault;
};

/* The plan under construction. */
struct lea_emit {
	struct lea_arena *arena;
	const struct lea_vg *vg;
	const struct lea_plan_pv *pvs;
	const struct lea_plan_rules *rules;
	struct lea_plan *plan;
	/* lea_emitter_find; by pointer, for the families call the functions that call it */
	const struct lea_emitter *(*find)(const char *type);
	uint32_t node_room, step_room;
	uint32_t (*node_of)[LEA_LAYER_COUNT]; /* [lv_count]; LEA_NONE: not in the plan */
	uint32_t *ahead_of;		      /* [lv_count]: largest read-ahead of the PVs below */
	uint8_t *availability; /* [lv_count]: enum lea_availability; 0: not computed */
	/* [lv_count]: the LVs that come up together with a pvmove LV: first_moved[move] is the
	 * first, next_moved[lv] the next; or LEA_NONE */
	uint32_t *first_moved, *next_moved;
	/* The LV being planned, with everything below it. */
	uint32_t root;
	bool is_read_only; /* read_only_volume_list applies to it */
	uint32_t depth;
	uint32_t *late; /* nodes made whose resume waits until the LV's own node is made */
	uint32_t late_count;
};

/* A segment in its place: number @index of LV @lv; its row belongs to the table of @node. */
struct lea_emit_seg {
	uint32_t lv, index, node;
	const struct lea_lv_seg *seg;
};

/* How much of an LV is available, down to its PVs. */
enum lea_availability {
	LEA_AVAIL_ALL = 1,
	LEA_DEGRADED,	/* the missing parts are redundant */
	LEA_PARTIAL,	/* needs error or zero targets in place of the missing parts */
	LEA_AVAIL_NONE, /* cannot be activated */
};

struct lea_emitter {
	const char *type; /* as written in the metadata */
	/*
	 * Writes one segment as a row. Start, length and target are preset; the family may change
	 * them. Parameters go to @words. 0, -ENOMEM, -ERANGE, -ENAMETOOLONG or -ELOOP. NULL: such
	 * an LV has no node of its own (-ELOOP).
	 */
	int (*emit)(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		    struct lea_words *words);
	const char *target; /* default target of the row */
	/* Automatic read-ahead that the segment asks for; 0: none. NULL: never. */
	uint64_t (*read_ahead_sectors)(const struct lea_emit *emit, const struct lea_lv_seg *seg);
	/* Availability of a segment that lacks parts. NULL: LEA_PARTIAL. */
	enum lea_availability (*degraded_ok)(struct lea_emit *emit, const struct lea_lv_seg *seg);
};

extern const struct lea_emitter lea_emit_striped, lea_emit_linear;
extern const struct lea_emitter lea_emit_error, lea_emit_zero;
extern const struct lea_emitter lea_emit_thin_pool, lea_emit_thin;
extern const struct lea_emitter lea_emit_cache_pool, lea_emit_cache;
extern const struct lea_emitter lea_emit_writecache;
extern const struct lea_emitter lea_emit_raid, lea_emit_mirror, lea_emit_integrity;
extern const struct lea_emitter lea_emit_vdo_pool, lea_emit_vdo;

/* The row for this type; NULL: not native. */
const struct lea_emitter *lea_emitter_find(const char *type);

/* Appends formatted text, as printf. */
void lea_words_add(struct lea_words *words, const char *format, ...) LEA_PRINTF(2, 3);

/*
 * lea_plan_require - plan a node of an LV with everything below it
 * The steps of the LV being planned create and resume the node, unless the plan has it already.
 * Returns 0, or as lea_emitter.emit.
 */
LEA_MUST_CHECK int lea_plan_require(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
				    uint32_t *ret_node);
/* The same for a node that other LVs share: the read-only list entry of the current LV does not
 * apply to it. */
LEA_MUST_CHECK int lea_plan_require_shared(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
					   uint32_t *ret_node);
/* Plans a selected LV: as lea_plan_require, but resumes its own node last, after the deferred
 * nodes. */
LEA_MUST_CHECK int lea_emit_root(struct lea_emit *emit, uint32_t lv, uint32_t *ret_node);

/* Single pieces, for nodes whose table does not come from an LV's segments. */
LEA_MUST_CHECK int lea_emit_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
				 uint32_t *ret_node);
/* The parts of lea_emit_node: a node without names, and its names. */
LEA_MUST_CHECK int lea_emit_add_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
				     uint32_t *ret_node);
void lea_emit_put_names(struct lea_emit *emit, struct lea_plan_names *names, uint32_t node);
LEA_MUST_CHECK int lea_emit_segments(struct lea_emit *emit, uint32_t lv, uint32_t node);
/* Gives @node a table with this single row. -ENOMEM also if @params is NULL. */
LEA_MUST_CHECK int lea_emit_row(struct lea_emit *emit, uint32_t node, uint64_t length_sectors,
				const char *target, const char *params);
LEA_MUST_CHECK int lea_emit_step(struct lea_emit *emit, const struct lea_plan_step *step);
/* Resumes @node only with the nodes at the end of lea_emit_root. */
LEA_MUST_CHECK int lea_plan_defer_resume(struct lea_emit *emit, uint32_t node);

/* Appends " DEVICE SECTOR" of an area. Plans the LV, or the stand-in for a missing PV, below it. */
LEA_MUST_CHECK int lea_emit_area(struct lea_emit *emit, const struct lea_emit_seg *at,
				 uint32_t area, struct lea_words *words);

/* Size of an LV in sectors. */
uint64_t lea_emit_sectors(const struct lea_emit *emit, uint32_t lv);
/* Availability of an LV, computed once. */
enum lea_availability lea_emit_availability(struct lea_emit *emit, uint32_t lv);
/* The same including the LV's snapshots: an origin is activated with all of them or not at all. */
enum lea_availability lea_emit_group_availability(struct lea_emit *emit, uint32_t lv);
/* For lea_emitter.degraded_ok: no part may be missing. */
enum lea_availability lea_emit_degraded_never_ok(struct lea_emit *emit,
						 const struct lea_lv_seg *seg);
/* Sets a node's read-ahead: that of its LV, or what its segments and PVs ask for. */
void lea_emit_read_ahead(struct lea_emit *emit, uint32_t lv, bool has_segments,
			 struct lea_dm_node *node);
