/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the memory of boots up to date. It compares them with the machine while it is idle, if
 * something has happened since the last look: events, changes of udev's database, of fstab or of
 * crypttab, which are four cheap questions. A look reads the files of all PVs and LVs, so there is
 * one in five minutes, and only some more when changes begin.
 */
#pragma once

#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_REMEMBER_SEEN 7U

/* Zeroed at first. */
struct lea_remember {
	uint64_t passes; /* how many there have been; the caller counts */
	/* At the last look. */
	bool has_looked;
	uint64_t looked_ms;
	uint64_t seen[LEA_REMEMBER_SEEN]; /* what tells that something has happened since */
	uint32_t pause_ms;		  /* until the next one */
	int told;			  /* the fault that was logged last */
	bool has_timeline;		  /* it was kept, or could not be */
};

/*
 * lea_remember_step - to be called while nothing is pending and the gate is open
 * Returns in how many milliseconds it is to be called again, because udev is busy, or the next look
 * has to wait; -1: not before something else wakes the caller. Blocks for the writes. A fault is
 * logged once.
 * The timeline of the boot is kept by the first step that finds udev idle.
 */
int lea_remember_step(struct lea_remember *remember, struct lea_world *world,
		      const struct lea_conf *conf);
