/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a metadata area, and the position of the committed text in its ring buffer.
 * Pure. */
#pragma once

#include "base/err.h"
#include "disk/label.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_MDA_HEADER_BYTES 512U
#define LEA_TEXT_MAX_BYTES   (16U * 1024U * 1024U) /* larger texts are refused */

/* The committed text: one piece, or two if it wraps at the end of the ring. */
struct lea_mda_text {
	uint64_t offset_bytes[2]; /* from the start of the device */
	uint32_t size_bytes[2];	  /* the second is 0 unless the text wraps */
	uint32_t total_bytes;	  /* sum of both, including the closing NUL */
	uint32_t crc;		  /* of the pieces in order */
};

enum lea_mda_outcome {
	LEA_MDA_EMPTY = 1, /* no VG: orphan PV, or the VG was removed */
	LEA_MDA_IGNORED,   /* the area is switched off: its text must not be used */
	LEA_MDA_CORRUPT,   /* @why says what is wrong, at an offset from the start of the device */
};

/*
 * lea_mda_parse - find the committed text
 * @header:       LEA_MDA_HEADER_BYTES bytes read at area->offset_bytes; borrowed
 * @device_bytes: actual size of the device
 * @why:          set for LEA_MDA_CORRUPT; may be NULL
 * Returns 0 with @ret_text set, or an outcome.
 */
LEA_MUST_CHECK int lea_mda_parse(const uint8_t *header, const struct lea_mda_area *area,
				 uint64_t device_bytes, struct lea_why *why,
				 struct lea_mda_text *ret_text);

/* Does @text (total_bytes, pieces in order) have the checksum that the header records? */
bool lea_mda_text_ok(const struct lea_mda_text *where, const uint8_t *text);
