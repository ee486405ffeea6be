/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The needed wave: what only udev finds, since its disks have their turn before the coldplug. */
#include "flow/needed_scratch.h"

const struct fixture fixture = {setup, teardown};

static void wait_for(unsigned int deadline_ms)
{
	char text[64];

	snprintf(text, sizeof(text), "event { needed_deadline_ms = %u }\n", deadline_ms);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_conf();
}

static struct lea_boot_below below = {.wwid = "naa.1", .address = ""};

static void lie_below(enum lea_boot_kind kind)
{
	pvs[0].kind = kind;
	pvs[0].wwid = "";
	pvs[0].below = &below;
	pvs[0].below_count = 1;
	remember();
}

static void make_map(void)
{
	map("one-pv", "mapper/a", 96, "mpath-1", "sda", 16, PVID_ONE);
}
static void open_luks(void)
{
	map("one-pv", "mapper/a", 96, "CRYPT-LUKS2-1", "sda", 16, PVID_ONE);
}
static void assemble(void)
{
	make_map();
	tree_remove(&machine.tree, "/sys/dev/block/8:96/dm/uuid");
	tree_put(&machine.tree, "/sys/dev/block/8:96/md/level", "raid1\n");
}
static void make_map_elsewhere(void)
{
	map("one-pv", "mapper/a", 96, "mpath-1", "sdb", 32, PVID_ONE);
}
static void make_map_too_broad(void)
{
	make_map();
	tree_put(&machine.tree, "/sys/dev/block/8:96/slaves/sdb/dev", "8:32\n");
}
static void make_two_maps(void)
{
	make_map();
	map("one-pv", "mapper/b", 112, "mpath-2", "sda", 16, PVID_ONE);
}
static void show_a_path(void)
{
	tell("sda", 16, PVID_ONE);
}
static void show_both(void)
{
	show_a_path();
	make_map();
}

/* said: part of the output. */
static const struct {
	const char *claim;
	enum lea_boot_kind kind;
	void (*work)(void);
	uint32_t lvs;
	const char *said;
} stacks[] = {
	{"a multipath map", LEA_BOOT_MULTIPATH, make_map, 1, "1 LV(s) active"},
	{"an encrypted device", LEA_BOOT_LUKS, open_luks, 1, "1 LV(s) active"},
	{"an array", LEA_BOOT_MD, assemble, 1, "1 LV(s) active"},
	{"nothing comes", LEA_BOOT_MD, NULL, 0, "it was on an MD array"},
	{"a map on another disk", LEA_BOOT_MULTIPATH, make_map_elsewhere, 0, "multipath map"},
	{"a map on another disk as well", LEA_BOOT_MULTIPATH, make_map_too_broad, 0,
	 "multipath map"},
	{"two maps with the PV", LEA_BOOT_MULTIPATH, make_two_maps, 0, "it is on two devices"},
	{"a path that multipathd has not taken yet", LEA_BOOT_MULTIPATH, show_a_path, 0,
	 "multipath map"},
	{"the path, and then the map", LEA_BOOT_MULTIPATH, show_both, 1, "1 LV(s) active"},
	{"another kind of device", LEA_BOOT_MULTIPATH, open_luks, 0, "multipath map"},
};

TEST_EACH(udev_finds_what_lies_on_remembered_disks, stacks)
{
	wait_for(300);
	lie_below(stacks[_i].kind);
	udev_work = stacks[_i].work;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == stacks[_i].lvs, "%s: %u LVs; %s %s",
		      stacks[_i].claim, fake_dm_count(machine.dm), machine.out, machine.err);
	ck_assert_msg(was_said(stacks[_i].said), "%s: %s", stacks[_i].claim, machine.out);
	ck_assert(was_announced(16) && !was_announced(32) && !was_announced(48));
}

TEST(udev_names_the_links_that_a_filter_may_mean)
{
	have_a_filter();
	remember();
	udev_work = show_a_path;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
	ck_assert(was_announced(16) && !was_announced(32));
}

static void map_second(void)
{
	tell("sdb", 32, PVID_A);
	map("stripe-b", "mapper/b", 96, "mpath-3", "sdc", 48, PVID_B);
}

