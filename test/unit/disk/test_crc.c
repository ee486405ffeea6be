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

/* By the polynomial alone, bit by bit. */
static uint32_t slowly(uint32_t crc, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < 8 * len; i++) {
		if (i % 8 == 0)
			crc ^= bytes[i / 8];
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

TEST(each_length_and_each_half_byte_count_as_the_polynomial_says)
{
	uint8_t bytes[4] = {0};

	for (size_t len = 0; len < sizeof(counting) - 1; len++)
		ck_assert_msg(lea_crc(LEA_CRC_INITIAL, counting + 1, len) ==
				      slowly(LEA_CRC_INITIAL, counting + 1, len),
			      "%zu bytes", len);
	for (unsigned int i = 0; i < 8; i++)
		for (unsigned int half = 0; half < 16; half++) {
			bytes[i / 2] = (uint8_t)(half << (i % 2 ? 4 : 0));
			ck_assert_msg(lea_crc(0, bytes, 4) == slowly(0, bytes, 4),
				      "%u at half byte %u", half, i);
			bytes[i / 2] = 0;
		}
}
