/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a PV there, absent, or silent? */
#include "flow/scratch.h"
#include "state/missing.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>

#define PVID_A "I8XE83WSfiGJNRzXtmH0pZKGjnlfNZDA"
#define PVID_B "yENn7puYj71QO17ZPCPRhnZTfMzF8qNb"

static const struct lea_conf conf = {.pv_min_kib = 1};
static int fault; /* of opening sdb; 0: none */

#define NO_SIZE 1

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (strstr(path, "sdb") && fault)
		return fault;
	snprintf(full, sizeof(full), "%s%s", scratch_root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void setup(void)
{
	scratch_setup();
	scratch_world.open_device = open_sick;
	fault = 0;
}

const struct fixture fixture = {setup, scratch_teardown};

static const struct row {
	const char *claim;
	const char *sample; /* on sdb, beside stripe-a on sda */
	const char *expected;
	int fault; /* or NO_SIZE */
	enum lea_presence presence;
	const char *text;
} rows[] = {
	{"its device was read", "stripe-b", PVID_B, 0, LEA_PRESENT, ""},
	{"its device was read, and nobody expected it there", "stripe-b", "", 0, LEA_PRESENT, ""},
	{"another PV is there", "one-pv", PVID_B, 0, LEA_ABSENT, ""},
	{"a device of which nothing was expected tells nothing", "stripe-b", "", -EIO, LEA_ABSENT,
	 ""},
	{"a device that was to carry another PV tells nothing", "stripe-b", PVID_A, -EIO,
	 LEA_ABSENT, ""},
	{"no time", "stripe-b", PVID_B, -ETIMEDOUT, LEA_SILENT,
	 "disk /dev/sdb of it does not answer"},
	{"an error", "stripe-b", PVID_B, -EIO, LEA_SILENT,
	 "disk /dev/sdb of it cannot be read: Input/output error"},
	{"a shortage", "stripe-b", PVID_B, -EMFILE, LEA_SILENT,
	 "disk /dev/sdb of it could not be read yet: Too many open files"},
	{"no size yet", "stripe-b", PVID_B, NO_SIZE, LEA_SILENT,
	 "disk /dev/sdb of it has no size yet"},
};

TEST_EACH(a_pv_is_absent_only_if_who_may_carry_it_has_answered, rows)
{
	const struct row *row = &rows[_i];
	const struct lea_scan_options options = {0};
	struct lea_scan *scan;
	struct lea_scan_device devices[] = {
		{.device = scratch_disk("stripe-a", "sda", 1), .expected = PVID_A},
		{.device = scratch_disk(row->sample, "sdb", 2)},
	};
	struct lea_missing missing;
	struct lea_scan_vg *vgs;
	char text[128] = "";
	uint32_t b;
	size_t count;

	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	snprintf(devices[1].expected, sizeof(devices[1].expected), "%s", row->expected);
	fault = row->fault;
	if (fault == NO_SIZE) {
		scratch_run("mkdir -p", "sys/dev/block/8:2");
		scratch_run("echo 0 >", "sys/dev/block/8:2/size");
	}
	ck_assert_int_eq(lea_scan_add_expected(scan, devices, 2), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_uint_ge(count, 1);
	b = lea_vg_find_pv(vgs[0].vg, PVID_B);
	ck_assert_msg(lea_scan_vg_presence(&vgs[0], b) == row->presence, "%s", row->claim);
	ck_assert_int_eq(lea_scan_vg_presence(&vgs[0], !b), LEA_PRESENT);
	ck_assert_uint_eq(lea_scan_vg_count(&vgs[0], row->presence),
			  row->presence == LEA_PRESENT ? 2 : 1);
	ck_assert(lea_scan_vg_is_complete(&vgs[0]) == (row->presence == LEA_PRESENT));
	ck_assert(!lea_scan_vg_silent(&vgs[0]) == (row->presence != LEA_SILENT));
	ck_assert_msg(vgs[0].has_copies == (row->fault && !strcmp(row->expected, PVID_A)), "%s",
		      row->claim);
	if (lea_scan_vg_silent(&vgs[0]))
		lea_found_describe_silence(lea_scan_vg_silent(&vgs[0]), text, sizeof(text));
	ck_assert_str_eq(text, row->text);
	ck_assert_int_eq(lea_scan_vg_list_missing(&vgs[0], &missing), 0);
	ck_assert_msg(missing.count == (row->presence == LEA_ABSENT), "%s", row->claim);
	lea_missing_done(&missing);
	lea_scan_free(scan);
}
