/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which LVs are active, according to the kernel's device-mapper devices. For reports, once a boot
 * for lvm2-monitor, and for what is remembered of a boot: reads every block device in sysfs, and
 * asks device-mapper nothing, whose calls can wait for a disk.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* What precedes the VG's id in a uuid. Source: dmsetup info of LVs of lvm2 2.03.16. */
#define LEA_ACTIVE_PREFIX "LVM-"
/* A dm uuid is the prefix, 32 characters of the VG id and 32 of the LV id; sub-LVs add a suffix. */
#define LEA_ACTIVE_VG_CHARS 36U
#define LEA_ACTIVE_LV_CHARS 68U

/* A device of an active LV, or of a part of one. */
struct lea_active_lv {
	char uuid[129];	 /* begins with LEA_ACTIVE_PREFIX; not validated further */
	char device[16]; /* "dm-3" */
	bool is_part;
};

/* Zeroed: none. */
struct lea_active_vgs {
	struct lea_active_lv *lv; /* [count], sorted by uuid; owned, see lea_active_vgs_done */
	size_t count, room;
};

/* 0 or -errno. Without sysfs no VG is active. */
LEA_MUST_CHECK int lea_active_vgs_read(struct lea_world *world, struct lea_active_vgs *ret_vgs);
void lea_active_vgs_done(struct lea_active_vgs *vgs);
/* Is any LV of this VG active? */
bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id);
/* NULL: this LV is not active; a part of it: its own device is not there. Borrowed. */
const struct lea_active_lv *lea_active_vgs_find(const struct lea_active_vgs *vgs, const char *vg_id,
						const char *lv_id);

#define LEA_ACTIVE_NAME_BYTES 128U

/* "VG/LV", by the name of the node, of a part that of its LV. False: it has no such name, or it
 * cannot be read. */
bool lea_active_lv_name(struct lea_world *world, const struct lea_active_lv *lv,
			char ret_name[static LEA_ACTIVE_NAME_BYTES]);
