/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the memory of this boot once it has settled. It costs nothing per event: the files of all
 * PVs and LVs are read once a boot.
 */
#pragma once

#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. */
struct lea_remember {
	bool is_done;	   /* written, by this process or by another of this boot */
	bool has_timeline; /* it was kept, or could not be */
	uint32_t tries;	   /* that did not lead to that */
};

/*
 * lea_remember_step - to be called while nothing is pending and the gate is open
 * Returns in how many milliseconds it is to be called again, because udev is busy; -1: not before
 * something has been processed. Does nothing after a few tries in vain: an LV that the boot needs
 * is missing, or /var cannot be written. That is logged (verbose). Blocks for the writes.
 * The timeline of the boot is kept by the first step that finds udev idle, good boot or not.
 */
int lea_remember_step(struct lea_remember *remember, struct lea_world *world,
		      const struct lea_conf *conf);
