/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header is trusted only as far as it agrees with the device: every position is first compared
 * with the actual size, in 64 bits and without sums that could overflow.
 */
#include "disk/mda.h"

#include "base/bytes.h"
#include "disk/crc.h"

#include <string.h>

#define MIN_OFFSET_BYTES 2048U /* the label's sectors come first */
#define MIN_SIZE_BYTES	 1024U
#define CRC_FROM	 4U
#define VERSION		 1U
#define SLOT_AT		 40U
#define SLOT_IGNORED	 1U

static const char mda_magic[] = " LVM2 x[5A%r0N*>";

static const char *check_header(const uint8_t *header, const struct lea_mda_area *area,
				uint64_t device_bytes)
{
	uint64_t size = lea_le64(header + 32);

	if (lea_crc(LEA_CRC_INITIAL, header + CRC_FROM, LEA_MDA_HEADER_BYTES - CRC_FROM) !=
	    lea_le32(header))
		return "metadata area header checksum mismatch";
	if (memcmp(header + 4, mda_magic, sizeof(mda_magic) - 1) != 0)
		return "metadata area header without its magic";
	if (lea_le32(header + 20) != VERSION)
		return "metadata area of unknown version";
	if (lea_le64(header + 24) != area->offset_bytes)
		return "metadata area header of another place";
	if (size < MIN_SIZE_BYTES || !lea_range_ok(area->offset_bytes, size, device_bytes))
		return "metadata area reaches beyond the device";
	return NULL;
}

static int corrupt(struct lea_why *why, const char *what, uint64_t at)
{
	lea_why_set(why, what, at);
	return LEA_MDA_CORRUPT;
}

int lea_mda_parse(const uint8_t *header, const struct lea_mda_area *area, uint64_t device_bytes,
		  struct lea_why *why, struct lea_mda_text *ret_text)
{
	const uint64_t start = area->offset_bytes;
	const uint8_t *slot = header + SLOT_AT;
	uint64_t size, offset, text_size, first;
	const char *what;

	if (start < MIN_OFFSET_BYTES || !lea_range_ok(start, LEA_MDA_HEADER_BYTES, device_bytes))
		return corrupt(why, "metadata area outside of the device", start);
	what = check_header(header, area, device_bytes);
	if (what)
		return corrupt(why, what, start);
	if (lea_le32(slot + 20) & SLOT_IGNORED)
		return LEA_MDA_IGNORED;
	size = lea_le64(header + 32);
	offset = lea_le64(slot);
	text_size = lea_le64(slot + 8);
	if (!offset)
		return LEA_MDA_EMPTY;
	if (offset < LEA_MDA_HEADER_BYTES || offset >= size)
		return corrupt(why, "metadata text outside of its area", start + SLOT_AT);
	if (!text_size || text_size > size - LEA_MDA_HEADER_BYTES || text_size > LEA_TEXT_MAX_BYTES)
		return corrupt(why, "metadata text of impossible size", start + SLOT_AT + 8);
	first = text_size <= size - offset ? text_size : size - offset;
	/* The rest of a wrapped text follows the header, not the start of the area. */
	*ret_text = (struct lea_mda_text){
		.offset_bytes = {start + offset, start + LEA_MDA_HEADER_BYTES},
		.size_bytes = {(uint32_t)first, (uint32_t)(text_size - first)},
		.total_bytes = (uint32_t)text_size,
		.crc = lea_le32(slot + 16),
	};
	return 0;
}

bool lea_mda_text_ok(const struct lea_mda_text *where, const uint8_t *text)
{
	return lea_crc(LEA_CRC_INITIAL, text, where->total_bytes) == where->crc;
}
