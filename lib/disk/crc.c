/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works on half bytes: a table of 16 entries can be checked by eye, and texts are short. */
#include "disk/crc.h"

static const uint32_t table[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
	0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t lea_crc(uint32_t crc, const uint8_t *bytes, size_t len_bytes)
{
	for (size_t i = 0; i < len_bytes; i++) {
		crc ^= bytes[i];
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return crc;
}
