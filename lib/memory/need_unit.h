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

/* The unit of the other link of an LV, /dev/VG/LV. False: as above, or the need does not name an
 * LV. */
bool lea_need_vg_unit(const struct lea_need *need, char ret_unit[static LEA_NEED_UNIT_BYTES]);

/* The mount unit of an absolute path without needless slashes, other than "/" and none that begins
 * with a dot: "run-lock.mount". False: its name is too long. */
bool lea_mount_unit(const char *path, char ret_unit[static LEA_NEED_UNIT_BYTES]);
