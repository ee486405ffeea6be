/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timelines of five boots: /var/lib/lvmevent/timeline and timeline.1 to timeline.4, and that of
 * the present one in /run.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/ring.h"
#include "world/world.h"

#define LEA_TIMELINE_FOLDER "/var/lib/lvmevent"
#define LEA_TIMELINES_KEPT  5U /* with the newest */

enum lea_timeline_file_outcome {
	LEA_TIMELINE_ABSENT = 1, /* no such boot is kept, or the file is not ours */
};

/*
 * lea_timeline_read - the records of a boot
 * @back: 0: the present boot, to now; 1: the one before ...
 * @arena: owns what was read; LEA_RING_ARENA_BYTES for each of three rings
 * Returns 0, LEA_TIMELINE_ABSENT, or -errno. Does not log.
 */
LEA_MUST_CHECK int lea_timeline_read(struct lea_world *world, struct lea_arena *arena,
				     uint32_t back, struct lea_ring_records *ret_records);

/* The same of the present boot to the moment at which it was remembered, without what came later.
 * LEA_TIMELINE_ABSENT until then. */
LEA_MUST_CHECK int lea_timeline_read_boot(struct lea_world *world, struct lea_arena *arena,
					  struct lea_ring_records *ret_records);

/* Keeps what the ring has now as the timeline of this boot, unless it is kept. On the disk when it
 * returns, so it blocks. Returns 0 (also without a ring) or -errno; does not log. */
LEA_MUST_CHECK int lea_timeline_keep(struct lea_world *world);
