/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/mda.h"
#include "fake/put.h"
#include "fake/sample.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const struct sample *sample, unsigned int index,
		       const struct lea_mda_text *where)
{
	uint8_t *text = malloc(where->total_bytes);
	char key[32];

	for (unsigned int i = 0, at = 0; i < 2; at += where->size_bytes[i++])
		memcpy(text + at, sample->head + where->offset_bytes[i], where->size_bytes[i]);
	ck_assert_msg(lea_mda_text_ok(where, text), "%s: checksum of the text", sample->name);
	text[0] ^= 1;
	ck_assert_msg(!lea_mda_text_ok(where, text), "%s: checksum of another text", sample->name);
	free(text);
	snprintf(key, sizeof(key), "mda%u.text_bytes", index);
	ck_assert_uint_eq(where->total_bytes, sample_number(sample, key));
	snprintf(key, sizeof(key), "mda%u.tail_bytes", index);
	ck_assert_uint_eq(where->size_bytes[1], sample_number(sample, key));
	snprintf(key, sizeof(key), "mda%u.crc", index);
	ck_assert_uint_eq(where->crc, sample_number(sample, key));
}

static int outcome_of(const char *kind)
{
	if (!strcmp(kind, "ignored"))
		return LEA_MDA_IGNORED;
	return !strcmp(kind, "empty") ? LEA_MDA_EMPTY : 0;
}

TEST_TIMES(each_sample_gives_its_metadata_text, sample_count())
{
	struct sample sample;
	struct lea_label label;

	sample_load_index(&sample, (size_t)_i);
	if (!sample_value(&sample, "verdict")) {
		ck_assert_int_eq(lea_label_parse(sample.head, sample.head_bytes, NULL, &label), 0);
		for (unsigned int i = 0; i < label.mda_count; i++) {
			const struct lea_mda_area *area = &label.mda[i];
			struct lea_mda_text where;
			char key[32];
			int r;

			snprintf(key, sizeof(key), "mda%u.kind", i);
			r = lea_mda_parse(sample.head + area->offset_bytes, area,
					  sample.device_bytes, NULL, &where);
			ck_assert_msg(r == outcome_of(sample_value(&sample, key)), "%s %s",
				      sample.name, key);
			if (!r)
				check_text(&sample, i, &where);
		}
	}
	sample_done(&sample);
}

/* A valid header with one changed field and a correct checksum. */
static const struct {
	const char *claim;
	unsigned int at;
	uint64_t value;
	int outcome;
} rows[] = {
	{"unchanged", 0, 0, 0},
	{"version 2", 20, 0x0000100000000002, LEA_MDA_CORRUPT},
	{"start of another place", 24, 8192, LEA_MDA_CORRUPT},
	{"size 0", 32, 0, LEA_MDA_CORRUPT},
	{"size 1023", 32, 1023, LEA_MDA_CORRUPT},
	{"size to the end of the device", 32, 67108864 - 4096, 0},
	{"size one byte further", 32, 67108864 - 4095, LEA_MDA_CORRUPT},
	{"size that wraps", 32, UINT64_MAX - 1000, LEA_MDA_CORRUPT},
	{"text offset 0: no VG", 40, 0, LEA_MDA_EMPTY},
	{"text inside the header", 40, 511, LEA_MDA_CORRUPT},
	{"text right behind the header", 40, 512, 0},
	{"text on the area's last byte", 40, 1044479, 0},
	{"text behind the area", 40, 1044480, LEA_MDA_CORRUPT},
	{"text offset that wraps", 40, UINT64_MAX - 511, LEA_MDA_CORRUPT},
	{"text of no bytes", 48, 0, LEA_MDA_CORRUPT},
	{"text as long as the ring", 48, 1044480 - 512, 0},
	{"text longer than the ring", 48, 1044480 - 511, LEA_MDA_CORRUPT},
	{"text of 8 GiB", 48, 1ULL << 33, LEA_MDA_CORRUPT},
	{"flag ignored", 56, 0x100000000, LEA_MDA_IGNORED},
	{"unknown flags", 56, 0xfffffffe00000000, 0},
	{"a newer text in slot 1", 64, 512, 0},
};

TEST_EACH(each_field_of_the_header_is_checked, rows)
{
	const struct lea_mda_area area = {.offset_bytes = 4096, .size_bytes = 1044480};
	struct lea_mda_text where;
	struct lea_why why = {NULL, 0};
	struct sample sample;
	uint8_t *header;
	int r;

	sample_load(&sample, "one-pv");
	header = sample.head + 4096;
	if (rows[_i].at)
		put_le(header + rows[_i].at, rows[_i].value, 8);
	seal_header(header);
	r = lea_mda_parse(header, &area, sample.device_bytes, &why, &where);
	ck_assert_msg(r == rows[_i].outcome, "%s: %d", rows[_i].claim, r);
	ck_assert_msg((r == LEA_MDA_CORRUPT) == (why.what != NULL), "%s", rows[_i].claim);
	if (!r)
		ck_assert_msg(where.offset_bytes[0] + where.size_bytes[0] <= sample.device_bytes &&
				      where.size_bytes[0] + where.size_bytes[1] ==
					      where.total_bytes,
			      "%s", rows[_i].claim);
	sample_done(&sample);
}
