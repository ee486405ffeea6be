/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a state of the machine means for a VG, by lvm2's manual pages: which metadata hold, whether
 * its PVs are there, and on what. Questions about one moment; oracle.h knows the course of events.
 */
#pragma once

#include "sim/machine.h"

#define SIM_SLOW_MOST_MS 100000U /* a disk that is slower than this counts as one that hangs */

/* Is the disk one that LVM may see, and a PV? */
bool sim_is_pv(const struct sim_disk *disk);
/* Will no read of it end, or end well? */
bool sim_is_silent(const struct sim_disk *disk);
/* The disk with the newest metadata of the VG; NULL: none is there. */
const struct sim_disk *sim_newest(const struct sim_state *state, const char *vg_id);
/* Bit mask of the disks that carry a PV of the newest metadata of the VG, copies as well. */
uint32_t sim_disks_of(const struct sim_state *state, const char *vg_id);
/* Those that are rejected, and from which an event takes such a PV all the same, if they are alone:
 * the devices file has its PVID, but not the disk's id. */
uint32_t sim_disks_by_pvid(const struct sim_state *state, const char *vg_id);
bool sim_has_slow_disk(const struct sim_state *state, const char *vg_id);
/* Is one of its PVs on two devices, copies or paths? */
/* Does the devices file say which one of the disks with @pvid it means? */
bool sim_is_listed_apart(const struct sim_state *state, const char *pvid);
/* Without udev's links nothing leads to a PV without a record: a command has removed it, the VG was not
 * this host's, or after a runner was killed each disk is read alone. */
bool sim_may_be_untraceable(const struct sim_history *history);
bool sim_is_copied(const struct sim_state *state, const char *vg_id);
/* NULL, or what is active of the VG. */
const struct sim_active *sim_active_of(const struct sim_state *state, const char *vg_id);

/*
 * sim_why_not - what forbids any program to activate the VG on an event, in this state
 * A constant text; NULL: nothing. The course of events may forbid it as well.
 */
const char *sim_why_not(const struct sim_history *history, const struct sim_state *state,
			const char *vg_id);
/* Is that because one of its PVs is on two disks? @why_not may be NULL. */
bool sim_is_for_copies(const char *why_not);
/* Because one of its PVs is on none? */
bool sim_is_for_absence(const char *why_not);
/* Is each PV of the VG there, on whatever disk, sick or not? */
bool sim_is_whole(const struct sim_state *state, const char *vg_id);
/* May nothing that is unsure about the VG hinder its activation? */
bool sim_is_sound(const struct sim_state *state, const char *vg_id);
