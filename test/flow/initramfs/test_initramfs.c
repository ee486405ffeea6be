/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd initramfs as a command: which nodes it creates, its exit codes, and what it leaves
 * behind. */
#include "flow/image_scratch.h"
#include "flow/outdated_scratch.h"
#include "initramfs/pass.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const struct {
	const char *claim, *words, *active;
	int code;
} passes[] = {
	{"root by its mapper name", "/dev/mapper/vg_one-root", "root", 0},
	{"root by its path", "/dev/vg_one/home", "home", 0},
	{"root with hyphens", "/dev/mapper/vg--two.pvs-plain--1", "plain--1", 0},
	{"root by its UUID", "UUID=1-2", "root", 0},
	{"root by its label", "LABEL=rootfs", "root", 0},
	{"root and resume in one VG", "--resume /dev/mapper/vg_one-swap /dev/vg_one/root",
	 "root swap", 0},
	{"root and resume in two VGs", "--resume /dev/vg_one/swap /dev/vg-two.pvs/fast",
	 "swap fast", 0},
	{"a UUID that the image was not built for", "UUID=3-4", ALL, 1},
	{"a UUID that was not on LVM", "UUID=7-7", "", 1},
	{"... after a third", "--pass 10 UUID=7-7", ALL, 1},
	{"a resume UUID that the image was not built for", "--resume UUID=3-4", "root", 1},
	{"... after a third: a lost hibernation is lost work", "--pass 10 --resume UUID=3-4", ALL,
	 1},
	{"a resume UUID that was not on LVM", "--pass 29 --resume UUID=7-7", "", 0},
	{"root that may be on LVM", "PARTUUID=1-2", "root", 1},
	{"... after a third", "--pass 10 PARTUUID=1-2", ALL, 1},
	{"root on a plain disk, late", "--pass 29 /dev/sda2", "", 0},
	{"an LV that is not there", "/dev/vg_one/gone", "", 1},
	{"... later", "--pass 9 /dev/vg_one/gone", "", 1},
	{"... after a third", "--pass 10 /dev/vg_one/gone", ALL, 1},
	{"... after a third of a longer wait", "--pass 10 --passes 90 /dev/vg_one/gone", "", 1},
	{"resume that is not there", "--pass 9 --resume /dev/vg_one/gone", "", 1},
	{"... after a third", "--pass 10 --resume /dev/vg_one/gone", ALL, 1},
	{"named LVs and root", "--lv vg_one/home --lv vg_one/swap /dev/vg_one/root",
	 "root home swap", 0},
	{"a named LV, root in a VG of its own", "--lv vg_one/home /dev/vg-two.pvs/fast",
	 "home fast", 0},
	{"a named LV alone", "--lv /dev/mapper/vg_one-home", "home", 0},
	{"a named VG", "--vg vg-two.pvs", "fast plain--1", 0},
	{"a named VG and root", "--vg vg-two.pvs /dev/vg_one/root", "fast plain--1 root", 0},
	{"a named VG and an LV of it", "--vg vg-two.pvs --lv vg-two.pvs/fast", "fast plain--1", 0},
	{"a named VG that is not there", "--vg gone /dev/vg_one/root", "root", 1},
	{"a named LV that is not there", "--lv vg_one/gone", "", 1},
	{"... is never widened without root", "--lv vg_one/gone --pass 29", "", 1},
	{"a named LV, root by an unknown UUID", "--lv vg_one/root UUID=3-4", "root", 0},
	{"a named LV that is gone, root by an unknown UUID", "--lv vg_one/gone UUID=3-4", "", 1},
	{"... after a third", "--pass 10 --lv vg_one/gone UUID=3-4", ALL, 1},
	{"what the image was built for", "--all-needs", "root", 0},
	{"... and another root", "--all-needs /dev/vg_one/home", "root home", 0},
	{"... and root by an unknown UUID", "--all-needs UUID=3-4", ALL, 1},
	{"names that no LV or VG can have", "--lv vg_one --vg a/b /dev/vg_one/root", "root", 0},
	{"another mapper device", "/dev/mapper/crypt", "root", 1},
	{"... after a third", "--pass 10 /dev/mapper/crypt", ALL, 1},
};

