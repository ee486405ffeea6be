/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVs that the boot scan keeps back at first: the last good boot had them on another disk. The
 * device may be a copy that is faster than the disk, which udev has not finished with yet. When
 * udev has nothing left to do, the disk is there, and the copy is known as one; or the PV has
 * moved.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "daemon/device_queue.h"
#include "memory/boot_memory.h"
#include "world/world.h"

#include <stdbool.h>

/* Zeroed: holds nothing back. */
struct lea_held_back {
	struct lea_arena *arena;	       /* owned; has the memory and remembered */
	const struct lea_boot_pv **remembered; /* [count], sorted by PVID */
	size_t count;
	bool is_unread; /* for a shortage: it is read when the first device comes */
	struct lea_device_queue devices;
};

/* Reads the memory of the last good boot. Without one that can be used nothing is held back. */
void lea_held_back_begin(struct lea_held_back *held, struct lea_world *world);
enum lea_held_back_outcome {
	LEA_HELD_BACK_NOT = 1, /* the entry's device is still the caller's */
};

/*
 * lea_held_back_take - keep the entry, if its PV was on another disk
 * Only if that disk had a unique id (filter/device_id.h); and if a shortage keeps from finding out
 * where it was, or is. Costs a search, and the read of an id if the PV is remembered. Returns 0,
 * LEA_HELD_BACK_NOT or -ENOMEM, with which the device is released.
 */
LEA_MUST_CHECK int lea_held_back_take(struct lea_held_back *held, struct lea_world *world,
				      const struct lea_entry *entry);
/* Moves all entries to @to, and holds back no more. How many there were is logged. Returns 0 or
 * -ENOMEM. */
LEA_MUST_CHECK int lea_held_back_release(struct lea_held_back *held, struct lea_log *log,
					 struct lea_device_queue *to);
/* Drops the entries: they are told again. */
void lea_held_back_clear(struct lea_held_back *held);
/* Holds back no more; may be called again. */
void lea_held_back_done(struct lea_held_back *held);
