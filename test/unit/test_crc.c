/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"
#include "disk/crc.h"
#include "unit/suite.h"

#include <string.h>

static uint8_t zeros[492], ones[508], counting[256];

static const struct {
	const char *claim;
	const void *bytes;
	size_t len;
	uint32_t crc;
} rows[] = {
	{"nothing leaves the start value", "", 0, 0xf597a6cf},
	{"nine digits", "123456789", 9, 0x4991cf02},
	{"the label's type", "LVM2 001", 8, 0x5b9bcf05},
	{"four zeros", zeros, 4, 0x000cc5cc},
	{"every byte once", counting, 256, 0x5af1dacf},
	{"an empty label", zeros, 492, 0x02c81f10},
	{"as many set bytes as a metadata area header", ones, 508, 0x2586ed42},
};

static void fill(void)
{
	memset(ones, 0xff, sizeof(ones));
	for (size_t i = 0; i < sizeof(counting); i++)
		counting[i] = (uint8_t)i;
}

const struct fixture fixture = {fill, NULL};

TEST_EACH(known_bytes_have_known_checksums, rows)
{
	ck_assert_msg(lea_crc(LEA_CRC_INITIAL, rows[_i].bytes, rows[_i].len) == rows[_i].crc, "%s",
		      rows[_i].claim);
}

TEST(a_checksum_goes_on_over_the_next_piece)
{
	uint32_t crc = lea_crc(LEA_CRC_INITIAL, (const uint8_t *)"12345", 5);

	ck_assert_msg(lea_crc(crc, (const uint8_t *)"6789", 4) == 0x4991cf02,
		      "a checksum goes on over the next piece");
}
