/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PV on a disk and on a copy of it: refused on every way, until one of them is out of the way. */
#include "flow/rivals_scratch.h"
#include "state/rival.h"

/* ---- refused on every way */

START_TEST(both_at_once)
{
	ck_assert_str_eq(both(), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert(machine_has(RIVALS "/8:32-2"));
}
END_TEST

START_TEST(events_of_either_activate_nothing_and_say_nothing)
{
	both();
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
}
END_TEST

/* The worker of the first one is still on its way when the other one comes. */
START_TEST(one_after_the_other_before_the_activation)
{
	struct lea_entry first = event("sda", 16, 1, PVID_ONE, false);
	struct lea_batch_pass *started;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_int_eq(lea_batch_start(&how, &first, 1, &summary, &started), 0);
	came("sdb", 32, 2, PVID_ONE);
	activated[0] = '\0';
	ck_assert_int_eq(lea_batch_end(started), 0);
	ck_assert_str_eq(activated, "");
	lea_device_done(&first.device);
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err, REFUSED);
}
END_TEST

/* Its event is on its way yet, but udev has linked it. */
START_TEST(a_copy_that_only_udev_knows)
{
	static const char *const forms[] = {"", "\\x2f"};

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	claim_link(forms[_i], 16);
	claim_link(forms[_i], 32);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err, REFUSED);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(machine.err, REFUSED);
	machine_unplug("sdb", 32);
	ck_assert_str_eq(went("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(drain(), "vg_one ");
}
END_TEST

START_TEST(what_udev_links_and_is_no_copy_counts_for_nothing)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32); /* it has another PVID by now */
	claim_link("", 48); /* is not there any more */
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
	ck_assert(!machine_has(RIVALS));
}
END_TEST

/* The note is of an instance that has gone, and the number is another disk's. */
START_TEST(a_copy_under_the_number_of_an_old_one)
{
	const struct lea_rival old = {.pvid = PVID_ONE, .major = 8, .minor = 32, .diskseq = 2};

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 5);
	ck_assert_int_eq(lea_rival_put(machine.world, &old), 0);
	claim_link("", 16);
	claim_link("", 32);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert(machine_has(RIVALS "/8:32-5") && !machine_has(RIVALS "/8:32-2"));
}
END_TEST

START_TEST(all_pvs_of_a_vg_copied_is_one_line)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_A, false),
				      event("sdb", 32, 2, PVID_B, false),
				      event("sdc", 48, 3, PVID_A, false),
				      event("sdd", 64, 4, PVID_B, false)};
	const char *line;

	machine_plug("stripe-a", "sda", 16, 1);
	machine_plug("stripe-b", "sdb", 32, 2);
	machine_plug("stripe-a", "sdc", 48, 3);
	machine_plug("stripe-b", "sdd", 64, 4);
	ck_assert_str_eq(pass(entries, 4), "");
	line = strchr(machine.err, '\n');
	ck_assert(line && !line[1]);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "");
	ck_assert_ptr_eq(strchr(machine.err, '\n'), line);
	/* one PV is free of doubt, the other one is not */
	machine_unplug("sdc", 48);
	went("sdc", 48, 3, PVID_A);
	ck_assert_str_eq(drain(), "");
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_B);
	ck_assert_str_eq(drain(), "vg-two.pvs ");
}
END_TEST

/* Of a PV without metadata nobody knows the VG, until others tell. */
START_TEST(a_copied_pv_without_metadata)
{
	struct lea_entry entries[] = {event("sda", 16, 1, "", false),
				      event("sdb", 32, 2, "", false),
				      event("sdc", 48, 3, "", false)};
	struct sample sample;
	char id[33];

	machine_plug("nomda-a", "sda", 16, 1);
	machine_plug("nomda-b", "sdb", 32, 2);
	machine_plug("nomda-b", "sdc", 48, 3);
	sample_load(&sample, "nomda-b");
	snprintf(id, sizeof(id), "%s", sample_value(&sample, "label.pvid"));
	sample_done(&sample);
	ck_assert_str_eq(pass(entries, 3), "");
	ck_assert_ptr_nonnull(strstr(machine.err, "not activated: PV "));
	ck_assert_ptr_null(strstr(machine.err, "unknown"));
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, id);
	ck_assert_str_ne(drain(), "");
}
END_TEST

