/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the first and last bytes of a device contain besides an LVM label. Pure.
 * Source: UEFI specification (GPT), md's superblock layout (md.4, kernel include/uapi/linux/raid),
 * SNIA DDF, black-box tests of lvm2 2.03.16 for what counts as a used partition.
 */
#include "filter/filter.h"

#include <string.h>

#include "base/bytes.h"

#define SECTOR_BYTES	512U
#define MBR_ENTRIES	446U
#define MBR_ENTRY_BYTES 16U
#define MBR_GPT		0xeeU
#define GPT_TYPE_BYTES	16U
#define MD_MAGIC	0xa92b4efcU
#define DDF_MAGIC	0x11de11deU /* 0xDE11DE11, big-endian on disk */

enum mbr { MBR_NONE, MBR_EMPTY, MBR_USED, MBR_PROTECTIVE };

static enum mbr read_mbr(const uint8_t *head, size_t len_bytes)
{
	const uint8_t *entry = head + MBR_ENTRIES;
	enum mbr found = MBR_EMPTY;

	if (len_bytes < SECTOR_BYTES || head[510] != 0x55 || head[511] != 0xaa)
		return MBR_NONE;
	for (unsigned int i = 0; i < 4; i++, entry += MBR_ENTRY_BYTES) {
		/* A file system's boot code has the same mark, but no such entries. */
		if (entry[0] != 0 && entry[0] != 0x80)
			return MBR_NONE;
		/* An entry with a length is used, whatever its type. */
		if (!lea_le32(entry + 12))
			continue;
		if (entry[4] != MBR_GPT)
			found = MBR_USED;
		else if (found == MBR_EMPTY)
			found = MBR_PROTECTIVE;
	}
	return found;
}

static bool is_zero(const uint8_t *bytes, size_t len_bytes)
{
	for (size_t i = 0; i < len_bytes; i++)
		if (bytes[i])
			return false;
	return true;
}

static enum lea_partitions read_gpt(const uint8_t *head, size_t len_bytes)
{
	uint64_t at;
	uint32_t count, size;

	if (len_bytes < 2 * SECTOR_BYTES)
		return LEA_PARTITIONS_UNKNOWN;
	/* Without a GPT behind it the protective entry counts like any other. */
	if (memcmp(head + SECTOR_BYTES, "EFI PART", 8))
		return LEA_PARTITIONS_USED;
	at = lea_le64(head + SECTOR_BYTES + 72);
	count = lea_le32(head + SECTOR_BYTES + 80);
	size = lea_le32(head + SECTOR_BYTES + 84);
	if (size < 128 || at > UINT64_MAX / SECTOR_BYTES)
		return LEA_PARTITIONS_UNKNOWN;
	at *= SECTOR_BYTES;
	for (uint32_t i = 0; i < count; i++, at += size) {
		if (!lea_range_ok(at, size, len_bytes))
			return LEA_PARTITIONS_UNKNOWN;
		if (!is_zero(head + at, GPT_TYPE_BYTES))
			return LEA_PARTITIONS_USED;
	}
	return LEA_PARTITIONS_NONE;
}

static enum lea_partitions find_partitions(const uint8_t *head, size_t len_bytes)
{
	switch (read_mbr(head, len_bytes)) {
	case MBR_USED:
		return LEA_PARTITIONS_USED;
	case MBR_PROTECTIVE:
		return read_gpt(head, len_bytes);
	case MBR_NONE:
	case MBR_EMPTY:
	default:
		return LEA_PARTITIONS_NONE;
	}
}

/* LVM1: "HM" and version 1 or 2; a GFS pool: big-endian magic. */
static bool has_foreign_label(const uint8_t *head, size_t len_bytes)
{
	static const uint8_t pool[8] = {0, 0, 0, 0, 0, 0x01, 0x16, 0x70};

	if (len_bytes < SECTOR_BYTES)
		return false;
	if (head[0] == 'H' && head[1] == 'M' && (head[2] == 1 || head[2] == 2) && !head[3])
		return true;
	return !memcmp(head, pool, sizeof(pool));
}

static bool has_md(const uint8_t *head, size_t len_bytes)
{
	if (len_bytes >= 4 && lea_le32(head) == MD_MAGIC)
		return true;
	return len_bytes >= 4100 && lea_le32(head + 4096) == MD_MAGIC;
}

void lea_head_look(const uint8_t *head, size_t len_bytes, struct lea_head_signs *ret_signs)
{
	ret_signs->partitions = find_partitions(head, len_bytes);
	ret_signs->has_foreign_label = has_foreign_label(head, len_bytes);
	ret_signs->has_md = has_md(head, len_bytes);
}

/* The bytes at offset @at of the device, if the tail contains them. */
static const uint8_t *in_tail(const uint8_t *tail, size_t len_bytes, uint64_t device_bytes,
			      uint64_t at)
{
	uint64_t start = device_bytes - len_bytes;

	if (at < start || !lea_range_ok(at - start, SECTOR_BYTES, len_bytes))
		return NULL;
	return tail + (at - start);
}

static bool is_md(const uint8_t *bytes)
{
	static const uint8_t big_endian[4] = {0xa9, 0x2b, 0x4e, 0xfc};

	/* Version 0.90 is in the byte order of the host that created it. */
	return bytes && (lea_le32(bytes) == MD_MAGIC || !memcmp(bytes, big_endian, 4));
}

bool lea_tail_has_md(const uint8_t *tail, size_t len_bytes, uint64_t device_bytes)
{
	const uint64_t block = 64 * 1024;
	const uint8_t *bytes;

	if (len_bytes > device_bytes || device_bytes < 2 * block)
		return false;
	/* 0.90: the last whole 64 KiB block. 1.0: 8 KiB before the end, at a multiple of 4 KiB. */
	if (is_md(in_tail(tail, len_bytes, device_bytes, (device_bytes & ~(block - 1)) - block)) ||
	    is_md(in_tail(tail, len_bytes, device_bytes,
			  ((device_bytes / SECTOR_BYTES - 16) & ~7ULL) * SECTOR_BYTES)))
		return true;
	bytes = in_tail(tail, len_bytes, device_bytes, device_bytes - 2ULL * SECTOR_BYTES);
	if (bytes && !memcmp(bytes, "Intel Raid ISM Cfg Sig. ", 24))
		return true;
	bytes = in_tail(tail, len_bytes, device_bytes, device_bytes - SECTOR_BYTES);
	if (bytes && lea_le32(bytes) == DDF_MAGIC)
		return true;
	/* Some DDF controllers leave 128 KiB after their anchor. */
	bytes = in_tail(tail, len_bytes, device_bytes, device_bytes - 257ULL * SECTOR_BYTES);
	return bytes && lea_le32(bytes) == DDF_MAGIC;
}
