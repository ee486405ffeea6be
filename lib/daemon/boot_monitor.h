/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VGs whose active LVs dmeventd or lvmpolld may have to watch, when the boot starts
 * lvm2-monitor.service. lvm2's own command for that reads all disks while it holds up local mounts;
 * most machines have no such LV active then, and what the boot activates later is registered with
 * its activation.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "world/world.h"

#include <stddef.h>

#define LEA_BOOT_MONITOR_MOST 256U

/* It is not known which VGs, or they are more than LEA_BOOT_MONITOR_MOST: all are to be handled. */
#define LEA_BOOT_MONITOR_ALL 1

/*
 * lea_boot_monitor - asks sysfs and device-mapper, but no disk
 * @arena: owns the names
 * @ret_names: validated names of VGs, in the order of their ids; [*ret_count]
 * Returns 0, LEA_BOOT_MONITOR_ALL or -errno. Reads sysfs, and costs one request to
 * device-mapper for each active LV and each part of one. Logs nothing of its own.
 */
LEA_MUST_CHECK int lea_boot_monitor(struct lea_world *world, struct lea_arena *arena,
				    const char ***ret_names, size_t *ret_count);