/* ---- and activated when one is out of the way */

START_TEST(the_copy_goes)
{
	both();
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_str_eq(machine.err, REFUSED);
	ck_assert(!machine_has("/run/lvm/event/rivals"));
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}
END_TEST

START_TEST(the_recorded_one_goes)
{
	struct lea_online online;

	both();
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_uint_eq(online.minor, 32);
	ck_assert(!machine_has("/run/lvm/event/rivals"));
}
END_TEST

START_TEST(a_removal_that_was_lost)
{
	const char *const name = _i ? "sda" : "sdb";

	both();
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert_msg(!lea_queue_has_pending(how.event_fd), "both are there: no news");
	machine_unplug(name, _i ? 16 : 32);
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}
END_TEST

START_TEST(a_filter_that_excludes_one)
{
	both();
	new_conf(_i ? "filter = [ \"r|sda|\" ]" : "filter = [ \"r|sdb|\" ]");
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_str_eq(machine.err, REFUSED);
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert(!lea_queue_has_pending(how.event_fd));
}
END_TEST

START_TEST(a_copy_that_is_wiped)
{
	both();
	machine_unplug("sdb", 32);
	machine_plug("orphan", "sdb", 32, 2);
	lea_rivals_compare(machine.world, conf, how.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}
END_TEST

/* ---- by commands */

START_TEST(commands_of_events_refuse_it)
{
	both();
	ck_assert_int_eq(
		machine_command(&lea_cmd_vgchange, "vgchange -aay --autoactivation event vg_one"),
		5);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_int_eq(machine_command(&lea_cmd_pvscan, "pvscan --cache -aay 8:16"), 5);
	ck_assert_msg(strstr(strstr(machine.err, WHY) + 1, WHY), "who asks is told each time");
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "devices { allow_changes_with_duplicate_pvs = 1 }\n");
	ck_assert_int_eq(
		machine_command(&lea_cmd_vgchange, "vgchange -aay --autoactivation event vg_one"),
		0);
	ck_assert_uint_ne(fake_dm_count(machine.dm), 0);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("rivals");
	TCase *refused = tcase_create("refused");
	TCase *freed = tcase_create("freed");

	tcase_add_checked_fixture(refused, setup, teardown);
	tcase_add_checked_fixture(freed, setup, teardown);
	tcase_add_test(refused, both_at_once);
	tcase_add_test(refused, events_of_either_activate_nothing_and_say_nothing);
	tcase_add_test(refused, one_after_the_other_before_the_activation);
	tcase_add_loop_test(refused, a_copy_that_only_udev_knows, 0, 2);
	tcase_add_test(refused, what_udev_links_and_is_no_copy_counts_for_nothing);
	tcase_add_test(refused, a_copy_under_the_number_of_an_old_one);
	tcase_add_test(refused, all_pvs_of_a_vg_copied_is_one_line);
	tcase_add_test(refused, a_copied_pv_without_metadata);
	tcase_add_test(refused, commands_of_events_refuse_it);
	tcase_add_test(freed, the_copy_goes);
	tcase_add_test(freed, the_recorded_one_goes);
	tcase_add_loop_test(freed, a_removal_that_was_lost, 0, 2);
	tcase_add_loop_test(freed, a_filter_that_excludes_one, 0, 2);
	tcase_add_test(freed, a_copy_that_is_wiped);
	suite_add_tcase(suite, refused);
	suite_add_tcase(suite, freed);
	return suite;
}
