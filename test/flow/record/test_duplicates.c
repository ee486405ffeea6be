/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PV on a disk and on a copy of it: the VG is refused in all cases, until one of the disks is
 * removed. */
#include "fake/no_descriptor.h"
#include "flow/duplicates_scratch.h"
#include "record/duplicate_first.h"
#include "flow/outdated_scratch.h"
#include "memory/boot_memory_file.h"
#include "record/duplicate_note.h"
#include "record/duplicate_original.h"

const struct fixture fixture = {setup, teardown};

/* ---- refused in all cases */

TEST(two_copies_at_once_activate_nothing)
{
	ck_assert_str_eq(both(), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert(machine_has(DUPLICATES "/8:32-2"));
}

TEST(events_of_either_activate_nothing_and_say_nothing)
{
	both();
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err, REFUSED);
	expect_failed(VG_ONE_ID, WHY);
}

/* A pass over @first, the event of the disk, which the caller ends; a copy appears meanwhile. */
static struct lea_batch_pass *begin_and_copy(struct lea_entry *first)
{
	struct lea_batch_pass *started;

	*first = event("sda", 16, 1, PVID_ONE, false);
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_int_eq(lea_batch_start(&batch_options, first, 1, &summary, &started), 0);
	came("sdb", 32, 2, PVID_ONE);
	return started;
}

/* The worker of the first disk is still busy when the copy appears. */
TEST(a_copy_that_comes_before_the_activation_stops_it)
{
	struct lea_entry first;
	struct lea_batch_pass *started = begin_and_copy(&first);

	activated[0] = '\0';
	ck_assert_int_eq(lea_batch_end(started), 0);
	lea_device_done(&first.device);
	ck_assert_str_eq(activated, "");
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err, REFUSED);
}

/* The copy appears between the check under the lock and the end of the activation. */
TEST(a_copy_that_came_too_late)
{
	struct lea_entry first;
	struct lea_batch_pass *started = begin_and_copy(&first);

	workers_are_blind = true;
	ck_assert_int_eq(lea_batch_end(started), 0);
	lea_device_done(&first.device);
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err, "  VG vg_one: is active on /dev/sda; PV " UUID_ONE
				      " is also on /dev/sdb, which is ignored\n");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}

/* The copy's event has not arrived, but udev has linked it. */
TEST_TIMES(a_copy_that_only_udev_knows_counts, 2)
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

TEST(what_udev_links_and_is_no_copy_counts_for_nothing)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32); /* it has another PVID now */
	claim_link("", 48); /* it no longer exists */
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
	ck_assert(!machine_has(DUPLICATES));
}

/* The note is for a removed instance, and the number belongs to another disk now. */
TEST(a_copy_under_the_number_of_an_old_one)
{
	const struct lea_duplicate old = {.pvid = PVID_ONE, .id = {8, 32, 2}};

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 5);
	ck_assert_int_eq(lea_duplicate_put(machine.world, &old), 0);
	claim_link("", 16);
	claim_link("", 32);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert(machine_has(DUPLICATES "/8:32-5") && !machine_has(DUPLICATES "/8:32-2"));
}

TEST(all_pvs_of_a_vg_copied_is_one_line)
{
	struct lea_entry entries[] = {
		event("sda", 16, 1, PVID_A, false), event("sdb", 32, 2, PVID_B, false),
		event("sdc", 48, 3, PVID_A, false), event("sdd", 64, 4, PVID_B, false)};
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
	/* one PV is unambiguous now, the other one is not */
	machine_unplug("sdc", 48);
	went("sdc", 48, 3, PVID_A);
	ck_assert_str_eq(drain(), "");
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_B);
	ck_assert_str_eq(drain(), "vg-two.pvs ");
}

/* The VG of a PV without metadata is unknown until other PVs name it. */
TEST(a_copied_pv_without_metadata_activates_nothing)
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

/* ---- activated when one disk is removed */

TEST(the_vg_comes_up_when_the_copy_goes)
{
	both();
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_str_eq(machine.err, REFUSED);
	ck_assert(!machine_has("/run/lvm/event/duplicates"));
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}

TEST(the_vg_comes_up_on_the_copy_when_the_recorded_pv_goes)
{
	struct lea_online online;

	both();
	machine_unplug("sda", 16);
	went("sda", 16, 1, PVID_ONE);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_uint_eq(online.minor, 32);
	ck_assert(!machine_has("/run/lvm/event/duplicates"));
}

