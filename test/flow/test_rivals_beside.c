/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy that comes beside an active VG, and devices with one PVID of which none is a copy. */
#include "flow/rivals_scratch.h"

/* ---- a VG that was active before */

START_TEST(a_copy_beside_an_active_vg_is_ignored)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(machine.err, "  PV " UUID_ONE
				      ": is in use on /dev/sda; it is also on /dev/sdb, "
				      "which is ignored\n");
	came("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(strchr(machine.err, '\n'), "\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
}
END_TEST

START_TEST(an_ignored_copy_that_goes_brings_nothing_up)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}
END_TEST

/* Then nothing tells any more which of the two is the right one. */
START_TEST(a_vg_taken_down_beside_an_ignored_copy_stays_down)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_ptr_nonnull(strstr(machine.err, REFUSED));
	expect_failed(VG_ONE_ID, WHY);
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
}
END_TEST

/* Both come back as new instances; the claim is of those that went. */
START_TEST(both_come_back)
{
	struct lea_entry entries[] = {event("sda", 16, 3, PVID_ONE, false),
				      event("sdb", 32, 4, PVID_ONE, false)};

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sda", 16, 3);
	machine_plug("one-pv", "sdb", 32, 4);
	ck_assert_str_eq(pass(entries, 2), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
}
END_TEST

/* Its LVs hold the disk that has gone: that is no case for the copy. */
START_TEST(an_ignored_copy_does_not_take_over)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert_str_eq(drain(), "");
}
END_TEST

/* Brought up by whomever: there is no claim, but an LV sits on the disk. */
START_TEST(a_copy_beside_an_active_vg_without_a_claim)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	ck_assert_ptr_nonnull(strstr(machine.err, "which is ignored"));
	tree_remove(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid");
}
END_TEST

/* The copy came between the look under the lock and the end of the activation. */
START_TEST(a_copy_that_came_too_late)
{
	struct lea_entry first = event("sda", 16, 1, PVID_ONE, false);
	struct lea_batch_pass *started;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_int_eq(lea_batch_start(&how, &first, 1, &summary, &started), 0);
	came("sdb", 32, 2, PVID_ONE);
	workers_are_blind = true;
	ck_assert_int_eq(lea_batch_end(started), 0);
	lea_device_done(&first.device);
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err, "  VG vg_one: is active on /dev/sda; PV " UUID_ONE
				      " is also on /dev/sdb, which is ignored\n");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}
END_TEST

/* ---- what is no copy */

static void same_wwid(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.600a0b80\n");
}

static void other_wwid(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.600a0b81\n");
}

/* Of one disk, which has one id. */
static void two_partitions(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/partition", "1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/partition", "2\n");
	tree_put(&machine.tree, "/sys/dev/block/device/wwid", "naa.600a0b80\n");
	tree_put(&machine.tree, "/sys/dev/block/dev", "8:0\n");
}

static void mapped(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/sda/dev", "8:16\n");
}

static void held(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/slaves/sdb/dev", "8:32\n");
}

static void mapped_twice(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/dm-9/dev", "253:9\n");
	tree_put(&machine.tree, "/sys/dev/block/253:9/slaves/sda/dev", "8:16\n");
}

static void looped(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/loop/backing_file", "/dev/sda\n");
}

static void in_a_ring(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/slaves/dm-9/dev", "253:9\n");
	tree_put(&machine.tree, "/sys/dev/block/253:9/slaves/dm-9/dev", "253:9\n");
}

static const struct {
	const char *claim;
	void (*prepare)(void);
	const char *active, *said;
} ties[] = {
	{"two paths of one disk: the first one counts", same_wwid, "vg_one ",
	 "  PV " UUID_ONE ": /dev/sda and /dev/sdb are two paths of one disk without multipath, "
	 "the first one is used\n"},
	{"two disks with ids", other_wwid, "", REFUSED},
	{"partitions of one disk are copies", two_partitions, "", REFUSED},
	{"a device on top of the recorded one", mapped, "vg_one ", ""},
	{"a device below the recorded one", held, "vg_one ", ""},
	{"on top with another one in between", mapped_twice, "vg_one ", ""},
	{"a loop device over a disk", looped, "vg_one ", ""},
	{"nonsense of sysfs ends", in_a_ring, "", REFUSED},
};

START_TEST(ties_of_devices)
{
	ties[_i].prepare();
	claim_link("", 16);
	claim_link("", 32);
	ck_assert_msg(!strcmp(both(), ties[_i].active), "%s: %s", ties[_i].claim, activated);
	ck_assert_msg(!strcmp(machine.err, ties[_i].said), "%s:\n%s", ties[_i].claim, machine.err);
	came("sdb", 32, 2, PVID_ONE);
	came("sda", 16, 1, PVID_ONE);
	ck_assert_msg(!strcmp(machine.err, ties[_i].said), "%s, again:\n%s", ties[_i].claim,
		      machine.err);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("rivals_beside");
	TCase *active = tcase_create("active");
	TCase *tied = tcase_create("tied");

	tcase_add_checked_fixture(active, setup, teardown);
	tcase_add_checked_fixture(tied, setup, teardown);
	tcase_add_test(active, a_copy_beside_an_active_vg_is_ignored);
	tcase_add_test(active, an_ignored_copy_that_goes_brings_nothing_up);
	tcase_add_test(active, a_vg_taken_down_beside_an_ignored_copy_stays_down);
	tcase_add_test(active, both_come_back);
	tcase_add_test(active, an_ignored_copy_does_not_take_over);
	tcase_add_test(active, a_copy_beside_an_active_vg_without_a_claim);
	tcase_add_test(active, a_copy_that_came_too_late);
	tcase_add_loop_test(tied, ties_of_devices, 0, ARRAY_SIZE(ties));
	suite_add_tcase(suite, active);
	suite_add_tcase(suite, tied);
	return suite;
}
