/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that answers too late is queued as what it was read for, and activates no more than that.
 */
#include "flow/batch_scratch.h"
#include "flow/kept_reader.h"
#include "flow/slow_scratch.h"
#include "record/duplicates.h"
#include "scan/reader.h"
#include "state/mark.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <unistd.h>

const struct fixture fixture = {setup, teardown};

static void make_slow(void)
{
	conf->probe_deadline_ms = 300;
	machine.world->open_device = open_slow;
	tree_put(&machine.tree, SLOW, "");
}

/* udev knows that it is a PV, as of each device that a rule or a reconcile queues. */
static const char *told(enum lea_entry_kind kind, const char *name, uint32_t minor,
			uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = kind;
	entry.device.seqnum = 77;
	entry.device.properties = strdup("ID_FS_TYPE=LVM2_member\n");
	return pass(&entry, 1);
}

/* The disk answers. Returns the one entry that is pending then; the caller's. */
static struct lea_entry *answer(void)
{
	struct lea_entry *entries = NULL;
	size_t count = 0;

	tree_remove(&machine.tree, SLOW);
	for (int i = 0; i < 500 && !lea_queue_has_pending(batch_options.event_fd); i++)
		usleep(10000);
	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	return entries;
}

/* What the next pass activates. */
static const char *next_pass(struct lea_entry *entry)
{
	activated[0] = '\0';
	ck_assert_int_eq(run_pass(entry, 1), 0);
	lea_entries_free(entry, 1);
	return activated;
}

static const struct {
	const char *claim;
	enum lea_entry_kind kind, again;
} kinds[] = {
	{"an event of a device that comes", LEA_ENTRY_ADD, LEA_ENTRY_ADD},
	{"what a reconcile found", LEA_ENTRY_MISSED, LEA_ENTRY_MISSED},
	{"a change", LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE},
	{"only dmeventd is to be told", LEA_ENTRY_WATCH, LEA_ENTRY_WATCH},
	{"a VG whose wait is over waits again", LEA_ENTRY_PARTIAL, LEA_ENTRY_MISSED},
};

TEST_EACH(a_late_disk_is_queued_as_what_it_was_read_for, kinds)
{
	struct lea_entry *late;

	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	ck_assert_str_eq(told(kinds[_i].kind, "sdb", 32, 2, PVID_ONE), "");
	late = answer();
	ck_assert_msg(late->kind == kinds[_i].again, "%s: %d", kinds[_i].claim, late->kind);
	ck_assert_msg(!strcmp(late->pvid, PVID_ONE), "%s: its PVID is known", kinds[_i].claim);
	lea_entries_free(late, 1);
}

TEST(a_late_member_is_queued_as_missed)
{
	struct lea_entry *late;

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	make_slow();
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), "");
	late = answer();
	ck_assert_msg(late->device.minor == 32 && late->kind == LEA_ENTRY_MISSED,
		      "no event announced it: %u, %d", late->device.minor, late->kind);
	ck_assert_str_eq(late->pvid, PVID_A);
	lea_entries_free(late, 1);
}

TEST(a_late_change_leaves_a_vg_that_was_taken_down)
{
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_ONE), "vg_one ");
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg_one"), 0);
	make_slow();
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(next_pass(answer()), "");
}

TEST(a_late_clone_that_vgimportclone_made_stays_inactive)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(next_pass(answer()), "");
}

/* A reconcile asks whether it is still a copy. */
TEST_TIMES(a_late_copy_that_was_ignored_activates_nothing, 2)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_ONE, false)};
	struct lea_entry *late;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	if (_i)
		ck_assert_str_eq(pass(entries, 1), "vg_one ");
	ck_assert_str_eq(pass(entries + _i, 2 - (size_t)_i), "");
	make_slow();
	lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd);
	late = answer();
	ck_assert_int_eq(late->kind, _i ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED);
	lea_entries_free(late, 1);
}

TEST(a_late_disk_that_came_is_activated)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_ONE), "");
	ck_assert_str_eq(next_pass(answer()), "vg_one ");
}

/* As a detached worker: ends its claim when the runner has met the VG and waits for sdb, which
 * answers then. An administrator takes the VG down before. */
