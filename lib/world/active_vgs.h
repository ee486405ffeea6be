/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VGs have an active LV, according to the kernel's device-mapper devices. For reports: reads
 * every block device in sysfs.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct lea_active_vgs {
	char (*id)[33]; /* [count], sorted, unique; owned, released by lea_active_vgs_done */
	size_t count, room;
};

/* 0 or -errno. Without sysfs no VG is active. */
LEA_MUST_CHECK int lea_active_vgs_read(struct lea_world *world, struct lea_active_vgs *ret_vgs);
void lea_active_vgs_done(struct lea_active_vgs *vgs);
bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id);