TEST_EACH(each_pass_activates_what_is_wanted, passes)
{
	int code = initramfs(passes[_i].words);

	ck_assert_msg(code == passes[_i].code, "%s: exit %d\n%s%s", passes[_i].claim, code,
		      machine.out, machine.err);
	check_active(passes[_i].claim, passes[_i].active);
	ck_assert_uint_eq(machine.dm->unwaited, 0);
	ck_assert(!machine_has("/run/lvm/pvs_online"));
	ck_assert(!machine_has("/run/lvm/vgs_online"));
	ck_assert(machine_has("/run/lvm/event/timeline"));
	ck_assert(!machine_has("/run/lvm/event/queue") && !machine_has("/run/lvm/event/claims"));
}

TEST(an_incomplete_vg_gives_whole_lvs_from_the_half_on)
{
	machine_unplug("sdb", 32);
	tree_remove(&machine.tree, "/run/udev/tags/lvmevent/b8:32");
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg-two.pvs/plain-1"), 1);
	check_active("before the half", "root home swap");
	ck_assert(strstr(machine.err, "missing PV I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"));
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/fast"), 1);
	check_active("an LV that lacks a part", "root home swap");
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/plain-1"), 0);
	check_active("a whole LV", "root home swap plain--1");
}

static const struct {
	const char *claim;
	int fault;
	const char *why;
} silences[] = {
	{"it hangs", -ETIMEDOUT, "disk /dev/sdb of it does not answer"},
	{"it is broken", -EIO, "disk /dev/sdb of it cannot be read: Input/output error"},
	{"a shortage", -EMFILE, "disk /dev/sdb of it could not be read yet: Too many open files"},
};

static void check_waits(const char *claim, const char *words, const char *why)
{
	ck_assert_int_eq(initramfs(words), LEA_INITRAMFS_NOT_YET);
	ck_assert_msg(strstr(machine.err, why) && !strstr(machine.err, "missing"), "%s: %s", claim,
		      machine.err);
}

/* With activation_mode "partial" any LV of an incomplete VG is activated. */
TEST_EACH(what_lacks_a_silent_disk_waits_for_it_until_the_last_step, silences)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "activation { activation_mode = \"partial\" }");
	sick = "sdb";
	fault = silences[_i].fault;
	check_waits("at first", "/dev/vg-two.pvs/fast", silences[_i].why);
	check_active("at first", "");
	check_waits("from the half on", "--pass 15 /dev/vg-two.pvs/fast", silences[_i].why);
	check_waits("up to the end", "--pass 19 /dev/vg-two.pvs/fast", silences[_i].why);
	check_active("up to the end", "root home swap");
	ck_assert_int_eq(initramfs("--pass 20 /dev/vg-two.pvs/fast"), 0);
	ck_assert_msg(strstr(machine.err, "is used without PV") != NULL, "%s", machine.err);
}

TEST(what_lacks_an_absent_disk_waits_for_half_of_the_time)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "activation { activation_mode = \"partial\" }");
	machine_unplug("sdb", 32);
	tree_remove(&machine.tree, "/run/udev/tags/lvmevent/b8:32");
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/fast"), 0);
}

TEST(a_whole_lv_beside_a_silent_disk_waits_for_half_of_the_time)
{
	sick = "sdb";
	fault = -ETIMEDOUT;
	check_waits("before the half", "--pass 14 /dev/vg-two.pvs/plain-1", silences[0].why);
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/plain-1"), 0);
	check_active("a whole LV", "root home swap plain--1");
}

TEST(a_silent_disk_that_answers_is_used)
{
	sick = "sdb";
	fault = -ETIMEDOUT;
	check_waits("silent", "/dev/vg-two.pvs/fast", silences[0].why);
	sick = NULL;
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), 0);
	check_active("no new device, but an answer", "fast");
}

