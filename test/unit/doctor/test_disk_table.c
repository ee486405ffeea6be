/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of disks that lvmevent doctor -v prints. */
#include "doctor/disk_table.h"
#include "unit/doctor_facts.h"

static char *printed;
static size_t printed_bytes;

static bool is_second(void *arg, const struct lea_doctor_disk *disk)
{
	(void)arg;
	return disk == &now.disk[1];
}

static bool is_any(void *arg, const struct lea_doctor_disk *disk)
{
	(void)arg;
	(void)disk;
	return true;
}

static void print(bool (*is_wanted)(void *arg, const struct lea_doctor_disk *disk), bool is_below)
{
	FILE *out;

	free(printed);
	printed = NULL;
	out = open_memstream(&printed, &printed_bytes);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(lea_doctor_print_disks(&now.facts, is_wanted, NULL, is_below, out), 0);
	fclose(out);
}

static void setup(void)
{
	begin("striped");
	ck_assert_uint_ge(now.facts.disks.count, 2);
	now.facts.disks.count = 2;
}

static void teardown(void)
{
	free(printed);
	printed = NULL;
	end();
}

const struct fixture fixture = {setup, teardown};

TEST(a_disk_has_its_rates_and_times_and_what_is_healthy)
{
	/* in two seconds */
	now.disk[0].name = "/dev/sdb";
	now.disk[0].after.read_sectors = 8192;
	now.disk[0].after.write_sectors = 3;
	now.disk[0].after.write_ms = 1250;
	now.disk[1].name = "/dev/sda1";
	now.disk[1].is_rotational = LEA_DOCTOR_YES;
	now.disk[1].after.reads = 15;
	print(is_any, false);
	ck_assert_str_eq(
		printed,
		"  DISK       KIND             READS     WRITES  A READ  A WRITE  MEDIAN  SLOW ABOVE\n"
		"  /dev/sda1  rotational           0          0       -   1.0 ms       -      100 ms\n"
		"  /dev/sdb   solid state  2.0 MiB/s  0.8 KiB/s  1.0 ms    12 ms       -       20 ms\n");
}

TEST(what_is_not_known_is_not_zero)
{
	now.disk[1].has_io = false;
	now.disk[1].is_rotational = LEA_DOCTOR_NOT_KNOWN;
	print(is_second, true);
	ck_assert_str_eq(printed,
			 "\n"
			 "  DISK      KIND  READS  WRITES  A READ  A WRITE  MEDIAN  SLOW ABOVE\n"
			 "  /dev/sdb  ?         -       -       -        -       -      100 ms\n");
}

/* The median of the others is what a disk is compared with, if it is lower than its own limit. */
TEST(a_busy_disk_is_slow_above_what_is_printed)
{
	for (uint32_t i = 0; i < 4; i++) {
		now.disk[i] = good_disk(i);
		now.disk[i].after.writes = 0;
		now.disk[i].after.read_ms = i == 2 ? 501 : 100;
	}
	now.facts.disks.count = 4;
	print(is_any, false);
	ck_assert_ptr_nonnull(strstr(printed, "/dev/sdb  solid state      0       0  1.0 ms        "
					      "-  1.0 ms      5.0 ms\n"));
	ck_assert_ptr_nonnull(strstr(printed, "/dev/sdc  solid state      0       0  5.0 ms        "
					      "-  1.0 ms      5.0 ms\n"));
	run(D(1));
	ck_assert_msg(!strncmp(now.said, "1 D1 /dev/sdc", 13), "%s", now.said);
	now.disk[2].after.read_ms = 500;
	run(D(1));
	ck_assert_str_eq(now.said, "");
}
