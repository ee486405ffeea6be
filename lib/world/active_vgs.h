/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VGs have a device of an LV, by what the kernel says of all device-mapper devices. For
 * people: it looks at every block device there is.
 */
#ifndef LEA_WORLD_ACTIVE_VGS_H
#define LEA_WORLD_ACTIVE_VGS_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: none. */
struct lea_active_vgs {
	char (*id)[33]; /* [count], sorted, each once; owned: lea_active_vgs_done */
	size_t count, room;
};

/* 0 or -errno. No sysfs: none is active. */
LEA_MUST_CHECK int lea_active_vgs_read(struct lea_world *world, struct lea_active_vgs *ret_vgs);
void lea_active_vgs_done(struct lea_active_vgs *vgs);
bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id);

#endif