TEST_TIMES(a_reconcile_finds_a_removal_that_was_lost, 2)
{
	const char *const name = _i ? "sda" : "sdb";

	both();
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_msg(!lea_queue_has_pending(batch_options.event_fd), "both are there: no news");
	machine_unplug(name, _i ? 16 : 32);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}

TEST_TIMES(a_filter_that_excludes_a_copy_ends_the_refusal, 2)
{
	both();
	new_conf(_i ? "filter = [ \"r|sda|\" ]" : "filter = [ \"r|sdb|\" ]");
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
	ck_assert_str_eq(machine.err, REFUSED);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
}

TEST(the_vg_comes_up_when_a_copy_is_wiped)
{
	both();
	machine_unplug("sdb", 32);
	machine_plug("orphan", "sdb", 32, 2);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* Its copy had come while the VG was active. The other PV is added when the VG is down: no event
 * tells of the disk that was wiped. */
TEST(a_copy_takes_the_place_of_a_disk_that_was_wiped)
{
	machine_plug("stripe-a", "sda", 16, 1);
	machine_plug("stripe-b", "sdb", 32, 2);
	came("sda", 16, 1, PVID_A);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "vg-two.pvs ");
	machine_plug("stripe-a", "sdc", 48, 3);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_A), "");
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, 1);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg-two.pvs"); /* vgchange -an */
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_B);
	machine_plug("stripe-b", "sdb", 64, 4);
	ck_assert_str_eq(came("sdb", 64, 4, PVID_B), "");
	ck_assert_str_eq(drain(), "vg-two.pvs ");
}

static void both_come(void)
{
	both();
}

/* udev names sdb as the PV as well, and nobody can read it. */
static void unread_copy(void)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32);
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "1\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err, REFUSED);
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm/suspended");
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm");
}

/* Rows: was sdb read as the PV before, and what is on it by now? */
static const struct {
	const char *claim, *sample;
	void (*before)(void);
	const char *vgs;
} no_copies[] = {
	{"a copy was wiped", "orphan", both_come, "vg_one "},
	{"vgimportclone activates nothing", "stripe-a", both_come, ""},
	{"it may have come before the add that was refused", "stripe-a", unread_copy, "vg_one "},
};

/* udev named the PV before, and the entry says so. */
TEST_EACH(the_vg_comes_up_when_a_copy_is_read_that_is_none_any_more, no_copies)
{
	no_copies[_i].before();
	machine_unplug("sdb", 32);
	machine_plug(no_copies[_i].sample, "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_msg(!strcmp(drain(), no_copies[_i].vgs), "%s: %s", no_copies[_i].claim,
		      activated);
	ck_assert_msg(!machine_has(DUPLICATES), "%s", no_copies[_i].claim);
}

TEST_EACH(a_reconcile_asks_a_copy_that_is_none_any_more, no_copies)
{
	no_copies[_i].before();
	machine_unplug("sdb", 32);
	machine_plug(no_copies[_i].sample, "sdb", 32, 2);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_msg(!strcmp(drain(), no_copies[_i].vgs), "%s: %s", no_copies[_i].claim,
		      activated);
}

#define QUEUE "/run/lvm/event/queue/"

/* vgimportclone made it a PV of another VG, and activates neither VG. If its disk is slow, the
 * change has not been read yet. Rows: which of the two has the record. */
TEST_TIMES(a_copy_that_is_another_pv_by_now_is_left_to_its_own_event, 2)
{
	both();
	machine_unplug(_i ? "sda" : "sdb", _i ? 16 : 32);
	machine_plug("stripe-a", _i ? "sda" : "sdb", _i ? 16 : 32, _i ? 1 : 2);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_msg(!machine_has(_i ? QUEUE "8:16-1" : QUEUE "8:32-2"), "it is not queued");
	ck_assert_msg(machine_has(_i ? QUEUE "8:32-2" : QUEUE "8:16-1"), "the other one is");
	ck_assert_str_eq(drain(), "");
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	ck_assert_str_eq(_i ? came("sdb", 32, 2, PVID_ONE) : came("sda", 16, 1, PVID_ONE),
			 "vg_one ");
}

