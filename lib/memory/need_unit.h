/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Names of systemd's device units for what the boot needs. Pure. Source: systemd.unit(5), udev(7).
 */
#pragma once

#include "base/unit_name.h"
#include "memory/need.h"

#include <stdbool.h>

#define LEA_NEED_UNIT_BYTES LEA_UNIT_BYTES

#define LEA_NEED_PATH_BYTES 1100U /* with the NUL; each byte of a value may become four */

/*
 * lea_need_path - the link to the device of a need, below /dev: "mapper/vg-lv"
 * Returns false if there is none: a VG and a tag stand for no single device.
 */
bool lea_need_path(const struct lea_need *need, char ret_path[static LEA_NEED_PATH_BYTES]);

/*
 * lea_need_unit - the device unit of a need, such as "dev-mapper-vg\x2dlv.device"
 * Returns false if there is none, as above, or if its name is too long.
 */
bool lea_need_unit(const struct lea_need *need, char ret_unit[static LEA_NEED_UNIT_BYTES]);

/*
 * lea_need_other_unit - the units of the other links of an LV
 * @which: below LEA_NEED_OTHER_UNITS; 0: /dev/VG/LV, 1: udev's in disk/by-id by the name of its node
 * Returns false as above, or if the need does not name an LV.
 */
#define LEA_NEED_OTHER_UNITS 2U
bool lea_need_other_unit(const struct lea_need *need, unsigned int which,
			 char ret_unit[static LEA_NEED_UNIT_BYTES]);

/* The mount unit of an absolute path without needless slashes, other than "/" and none that begins
 * with a dot: "run-lock.mount". False: its name is too long. */
bool lea_mount_unit(const char *path, char ret_unit[static LEA_NEED_UNIT_BYTES]);
