/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a device is read, on a device in memory that may change between two reads. */
#include "disk/crc.h"
#include "flow/scan_read.h"
#include "unit/suite.h"
#include "world/blockdev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_BYTES (1024U * 1024U)
#define MDA_AT	     4096U
#define MDA_BYTES    (512U * 1024U)
#define TEXT_AT	     8192U /* from the area's start: beyond the head */

static uint8_t disk[DEVICE_BYTES];
static unsigned int reads, bad_until; /* texts are wrong before this read */
static uint64_t bytes_read;

int lea_blockdev_size(int fd, uint64_t *ret_bytes)
{
	*ret_bytes = DEVICE_BYTES;
	return 0;
}

int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes)
{
	if (offset_bytes > DEVICE_BYTES || len_bytes > DEVICE_BYTES - offset_bytes)
		return -EIO;
	reads++;
	bytes_read += len_bytes;
	memcpy(bytes, disk + offset_bytes, len_bytes);
	if (offset_bytes >= MDA_AT + TEXT_AT && reads < bad_until)
		((uint8_t *)bytes)[len_bytes / 2] ^= 1;
	return 0;
}

static void put(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void make_area(uint32_t text_bytes)
{
	uint8_t *header = disk + MDA_AT, *text = header + TEXT_AT;

	memset(disk, 0, sizeof(disk));
	memset(text, 'x', text_bytes);
	memcpy(text, "name {", 6);
	memcpy(header + 4, " LVM2 x[5A%r0N*>", 16);
	put(header + 20, 1, 4);
	put(header + 24, MDA_AT, 8);
	put(header + 32, MDA_BYTES, 8);
	put(header + 40, TEXT_AT, 8);
	put(header + 48, text_bytes, 8);
	put(header + 56, lea_crc(LEA_CRC_INITIAL, text, text_bytes), 4);
	put(header, lea_crc(LEA_CRC_INITIAL, header + 4, 508), 4);
}

static bool is_known(void *arg, const struct lea_mda_text *where, const char *vg_name)
{
	ck_assert_str_eq(vg_name, "name");
	return *(bool *)arg;
}

static const struct {
	const char *claim;
	uint32_t text_bytes;
	bool known;
	unsigned int bad_until;
	int outcome;
	bool has_text;
	unsigned int reads; /* behind the head */
	uint64_t most_bytes;
} rows[] = {
	{"a short text is one read", 2000, false, 0, 0, true, 1, 2000},
	{"a known short text, too", 2000, true, 0, 0, false, 1, 2000},
	{"a long text is begun, then finished", 100000, false, 0, 0, true, 2, 100000},
	{"a known long text is only begun", 100000, true, 0, 0, false, 1, 4096},
	{"a text rewritten meanwhile is read again, with its header", 2000, false, 3, 0, true, 3,
	 4512},
	{"a text that stays wrong is given up", 2000, false, 99, LEA_MDA_CORRUPT, false, 3, 4512},
};

START_TEST(costs)
{
	static struct lea_read read;
	bool known = rows[_i].known;

	make_area(rows[_i].text_bytes);
	reads = bad_until = 0;
	memset(&read, 0, sizeof(read));
	lea_read_head(0, &read);
	ck_assert_msg(reads == 1 && !read.fault, "the head is one read");
	read.label = (struct lea_label){.mda_count = 1, .mda = {{MDA_AT, MDA_BYTES}}};
	bytes_read = 0;
	bad_until = rows[_i].bad_until;
	lea_read_mdas(0, &(struct lea_read_known){is_known, &known}, &read);
	ck_assert_msg(read.mda[0].outcome == rows[_i].outcome, "%s: %s", rows[_i].claim,
		      read.mda[0].why.what);
	ck_assert_msg(!read.mda[0].text == !rows[_i].has_text, "%s", rows[_i].claim);
	ck_assert_msg(reads - 1 == rows[_i].reads, "%s: %u", rows[_i].claim, reads - 1);
	ck_assert_msg(bytes_read <= rows[_i].most_bytes, "%s: %lu bytes", rows[_i].claim,
		      bytes_read);
	lea_read_done(&read);
}
END_TEST

START_TEST(overlap)
{
	static struct lea_read read;
	bool known = false;

	make_area(2000);
	reads = bad_until = 0;
	lea_read_head(0, &read);
	read.label = (struct lea_label){
		.mda_count = 2, .mda = {{MDA_AT, MDA_BYTES}, {MDA_AT + MDA_BYTES - 512, 4096}}};
	lea_read_mdas(0, &(struct lea_read_known){is_known, &known}, &read);
	ck_assert_int_eq(read.mda[0].outcome, 0);
	ck_assert_int_eq(read.mda[1].outcome, LEA_MDA_CORRUPT);
	ck_assert_str_eq(read.mda[1].why.what, "metadata areas overlap");
	lea_read_done(&read);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("scan_read");
	TCase *tcase = tcase_create("scan_read");

	tcase_add_loop_test(tcase, costs, 0, (int)ARRAY_SIZE(rows));
	tcase_add_test(tcase, overlap);
	suite_add_tcase(suite, tcase);
	return suite;
}
