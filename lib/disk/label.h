/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The LVM2 label and PV header in the first four sectors of a device. Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_LABEL_SCAN_BYTES 2048U /* four sectors */
#define LEA_PVID_CHARS	     32U   /* without hyphens, as in the PV header and in file names */
#define LEA_PV_MDAS	     2U	   /* lvm2 reads only the first two */

struct lea_mda_area {
	uint64_t offset_bytes, size_bytes; /* from the start of the device; unchecked */
};

struct lea_label {
	unsigned int sector; /* 0..3 */
	char pvid[LEA_PVID_CHARS + 1];
	uint64_t device_bytes;	    /* size recorded by pvcreate; only a hint */
	uint64_t data_offset_bytes; /* start of the first data area; 0: none */
	unsigned int mda_count;	    /* 0..2: used entries of mda[] */
	unsigned int mda_listed;    /* number of areas that the header lists */
	struct lea_mda_area mda[LEA_PV_MDAS];
	uint32_t ext_version; /* 0: no extension */
	bool in_use;	      /* extension flag: the PV belongs to a VG (ext_version >= 2) */
	uint64_t boot_offset_bytes, boot_size_bytes; /* bootloader area; 0 and 0: none */
};

enum lea_label_outcome {
	LEA_LABEL_NONE = 1, /* no sector holds both label strings: not a PV */
	LEA_LABEL_CORRUPT,  /* no label of the device passes the checks; @why says which check */
};

/*
 * lea_label_parse - find the LVM2 label at the start of a device
 * @head:      bytes from device offset 0; borrowed
 * @len_bytes: at least LEA_LABEL_SCAN_BYTES
 * @why:       set for LEA_LABEL_CORRUPT; may be NULL
 * @ret_label: set only on 0; plain values, nothing to free
 *
 * Returns 0, an outcome, or -EINVAL if @len_bytes is too small. The first sector that passes all
 * checks wins. Source: on-disk format of lvm2 2.03 (label.h, layout.h), as on disks of 2.03.16.
 */
LEA_MUST_CHECK int lea_label_parse(const uint8_t *head, size_t len_bytes, struct lea_why *why,
				   struct lea_label *ret_label);