TEST(not_even_the_real_lvm_goes_without_a_silent_disk_before_the_last_step)
{
	struct sample sample;
	char path[256];

	sample_load(&sample, "stripe-b");
	sample_change_text(&sample, "type = \"striped\"", "type = \"strange\"");
	snprintf(path, sizeof(path), "%s/dev/sdc", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	sick = "sdb";
	fault = -EIO;
	ck_assert_int_eq(initramfs("--pass 19 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_NOT_YET);
	ck_assert_int_eq(initramfs("--pass 20 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_LVM);
	ck_assert(strstr(machine.err, "is left to the real lvm"));
}

TEST(nothing_new_costs_one_look)
{
	uint32_t steps;

	ck_assert_int_eq(initramfs("/dev/vg_one/gone"), 1);
	steps = machine.dm->step_count;
	/* If this pass read the disk, it would see that it is gone. */
	machine_unplug("sda", 16);
	ck_assert_int_eq(initramfs("/dev/vg_one/gone"), 1);
	ck_assert_uint_eq(machine.dm->step_count, steps);
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	check_active("another device is wanted", "root");
	tag(64);
	ck_assert_int_eq(initramfs("/dev/vg_one/swap"), 0);
	check_active("another device is tagged", "root swap");
}

TEST(a_suspended_device_is_looked_at_again)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { ignore_suspended_devices = 1 }");
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 device-mapper\n");
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/uuid", "mpath-1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 1);
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "0\n");
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	check_active("it was resumed", "root");
}

static const struct {
	const char *claim, *conf, *words, *active;
	int code;
} rules[] = {
	{"event_activation does not matter: nobody waits for an event",
	 "global { event_activation = 0 }", "/dev/vg_one/root", "root", 0},
	{"auto_activation_volume_list", "activation { auto_activation_volume_list = [] }",
	 "/dev/vg_one/root", "", 1},
	{"... is no obstacle to --explicit", "activation { auto_activation_volume_list = [] }",
	 "--explicit --lv vg_one/home /dev/vg_one/root", "root home", 0},
	{"... also for a VG", "activation { auto_activation_volume_list = [] }",
	 "--explicit --vg vg_one", "root home swap", 0},
	{"... but for the others that come late", "activation { auto_activation_volume_list = [] }",
	 "--explicit --pass 10 /dev/vg_one/gone", "", 1},
	{"volume_list, with --explicit", "activation { volume_list = [ \"vg_one/home\" ] }",
	 "--explicit /dev/vg_one/root", "", 1},
	{"volume_list", "activation { volume_list = [ \"vg_one/home\" ] }", "/dev/vg_one/root", "",
	 1},
	{"a filter", "devices { filter = [ \"r|.*|\" ] }", "/dev/vg_one/root", "", 1},
	{"a setting that only lvm honours", "global { use_lvmlockd = 1 }", "/dev/vg_one/root",
	 "root", 0},
	{"activation is off", "global { activation = 0 }", "/dev/vg_one/root", "", 2},
	{"a filter that is wrong", "devices { filter = [ \"x\" ] }", "/dev/vg_one/root", "", 5},
};

TEST_EACH(settings_hold_as_for_events, rules)
{
	int code;

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", rules[_i].conf);
	if (strstr(rules[_i].conf, "activation = 0 }") && rules[_i].code == 2) {
		fake_dm_free(machine.dm);
		machine.world->dm = NULL;
		machine.dm = NULL;
	}
	code = initramfs(rules[_i].words);
	ck_assert_msg(code == rules[_i].code, "%s: exit %d\n%s%s", rules[_i].claim, code,
		      machine.out, machine.err);
	if (machine.dm)
		check_active(rules[_i].claim, rules[_i].active);
}

TEST(a_pv_on_two_disks_is_left_to_the_real_lvm)
{
	machine_plug("one-pv", "sdd", 64, 4);
	tag(64);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), LEA_INITRAMFS_LVM);
	check_active("a copy", "");
}

