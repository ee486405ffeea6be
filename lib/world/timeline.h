/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened when, in this boot: /run/lvm/event/timeline, a ring of records (base/ring.h) that
 * the processes of the boot, the runner and its workers share. Without it, as when /run is full,
 * nothing is noted and everything else works.
 */
#pragma once

#include "base/ring.h"
#include "world/device.h"
#include "world/world.h"

#define LEA_TIMELINE_FILE "event/timeline"

/*
 * lea_timeline_open - have this process and its children note what they do
 * @role: "boot", "run"; noted; at most LEA_RING_TEXT_BYTES
 * Makes the file if there is none, and 16 MiB free. Does nothing if it was called before. Does not
 * log: a failure leaves world->timeline NULL. lea_world_done ends it.
 */
void lea_timeline_open(struct lea_world *world, const char *role);
/* For a child that was forked: its records carry its own pid. One system call. */
void lea_timeline_forked(struct lea_world *world);

/* What a process noted last (world->step), for another one that waits for it. */
struct lea_step_now {
	volatile uint32_t kind;	    /* an enum lea_ring_kind */
	volatile uint64_t since_us; /* monotonic, to the kernel's tick */
};

/* A record to be. Members that do not apply are zero. */
struct lea_timeline_note {
	const char *vg;	  /* its id; NULL: none */
	const char *text; /* truncated to LEA_RING_TEXT_BYTES; NULL: none */
	struct lea_devno device;
	uint64_t took_us; /* with READ, in place of vg */
	int code;	  /* an outcome or -errno; its absolute value is kept */
};

/* Notes that it happens now, in the ring and in world->step. No system call; nothing without
 * them. From any thread. */
void lea_timeline_note(const struct lea_world *world, enum lea_ring_kind kind,
		       const struct lea_timeline_note *note);

/* Most records have nothing but the VG and an outcome. */
static inline void lea_timeline_note_vg(const struct lea_world *world, enum lea_ring_kind kind,
					const char *vg_id, int code)
{
	lea_timeline_note(world, kind, &(struct lea_timeline_note){.vg = vg_id, .code = code});
}
/* The same, and the whole name of the VG: a record has room for the beginning only. */
void lea_timeline_note_name(const struct lea_world *world, enum lea_ring_kind kind,
			    const char *vg_id, const char *name);
/* @text: the last part of the device's name; NULL if it has none. */
void lea_timeline_note_device(const struct lea_world *world, enum lea_ring_kind kind,
			      const struct lea_device *device, struct lea_timeline_note note);
