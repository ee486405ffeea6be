/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must go on after an activation, in programs that are lvm2's: dmeventd watches pools,
 * snapshots and redundancy, lvmpolld carries moves and merges on. Pure.
 */
#ifndef LEA_POLICY_FOLLOW_H
#define LEA_POLICY_FOLLOW_H

#include "disk/vg.h"

struct lea_follow {
	bool monitor; /* something in it is for dmeventd */
	bool poll;    /* something in it is under way */
};

struct lea_follow lea_follow_of(const struct lea_vg *vg);

/* A tool has to look at something before it can be activated, or the kernel reads an index: that
 * may take its time. */
bool lea_follow_takes_time(const struct lea_vg *vg);

#endif
