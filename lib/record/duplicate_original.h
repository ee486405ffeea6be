/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of memory/original.h, asked of the devices file, of the machine's memory and of
 * sysfs. */
#pragma once

#include "conf/conf.h"
#include "disk/vg.h"
#include "memory/original.h"
#include "record/duplicate_tie.h"
#include "scan/scan.h"
#include "world/device.h"
#include "world/world.h"

/*
 * lea_original_listed - which of two devices with @pvid does the devices file mean?
 * The one that it lists by an id or name of its own, if it has only the PVID of the other: LVM does
 * not use that one. Unsure: it lists both alike, or is not used, or has a fault. Reads the file and
 * sysfs, so it is for PVs on two devices only. Never reads a device. Returns an enum lea_original,
 * or the shortage for which it is not known.
 */
LEA_MUST_CHECK int lea_original_listed(struct lea_world *world, const struct lea_conf *conf,
				       const char *pvid, const struct lea_device *first,
				       const struct lea_device *second);
/*
 * lea_original_find - which of two devices with @pvid is the PV?
 * @conf: NULL: a list of devices is given in place of the devices file
 * @vg: its metadata; NULL: unknown
 * Asks the devices file, and if that is unsure the memory of the last good boot. Never reads a
 * device. Returns as lea_original_listed.
 */
LEA_MUST_CHECK int lea_original_find(struct lea_world *world, const struct lea_conf *conf,
				     const char *pvid, const struct lea_vg *vg,
				     const struct lea_device *first,
				     const struct lea_device *second);

/*
 * lea_original_decide - as lea_original_find, where one of the two is that of @found, and the other says @answer
 * @vg: what the newest of the VG's other PVs say; NULL: unknown
 */
LEA_MUST_CHECK int lea_original_decide(struct lea_world *world, const struct lea_conf *conf,
				       const struct lea_found *found, const struct lea_vg *vg,
				       const struct lea_device *first,
				       const struct lea_device *second,
				       const struct lea_duplicate_answer *answer);

/* Is @device on another disk than the remembered PV was, which had a unique id? 1: yes, 0: no, or a
 * shortage: not known. Reads sysfs. */
LEA_MUST_CHECK int lea_original_ask_elsewhere(struct lea_world *world,
					      const struct lea_boot_pv *remembered,
					      const struct lea_device *device);