/* A VG with one PV on a plain disk, and the other above a disk. */
static void need_half_above(uint32_t at, enum lea_boot_kind kind)
{
	static struct lea_boot_below third = {.wwid = "naa.3", .address = ""};

	need_two_pvs(at, "vg-two.pvs");
	vgs[at].pv[1].kind = kind;
	vgs[at].pv[1].below = &third;
	vgs[at].pv[1].below_count = 1;
	remember();
}

/* The plain disk of such a VG waits for the other one. */
TEST(one_pv_on_a_map_has_udev_find_the_whole_vg)
{
	need_half_above(0, LEA_BOOT_MULTIPATH);
	udev_work = map_second;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg-two.pvs: 2 LV(s) active"), "%s %s", machine.out, machine.err);
	ck_assert(!was_announced(16) && was_announced(32) && was_announced(48));
}

static void load_a_driver(void)
{
	map_second();
	tree_remove(&machine.tree, "/sys/dev/block/8:96/dm/uuid");
	tree_put(&machine.tree, "/sys/dev/block/8:96/md/level", "raid1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:96/dev", "9:96\n");
	tree_link(&machine.tree, "/sys/dev/block/9:96", "8:96");
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 sd\n  9 md\n");
	told[1].major = 9;
}

/* The filter of the disks that were read before knows no such device. */
TEST(a_driver_that_is_loaded_meanwhile_is_known)
{
	need_half_above(1, LEA_BOOT_MD);
	udev_work = load_a_driver;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg_one: 1 LV(s) active"), "%s", machine.out);
	ck_assert_msg(was_said("VG vg-two.pvs: 2 LV(s) active"), "%s %s", machine.out, machine.err);
}

static void enable_multipath(void)
{
	tree_put(&machine.tree, "/etc/systemd/system/sysinit.target.wants/multipathd.service", "");
	remember();
	show_a_path();
}
static void have_an_array(void)
{
	lie_below(LEA_BOOT_MD);
	assemble();
}

/* What is in udev's database when the wave begins, of which no event comes any more. */
static const struct {
	const char *claim;
	void (*change)(void);
	uint32_t lvs;
} earlier[] = {
	{"a disk, before there was multipath", enable_multipath, 0},
	{"an array that the initramfs has assembled", have_an_array, 1},
};

TEST_EACH(an_initramfs_tells_of_what_lies_above_disks_alone, earlier)
{
	wait_for(300);
	earlier[_i].change();
	heard_count = told_count;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == earlier[_i].lvs, "%s: %s", earlier[_i].claim,
		      machine.out);
	ck_assert(was_announced(16));
}

/* The first member cannot be announced; the VG of the other disks comes all the same. */
TEST(a_disk_of_which_no_add_can_be_sent_keeps_no_other_waiting)
{
	need_half_above(1, LEA_BOOT_MULTIPATH);
	lie_below(LEA_BOOT_MULTIPATH);
	tree_remove(&machine.tree, "/sys/dev/block/8:16/uevent");
	tree_mkdir(&machine.tree, "/sys/dev/block/8:16/uevent");
	udev_work = map_second;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg-two.pvs: 2 LV(s) active"), "%s %s", machine.out, machine.err);
}

static void ask_for_a_passphrase(void)
{
	tree_put(&machine.tree, "/run/systemd/ask-password/ask.x1", "[Ask]\n");
}
static void lose_the_disk(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.9\n");
}

/* work: of udev; change: before the wave. */
static const struct {
	const char *claim;
	void (*work)(void), (*change)(void);
} waits[] = {
	{"a person is asked for a passphrase", ask_for_a_passphrase, NULL},
	{"the disk is not there", NULL, lose_the_disk},
};

TEST_EACH(the_wave_does_not_wait_for_what_cannot_come, waits)
{
	const uint64_t from = lea_world_now_ms(machine.world);

	wait_for(60000);
	if (waits[_i].change)
		waits[_i].change();
	lie_below(LEA_BOOT_LUKS);
	udev_work = waits[_i].work;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(lea_world_now_ms(machine.world) - from < 30000, "%s", waits[_i].claim);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}
