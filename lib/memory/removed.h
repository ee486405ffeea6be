/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Was a VG of the last good boot removed by a command since then? Then it is not missing: its disks
 * are there, without its PVs, and lvm2 has removed its own copy of the metadata.
 */
#pragma once

#include "conf/conf.h"
#include "memory/boot_memory.h"
#include "world/world.h"

struct lea_scan;

/* Zeroed but for the first three, which are borrowed. */
struct lea_removed {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_scan *scan; /* of the whole machine */
	bool is_prepared;	     /* for the first VG */
	bool is_blind;		     /* lvm2 keeps its copies elsewhere, or none */
	char **wwid; /* [wwid_count]: of the disks that were read, sorted */
	size_t wwid_count;
};

/* @vg: the scan has none of its PVs. In doubt, or without memory, false: it may be missing. */
bool lea_removed_has(struct lea_removed *removed, const struct lea_boot_vg *vg);
void lea_removed_done(struct lea_removed *removed);