/* The removal was lost, and the number belongs to another disk now: nobody has made a PV of that. */
TEST(what_had_the_number_of_a_pv_whose_removal_was_lost_is_no_change_of_it)
{
	both();
	machine_unplug("sda", 16);
	machine_plug("stripe-a", "sda", 16, 9);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* The copy had been made another PV before the add of the PV, and gave no answer then. */
TEST(an_add_waits_for_a_copy_that_gives_no_answer)
{
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32);
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "1\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_FAILED && claim.is_transient);
	lea_claim_done(&claim);
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm/suspended");
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm");
	machine_unplug("sdb", 32);
	machine_plug("stripe-a", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(drain(), "vg_one ");
}

/* The same, but then the copy is read, and is one still: whatever is made of it later comes after
 * the add. Rows: it is, the disk that has the record gives no answer then, it is taken down. */
TEST_TIMES(a_copy_that_answers_late_counts, 3)
{
	struct lea_entry entry = event("sdb", 32, 2, PVID_ONE, false);
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	claim_link("", 16);
	claim_link("", 32);
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "1\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "0\n");
	if (_i == 1)
		tree_put(&machine.tree, "/sys/dev/block/8:16/dm/suspended", "1\n");
	if (_i == 2)
		tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_FAILED && claim.is_transient == (_i == 1));
	ck_assert_str_eq(claim.reason, WHY);
	lea_claim_done(&claim);
	ck_assert_int_eq(machine_has("/run/lvm/vgs_online/vg_one"), _i == 1);
}

/* The same, and the disk that has the record may hang by now: it is not even read. */
TEST(a_recorded_disk_that_udev_has_read_as_another_pv_is_none)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	tree_put(&machine.tree, "/run/udev/data/b8:16",
		 "I:1\nE:ID_FS_TYPE=LVM2_member\n"
		 "E:ID_FS_UUID=000000-0000-0000-0000-0000-0000-000001\n");
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "vg_one ");
	ck_assert(!machine_has(DUPLICATES));
}

/* That one copy was made another PV is not all that has happened. */
TEST(a_removal_that_was_lost_counts_beside_a_copy_that_is_another_pv)
{
	both();
	machine_plug("one-pv", "sdc", 48, 3);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_ONE), "");
	machine_unplug("sdb", 32);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_unplug("sdc", 48);
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	ck_assert_str_eq(drain(), "vg_one ");
}

/* ---- by commands */

TEST(commands_of_events_refuse_it)
{
	both();
	ck_assert_int_eq(machine_command("vgchange -aay --autoactivation event vg_one"), 5);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_int_eq(machine_command("pvscan --cache -aay 8:16"), 5);
	ck_assert_msg(strstr(strstr(machine.err, WHY) + 1, WHY), "who asks is told each time");
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "devices { allow_changes_with_duplicate_pvs = 1 }\n");
	ck_assert_int_eq(machine_command("vgchange -aay --autoactivation event vg_one"), 0);
	ck_assert_uint_ne(fake_dm_count(machine.dm), 0);
}

/* ---- what the last good boot had */

#define MACHINE "0123456789abcdef0123456789abcdef"

/* sda has wwid naa.1, sdb naa.2; the last good boot had the PV on @wwid. */
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
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.2\n");
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

static void expect_record(uint32_t minor)
{
	struct lea_online online;

	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_uint_eq(online.minor, minor);
}

/* Rows: the disk that was remembered, and what the pass over both ends with. */
static const struct {
	const char *wwid, *duplicate, *said;
	uint32_t minor;
} remembered[] = {
	{"naa.1", DUPLICATES "/8:32-2",
	 "  VG vg_one: is active on /dev/sda; PV " UUID_ONE
	 " is also on /dev/sdb, which is ignored\n",
	 16},
	{"naa.2", DUPLICATES "/8:16-1",
	 "  VG vg_one: is active on /dev/sdb; PV " UUID_ONE
	 " is also on /dev/sda, which is ignored\n",
	 32},
};

TEST_EACH(of_two_copies_the_remembered_one_is_the_pv, remembered)
{
	remember(remembered[_i].wwid);
	ck_assert_str_eq(both(), "vg_one ");
	expect_record(remembered[_i].minor);
	ck_assert_str_eq(machine.err, remembered[_i].said);
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
	ck_assert(machine_has(remembered[_i].duplicate));
	/* Later events of either change nothing. */
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	expect_record(remembered[_i].minor);
	ck_assert_str_eq(machine.err, remembered[_i].said);
}

