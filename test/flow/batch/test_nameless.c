/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices of which only the number is known: the kernel has the name. */
#include "flow/batch_scratch.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

static const struct {
	const char *claim, *record;
} records[] = {
	{"lvm2 leaves out a name of more than 126 characters", "8:32\nvg:vg-two.pvs\n"},
	{"a folder of devices that is not /dev", "8:32\nvg:vg-two.pvs\ndev:/elsewhere/sdb\n"},
	{"cut off when /run was full", "8:32\nvg:vg-two.pvs\ndev:"},
};

TEST_EACH(a_member_whose_record_has_no_name_is_found, records)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	tree_put(&machine.tree, "/run/lvm/pvs_online/" PVID_A, records[_i].record);
	ck_assert_msg(!strcmp(came("sdc", 48, 3, PVID_B), "vg-two.pvs "), "%s", records[_i].claim);
}

TEST(a_record_without_a_name_whose_device_is_gone_counts_for_nothing)
{
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	tree_put(&machine.tree, "/run/lvm/pvs_online/" PVID_A, "8:32\nvg:vg-two.pvs\n");
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "");
}

/* A person who has only the number may queue a device by it. */
static struct lea_entry *queued_by_number(const char *key, const char *name)
{
	struct lea_entry *entries = NULL;
	char path[64], text[128];
	size_t count = 0;

	snprintf(path, sizeof(path), "/run/lvm/event/queue/%s", key);
	snprintf(text, sizeof(text), "lvmevent-entry 1\nkind add\nname %s\n\n", name);
	tree_put(&machine.tree, path, text);
	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	return entries;
}

static const char *const no_names[] = {"", "8:32", "sdb", "."};

TEST_EACH(an_entry_without_a_name_is_read, no_names)
{
	struct lea_entry *entry = queued_by_number("8:32-0", no_names[_i]);
	struct lea_online online;

	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(entry->device.name, "8:32");
	ck_assert_int_eq(run_pass(entry, 1), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, "/dev/sdb");
	lea_entries_free(entry, 1);
}

TEST(an_entry_without_a_name_whose_device_is_gone_is_finished)
{
	struct lea_entry *entry = queued_by_number("8:32-0", "");

	ck_assert_int_eq(run_pass(entry, 1), 0);
	ck_assert_str_eq(activated, "");
	lea_entries_free(entry, 1);
}
