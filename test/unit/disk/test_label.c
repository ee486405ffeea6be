/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/label.h"
#include "fake/sample.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void check_values(const struct sample *sample, const struct lea_label *label)
{
	ck_assert_uint_eq(label->sector, sample_number(sample, "label.sector"));
	ck_assert_str_eq(label->pvid, sample_value(sample, "label.pvid"));
	ck_assert_uint_eq(label->device_bytes, sample_number(sample, "label.device_bytes"));
	ck_assert_uint_eq(label->data_offset_bytes, sample_number(sample, "label.data_offset"));
	ck_assert_uint_eq(label->mda_listed, sample_number(sample, "label.mda_listed"));
	ck_assert_uint_eq(label->ext_version, sample_number(sample, "label.ext_version"));
	ck_assert_uint_eq(label->in_use, sample_number(sample, "label.in_use"));
	ck_assert_uint_eq(label->boot_offset_bytes, sample_number(sample, "label.boot_offset"));
	ck_assert_uint_eq(label->boot_size_bytes, sample_number(sample, "label.boot_size"));
	for (unsigned int i = 0; i < label->mda_count; i++) {
		char key[32];

		snprintf(key, sizeof(key), "mda%u.offset", i);
		ck_assert_uint_eq(label->mda[i].offset_bytes, sample_number(sample, key));
		snprintf(key, sizeof(key), "mda%u.size", i);
		ck_assert_uint_eq(label->mda[i].size_bytes, sample_number(sample, key));
	}
}

TEST_TIMES(each_sample_gives_its_label, sample_count())
{
	struct sample sample;
	struct lea_label label;
	struct lea_why why = {NULL, 0};
	const char *verdict;
	int r;

	sample_load_index(&sample, (size_t)_i);
	r = lea_label_parse(sample.head, sample.head_bytes, &why, &label);
	verdict = sample_value(&sample, "verdict");
	if (verdict && !strcmp(verdict, "not-pv")) {
		ck_assert_msg(r > 0, "%s is not a PV", sample.name);
		ck_assert_msg((r == LEA_LABEL_CORRUPT) == (why.what != NULL), "%s", sample.name);
	} else {
		ck_assert_msg(r == 0, "%s is a PV", sample.name);
		ck_assert_uint_eq(strlen(label.pvid), LEA_PVID_CHARS);
		if (!verdict)
			check_values(&sample, &label);
	}
	sample_done(&sample);
}

static const struct {
	const char *claim, *name;
	int outcome;
	unsigned int sector;
} rows[] = {
	{"no label strings: not a PV", "damaged/label-magic-wiped", LEA_LABEL_NONE, 0},
	{"a wiped type: not a PV", "damaged/label-type-wiped", LEA_LABEL_NONE, 0},
	{"a wrong checksum: corrupt", "damaged/label-crc", LEA_LABEL_CORRUPT, 0},
	{"a list without end: corrupt", "damaged/label-list-endless", LEA_LABEL_CORRUPT, 0},
	{"a good label behind a bad one", "damaged/label-second-good", 0, 3},
	{"the first of two", "damaged/label-two", 0, 1},
};

TEST_TIMES(each_odd_head_gives_its_outcome, 6)
{
	struct sample sample;
	struct lea_label label;
	int r;

	sample_load(&sample, rows[_i].name);
	r = lea_label_parse(sample.head, sample.head_bytes, NULL, &label);
	ck_assert_msg(r == rows[_i].outcome, "%s", rows[_i].claim);
	if (!r)
		ck_assert_msg(label.sector == rows[_i].sector, "%s", rows[_i].claim);
	sample_done(&sample);
}

TEST(a_head_that_is_too_short_is_a_fault)
{
	static const uint8_t head[LEA_LABEL_SCAN_BYTES];
	struct lea_label label;

	ck_assert_int_eq(lea_label_parse(head, sizeof(head) - 1, NULL, &label), -EINVAL);
	ck_assert_int_eq(lea_label_parse(head, sizeof(head), NULL, &label), LEA_LABEL_NONE);
}