TEST(a_copy_of_roots_disk_does_not_stop_the_boot)
{
	machine_plug("one-pv", "sdd", 8, 4);
	tag(8);
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg_one/root"), LEA_INITRAMFS_LVM);
	check_active("before the half", "fast plain--1");
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/fast"), 0);
	check_active("another VG is wanted", "fast plain--1");
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg_one/root"), 0);
	check_active("root, on one of them", "fast plain--1 root home swap");
	ck_assert(strstr(machine.err, "the boot uses /dev/sdd"));
}

/* The lower device number is that of a copy, with metadata of before or after. */
static const struct {
	const char *seqno, *used;
} ages[] = {{"seqno = 4", "the boot uses /dev/sda"}, {"seqno = 6", "the boot uses /dev/sdd"}};

TEST_EACH(of_two_copies_the_one_with_newer_metadata_is_used, ages)
{
	machine_plug("one-pv", "sdd", 8, 4);
	rewrite("one-pv", "sdd", ages[_i].seqno, NULL);
	tag(8);
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg_one/root"), 0);
	ck_assert_msg(strstr(machine.err, ages[_i].used) != NULL, "%s: %s", ages[_i].seqno,
		      machine.err);
}

/* Clones of both disks of a VG; names are in the order of probing, so numbers say nothing. */
static void clone_stripes(void)
{
	machine_plug("stripe-a", "sdd", 24, 4);
	machine_plug("stripe-b", "sde", 64, 5);
	tag(24);
	tag(64);
}

static const char *table_of_fast(void)
{
	const struct fake_dm_node *node = fake_dm_find(machine.dm, "vg--two.pvs-fast");

	return node ? node->table : "";
}

static void put_wwid(uint32_t minor, const char *wwid)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/wwid", minor);
	tree_put(&machine.tree, path, wwid);
}

#define SECTORS_A "131072" /* of the disks of both samples */
#define KNOWN_A	  "pv " PVID_A " " SECTORS_A " 0 naa.5000c50000000002\n"
#define KNOWN_B	  "pv " PVID_B " " SECTORS_A " 0 naa.5000c50000000003\n"

static void know(const char *lines)
{
	char text[1024];

	snprintf(text, sizeof(text), "vg--two.pvs-fast - 5-5 -\n%s", lines);
	tree_put(&machine.tree, NEEDS, text);
	put_wwid(32, "naa.5000c50000000002\n");
	put_wwid(48, "naa.5000c50000000003\n");
	put_wwid(24, "naa.5000c50000000004\n");
	put_wwid(64, "naa.5000c50000000005\n");
}

TEST(copies_are_never_mixed)
{
	clone_stripes();
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_LVM);
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_LVM);
	ck_assert_int_eq(initramfs("--pass 29 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_LVM);
	ck_assert_str_eq(table_of_fast(), "");
	ck_assert(strstr(machine.err, "one of its PVs is on two devices"));
}

static const struct {
	const char *claim, *lines, *words;
	bool is_decided;
} knowledge[] = {
	{"the image knows both disks", KNOWN_A KNOWN_B, "/dev/vg-two.pvs/fast", true},
	{"... by UUID", KNOWN_A KNOWN_B, "UUID=5-5", true},
	{"one of them", KNOWN_A, "/dev/vg-two.pvs/fast", false},
	{"... late", KNOWN_A, "--pass 29 /dev/vg-two.pvs/fast", false},
	{"disks that are not there", "pv " PVID_A " " SECTORS_A " 0 naa.6\n" KNOWN_B,
	 "--pass 29 /dev/vg-two.pvs/fast", false},
	{"another size", "pv " PVID_A " 1 0 naa.5000c50000000002\n" KNOWN_B,
	 "--pass 29 /dev/vg-two.pvs/fast", false},
	{"another partition", "pv " PVID_A " " SECTORS_A " 1 naa.5000c50000000002\n" KNOWN_B,
	 "--pass 29 /dev/vg-two.pvs/fast", false},
};

TEST_EACH(the_disks_that_the_image_knows_are_used_at_once, knowledge)
{
	clone_stripes();
	know(knowledge[_i].lines);
	ck_assert_msg((initramfs(knowledge[_i].words) == 0) == knowledge[_i].is_decided, "%s: %s",
		      knowledge[_i].claim, machine.err);
	ck_assert_msg(!!strstr(table_of_fast(), "8:32 2048 8:48") == knowledge[_i].is_decided,
		      "%s: %s", knowledge[_i].claim, table_of_fast());
}

TEST(a_serial_number_tells_copies_apart)
{
	clone_stripes();
	know("pv " PVID_A " " SECTORS_A " 0 ser_2\npv " PVID_B " " SECTORS_A " 0 ser3\n");
	for (size_t i = 0; i < 4; i++) {
		static const uint32_t minors[] = {32, 48, 24, 64};
		static const char *const serials[] = {"ser 2\n", "ser3\n", "ser4\n", "ser5\n"};
		char path[64];

		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/wwid", minors[i]);
		tree_remove(&machine.tree, path);
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/serial", minors[i]);
		tree_put(&machine.tree, path, serials[i]);
	}
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), 0);
	ck_assert_msg(strstr(table_of_fast(), "8:32 2048 8:48"), "%s", table_of_fast());
}

