/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan while it is made: nodes, each once, and steps. One file a family of segment types; each
 * brings what it lies on into the plan and then writes its own row of the table. Pure.
 */
#ifndef LEA_POLICY_EMIT_H
#define LEA_POLICY_EMIT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "policy/plan.h"

#include <stddef.h>

/* A row's parameters as they grow. Faults stay in it: look once, at the end. */
struct lea_words {
	struct lea_arena *arena;
	char *text;
	size_t used, room;
	int fault;
};

/* The plan being made. */
struct lea_emit {
	struct lea_arena *arena;
	const struct lea_vg *vg;
	const struct lea_plan_pv *pvs;
	const struct lea_plan_rules *rules;
	struct lea_plan *plan;
	uint32_t node_room, step_room;
	uint32_t (*node_of)[LEA_LAYER_COUNT]; /* [lv_count]; LEA_NONE: not in the plan */
	uint32_t *ahead_of;		      /* [lv_count]: largest read-ahead of the PVs below */
	uint8_t *wholeness;		      /* [lv_count]: enum lea_wholeness, once asked */
	/* [lv_count]: LVs to come up with a move, from the move on and from LV to LV; or LEA_NONE
	 */
	uint32_t *first_moved, *next_moved;
	/* The LV in hand, with all below it. */
	uint32_t root;
	bool is_read_only; /* a volume list says so for all of it */
	uint32_t depth;
	uint32_t *late; /* nodes made whose resume waits until the LV's own node is made */
	uint32_t late_count, late_room;
};

/* A segment with its place: number @index of LV @lv, and the node whose table gets its row. */
struct lea_emit_seg {
	uint32_t lv, index, node;
	const struct lea_lv_seg *seg;
};

/* How much of an LV is there, from all PVs down to which it goes. */
enum lea_wholeness {
	LEA_WHOLE = 1,
	LEA_DEGRADED, /* what lacks is kept elsewhere, too */
	LEA_PARTIAL,  /* error or zero would have to stand in */
	LEA_LOST,     /* no stand-in helps */
};

struct lea_emitter {
	const char *type; /* as written in the metadata */
	/*
	 * One segment to one row. Start, length and target are set; a family that says otherwise
	 * changes them. NULL: such an LV has no node of its own (-ELOOP). Parameters go to @words.
	 * 0, -ENOMEM, -ERANGE, -ENAMETOOLONG, -ELOOP.
	 */
	int (*emit)(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		    struct lea_words *words);
	const char *target; /* the row's, unless emit sets another */
	/* Automatic read-ahead that the segment asks for, 0: none of its own. NULL: never. */
	uint64_t (*read_ahead_sectors)(const struct lea_emit *emit, const struct lea_lv_seg *seg);
	/* What is left of it with parts missing; asked only when some are. NULL: LEA_PARTIAL. */
	enum lea_wholeness (*bears)(struct lea_emit *emit, const struct lea_lv_seg *seg);
};

extern const struct lea_emitter lea_emit_striped, lea_emit_linear;
extern const struct lea_emitter lea_emit_error, lea_emit_zero;
extern const struct lea_emitter lea_emit_snapshot;
extern const struct lea_emitter lea_emit_thin_pool, lea_emit_thin;
extern const struct lea_emitter lea_emit_cache_pool, lea_emit_cache;
extern const struct lea_emitter lea_emit_writecache;
extern const struct lea_emitter lea_emit_raid, lea_emit_mirror, lea_emit_integrity;
extern const struct lea_emitter lea_emit_vdo_pool, lea_emit_vdo;

/* The row for this type, NULL: not ours. */
const struct lea_emitter *lea_emitter_find(const char *type);

/* Appends as printf does. */
void lea_words_add(struct lea_words *words, const char *format, ...) LEA_PRINTF(2, 3);

/*
 * lea_emit_need - a node of an LV with all that it lies on
 * Made and resumed by steps of the LV in hand, unless an earlier one needed it, too. 0, or as
 * lea_emitter.emit.
 */
LEA_MUST_CHECK int lea_emit_need(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
				 uint32_t *ret_node);
/* The same for what others use, too: a list that makes the LV in hand read-only says nothing of it.
 */
LEA_MUST_CHECK int lea_emit_need_shared(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
					uint32_t *ret_node);
/* The LV in hand: as lea_emit_need, its own node resumed last and whatever was late before it. */
LEA_MUST_CHECK int lea_emit_root(struct lea_emit *emit, uint32_t lv, uint32_t *ret_node);

/* Piece by piece, for nodes whose table is not that of an LV's segments. */
LEA_MUST_CHECK int lea_emit_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
				 uint32_t *ret_node);
LEA_MUST_CHECK int lea_emit_segments(struct lea_emit *emit, uint32_t lv, uint32_t node);
LEA_MUST_CHECK int lea_emit_row(struct lea_emit *emit, uint32_t node, uint64_t length_sectors,
				const char *target, const char *params);
LEA_MUST_CHECK int lea_emit_step(struct lea_emit *emit, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_emit_late(struct lea_emit *emit, uint32_t node);

/* " DEVICE SECTOR" of an area, which is brought into the plan if it is an LV or a stand-in. */
LEA_MUST_CHECK int lea_emit_area(struct lea_emit *emit, const struct lea_emit_seg *at,
				 uint32_t area, struct lea_words *words);

/* Size of an LV. */
uint64_t lea_emit_sectors(const struct lea_emit *emit, uint32_t lv);
enum lea_wholeness lea_emit_wholeness(struct lea_emit *emit, uint32_t lv);
/* The same with its snapshots: an origin comes with them or not at all. */
enum lea_wholeness lea_emit_group_wholeness(struct lea_emit *emit, uint32_t lv);
/* For lea_emitter.bears: nothing missing at all. */
enum lea_wholeness lea_emit_bears_nothing(struct lea_emit *emit, const struct lea_lv_seg *seg);
/* Fills in a node's read-ahead: its LV's own, or what its segments and PVs ask for. */
void lea_emit_read_ahead(struct lea_emit *emit, uint32_t lv, bool has_segments,
			 struct lea_dm_node *node);

/* LVs that lie on a move which came up with the LV in hand (nodes from @first on) come up, too. */
LEA_MUST_CHECK int lea_emit_companions(struct lea_emit *emit, uint32_t first);

/* Nodes laid over an LV's segments: the table of an origin's own node, and after that node is made,
 * its snapshots. */
LEA_MUST_CHECK int lea_emit_origin(struct lea_emit *emit, uint32_t lv, uint32_t node);
LEA_MUST_CHECK int lea_emit_snapshots(struct lea_emit *emit, uint32_t lv);

#endif
