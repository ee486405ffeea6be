/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metadata area: its header, and where the committed text lies in the ring behind it. Pure.
 */
#ifndef LEA_DISK_MDA_H
#define LEA_DISK_MDA_H

#include "base/err.h"
#include "disk/label.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_MDA_HEADER_BYTES 512U
#define LEA_TEXT_MAX_BYTES   (16U * 1024U * 1024U) /* larger texts are refused */

/* The committed text: one piece, or two when it wraps round the end of the ring. */
struct lea_mda_text {
	uint64_t offset_bytes[2]; /* from the device's start */
	uint32_t size_bytes[2];	  /* second is 0 when the text does not wrap */
	uint32_t total_bytes;	  /* sum of both, the closing NUL included */
	uint32_t crc;		  /* of the pieces in order */
};

enum lea_mda_outcome {
	LEA_MDA_EMPTY = 1, /* no VG here: orphan, or the VG was removed */
	LEA_MDA_IGNORED,   /* switched off: its text must not be used */
	LEA_MDA_CORRUPT,   /* @why says what is wrong, at an offset from the device's start */
};

/*
 * lea_mda_parse - where is the text?
 * @header:       LEA_MDA_HEADER_BYTES read at area->offset_bytes; borrowed
 * @device_bytes: real size of the device
 * Returns 0 with @ret_text set, or an outcome.
 */
LEA_MUST_CHECK int lea_mda_parse(const uint8_t *header, const struct lea_mda_area *area,
				 uint64_t device_bytes, struct lea_why *why,
				 struct lea_mda_text *ret_text);

/* Does @text (total_bytes of it, pieces in order) have the checksum the slot promised? */
bool lea_mda_text_ok(const struct lea_mda_text *where, const uint8_t *text);

#endif