/* The clone of one disk is there before the disk itself. */
TEST(half_of_a_vg_on_another_disk_waits_for_half_of_the_time)
{
	machine_unplug("sdc", 48);
	tree_remove(&machine.tree, "/run/udev/tags/lvmevent/b8:48");
	machine_plug("stripe-b", "sde", 64, 5);
	tag(64);
	know(KNOWN_A KNOWN_B);
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), LEA_INITRAMFS_NOT_YET);
	ck_assert(strstr(machine.err, "may be a copy"));
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_NOT_YET);
	ck_assert_str_eq(table_of_fast(), "");
	machine_plug("stripe-b", "sdc", 48, 3);
	put_wwid(48, "naa.5000c50000000003\n");
	tag(48);
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), 0);
	ck_assert_msg(strstr(table_of_fast(), "8:32 2048 8:48"), "%s", table_of_fast());
}

TEST(a_disk_that_was_replaced_is_used_from_the_half_on)
{
	know(KNOWN_A KNOWN_B);
	put_wwid(48, "naa.5000c50000000009\n");
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_NOT_YET);
	ck_assert_int_eq(initramfs("--pass 15 /dev/vg-two.pvs/fast"), 0);
}

TEST(a_disk_that_has_grown_since_is_used_at_once)
{
	know(KNOWN_A "pv " PVID_B " 2048 0 naa.5000c50000000003\n");
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), 0);
}

/* Restored to other hardware */
TEST(disks_of_which_the_image_knows_none_are_used_at_once)
{
	know(KNOWN_A KNOWN_B);
	put_wwid(32, "naa.5000c50000000008\n");
	put_wwid(48, "naa.5000c50000000009\n");
	ck_assert_int_eq(initramfs("/dev/vg-two.pvs/fast"), 0);
}

static const struct {
	const char *claim, *seqno_a, *seqno_b;
	bool is_decided;
} generations[] = {
	{"both copies are older", "seqno = 2", "seqno = 2", true},
	{"one is as new as the disks", "seqno = 2", NULL, false},
};

TEST_EACH(newer_metadata_decide_only_for_all_pvs, generations)
{
	clone_stripes();
	rewrite("stripe-a", "sdd", generations[_i].seqno_a, NULL);
	if (generations[_i].seqno_b)
		rewrite("stripe-b", "sde", generations[_i].seqno_b, NULL);
	ck_assert_int_eq(initramfs("--pass 14 /dev/vg-two.pvs/fast"), LEA_INITRAMFS_LVM);
	initramfs("--pass 15 /dev/vg-two.pvs/fast");
	ck_assert_msg(!!strstr(table_of_fast(), "8:32 2048 8:48") == generations[_i].is_decided,
		      "%s: %s%s", generations[_i].claim, table_of_fast(), machine.err);
}

