/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot scan, by what the last boot knew. */
#include "flow/boot_scan_scratch.h"
#include "memory/boot_memory_file.h"

#define MACHINE "0123456789abcdef0123456789abcdef"
#define COPY	"sdd", PVID_ONE, 64, 9

/* sda has wwid naa.1, sdd naa.2; the last good boot had the PV on @wwid. */
static void remember(const char *wwid)
{
	struct lea_boot_pv pv = {.pvid = PVID_ONE,
				 .size_sectors = 131072,
				 .wwid = wwid,
				 .serial = "",
				 .address = ""};
	struct lea_boot_vg vg = {.id = VG_ONE_ID, .name = "vg_one", .pv = &pv, .pv_count = 1};
	const struct lea_boot_memory memory = {
		.machine = MACHINE, .boot = "before", .vg = &vg, .vg_count = 1};

	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_mkdir(&machine.tree, "/var/lib");
	machine_plug("one-pv", "sdd", 64, 9);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:64/device/wwid", "naa.2\n");
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

static void expect_record(const char *device)
{
	struct lea_online online;

	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, device);
}

/* udev finishes with a fast copy first. */
TEST(a_copy_waits_for_the_disk_of_the_last_boot)
{
	/* Each silence is a pause of a step: a pass has begun long before the last of them. */
	const struct row rows[] = {
		{CAME, COPY},	 {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {CAME, STRIPE_A}, {SILENCE, NONE}, {CAME, ONE},
		{SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("naa.1");
	tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sda");
	ck_assert_msg(!strstr(machine.err, "vg_one: not activated"), "%s", machine.err);
	ck_assert(machine_has("/run/lvm/event/duplicates/" PVID_ONE "/8:64-9"));
}

/* Rows: what cannot be opened, once: what the memory depends on; the id of the copy's disk. */
TEST_TIMES(a_copy_waits_if_a_shortage_hides_that_it_is_one, 2)
{
	const struct row rows[] = {
		{CAME, COPY},	{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {SILENCE, NONE}, {CAME, ONE},	  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("naa.1");
	tree_put(&machine.tree, "/run/udev/queue", "");
	end_until_fault = _i ? "8:64/device/wwid" : "/etc/fstab";
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(!end_until_fault, "it was opened");
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sda");
}

/* Rows: does udev become idle before the gate opens? */
TEST_TIMES(a_pv_that_has_moved_is_activated_when_udev_is_idle, 2)
{
	const struct row rows[] = {{CAME, COPY},     {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	remember("naa.1");
	if (_i)
		tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sdd");
	ck_assert_ptr_nonnull(strstr(machine.out, "1 PV(s) are not on the disk that they were on"));
}

/* The check of another VG's pool may take minutes: longer than a mount waits for its device. */
TEST(a_pv_that_has_moved_does_not_wait_for_the_check_of_another_pool)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {CAME, STRIPE_B}, {CAME, COPY},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {ACTIVE, NONE},
				   {OPEN_GATE, NONE}};

	remember("naa.1");
	held_vg = "vg-two.pvs";
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	expect_record("/dev/sdd");
}

/* What comes after that waits for nothing. */
TEST(a_pv_that_comes_late_is_not_held_back)
{
	const struct row rows[] = {{SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {CAME, COPY},     {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE}, {RECORDED, COPY},
				   {OPEN_GATE, NONE}};

	remember("naa.1");
	workers_lag = 9;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_ptr_null(strstr(machine.out, "they were on"));
}

/* A serial number can be the same for many disks, and changes with the virtual machine. */
TEST(an_id_that_is_not_unique_holds_nothing_back)
{
	const struct row rows[] = {
		{CAME, COPY}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("t10.QEMU 1");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_ptr_null(strstr(machine.out, "they were on"));
}
