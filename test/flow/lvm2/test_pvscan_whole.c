/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvscan --cache without a device, when one PV is visible on two devices. */
#include "flow/machine.h"
#include "unit/suite.h"

const struct fixture fixture = {machine_begin, machine_end};

#define RECORD "/run/lvm/pvs_online/" PVID_ONE

/* Plugs 253:0 with the sample's bytes, a mapping of sda (8:16). */
static void plug_mapped(const char *sample_name, unsigned long long sectors)
{
	char path[256], text[64];
	struct sample sample;

	sample_load(&sample, sample_name);
	tree_put(&machine.tree, "/dev/dm-0", "");
	snprintf(path, sizeof(path), "%s/dev/dm-0", machine.tree.root);
	sample_write(&sample, path);
	ck_assert_int_eq(truncate(path, (off_t)(sectors ? sectors * 512 : sample.device_bytes)), 0);
	snprintf(text, sizeof(text), "%llu\n",
		 sectors ? sectors : (unsigned long long)sample.device_bytes / 512);
	sample_done(&sample);
	tree_put(&machine.tree, "/sys/dev/block/253:0/size", text);
	tree_put(&machine.tree, "/sys/dev/block/253:0/dev", "253:0\n");
	tree_put(&machine.tree, "/sys/dev/block/253:0/dm/name", "top\n");
	tree_put(&machine.tree, "/sys/dev/block/253:0/dm/uuid", "top-1\n");
	tree_put(&machine.tree, "/sys/dev/block/253:0/dm/suspended", "0\n");
	tree_put(&machine.tree, "/sys/dev/block/253:0/uevent",
		 "MAJOR=253\nMINOR=0\nDEVNAME=dm-0\n");
	tree_link(&machine.tree, "/sys/class/block/dm-0", "../../dev/block/253:0");
	tree_put(&machine.tree, "/dev/mapper/top", "");
}

static void put_holder(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dev", "253:0\n");
}

static void expect(int code, const char *out, const char *recorded)
{
	char full[256], text[256] = "";
	FILE *file;
	int got = machine_command("pvscan --cache");

	ck_assert_msg(got == code, "exit %d:\n%s%s", got, machine.out, machine.err);
	ck_assert_msg(strstr(machine.out, out) != NULL, "printed\n%s%s", machine.out, machine.err);
	snprintf(full, sizeof(full), "%s" RECORD, machine.tree.root);
	file = fopen(full, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert_msg(strstr(text, recorded) != NULL, "recorded\n%s", text);
}

TEST(a_mapped_device_goes_before_the_disk_below_it)
{
	machine_plug("one-pv", "sda", 16, 1);
	plug_mapped("one-pv", 0);
	put_holder();
	expect(0, "PV /dev/mapper/top online.\n", "dev:/dev/mapper/top\n");
	ck_assert_ptr_null(strstr(machine.out, "sda"));
	ck_assert_str_eq(machine.err, "");
}

TEST(the_size_decides_first)
{
	machine_plug("one-pv", "sda", 16, 1);
	plug_mapped("one-pv", 131072 - 2048);
	put_holder();
	expect(0, "PV /dev/sda online.\n", "dev:/dev/sda\n");
	ck_assert_ptr_null(strstr(machine.out, "top"));
}

TEST(devices_side_by_side_are_duplicates)
{
	machine_plug("one-pv", "sda", 16, 1);
	plug_mapped("one-pv", 0);
	expect(0, "PV /dev/sda online.\n", "dev:/dev/sda\n");
	ck_assert_ptr_nonnull(strstr(machine.err, "PV /dev/mapper/top 253:0 is duplicate"));
}

TEST(a_name_that_is_not_there_is_not_used)
{
	plug_mapped("one-pv", 0);
	tree_remove(&machine.tree, "/dev/mapper/top");
	expect(0, "PV /dev/dm-0 online.\n", "dev:/dev/dm-0\n");
}
