/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * From the records of a boot (base/ring.h) to what people ask: which VG took how long, in which
 * phase, and which disks were slow. Records may be missing, damaged or made up; every sum stays in
 * bounds, and time never runs backwards. Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/ring.h"

/* Limit for the arena of lea_timeline_decide, for two rings joined. */
#define LEA_TIMELINE_ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define LEA_TIMELINE_NAME_BYTES	 128U

/* Where the time of a VG goes, in this order. */
enum lea_phase {
	LEA_PHASE_DISKS, /* from the first PV seen to the last one recorded */
	LEA_PHASE_QUEUE, /* complete; until a worker begins */
	LEA_PHASE_LOCK,	 /* another process has the VG's lock */
	LEA_PHASE_READ,	 /* the metadata is read again under the lock */
	LEA_PHASE_NODES, /* device-mapper nodes are made */
	LEA_PHASE_CHECK, /* a tool checks the metadata of a pool */
	LEA_PHASE_BATCH, /* other VGs of the same transaction */
	LEA_PHASE_UDEV,	 /* udev processes the nodes */
	LEA_PHASE_END,	 /* monitoring is set up, the result is recorded */
	LEA_PHASE_LVM,	 /* instead of LOCK to END: the real lvm activates the VG */
	LEA_PHASES
};
/* The word in the output. Static. */
const char *lea_phase_word(enum lea_phase phase);

enum lea_turn_state {
	LEA_TURN_INCOMPLETE, /* PVs are missing */
	LEA_TURN_OPEN,	     /* not at its end: last phase */
	LEA_TURN_ACTIVE,
	LEA_TURN_LEFT, /* not activated, as events are not to, or because it has changed */
	LEA_TURN_FAILED,
	LEA_TURN_HUNG, /* its worker was given up */
	LEA_TURN_STATES
};
const char *lea_turn_word(enum lea_turn_state state);

/* One activation of a VG. Times are us from the start of the kernel. */
struct lea_turn {
	char name[LEA_TIMELINE_NAME_BYTES]; /* "" if no record has it */
	enum lea_turn_state state;
	uint32_t pvs, nodes, busy_count;
	uint32_t last_disk;	   /* position in disk, or LEA_NO_DISK */
	uint64_t start_us, end_us; /* OPEN, INCOMPLETE: end of the timeline */
	uint64_t took_us[LEA_PHASES];
	/* To draw them; CHECK lies inside of NODES. A span of 0: none. */
	uint64_t at_us[LEA_PHASES], span_us[LEA_PHASES];
	enum lea_phase longest, last;
};
#define LEA_NO_DISK UINT32_MAX

struct lea_disk_time {
	uint32_t device; /* lea_ring_device */
	char name[LEA_RING_TEXT_BYTES + 1];
	char vg[LEA_TIMELINE_NAME_BYTES];	/* "": none, or not known from this disk */
	uint64_t seen_us, read_us, recorded_us; /* 0: not */
	uint64_t took_us;			/* the longest read */
	uint16_t code;				/* errno of the last read */
};

struct lea_timeline_view {
	char boot[LEA_RING_BOOT_BYTES];
	struct lea_turn *turn; /* [turn_count]: by start */
	uint32_t turn_count;
	struct lea_disk_time *disk; /* [disk_count]: in the order of their appearance */
	uint32_t disk_count;
	uint64_t first_us, last_us;	/* of all records */
	uint64_t closed_us, open_us;	/* gate; 0: not */
	uint64_t ready_us, deadline_us; /* the boot scan; 0: not */
	uint64_t took_us[LEA_PHASES];	/* sums of all turns */
	uint32_t state_count[LEA_TURN_STATES];
	uint64_t lost; /* records that were overwritten, or are none */
};

/* @arena: owns the result; @records: not kept. Returns 0 or -ENOMEM. Linear but for a sort. */
LEA_MUST_CHECK int lea_timeline_decide(struct lea_arena *arena,
				       const struct lea_ring_records *records,
				       struct lea_timeline_view *ret_view);

static inline uint64_t lea_turn_us(const struct lea_turn *turn)
{
	return turn->end_us - turn->start_us;
}

/* How many of @count rows are shown; @top: the most to show, 0: all. */
static inline uint32_t lea_timeline_rows(size_t count, uint32_t top)
{
	return top && count > top ? top : (uint32_t)count;
}

/* The turn that ended last and was active, on which the boot may have waited; NULL: none. */
const struct lea_turn *lea_timeline_last(const struct lea_timeline_view *view);

/* A VG in two boots. */
struct lea_turn_change {
	const struct lea_turn *before, *after; /* the first turn of this name; NULL: none */
	int64_t took_us;		       /* after less before; 0 if one is NULL */
	enum lea_phase phase;		       /* that changed most */
};
/* *ret_changes: in @arena; what became slower, most first, then what became faster. Returns 0 or
 * -ENOMEM. */
LEA_MUST_CHECK int lea_timeline_compare(struct lea_arena *arena,
					const struct lea_timeline_view *before,
					const struct lea_timeline_view *after,
					struct lea_turn_change **ret_changes, size_t *ret_count);
