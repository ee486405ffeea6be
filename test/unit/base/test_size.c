/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/size.h"

#include "unit/suite.h"

#include <string.h>

static const struct {
	uint64_t bytes;
	const char *text;
} sizes[] = {
	{0, "0"},
	{512, "0.5 KiB"},
	{1024, "1.0 KiB"},
	{1536, "1.5 KiB"},
	{64ULL << 20, "64.0 MiB"},
	{5ULL << 30, "5.0 GiB"},
	{100ULL << 40, "100.0 TiB"},
	{UINT64_MAX, "16384.0 PiB"},
};

TEST_EACH(a_size_has_one_decimal_and_a_unit, sizes)
{
	char text[LEA_SIZE_BYTES];

	lea_size_format(sizes[_i].bytes, text);
	ck_assert_str_eq(text, sizes[_i].text);
}