TEST(two_paths_to_one_disk_are_one_pv)
{
	machine_plug("one-pv", "sdd", 64, 4);
	tree_put(&machine.tree, "/sys/dev/block/8:16/wwid", "naa.5000c50000000001\n");
	tree_put(&machine.tree, "/sys/dev/block/8:64/wwid", "naa.5000c50000000001\n");
	tag(64);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	check_active("one of the paths is used", "root");
}

TEST(device_mapper_that_fails_leaves_it_to_the_real_lvm)
{
	machine.dm->fail_on = "create";
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), LEA_INITRAMFS_LVM);
	machine.dm->fail_on = NULL;
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	check_active("it is tried again though no disk is new", "root");
}

/* All calls from one step on fail, rollback included, as after a kill. */
TEST(a_pass_that_dies_at_any_step_is_finished_by_the_next)
{
	uint32_t steps;

	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	steps = machine.dm->step_count;
	ck_assert_uint_gt(steps, 3);
	for (uint32_t at = 0; at < steps; at++) {
		machine_end();
		setup();
		machine.dm->dead_from = (int32_t)at;
		initramfs("/dev/vg_one/root");
		machine.dm->dead_from = -1;
		ck_assert_msg(initramfs("/dev/vg_one/root") == 0, "step %u: %s", at, machine.err);
		check_active("after the next pass", "root");
		ck_assert(machine.dm->node[0].info.live_table);
	}
}

TEST(damaged_needs_cost_speed_only)
{
	tree_put(&machine.tree, NEEDS, "\x01\xff what?\n");
	ck_assert_int_eq(initramfs("UUID=1-2"), 1);
	check_active("all VGs", ALL);
	tree_remove(&machine.tree, NEEDS);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
}

TEST(what_is_on_luks_needs_what_crypttab_names)
{
	tree_mkdir(&machine.tree, "/cryptroot");
	tree_put(
		&machine.tree, "/cryptroot/crypttab",
		"# name source\ncrypt UUID=1-2 none luks\nother /dev/vg-two.pvs/fast none\nplain\n");
	ck_assert_int_eq(initramfs("--resume /dev/mapper/crypt"), LEA_INITRAMFS_NOT_YET);
	check_active("the LVs below", "root fast");
}

TEST(a_damaged_crypttab_harms_nothing)
{
	char text[8192] = "";

	memset(text, ' ', 100);
	for (int i = 0; i < 60; i++)
		strcat(text, "x /dev/vg_one/home y\n");
	tree_mkdir(&machine.tree, "/cryptroot");
	tree_put(&machine.tree, "/cryptroot/crypttab", text);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	check_active("each is wanted once", "root home");
	strcpy(text, "");
	for (int i = 0; i < 300; i++)
		sprintf(text + strlen(text), "x /dev/vg_one/lv%d y\n", i);
	tree_put(&machine.tree, "/cryptroot/crypttab", text);
	tag(64);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 1);
	check_active("too many sources: all VGs", "root home swap fast plain--1");
}

TEST(the_note_says_what_was_done_and_what_is_missing)
{
	char path[128], text[1024] = "";
	FILE *file;

	ck_assert_int_eq(initramfs("/dev/vg_one/gone"), 1);
	ck_assert_int_eq(initramfs("/dev/vg_one/root"), 0);
	snprintf(path, sizeof(path), "%s" LEA_INITRAMFS_NOTE, machine.tree.root);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert(strstr(text,
			 " LV vg_one/gone is not active: LV not found in its VG (3 PVs so far), "
			 "step exact\n"));
	ck_assert(strstr(text, " activated 1 node(s) of VG vg_one, step exact\n"));
}

static void lack_half(void)
{
	machine_unplug("sdb", 32);
	tree_remove(&machine.tree, "/run/udev/tags/lvmevent/b8:32");
}

static void volume_list(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "activation { volume_list = [ \"x\" ] }");
}

static void auto_list(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "activation { auto_activation_volume_list = [] }");
}

