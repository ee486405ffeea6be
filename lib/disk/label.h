/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The LVM2 label and PV header in the first four sectors of a device. Pure.
 */
#ifndef LEA_DISK_LABEL_H
#define LEA_DISK_LABEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_LABEL_SCAN_BYTES 2048U /* four sectors */
#define LEA_PVID_CHARS	     32U   /* without hyphens, as in the PV header and in file names */
#define LEA_PV_MDAS	     2U	   /* lvm2 reads the first two and no more */

struct lea_mda_area {
	uint64_t offset_bytes, size_bytes; /* from the device's start; not yet checked against it */
};

struct lea_label {
	unsigned int sector; /* 0..3 */
	char pvid[LEA_PVID_CHARS + 1];
	uint64_t device_bytes;	    /* as written at pvcreate; a hint only */
	uint64_t data_offset_bytes; /* first data area, 0 when there is none */
	unsigned int mda_count;	    /* 0..2: entries of mda[] */
	unsigned int mda_listed;    /* as many as the header lists */
	struct lea_mda_area mda[LEA_PV_MDAS];
	uint32_t ext_version; /* 0: no extension */
	bool in_use;	      /* extension flag: a VG has this PV (ext_version >= 2) */
	uint64_t boot_offset_bytes, boot_size_bytes; /* bootloader area, 0/0: none */
};

enum lea_label_outcome {
	LEA_LABEL_NONE = 1, /* no sector holds both label strings: not a PV */
	LEA_LABEL_CORRUPT,  /* a label is there but none passes the checks; @why says which */
};

/*
 * lea_label_parse - find the LVM2 label in the head of a device
 * @head:      bytes from device offset 0; borrowed
 * @len_bytes: at least LEA_LABEL_SCAN_BYTES
 * @why:       set for LEA_LABEL_CORRUPT; may be NULL
 * @ret_label: set only on 0; plain values, nothing to free
 *
 * Returns 0, an outcome, or -EINVAL: @len_bytes too small. The first sector that passes wins.
 * Source: on-disk format of lvm2 2.03 (label.h, layout.h), as seen on disks of 2.03.16.
 */
LEA_MUST_CHECK int lea_label_parse(const uint8_t *head, size_t len_bytes, struct lea_why *why,
				   struct lea_label *ret_label);

#endif
