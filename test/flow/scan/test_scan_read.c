/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often a device is read, with a device in memory that may change between two reads. */
#include "base/cleanup.h"
#include "fake/put.h"
#include "scan/read.h"
#include "unit/suite.h"
#include "world/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_BYTES (1024U * 1024U)
#define MDA_AT	     4096U
#define MDA_BYTES    (512U * 1024U)
#define TEXT_AT	     8192U /* from the start of the area: beyond the head */

static uint8_t disk[DEVICE_BYTES];
static unsigned int reads, bad_until; /* texts are wrong before this read */
static unsigned int failing_read; /* from this one on they fail; 0: none does */
static int fault;
static uint64_t bytes_read;

int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int lea_blockdev_size(int fd, uint64_t *ret_bytes)
{
	*ret_bytes = DEVICE_BYTES;
	return 0;
}

int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes)
{
	if (offset_bytes > DEVICE_BYTES || len_bytes > DEVICE_BYTES - offset_bytes)
		return -EIO;
	if (++reads >= failing_read && failing_read)
		return fault;
	bytes_read += len_bytes;
	memcpy(bytes, disk + offset_bytes, len_bytes);
	if (offset_bytes >= MDA_AT + TEXT_AT && reads < bad_until)
		((uint8_t *)bytes)[len_bytes / 2] ^= 1;
	return 0;
}

static void make_area(uint32_t text_bytes)
{
	uint8_t *header = disk + MDA_AT, *text = header + TEXT_AT;

	memset(disk, 0, sizeof(disk));
	memset(text, 'x', text_bytes);
	memcpy(text, "name {", 6);
	memcpy(header + 4, " LVM2 x[5A%r0N*>", 16);
	put_le(header + 20, 1, 4);
	put_le(header + 24, MDA_AT, 8);
	put_le(header + 32, MDA_BYTES, 8);
	put_le(header + 40, TEXT_AT, 8);
	put_le(header + 48, text_bytes, 8);
	put_crc(header + 56, text, text_bytes);
	seal_header(header);
}

/* A label whose second area, if there is one, begins inside the first. */
static void make_label(bool has_second)
{
	uint8_t *sector = disk + 512, *at = sector + 32;

	memcpy(sector, "LABELONE", 8);
	put_le(sector + 8, 1, 8);
	put_le(sector + 20, 32, 4);
	memcpy(sector + 24, "LVM2 001", 8);
	memset(at, 'a', 32); /* the PV's id */
	put_le(at + 32, DEVICE_BYTES, 8);
	put_le(at + 40, 512 * 1024, 8); /* data, and the end of the list */
	put_le(at + 72, MDA_AT, 8);
	put_le(at + 80, MDA_BYTES, 8);
	if (has_second) {
		put_le(at + 88, MDA_AT + MDA_BYTES - 512, 8);
		put_le(at + 96, 4096, 8);
	}
	seal_label(sector);
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
	unsigned int reads; /* after the head */
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

TEST_EACH(each_pv_costs_its_number_of_reads, rows)
{
	LEA_AUTO(lea_read_texts_done) struct lea_read_texts texts = {0};
	static struct lea_read read;
	bool known = rows[_i].known;

	make_area(rows[_i].text_bytes);
	make_label(false);
	reads = 0;
	bytes_read = 0;
	bad_until = rows[_i].bad_until;
	memset(&read, 0, sizeof(read));
	lea_read_device(NULL, &(const struct lea_device){0},
			&(struct lea_read_cached){.is_known = is_known, .arg = &known},
			&(const struct lea_read_extras){0}, &read, &texts);
	ck_assert(lea_read_is_sound(&read));
	ck_assert_int_eq(read.label_outcome, 0);
	ck_assert_uint_eq(read.mda_count, 1);
	ck_assert_msg(read.mda[0].outcome == rows[_i].outcome, "%s: %s", rows[_i].claim,
		      read.mda[0].why.what);
	ck_assert_msg(read.mda[0].has_text == rows[_i].has_text, "%s", rows[_i].claim);
	ck_assert_msg(!texts.of_mda[0] == !rows[_i].has_text, "%s", rows[_i].claim);
	ck_assert_msg(reads - 1 == rows[_i].reads, "%s: %u", rows[_i].claim, reads - 1);
	ck_assert_msg(bytes_read <= LEA_READ_HEAD_BYTES + rows[_i].most_bytes, "%s: %" PRIu64 " bytes",
		      rows[_i].claim, bytes_read);
}

TEST(overlapping_metadata_areas_are_corrupt)
{
	LEA_AUTO(lea_read_texts_done) struct lea_read_texts texts = {0};
	static struct lea_read read;
	bool known = false;

	make_area(2000);
	make_label(true);
	reads = bad_until = 0;
	memset(&read, 0, sizeof(read));
	lea_read_device(NULL, &(const struct lea_device){0},
			&(struct lea_read_cached){.is_known = is_known, .arg = &known},
			&(const struct lea_read_extras){0}, &read, &texts);
	ck_assert(lea_read_is_sound(&read));
	ck_assert_uint_eq(read.mda_count, 2);
	ck_assert_int_eq(read.mda[0].outcome, 0);
	ck_assert_int_eq(read.mda[1].outcome, LEA_MDA_CORRUPT);
	ck_assert_str_eq(read.mda[1].why.what, "metadata areas overlap");
}

/* Rows: a fault of a disk is damage, as for lvm2. What the machine lacks says nothing of it. */
static const struct {
	int fault;
	bool is_damage;
} faults[] = {{-EIO, true}, {-ENOMEM, false}};

TEST_EACH(a_shortage_is_no_damage, faults)
{
	static struct lea_read read;
	bool known = false;

	make_area(100000);
	make_label(false);
	bad_until = 0;
	fault = faults[_i].fault;
	for (failing_read = 2; failing_read <= 3; failing_read++) {
		LEA_AUTO(lea_read_texts_done) struct lea_read_texts texts = {0};

		reads = 0;
		memset(&read, 0, sizeof(read));
		lea_read_device(NULL, &(const struct lea_device){0},
				&(struct lea_read_cached){.is_known = is_known, .arg = &known},
				&(const struct lea_read_extras){0}, &read, &texts);
		ck_assert(lea_read_is_sound(&read));
		ck_assert_int_eq(read.fault, faults[_i].is_damage ? 0 : fault);
		ck_assert_uint_eq(read.mda_count, faults[_i].is_damage);
		ck_assert_int_eq(read.mda[0].outcome, faults[_i].is_damage ? LEA_MDA_CORRUPT : 0);
		ck_assert_ptr_null(texts.of_mda[0]);
	}
	failing_read = 0;
}
