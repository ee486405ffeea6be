/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Which programs of lvm2 continue after an activation: dmeventd monitors pools, snapshots and
 * redundancy; lvmpolld continues pvmoves and merges. Pure.
 */
#pragma once

#include "disk/vg.h"

struct lea_monitor_poll {
	bool monitor; /* dmeventd has something to monitor */
	bool poll;    /* lvmpolld has something to continue */
};

/* Judges all LVs of the VG, active or not. */
struct lea_monitor_poll lea_monitor_poll_of(const struct lea_vg *vg);

/*
 * May dmeventd or lvmpolld have something to do with an LV that has a node of this target? In doubt
 * yes. @target: as device-mapper names it.
 */
bool lea_monitor_poll_concerns(const char *target);

/* May activation take long? True if a tool checks metadata first, or the kernel reads an index. */
bool lea_monitor_poll_takes_time(const struct lea_vg *vg);
