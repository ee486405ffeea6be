/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests write into the head of a PV: little-endian numbers, on any machine, and checksums. */
#pragma once

#include "disk/crc.h"

#include <stddef.h>
#include <stdint.h>

static inline void put_le(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static inline void put_crc(uint8_t *to, const uint8_t *from, size_t bytes)
{
	put_le(to, lea_crc(LEA_CRC_INITIAL, from, bytes), 4);
}

/* @sector: of a label; its other fields are complete. */
static inline void seal_label(uint8_t *sector)
{
	put_crc(sector + 16, sector + 20, 512 - 20);
}

/* @header: of a metadata area; its other fields are complete. */
static inline void seal_header(uint8_t *header)
{
	put_crc(header, header + 4, 512 - 4);
}
