/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the disks of remembered PVs, before udev has processed them: by wwid, else by address, from
 * sysfs. /proc/partitions is read once; no device is opened. Format: proc(5).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "boot/keep_off.h"
#include "conf/conf.h"
#include "memory/boot_memory.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_needed_disks;

/* A PV that the boot needs. */
struct lea_needed_pv {
	const struct lea_boot_vg *vg; /* as the next one borrowed */
	const struct lea_boot_pv *pv;
	struct lea_device device; /* owned (lea_device_done); empty: it is not there */
	/* For needed_udev.c: */
	bool is_seen;  /* udev has told of it, or none of its disks is there */
	bool is_twice; /* it is on two devices */
};

/* @world, @arena: borrowed; @arena owns the result. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_needed_disks_list(struct lea_world *world, const struct lea_conf *conf,
					 struct lea_arena *arena,
					 struct lea_needed_disks **ret_disks);

/*
 * lea_needed_disks_find - the device of a remembered PV
 * @pv:	      gets the device, with udev's properties, where udev has any
 * @ret_seen: for lea_keep_off_device; its strings are borrowed from @disks
 * Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_needed_disks_find(struct lea_needed_disks *disks, struct lea_needed_pv *pv,
					 struct lea_keep_off_device *ret_seen);

/*
 * lea_needed_disks_announce - have the kernel send udev an add of each disk of a remembered PV
 * Of all paths to it, and of the partition, too. Logs what fails. Returns whether there was one.
 */
bool lea_needed_disks_announce(struct lea_needed_disks *disks, const struct lea_boot_pv *pv);

/* Does the device lie on disks of the remembered PV, and on no others? False also if that cannot be
 * found out. */
bool lea_needed_disks_carry(struct lea_world *world, const struct lea_boot_pv *pv,
			    struct lea_devno devno);
