/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs and who waits in all classes now, for people and monitoring. Takes no lock. */
#pragma once

#include "base/err.h"
#include "throttle/throttle_queue.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_class_view {
	char name[33]; /* first: the order compares it */
	struct lea_throttle_view view;
	/* Waiters of this class in the queues of VGs; owned. */
	struct lea_throttle_entry *in_vgs;
	size_t in_vgs_count, in_vgs_room;
	char vg[128];	    /* the VG with most of them; "": none */
	size_t in_vg;	    /* their number */
	uint64_t oldest_ms; /* when the oldest waiter began; 0: none */
};

struct lea_throttle_all {
	int event_fd;		       /* owned; -1 */
	struct lea_class_view *class_; /* [count], by name; owned */
	size_t count, room;
	bool is_held;	 /* by a drain */
	uint64_t now_ms; /* after the last look: nothing that was seen began later */
};

/* @ret_all: with .event_fd = -1; to be ended in every case. 0 or -errno. */
LEA_MUST_CHECK int lea_throttle_all_read(struct lea_world *world, struct lea_throttle_all *ret_all);
void lea_throttle_all_done(struct lea_throttle_all *all);

/* How long it has lasted. Another namespace of time may have a clock of its own: 0 then. */
uint64_t lea_throttle_age_ms(const struct lea_throttle_all *all, uint64_t since_ms);
