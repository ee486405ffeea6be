/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * May a PV be used before udev has processed its device, on the strength of what was remembered of
 * it? In doubt not: the normal activation comes later and knows more. Pure.
 */
#pragma once

#include "memory/boot_memory.h"

#include <stdbool.h>
#include <stdint.h>

/* What sysfs says about the device that has the remembered wwid, or else the remembered address. */
struct lea_keep_off_device {
	bool is_there;
	const char *wwid;   /* of its disk; "": none */
	uint32_t with_wwid; /* disks that have this wwid */
	uint64_t size_sectors;
	bool is_partitioned; /* a whole disk with partitions */
	bool is_held;	     /* a device other than an LV lies on it or on its disk */
	/* The machine. */
	bool has_multipathd; /* multipathd will be started */
	bool had_multipathd; /* and was enabled when the PV was remembered: it has left the disk */
	bool has_filters;    /* devices/filter or devices/global_filter is set */
	bool has_links;	     /* udev's links of the device are known */
};

/*
 * lea_keep_off_device - why must the device not be read before udev has processed it?
 * *ret_is_for_udev: once udev has processed the disks that the PV lay on, the PV may be used where
 * udev finds it.
 * Returns static text; NULL: it may be read.
 */
const char *lea_keep_off_device(const struct lea_boot_pv *remembered,
				const struct lea_keep_off_device *device, bool *ret_is_for_udev);

/* What was read of the device. Strings are not NULL except excluded_why. */
struct lea_keep_off_content {
	bool is_read;		  /* false: it could not be read in time */
	const char *excluded_why; /* by a filter; NULL: it passed all */
	const char *type;	  /* the content's name by udev or libblkid; "": none, or several */
	const char *pvid;	  /* "": no label */
	const char *vg_id;	  /* of its metadata; "": it has none */
};

/* Returns why the VG must be left alone, as static text; NULL: the PV is what it was. */
const char *lea_keep_off_content(const struct lea_boot_vg *vg, const struct lea_boot_pv *remembered,
				 const struct lea_keep_off_content *content);