static void put_sample(const char *name)
{
	machine_unplug("sda", 16);
	machine_plug(name, "sda", 16, 1);
}

static void foreign(void)
{
	put_sample("foreign");
}

static void flags(void)
{
	put_sample("flags");
}

static void copy(void)
{
	machine_plug("one-pv", "sdd", 64, 4);
	tag(64);
}

static void silent(void)
{
	sick = "sda";
	fault = -EIO;
}

static void unknown_type(void)
{
	put_sample("damaged/text-unknown-segtype");
}

static void failing(void)
{
	machine.dm->fail_on = "create";
}

static const struct {
	const char *claim;
	void (*make)(void); /* NULL: nothing */
	const char *words, *why;
} reasons[] = {
	{"no such VG", NULL, "/dev/none/root", "its VG was not found"},
	{"... or nobody knows", silent, "/dev/none/root",
	 "its VG was not found, and may be on /dev/sda, which gives no answer"},
	{"no such LV", NULL, "/dev/vg_one/none", "LV not found in its VG"},
	{"a PV is missing", lack_half, "/dev/vg-two.pvs/fast",
	 "incomplete: 1 of 2 PVs is there, missing PV I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"},
	{"... and what is there is not enough", lack_half, "--pass 15 /dev/vg-two.pvs/fast",
	 "incomplete: 1 of 2 PVs is there, missing PV I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"},
	{"volume_list", volume_list, "/dev/vg_one/root", "not in activation/volume_list"},
	{"auto_activation_volume_list", auto_list, "/dev/vg_one/root",
	 "not in activation/auto_activation_volume_list"},
	{"another host's VG", foreign, "/dev/vg_foreign/rw", "Cannot access VG vg_foreign "},
	{"the VG's property", flags, "/dev/vg_flags/skip", "its autoactivation property is off"},
	{"a PV on two disks", copy, "/dev/vg_one/root", "one of its PVs is on two devices"},
	{"only lvm knows the type", unknown_type, "/dev/vg_one/root", "unknown segment type"},
	{"device-mapper fails", failing, "/dev/vg_one/root", "its activation failed"},
};

TEST_EACH(what_keeps_the_lv_down_is_said, reasons)
{
	char text[256];

	if (reasons[_i].make)
		reasons[_i].make();
	ck_assert_int_ne(initramfs(reasons[_i].words), 0);
	snprintf(text, sizeof(text), " is not active: %s", reasons[_i].why);
	ck_assert_msg(strstr(machine.err, text) != NULL, "%s: %s", reasons[_i].claim, machine.err);
}

static const char *const usages[] = {"",
				     "--check /dev/vg_one/root",
				     "--check --list-needs",
				     "--list-needs --list-nodes",
				     "--list-needs /dev/vg_one/root",
				     "--check --resume /dev/vg_one/swap",
				     "--pass x /dev/vg_one/root",
				     "--pass -1 /dev/vg_one/root",
				     "--passes 99999 /dev/vg_one/root",
				     "/dev/vg_one/root /dev/vg_one/home"};

TEST_EACH(wrong_options_are_refused, usages)
{
	ck_assert_int_eq(initramfs(usages[_i]), LEA_EXIT_PARAMS);
	check_active(usages[_i], "");
}

TEST(check_needs_device_mapper_and_the_rule)
{
	ck_assert_int_ne(initramfs("--check"), 0);
	ck_assert(strstr(machine.err, "/dev/mapper/control"));
	tree_mkdir(&machine.tree, "/dev/mapper");
	tree_put(&machine.tree, "/dev/mapper/control", "");
	ck_assert_int_ne(initramfs("--check"), 0);
	ck_assert(strstr(machine.err, "lvmevent-initramfs.rules"));
	tree_put(&machine.tree, LEA_DATADIR "/lvmevent-initramfs.rules", "");
	ck_assert_int_eq(initramfs("--check"), 0);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "activation {");
	ck_assert_int_ne(initramfs("--check"), 0);
}

const struct fixture fixture = {setup, machine_end};
