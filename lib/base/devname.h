/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of block devices as udev, lvm2, fstab and people write them: paths below /dev. Numbers are
 * in base/devid.h, names of VGs and LVs in base/id.h. Pure.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define LEA_DEVNAME_CHARS 127U

/* What follows "/dev/"; NULL: it is another path. Borrowed. */
const char *lea_devname_below(const char *path);

/* Is it a path below /dev of at most LEA_DEVNAME_CHARS, on one line? */
bool lea_devname_ok(const char *path);

/*
 * lea_devname_cut - the parts of a name that lvm2 gives to device-mapper, in place
 * "my--vg-lv-real" becomes "my-vg/lv/real". Returns the number of parts; 0: it has a slash, and is
 * then of no use.
 */
LEA_MUST_CHECK size_t lea_devname_cut(char *name);

/* The part of a path below /dev that is a name of device-mapper, in mapper/ or in udev's links by
 * such a name; NULL: it is another path. Borrowed. */
const char *lea_devname_mapped(const char *below);

/*
 * lea_devname_lv - the LV that a path below /dev means
 * @below:  "VG/LV", "mapper/VG-LV" with hyphens doubled, "disk/by-id/dm-name-VG-LV"
 * @ret_lv: "VG/LV"; the names themselves are not checked; of no use with false
 * False: it is the path of another device, or of a part of an LV, or it does not fit.
 */
LEA_MUST_CHECK bool lea_devname_lv(const char *below, char *ret_lv, size_t lv_bytes);
