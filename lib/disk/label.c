/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of one sector: a label header of 32 bytes, which names the offset of the PV header. The PV
 * header holds id, size, the lists of data and metadata areas, and the extension with the list of
 * bootloader areas. A list ends with an entry whose offset is 0. Everything lies inside the sector.
 */
#include "disk/label.h"

#include "base/bytes.h"
#include "base/id.h"
#include "disk/crc.h"

#include <errno.h>
#include <string.h>

#define SECTOR_BYTES	 512U
#define SECTORS		 4U
#define HEADER_BYTES	 32U /* smallest offset of the PV header */
#define CRC_FROM	 20U
#define PV_FIXED_BYTES	 40U
#define LIST_ENTRY_BYTES 16U
#define FLAG_IN_USE	 1U

static const char label_magic[] = "LABELONE", label_type[] = "LVM2 001";

/* A position in the sector while lists are read. */
struct cursor {
	const uint8_t *sector;
	uint32_t at;
};

/* Reads a list entry; false if it reaches beyond the sector. The closing entry has offset 0. */
static bool next_entry(struct cursor *cursor, uint64_t *ret_offset, uint64_t *ret_size)
{
	const uint8_t *p = cursor->sector + cursor->at;

	if (cursor->at > SECTOR_BYTES - LIST_ENTRY_BYTES)
		return false;
	*ret_offset = lea_le64(p);
	*ret_size = lea_le64(p + 8);
	cursor->at += LIST_ENTRY_BYTES;
	return true;
}

static bool parse_data_areas(struct cursor *cursor, struct lea_label *label)
{
	uint64_t offset, size;

	for (unsigned int n = 0; next_entry(cursor, &offset, &size); n++) {
		if (!offset)
			return true;
		if (!n)
			label->data_offset_bytes = offset;
	}
	return false;
}

static bool parse_mda_areas(struct cursor *cursor, struct lea_label *label)
{
	uint64_t offset, size;

	while (next_entry(cursor, &offset, &size)) {
		if (!offset)
			return true;
		if (label->mda_count < LEA_PV_MDAS)
			label->mda[label->mda_count++] =
				(struct lea_mda_area){.offset_bytes = offset, .size_bytes = size};
		label->mda_listed++;
	}
	return false;
}

/* An extension that does not fit is ignored: old headers end with the lists. */
static void parse_extension(struct cursor *cursor, struct lea_label *label)
{
	const uint8_t *p = cursor->sector + cursor->at;
	uint64_t offset, size;

	if (cursor->at > SECTOR_BYTES - 8)
		return;
	label->ext_version = lea_le32(p);
	if (!label->ext_version)
		return;
	label->in_use = label->ext_version >= 2 && (lea_le32(p + 4) & FLAG_IN_USE);
	cursor->at += 8;
	if (next_entry(cursor, &offset, &size) && offset) {
		label->boot_offset_bytes = offset;
		label->boot_size_bytes = size;
	}
}

static const char *parse_pv_header(const uint8_t *sector, uint32_t header_at,
				   struct lea_label *label)
{
	struct cursor cursor = {.sector = sector, .at = header_at + PV_FIXED_BYTES};

	memcpy(label->pvid, sector + header_at, LEA_PVID_CHARS);
	if (!lea_id_ok(label->pvid))
		return "PV id with invalid characters";
	label->device_bytes = lea_le64(sector + header_at + LEA_PVID_CHARS);
	if (!parse_data_areas(&cursor, label))
		return "list of data areas without end";
	if (!parse_mda_areas(&cursor, label))
		return "list of metadata areas without end";
	parse_extension(&cursor, label);
	return NULL;
}

/* Returns NULL and fills @label, or returns what is wrong. */
static const char *parse_sector(const uint8_t *sector, unsigned int number, struct lea_label *label)
{
	uint32_t header_at = lea_le32(sector + 20);

	*label = (struct lea_label){.sector = number};
	if (lea_le64(sector + 8) != number)
		return "label names another sector";
	if (lea_crc(LEA_CRC_INITIAL, sector + CRC_FROM, SECTOR_BYTES - CRC_FROM) !=
	    lea_le32(sector + 16))
		return "label checksum mismatch";
	if (header_at < HEADER_BYTES || header_at > SECTOR_BYTES - PV_FIXED_BYTES)
		return "PV header outside of its sector";
	return parse_pv_header(sector, header_at, label);
}

int lea_label_parse(const uint8_t *head, size_t len_bytes, struct lea_why *why,
		    struct lea_label *ret_label)
{
	int outcome = LEA_LABEL_NONE;

	if (len_bytes < LEA_LABEL_SCAN_BYTES)
		return -EINVAL;
	for (unsigned int i = 0; i < SECTORS; i++) {
		const uint8_t *sector = head + (size_t)i * SECTOR_BYTES;
		struct lea_label label;
		const char *what;

		/* Compare both strings: a wipe may have cleared only one of them. */
		if (memcmp(sector, label_magic, 8) != 0 || memcmp(sector + 24, label_type, 8) != 0)
			continue;
		what = parse_sector(sector, i, &label);
		if (!what) {
			*ret_label = label;
			return 0;
		}
		if (outcome == LEA_LABEL_NONE)
			lea_why_set(why, what, (uint64_t)i * SECTOR_BYTES);
		outcome = LEA_LABEL_CORRUPT;
	}
	return outcome;
}
