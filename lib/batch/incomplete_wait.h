/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * How long incomplete VGs wait for their PVs. The wait begins when udev is idle, and again with
 * each PV that comes. All times in ms of one monotonic clock. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Pause between two looks at udev, while it is busy. */
#define LEA_INCOMPLETE_LOOK_MS 500U

/* Zeroed: nothing has come yet. One for all VGs: another VG's PV shows that disks still come. */
struct lea_incomplete_wait {
	uint64_t came_ms;  /* when the last PV came */
	uint64_t since_ms; /* when the wait began; valid with is_begun */
	bool is_begun;
};

/* A PV came. */
void lea_incomplete_wait_came(struct lea_incomplete_wait *wait, uint64_t now_ms);

/*
 * lea_incomplete_wait_look - look at udev
 * @busy_most_ms: a udev that is busy for longer than that after the last PV counts as idle: a disk
 *                may keep it busy forever
 * Returns whether udev counts as idle. The wait begins the first time that it does.
 */
bool lea_incomplete_wait_look(struct lea_incomplete_wait *wait, uint64_t now_ms, bool is_idle,
			      uint32_t busy_most_ms);

/*
 * lea_incomplete_wait_left - the rest of the wait of a VG, in ms; 0: it is over
 * @wait_ms: the VG's; 0 for a VG of which all is there that the last boot had
 */
uint32_t lea_incomplete_wait_left(const struct lea_incomplete_wait *wait, uint64_t now_ms,
				  uint32_t wait_ms);
