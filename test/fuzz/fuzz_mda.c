/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A metadata header: size of the device, the area as given by the label, then the header's
 * bytes. */
#include "base/bytes.h"
#include "disk/mda.h"
#include "fake/put.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check_text(const struct lea_mda_text *text, uint64_t device_bytes,
		       const struct lea_mda_area *area)
{
	CLAIM(text->total_bytes && text->total_bytes <= LEA_TEXT_MAX_BYTES);
	CLAIM((uint64_t)text->size_bytes[0] + text->size_bytes[1] == text->total_bytes);
	for (unsigned int i = 0; i < 2; i++) {
		if (!text->size_bytes[i])
			continue;
		CLAIM(lea_range_ok(text->offset_bytes[i], text->size_bytes[i], device_bytes));
		CLAIM(text->offset_bytes[i] >= area->offset_bytes + LEA_MDA_HEADER_BYTES);
	}
	/* The second piece must not overlap the first. */
	CLAIM(!text->size_bytes[1] ||
	      text->offset_bytes[1] + text->size_bytes[1] <= text->offset_bytes[0]);
}

static void parse(const uint8_t *header, const struct lea_mda_area *area, uint64_t device_bytes)
{
	struct lea_why why = {NULL, 0};
	struct lea_mda_text text;
	int r = lea_mda_parse(header, area, device_bytes, &why, &text);

	CLAIM(r >= 0 && r <= LEA_MDA_CORRUPT);
	CLAIM(r != LEA_MDA_CORRUPT || why.what);
	if (r == 0)
		check_text(&text, device_bytes, area);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	const uint64_t device_bytes = fuzz_u64(&in);
	const struct lea_mda_area area = {fuzz_u64(&in), fuzz_u64(&in)};
	uint8_t header[LEA_MDA_HEADER_BYTES] = {0};

	memcpy(header, in.at, in.left < sizeof(header) ? in.left : sizeof(header));
	parse(header, &area, device_bytes);
	put_le(header + 24, area.offset_bytes, 8);
	seal_header(header);
	parse(header, &area, device_bytes);
	return 0;
}