TEST(copies_of_a_disk_that_is_not_remembered_activate_nothing)
{
	remember("naa.3");
	ck_assert_str_eq(both(), "");
	ck_assert_str_eq(machine.err, REFUSED);
}

/* Rows: the disk that was remembered, the disk whose metadata is newer, and what is activated. */
static const struct {
	const char *wwid, *newer, *activated;
} aged[] = {
	{"naa.1", "sdb", ""},
	{"naa.2", "sda", ""},
	{"naa.1", "sda", "vg_one "},
	{"naa.2", "sdb", "vg_one "},
};

/* Somebody has used the copy in place of the disk since, and the disk has come back. */
TEST_EACH(a_remembered_disk_with_older_metadata_is_not_taken_for_the_pv, aged)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_ONE, false)};

	remember(aged[_i].wwid);
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	rewrite("one-pv", aged[_i].newer, "seqno = 6", NULL);
	ck_assert_str_eq(pass(entries, 2), aged[_i].activated);
	if (!*aged[_i].activated)
		expect_failed(VG_ONE_ID, WHY);
}

/* Rows: the wwids that were remembered of the two PVs of a VG of which both disks have a copy, and
 * what is activated. */
static const struct {
	const char *wwid[2], *activated;
} sets[] = {
	{{"naa.1", "naa.2"}, "vg-two.pvs "},
	{{"naa.3", "naa.4"}, "vg-two.pvs "},
	{{"naa.1", "naa.9"}, ""},
	{{"naa.9", "naa.4"}, ""},
	{{"naa.9", "naa.9"}, ""},
};

static int ask_memory(void)
{
	const struct lea_entry first = event("sda", 16, 1, PVID_ONE, false),
			       second = event("sdb", 32, 2, PVID_ONE, false);
	const struct lea_vg vg = {.id = VG_ONE_ID, .seqno = 9};

	return lea_original_find(machine.world, conf, PVID_ONE, &vg, &first.device, &second.device);
}

static int ask_place(void)
{
	const struct lea_entry entry = event("sda", 16, 1, PVID_ONE, false);
	const struct lea_boot_pv pv = {.wwid = "naa.5000000000000009"};

	return lea_original_ask_elsewhere(machine.world, &pv, &entry.device);
}

TEST(a_memory_that_cannot_be_asked_for_a_shortage_is_not_unsure)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	remember("naa.2");
	ck_assert_uint_gt(faults_of(ask_memory, LEA_ORIGINAL_SECOND), 2);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.5000000000000001\n");
	ck_assert_uint_gt(faults_of(ask_place, 1), 0);
}

