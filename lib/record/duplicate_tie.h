/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How are two devices with the same PVID related? A copy must not be confused with the original;
 * two paths to one disk, or a device stacked on the other, hold the same bytes.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "scan/scan.h"
#include "world/device.h"
#include "world/sysfs.h"
#include "world/world.h"

enum lea_duplicate_tie {
	LEA_DUPLICATE_COPY,    /* unrelated devices */
	LEA_DUPLICATE_PATH,    /* two paths to one disk: the same unique id */
	LEA_DUPLICATE_STACKED, /* one lies on the other: device-mapper, DRBD, md, loop */
};

/* Reads sysfs, never a device. An enum lea_duplicate_tie, or the shortage for which it is not known. */
LEA_MUST_CHECK int lea_duplicate_tie(struct lea_world *world, const struct lea_device *a,
				     const struct lea_device *b);

/* Does an LV of this VG hold @devno? One of another VG shows that the device is that one's by now.
 * @vg: NULL: of any. 1: yes, 0: no, or the shortage for which it is not known. */
LEA_MUST_CHECK int lea_duplicate_is_in_use(struct lea_world *world, struct lea_devno devno,
					   const struct lea_vg *vg);

/* For people: adds "; LVs use /dev/sdb" to @text if any LV holds the device, or " and /dev/sdb" if
 * such an end is there. */
void lea_duplicate_tell_use(struct lea_world *world, const struct lea_device *device, char *text,
			    size_t text_bytes);

/*
 * lea_duplicate_tell_copies - has @scanned a PV that is on several disks? Two paths to one disk, and
 * devices stacked on each other, are none.
 * @text: adds the devices of each such PV, and which of them LVs use; of ten devices at most
 */
bool lea_duplicate_tell_copies(struct lea_world *world, const struct lea_scan *scan,
			       const struct lea_scan_vg *scanned, char *text, size_t text_bytes);

/* Is @found no answer (lea_found_silence), of a device that may still give one? Not so of one that
 * can only give errors, and that no LV holds. 1: yes, 0: no, or the shortage for which it is not known. */
LEA_MUST_CHECK int lea_duplicate_is_silent(struct lea_world *world, const struct lea_found *found);

/* Has udev read it as another PV since, as after vgimportclone? That is an answer, which a disk
 * that hangs by now cannot give any more. @device: from lea_device_find. 1: yes, 0: no, or the shortage
 * for which it is not known, as for the next. */
LEA_MUST_CHECK int lea_duplicate_is_named_another(struct lea_world *world,
						  const struct lea_device *device, const char *pvid);

/* Does udev name this PV on it? Not if it has yet to read the device, or got no answer. While it reads
 * the device again, as for a change of a slow one, what it has named before counts. */
LEA_MUST_CHECK int lea_duplicate_is_named(struct lea_world *world, const struct lea_device *device,
					  const char *pvid);

/* What a device says. */
struct lea_duplicate_answer {
	enum lea_presence presence;
	bool is_another; /* LEA_ABSENT: it carries another PV, of some VG */
	/* LEA_PRESENT: of its metadata; "", 0: it has none, or they could not be read. LEA_SILENT: of
	 * those that it has shown before, if the caller knows any */
	char vg_id[33], vg_name[128];
	uint32_t seqno;
};

/*
 * lea_duplicate_carries - does this device still carry @pvid?
 * @options: for the scan that reads the device
 * @device:  from lea_device_find; borrowed
 * @again:   what it is queued as if it answers late
 * LEA_ABSENT only by proof: it is gone or another instance, carries something else, also by what
 * udev has read, is excluded by a filter, or can only give errors.
 * Returns 0 or a fault, for which nothing was asked. Blocks as the scan does.
 */
LEA_MUST_CHECK int lea_duplicate_carries(struct lea_world *world, const struct lea_conf *conf,
					 const struct lea_scan_options *options,
					 const struct lea_device *device, const char *pvid,
					 enum lea_entry_kind again,
					 struct lea_duplicate_answer *ret_answer);
/* The same of the device that has @id, as lea_device_find finds it: *ret_device is the caller's in
 * any case. */
LEA_MUST_CHECK int lea_duplicate_ask(struct lea_world *world, const struct lea_conf *conf,
				     const struct lea_scan_options *options,
				     const struct lea_devid *id, const char *pvid,
				     enum lea_entry_kind again, struct lea_device *ret_device,
				     struct lea_duplicate_answer *ret_answer);
