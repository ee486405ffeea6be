/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Which of two devices with one PVID is the PV, and which one its copy? What is remembered of the
 * last good boot says so, or nothing does. Pure.
 */
#pragma once

#include "memory/boot_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* What sysfs says about a device. */
struct lea_original_device {
	const char *wwid;   /* of its disk; "": none */
	uint32_t partition; /* its number; 0: the device is not a partition */
	uint64_t size_sectors;
};

enum lea_original {
	LEA_ORIGINAL_UNSURE,
	LEA_ORIGINAL_FIRST,
	LEA_ORIGINAL_SECOND,
};

/* Is @device on another disk than the remembered PV, or another partition? False also where that
 * was no plain disk, or had no id. */
bool lea_original_is_other(const struct lea_boot_pv *remembered,
			   const struct lea_original_device *device);

/* The metadata that lists the PV. */
struct lea_original_vg {
	const char *id; /* NULL: the PV has no metadata */
	uint32_t seqno; /* of that metadata */
};

/*
 * lea_original_by_memory - which device is the PV that was remembered?
 * Sure only if both devices have wwids, and different ones; if the PV was on a plain disk or a
 * partition of one; if one of the two has its wwid, number and size; and if the VG's metadata is
 * not older than it was then.
 */
enum lea_original lea_original_by_memory(const struct lea_boot_memory *memory, const char *pvid,
					 const struct lea_original_vg *vg,
					 const struct lea_original_device *first,
					 const struct lea_original_device *second);