static pid_t start_worker(void)
{
	const struct lea_claims claims = machine_claims();
	struct lea_claim claim;
	const pid_t pid = fork();

	if (pid)
		return pid;
	tree_put_process(&machine.tree, getpid(), "worker", 'S', 1);
	for (int i = 0; i < 1000 && !machine_has("/run/lvm/pvs_online/" PVID_B); i++)
		usleep(10000);
	usleep(100000);
	if (claim_of(VG_TWO_ID, &claim))
		_exit(1);
	claim.state = LEA_CLAIM_DONE;
	if (lea_claim_finish(&claims, VG_TWO_ID, &claim) < 0 ||
	    lea_vg_online_drop(claims.run_fd, "vg-two.pvs") < 0)
		_exit(2);
	tree_remove(&machine.tree, SLOW);
	_exit(0);
}

static const struct {
	const char *claim;
	enum lea_entry_kind kind;
	const char *vgs;
} after_worker[] = {
	{"what was missed was dealt with", LEA_ENTRY_MISSED, ""},
	{"what comes now asks for the VG", LEA_ENTRY_ADD, "vg-two.pvs "},
};

TEST_EACH(a_worker_that_ends_while_a_member_is_read_has_dealt_with_the_vg, after_worker)
{
	const struct lea_claims claims = machine_claims();
	struct lea_claim claim;
	int status;
	pid_t pid;

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_TWO_ID, &claim), 0);
	lea_claim_done(&claim);
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_B);
	make_slow();
	conf->probe_deadline_ms = 10000;
	pid = start_worker();
	told(after_worker[_i].kind, "sdc", 48, 3, PVID_B);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(!strcmp(activated, after_worker[_i].vgs), "%s: %s", after_worker[_i].claim,
		      activated);
}

/* By the mark, whoever tries the device again would take the add for a change. Rows: which of the two
 * comes first. */
TEST_TIMES(a_change_that_is_not_settled_hides_no_add, 2)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	begin_reader();
	ck_assert_str_eq(told(_i ? LEA_ENTRY_CHANGE : LEA_ENTRY_ADD, "sdb", 32, 2, PVID_ONE), "");
	ck_assert_int_eq(machine_has("/run/lvm/event/unsettled/8:32-2"), _i);
	ck_assert_str_eq(told(_i ? LEA_ENTRY_ADD : LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), "");
	ck_assert(!machine_has("/run/lvm/event/unsettled/8:32-2"));
	end_reader();
}

/* Until the coldplug is done udev's file tells of the boot before: a mark would outlast that, and hide
 * the add that the scan hears next. Rows: the boot; later. */
TEST_TIMES(a_change_in_the_boot_leaves_no_mark, 2)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	begin_reader();
	ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:32-2"), 0);
	batch_options.is_boot = !_i;
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), "");
	ck_assert_int_eq(machine_has("/run/lvm/event/unsettled/8:32-2"), _i);
	end_reader();
}

/* It was read for another PV's sake, which asks for nothing of its own. */
TEST(a_change_of_a_member_that_gave_no_answer_is_not_settled)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	make_slow();
	begin_reader();
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), "");
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert(machine_has("/run/lvm/event/unsettled/8:32-2"));
	end_reader();
}

/* Without that its VG would count as dealt with, and if the child were killed that holds the add, it would
 * be lost. Rows: the VG was refused since. */
TEST_TIMES(a_change_that_has_its_answer_hides_no_add, 2)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	begin_reader();
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_ONE), "");
	if (_i)
		ck_assert_int_eq(lea_refused_set(batch_options.event_fd, "8:32-2", false, &(struct timespec){.tv_sec = time(NULL)}), 0);
	tree_remove(&machine.tree, SLOW);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), _i ? "" : "vg_one ");
	end_reader();
}

/* The boot scan ends while its child waits for the disk, for an add or for a change; the runner reads it for
 * a change meanwhile. */
static const struct {
	enum lea_entry_kind kind;
	const char *vgs;
} ended[] = {
	{LEA_ENTRY_ADD, "vg_one "},
	{LEA_ENTRY_MISSED, "vg_one "},
	{LEA_ENTRY_CHANGE, ""},
};

TEST_EACH(an_add_of_a_process_that_has_ended_is_not_hidden, ended)
{
	machine_plug("one-pv", "sdb", 32, 2);
	make_slow();
	begin_reader();
	ck_assert_str_eq(told(ended[_i].kind, "sdb", 32, 2, PVID_ONE), "");
	lea_reader_free(LEA_TAKE(batch_options.reader));
	machine.world->open_device = NULL;
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), ended[_i].vgs);
	end_reader();
}
