/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which LVs are active, according to the kernel's device-mapper devices. For reports: reads every
 * block device in sysfs, and asks device-mapper nothing, whose calls can wait for a disk.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* One active LV. */
struct lea_active_lv {
	char id[65];   /* the VG's id and the LV's, 32 characters each */
	char node[16]; /* "dm-3": its own device; "": only devices of parts of it are there */
};

/* Zeroed: none. */
struct lea_active_vgs {
	struct lea_active_lv *lv; /* [count], sorted by id; owned, see lea_active_vgs_done */
	size_t count, room;
};

/* 0 or -errno. Without sysfs no VG is active. */
LEA_MUST_CHECK int lea_active_vgs_read(struct lea_world *world, struct lea_active_vgs *ret_vgs);
void lea_active_vgs_done(struct lea_active_vgs *vgs);
/* Is any LV of this VG active? */
bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id);
/* NULL: this LV is not active. Borrowed. */
const struct lea_active_lv *lea_active_vgs_find(const struct lea_active_vgs *vgs, const char *vg_id,
						const char *lv_id);