/* Of sda to sdd, the last two are copies of the first two. @wwids: remembered of the PVs. */
static void plug_sets(const char *const wwids[2], struct lea_entry entries[4])
{
	static const struct {
		const char *sample, *name, *pvid;
	} disks[] = {{"stripe-a", "sda", PVID_A},
		     {"stripe-b", "sdb", PVID_B},
		     {"stripe-a", "sdc", PVID_A},
		     {"stripe-b", "sdd", PVID_B}};
	struct lea_boot_pv pvs[2] = {0};
	struct lea_boot_vg vg = {.id = VG_TWO_ID, .name = "vg-two.pvs", .pv = pvs, .pv_count = 2};
	const struct lea_boot_memory memory = {
		.machine = MACHINE, .boot = "before", .vg = &vg, .vg_count = 1};
	char path[64], wwid[16];

	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_mkdir(&machine.tree, "/etc/lvm");
	for (uint32_t i = 0; i < 4; i++) {
		machine_plug(disks[i].sample, disks[i].name, 16 * (i + 1), i + 1);
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device/wwid", 16 * (i + 1));
		snprintf(wwid, sizeof(wwid), "naa.%u\n", i + 1);
		tree_put(&machine.tree, path, wwid);
		entries[i] = event(disks[i].name, 16 * (i + 1), i + 1, disks[i].pvid, false);
	}
	for (int i = 0; i < 2; i++)
		pvs[i] = (struct lea_boot_pv){
			.size_sectors = 131072, .wwid = wwids[i], .serial = "", .address = ""};
	memcpy(pvs[0].pvid, PVID_A, sizeof(pvs->pvid));
	memcpy(pvs[1].pvid, PVID_B, sizeof(pvs->pvid));
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

/* That one of its PVs is known does not make a VG of an original and of a copy. */
TEST_EACH(a_vg_with_a_pv_that_nobody_can_tell_is_refused_as_a_whole, sets)
{
	struct lea_entry entries[4];

	plug_sets(sets[_i].wwid, entries);
	ck_assert_str_eq(pass(entries, 4), sets[_i].activated);
}

/* The memory names sdb, whose copy gives no answer. Rows: sda shows that the VG has changed since
 * sdb was used; it has not. */
TEST_TIMES(a_remembered_disk_that_others_have_outdone_is_not_taken_for_the_pv, 2)
{
	struct lea_entry entries[4];
	char uuid[39];

	plug_sets((const char *const[]){"naa.1", "naa.2"}, entries);
	lea_device_done(&entries[2].device);
	lea_device_done(&entries[3].device);
	if (!_i)
		rewrite("stripe-a", "sda", "seqno = 9", NULL);
	lea_id_format(PVID_B, uuid);
	claim_link_of(uuid, "", 32);
	claim_link_of(uuid, "", 64);
	tree_put(&machine.tree, "/sys/dev/block/8:64/dm/suspended", "1\n");
	ck_assert_str_eq(pass(entries, 2), _i ? "vg-two.pvs " : "");
}

/* It was ignored, for the VG was active, and gives no answer when the VG comes again. Rows: it is as
 * old as the remembered disk, it has shown newer metadata, so when it was read once more, and these were
 * replaced by the older ones since, as by vgcfgrestore. */
TEST_TIMES(a_copy_that_has_shown_newer_metadata_counts_when_it_is_silent, 4)
{
	const bool is_newer = _i == 1 || _i == 2;

	remember("naa.1");
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sdb", 32, 2);
	if (_i == 2)
		ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	if (_i)
		rewrite("one-pv", "sdb", "seqno = 6", NULL);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	if (_i == 3) {
		rewrite("one-pv", "sdb", "seqno = 5", NULL);
		ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	}
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "1\n");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), is_newer ? "" : "vg_one ");
}

/* It was ignored, and had shown newer metadata; another host has removed its VG since, so that it
 * answers that it is a PV of none. Rows: did it ever show newer ones? */
TEST_TIMES(a_copy_that_is_of_no_vg_any_more_has_answered, 2)
{
	struct sample sample;
	char path[256];

	remember("naa.1");
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sdb", 32, 2);
	if (_i)
		rewrite("one-pv", "sdb", "seqno = 6", NULL);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	sample_load(&sample, "orphan");
	set_label(&sample, PVID_ONE);
	snprintf(path, sizeof(path), "%s/dev/sdb", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
}

/* The copy alone is as good as any disk; once it is used, it stays. */
TEST(a_copy_in_use_keeps_its_place)
{
	remember("naa.2");
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "");
	expect_record(16);
	ck_assert_int_eq(claim_state(VG_ONE_ID), LEA_CLAIM_DONE);
}

/* A worker may have begun with the copy: it is to find out under the VG's lock. */
TEST(a_copy_that_a_worker_has_keeps_its_place)
{
	struct lea_entry first;
	struct lea_batch_pass *started;

	remember("naa.2");
	started = begin_and_copy(&first);
	expect_record(16);
	ck_assert_int_eq(lea_batch_end(started), 0);
	lea_device_done(&first.device);
	expect_record(16);
}

static int ask_first(void)
{
	char name[] = "/dev/sdb";
	struct lea_vg vg = {.id = VG_ONE_ID, .name = "vg_one"};
	const struct lea_found found = {.kind = LEA_FOUND_PV,
					.device = {.major = 8, .minor = 32, .diskseq = 2, .name = name},
					.label = {.pvid = PVID_ONE},
					.vg = &vg};
	const struct lea_scan_options scan = {0};
	LEA_AUTO(lea_device_done) struct lea_device first = {0};
	bool any;
	const int r = lea_duplicates_first(machine.world, conf, &scan, &found, &first, &any);

	return r || first.minor == 16 ? r : -ENOTUNIQ;
}

/* vgremove or another program took the record: a copy must not get that for want of a descriptor. */
TEST(who_goes_first_is_not_known_without_a_descriptor)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	claim_link("", 16);
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	ck_assert_int_eq(ask_first(), 0);
	ck_assert_uint_gt(faults_of(ask_first, 0), 2);
}
