/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PV on two disks, of which the devices file means one: sda has the id that the file lists, sdb
 * is its copy. Another PV of the file is listed by its name, so that events look at all PVIDs.
 */
#include "fake/no_descriptor.h"
#include "flow/duplicates_scratch.h"
#include "record/duplicate_original.h"

#define DEVICES "/etc/lvm/devices/system.devices"
#define BY_NAME                                                                                    \
	"IDTYPE=devname IDNAME=/dev/sdz DEVNAME=/dev/sdz PVID=bbcdefghijklmnopqrstuvwxyz012345\n"
#define BY_ID "IDTYPE=sys_wwid IDNAME=naa.1 DEVNAME=/dev/sda PVID=" PVID_ONE "\n"

#define OF_NAME(name)                                                                              \
	"IDTYPE=devname IDNAME=/dev/" name " DEVNAME=/dev/" name " PVID=" PVID_ONE "\n"

static void new_conf_with(const char *more)
{
	char text[160];

	snprintf(text, sizeof(text), "use_devicesfile = 1 device_ids_refresh = 0 %s", more);
	new_conf(text);
}

static void list(const char *lines)
{
	tree_put(&machine.tree, DEVICES, lines);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.2\n");
	new_conf_with("");
}

static void setup_listed(void)
{
	setup();
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	list(BY_ID BY_NAME);
}

static void unplug_sda(void)
{
	tree_remove(&machine.tree, "/sys/dev/block/8:16/device/wwid");
	tree_remove(&machine.tree, "/sys/dev/block/8:16/device");
	machine_unplug("sda", 16);
}

/* A pass over the events of both. */
static const char *both_came(bool is_swapped)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_ONE, false)};
	struct lea_entry swapped[] = {event("sdb", 32, 2, PVID_ONE, false),
				      event("sda", 16, 1, PVID_ONE, false)};

	return pass(is_swapped ? swapped : entries, 2);
}

const struct fixture fixture = {setup_listed, teardown};

static void expect_record(uint32_t minor)
{
	struct lea_online online;

	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_uint_eq(online.minor, minor);
}

/* Rows: the order of the events in one pass. */
TEST_TIMES(a_copy_that_the_file_does_not_mean_stops_nothing, 2)
{
	ck_assert_str_eq(both_came(_i), "vg_one ");
	expect_record(16);
	ck_assert_str_eq(machine.err, "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	ck_assert(!machine_has("/run/lvm/event/duplicates"));
}

/* Rows: the order of the events in one pass; in a boot, or not. The reconcile of a boot trusts no marker: it reads the
 * copy once more, and takes it for no lost event, also when vgremove has removed the record. */
TEST_TIMES(a_copy_that_the_file_does_not_mean_is_dealt_with, 4)
{
	batch_options.is_boot = _i / 2;
	both_came(_i % 2);
	ck_assert_int_eq(machine_has("/run/lvm/event/unsettled/8:32-2"), _i / 2);
	ck_assert(!machine_has("/run/lvm/event/unsettled/8:16-1"));
	ck_assert(machine_has("/run/lvm/event/known/8:32-2-" UUID_ONE));
}

static int ask_file(void)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_ONE, false)};

	return lea_original_find(machine.world, conf, PVID_ONE, NULL, &entries[0].device,
				 &entries[1].device);
}

TEST(a_file_that_cannot_be_asked_for_a_shortage_is_not_unsure)
{
	ck_assert_uint_gt(faults_of(ask_file, LEA_ORIGINAL_FIRST), 1);
}

/* udev has seen both before the event of the second one is processed. */
TEST(a_link_of_the_copy_stops_nothing)
{
	claim_link("", 16);
	claim_link("", 32);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	expect_record(16);
	ck_assert_str_eq(machine.err, "");
}

/* With stock lvm2 a removal brings nothing up either. */
TEST(the_copy_does_not_take_over_when_the_pv_goes)
{
	came("sda", 16, 1, PVID_ONE);
	came("sdb", 32, 2, PVID_ONE);
	unplug_sda();
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "");
}

