/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole device, as a file: label, both metadata areas, texts, by the real reading code. Checksums
 * are corrected first (unless the first byte is odd), since most inputs would be refused otherwise.
 */
#include "base/bytes.h"
#include "disk/vg.h"
#include "fake/put.h"
#include "fuzz/fuzz.h"
#include "scan/read.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512U
#define MOST_BYTES   (256U * 1024U)
#define ARENA_BYTES  (64U << 20)

static bool is_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	CLAIM(strlen(vg_name) < LEA_READ_NAME_BYTES);
	CLAIM(where->total_bytes);
	return *(const bool *)arg;
}

/* Corrects the text's checksum, then that of the header, which covers it. */
static void mend_area(uint8_t *image, size_t size, const struct lea_mda_area *area)
{
	struct lea_mda_text text;
	uint8_t *header;
	uint32_t crc;

	if (!lea_range_ok(area->offset_bytes, LEA_MDA_HEADER_BYTES, size))
		return;
	header = image + area->offset_bytes;
	seal_header(header);
	if (lea_mda_parse(header, area, size, NULL, &text))
		return;
	crc = lea_crc(LEA_CRC_INITIAL, image + text.offset_bytes[0], text.size_bytes[0]);
	crc = lea_crc(crc, image + text.offset_bytes[1], text.size_bytes[1]);
	put_le(header + 56, crc, 4);
	seal_header(header);
}

static void mend(uint8_t *image, size_t size)
{
	struct lea_label label;

	if (size < LEA_LABEL_SCAN_BYTES)
		return;
	for (size_t at = 0; at < LEA_LABEL_SCAN_BYTES; at += SECTOR_BYTES)
		if (!memcmp(image + at, "LABELONE", 8))
			seal_label(image + at);
	if (lea_label_parse(image, size, NULL, &label))
		return;
	for (unsigned int i = 0; i < label.mda_count; i++)
		mend_area(image, size, &label.mda[i]);
}

static void check(const struct lea_read *read, const struct lea_read_texts *texts)
{
	CLAIM(lea_read_is_sound(read));
	for (unsigned int i = 0; i < read->mda_count; i++) {
		const struct lea_read_mda *mda = &read->mda[i];
		struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
		struct lea_vg *vg = NULL;

		CLAIM(mda->outcome >= 0 && mda->outcome <= LEA_MDA_CORRUPT);
		CLAIM(mda->outcome != LEA_MDA_CORRUPT || mda->why.what[0]);
		CLAIM(mda->has_text == (texts->of_mda[i] != NULL));
		if (texts->of_mda[i])
			CLAIM(lea_vg_parse(arena, texts->of_mda[i], mda->where.total_bytes, NULL,
					   &vg) >= 0);
		lea_arena_free(arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t image[MOST_BYTES];
	static struct lea_read read;
	struct lea_read_texts texts = {0};
	static char name[] = "/dev/disk";
	static int fd;
	const struct lea_device disk = {.name = name};
	struct fuzz_in in = {data, size};
	const uint8_t bits = fuzz_u8(&in);
	bool known = bits & 2;
	const struct lea_read_cached options = {.is_known = is_known, .arg = &known};
	const size_t used = in.left < MOST_BYTES ? in.left : MOST_BYTES;

	if (!fd)
		fd = fuzz_file(name);
	memcpy(image, in.at, used);
	if (!(bits & 1))
		mend(image, used);
	fuzz_fill(fd, image, used);
	memset(&read, 0, sizeof(read));
	lea_read_device(fuzz_world(), &disk, &options, &(const struct lea_read_extras){0}, &read,
			&texts);
	check(&read, &texts);
	lea_read_texts_done(&texts);
	return 0;
}