/* As with lvm2's event rule, which compares PVIDs alone. */
TEST(the_copy_alone_is_used_until_it_is_not_and_the_pv_is_there)
{
	unplug_sda();
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sda", 16, 1);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	expect_record(32);
}

/* A copy that was ignored, and that has the record since the PV has gone, is not in use. */
TEST(the_pv_that_returns_takes_the_place_of_a_copy_that_was_ignored)
{
	list("IDTYPE=sys_wwid IDNAME=naa.3 PVID=" PVID_ONE "\n" BY_NAME);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	came("sdb", 32, 2, PVID_ONE);
	unplug_sda();
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "");
	expect_record(32);
	machine_plug("one-pv", "sda", 16, 3);
	list(BY_ID BY_NAME);
	ck_assert_str_eq(came("sda", 16, 3, PVID_ONE), "vg_one ");
	expect_record(16);
}

/* Of two that the file does not tell apart, none is used. Rows: by PVID alone, by the id of both.
 */
TEST_TIMES(what_the_file_lists_alike_is_refused, 2)
{
	list(_i ? BY_ID "IDTYPE=sys_wwid IDNAME=naa.2 PVID=.\n"
		: "IDTYPE=sys_wwid IDNAME=naa.3 PVID=" PVID_ONE "\n" BY_NAME);
	ck_assert_str_eq(both_came(false), "");
	ck_assert_str_eq(machine.err, REFUSED);
}

/* Rows: which of the two has the record. */
TEST_TIMES(a_file_that_comes_to_mean_one_ends_the_refusal, 2)
{
	list("IDTYPE=sys_wwid IDNAME=naa.3 PVID=" PVID_ONE "\n" BY_NAME);
	ck_assert_str_eq(both_came(_i), "");
	list(BY_ID BY_NAME);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
	expect_record(16);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
}

/* Until it answers nothing can be done, and nothing is to be repeated. */
TEST(a_silent_one_that_the_file_comes_to_mean_is_no_news)
{
	list("IDTYPE=sys_wwid IDNAME=naa.3 PVID=" PVID_ONE "\n" BY_NAME);
	ck_assert_str_eq(both_came(true), "");
	list(OF_NAME("sda"));
	new_conf_with("search_for_devnames = \"all\"");
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	ck_assert_uint_eq(
		lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd), 0);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "0\n");
	ck_assert_uint_eq(
		lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd), 2);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* Rows: what a person's command makes of the two disks, alone and together. */
static const struct {
	const char *claim, *lines, *settings;
	bool has_sda, is_active;
} commands[] = {
	{"listed by its id, beside its copy", BY_ID BY_NAME, "", true, true},
	{"its copy alone", BY_ID BY_NAME, "", false, false},
	{"its copy alone, and all are searched", BY_ID BY_NAME, "search_for_devnames = \"all\"",
	 false, false},
	{"listed by its name, beside its copy", OF_NAME("sda"), "search_for_devnames = \"all\"",
	 true, true},
	{"another disk has its name", OF_NAME("sdq"), "search_for_devnames = \"all\"", false, true},
	{"... and disks with ids are not searched", OF_NAME("sdq"),
	 "search_for_devnames = \"auto\"", false, false},
	{"... on two disks alike", OF_NAME("sdq"), "search_for_devnames = \"all\"", true, false},
};

TEST_EACH(commands_use_what_the_file_means, commands)
{
	const char *claim = commands[_i].claim;
	int code;

	list(commands[_i].lines);
	new_conf_with(commands[_i].settings);
	if (!commands[_i].has_sda)
		unplug_sda();
	code = machine_command("vgchange -aay vg_one");
	ck_assert_msg((code == 0) == commands[_i].is_active, "%s: exit %d: %s", claim, code,
		      machine.err);
	ck_assert_msg((fake_dm_count(machine.dm) > 0) == commands[_i].is_active, "%s", claim);
}
