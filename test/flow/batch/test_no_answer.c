/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that gives no answer has not gone: its VG is neither complete nor incomplete. */
#include "batch/partial.h"
#include "flow/batch_scratch.h"
#include "state/mark.h"
#include "unit/suite.h"
#include "world/hung.h"
#include "world/proc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define WAIT_MS 30000
#define MACHINE "0123456789abcdef0123456789abcdef"
#define UNIT	"lvmevent-failed@vg\\x2dtwo.pvs.service "
#define UUID_A	"I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define PVID_D	"DOQQcZIZQJO8gKJ2SsK5whmpnOP31Exo" /* vg_nomda: this one with metadata, ... */
#define PVID_E	"ecRuzn3omfTZjH2BpJ0CWRDgLHUgZgjq" /* ... this one without */

static struct lea_partial *partial;
static const char *sick; /* this device gives no answer */
static int fault;

/* Does the other one of the two begin as well, while this one is read? */
static bool meets(const char *path)
{
	const char *other = strstr(path, "sdb") ? "/run/lvm/read-sde" : "/run/lvm/read-sdb";

	tree_put(&machine.tree, strstr(path, "sdb") ? "/run/lvm/read-sdb" : "/run/lvm/read-sde",
		 "");
	for (unsigned int i = 0; i < 300 && !machine_has(other); i++)
		usleep(10000);
	return machine_has(other);
}

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	/* In the reader child: by a file, which the child sees come and go. */
	if (strstr(path, sick) && machine_has("/sick"))
		return fault;
	if (machine_has("/meet") && (strstr(path, "sdb") || strstr(path, "sde")) && !meets(path))
		return -EIO;
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void begin(void)
{
	setup();
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	sick = "sdb";
	fault = -EIO;
	machine.world->open_device = open_sick;
}

static void end(void)
{
	lea_partial_free(partial);
	teardown();
}

const struct fixture fixture = {begin, end};

static void make_sick(const char *name, int of_fault)
{
	sick = name;
	fault = of_fault;
	tree_put(&machine.tree, "/sick", "");
}

static struct lea_entry entry_of(enum lea_entry_kind kind, const char *name, uint32_t minor,
				 uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = kind;
	entry.device.properties = strdup("ID_FS_TYPE=LVM2_member\n");
	return entry;
}

static const char *a_told(enum lea_entry_kind kind)
{
	struct lea_entry entry = entry_of(kind, "sdb", 32, 2, PVID_A);

	return pass(&entry, 1);
}

static const char *b_told(enum lea_entry_kind kind)
{
	struct lea_entry entry = entry_of(kind, "sdc", 48, 3, PVID_B);

	return pass(&entry, 1);
}

static void check_claim(enum lea_claim_state state, bool is_transient, const char *its_reason,
			uint32_t pv_count)
{
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, state);
	ck_assert(claim.is_transient == is_transient);
	ck_assert_msg(strstr(claim.reason, its_reason) != NULL, "%s", claim.reason);
	ck_assert_uint_eq(claim.pv_count, pv_count);
	lea_claim_done(&claim);
}

static const struct {
	int fault;
	const char *reason;
} silences[] = {
	{-EIO, "disk /dev/sdb of it cannot be read: Input/output error"},
	{-ETIMEDOUT, "disk /dev/sdb of it does not answer"},
};

TEST_EACH(a_member_that_gives_no_answer_is_no_verdict, silences)
{
	tree_mkdir(&machine.tree, "/etc/systemd/system/lvmevent-failed@.service.d");
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	make_sick("sdb", silences[_i].fault);
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	check_claim(LEA_CLAIM_FAILED, true, silences[_i].reason, 2);
	ck_assert_msg(strstr(machine.err, silences[_i].reason) != NULL, "%s", machine.err);
	ck_assert_uint_eq(summary.vgs_again, 1);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg-two.pvs"), "events will bring it up");
	ck_assert_str_eq(units_started, silences[_i].fault == -ETIMEDOUT ? UNIT : "");
	/* It is tried again after a pause, and still does not answer. */
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "");
	ck_assert_uint_eq(summary.vgs_again, 2);
	ck_assert_msg(strlen(units_started) <= strlen(UNIT), "once: %s", units_started);
	tree_remove(&machine.tree, "/sick");
	/* Whichever event it is with which it answers, the add has waited for that. */
	ck_assert_str_eq(b_told(_i ? LEA_ENTRY_MISSED : LEA_ENTRY_CHANGE), "vg-two.pvs ");
	ck_assert(!machine_has("/run/lvm/event/awaited/" VG_TWO_ID));
}

static void set_time(const char *path, time_t seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	char full[256];

	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	ck_assert_int_eq(utimensat(AT_FDCWD, full, times, 0), 0);
}

static void lose_vgs_online(bool is_cleared)
{
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg-two.pvs"), 0);
	if (is_cleared)
		set_time("/run/lvm/pvs_online/" PVID_B, 1000);
}

/* A command has brought it up and taken it down. */
TEST_EACH(a_vg_that_is_taken_down_is_not_tried_again, silences)
{
	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", silences[_i].fault);
	b_told(LEA_ENTRY_ADD);
	tree_remove(&machine.tree, "/sick");
	lose_vgs_online(false);
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "");
	check_claim(LEA_CLAIM_DONE, false, "has taken it down", 2);
	ck_assert_str_eq(a_told(LEA_ENTRY_MISSED), "");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "vg-two.pvs ");
}

/* A runner was killed when it had claimed the VG and not yet made the file. */
TEST(a_vg_that_was_claimed_without_its_file_is_not_taken_down)
{
	struct lea_claim claim;
	struct lea_claims claims = machine_claims();

	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	tree_remove(&machine.tree, "/sick");
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_TWO_ID, &claim), 0);
	lea_claim_done(&claim);
	lose_vgs_online(false);
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
	ck_assert(machine_has("/run/lvm/vgs_online/vg-two.pvs"));
}

/* The disk comes again after that: it brings the VG up as soon as it answers. */
TEST(a_vg_that_is_taken_down_is_brought_up_by_an_add)
{
	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	lose_vgs_online(false);
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

/* The add of a VG that was done and taken down: a kill leaves no claim that is done beside a
 * vgs_online file. */
TEST(an_add_of_a_vg_that_was_taken_down_is_not_lost_by_a_silent_disk)
{
	a_told(LEA_ENTRY_ADD);
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "vg-two.pvs ");
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg-two.pvs"), 0);
	make_sick("sdb", -EIO);
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

static struct lea_batch_pass *b_begins(void)
{
	struct lea_entry entry = entry_of(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B);
	struct lea_batch_pass *pass = NULL;

	ck_assert_int_eq(lea_batch_start(&batch_options, &entry, 1, &summary, &pass), 0);
	lea_device_done(&entry.device);
	return pass;
}

/* A worker has activated the VG, and before that is heard of a command takes the VG down and its
 * disk comes again. */
TEST(a_report_ends_no_later_turn_that_waits_for_a_silent_disk)
{
	struct lea_batch_pass *first, *later;

	a_told(LEA_ENTRY_ADD);
	first = b_begins();
	ck_assert_ptr_nonnull(first);
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg-two.pvs"), 0);
	machine.tree.world.clock->sleep_ms(machine.tree.world.clock, 1000);
	make_sick("sdb", -EIO);
	later = b_begins();
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
	activated[0] = '\0';
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_str_eq(activated, "vg-two.pvs ");
	ck_assert_int_eq(lea_batch_end(later), 0);
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

static const char *nomda_told(enum lea_entry_kind kind, bool has_metadata)
{
	struct lea_entry entry = has_metadata ? entry_of(kind, "sdd", 64, 4, PVID_D)
					      : entry_of(kind, "sde", 80, 5, PVID_E);

	return pass(&entry, 1);
}

static void take_down_nomda(void)
{
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg_nomda"), 0);
}

/* The added PV has no metadata, or outdated ones, and the disk that has them gives no answer.
 * Then nobody has read what its VG is. */
TEST_EACH(an_add_of_a_pv_without_metadata_is_not_lost_by_a_silent_disk, silences)
{
	machine_plug("nomda-a", "sdd", 64, 4);
	machine_plug("nomda-b", "sde", 80, 5);
	nomda_told(LEA_ENTRY_ADD, true);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_ADD, false), "vg_nomda ");
	take_down_nomda();
	make_sick("sdd", silences[_i].fault);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_ADD, false), "");
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(nomda_told(LEA_ENTRY_MISSED, true), "vg_nomda ");
	take_down_nomda();
	ck_assert_msg(!strcmp(nomda_told(LEA_ENTRY_MISSED, true), ""), "it was once");
}

/* A change asks for nothing, and an add whose VG was read has been dealt with. */
TEST(a_pv_without_metadata_leaves_no_wait_behind)
{
	machine_plug("nomda-a", "sdd", 64, 4);
	machine_plug("nomda-b", "sde", 80, 5);
	nomda_told(LEA_ENTRY_ADD, true);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_ADD, false), "vg_nomda ");
	take_down_nomda();
	ck_assert_str_eq(nomda_told(LEA_ENTRY_ADD, false), "vg_nomda ");
	take_down_nomda();
	ck_assert_str_eq(nomda_told(LEA_ENTRY_MISSED, true), "");
	make_sick("sdd", -EIO);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_CHANGE, false), "");
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(nomda_told(LEA_ENTRY_MISSED, true), "");
}

/* It does not show of which VG it is: that its record was gone is no sign of another one. */
TEST(a_pv_without_metadata_that_lost_its_record_stays_in_its_claim)
{
	machine_plug("nomda-a", "sdd", 64, 4);
	machine_plug("nomda-b", "sde", 80, 5);
	nomda_told(LEA_ENTRY_ADD, true);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_ADD, false), "vg_nomda ");
	take_down_nomda();
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_E);
	ck_assert_str_eq(nomda_told(LEA_ENTRY_MISSED, false), "");
	ck_assert_msg(!strcmp(nomda_told(LEA_ENTRY_MISSED, false), ""), "it was taken down");
}

/* Rows: its vgs_online file has the new name, or the old one, as lvm2 leaves it; or there is none: a
 * command took it down before. */
TEST_TIMES(a_vg_that_is_renamed_is_not_taken_down, 3)
{
	struct lea_claim claim;
	struct lea_claims claims = machine_claims();

	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	tree_remove(&machine.tree, "/sick");
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	snprintf(claim.vg_name, sizeof(claim.vg_name), "its-old-name");
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
	lea_claim_done(&claim);
	if (_i)
		lose_vgs_online(false);
	if (_i == 1)
		tree_put(&machine.tree, "/run/lvm/vgs_online/its-old-name", "");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), _i < 2 ? "vg-two.pvs " : "");
}

/* Pvscan --cache has removed all such files, and written the records anew: nobody has taken it down
 * for certain. */
TEST(a_vg_whose_files_were_cleared_is_tried_again)
{
	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	lose_vgs_online(true);
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "");
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg-two.pvs"), "it is made anew");
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

/* That a record of it goes does not look as if somebody had taken it down. */
TEST(a_vg_that_loses_a_record_keeps_vgs_online)
{
	const int run_fd = lea_world_run(machine.world);

	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	ck_assert_int_eq(lea_online_forget_pv(run_fd, PVID_A, 8, 32, NULL), 0);
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_A));
	ck_assert(machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(a_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
	ck_assert_int_eq(lea_online_forget_pv(run_fd, PVID_A, 8, 32, NULL), 0);
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg-two.pvs"), "as that of an active one");
}

/* The add of an earlier pass counts once. */
TEST(an_awaited_vg_that_is_taken_down_is_not_tried_again)
{
	ck_assert_int_eq(lea_awaited_set(batch_options.event_fd, VG_TWO_ID, 2, false), 0);
	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_CHANGE);
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
	tree_remove(&machine.tree, "/sick");
	lose_vgs_online(false);
	ck_assert_str_eq(b_told(LEA_ENTRY_CHANGE), "");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "");
	check_claim(LEA_CLAIM_DONE, false, "has taken it down", 2);
}

static void suspend(const char *is)
{
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", is);
}

/* A multipath map that multipathd loads anew just now. */
TEST(a_member_that_is_suspended_is_no_verdict)
{
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 device-mapper\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/uuid", "mpath-1\n");
	conf->ignore_suspended_devices = true;
	suspend("0\n");
	a_told(LEA_ENTRY_ADD);
	suspend("1\n");
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	check_claim(LEA_CLAIM_FAILED, true, "disk /dev/sdb of it is suspended", 2);
	ck_assert_uint_eq(summary.vgs_again, 1);
	suspend("0\n");
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

TEST(a_member_that_answers_in_the_end_brings_its_vg)
{
	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(a_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

/* Disks that hang take no longer together than one of them. */
TEST(members_of_two_vgs_are_read_beside_each_other)
{
	struct lea_entry entries[2];

	machine_plug("nomda-a", "sdd", 64, 4);
	machine_plug("nomda-b", "sde", 80, 5);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	machine_record(PVID_E, "vg_nomda", "sde", 80);
	tree_put(&machine.tree, "/meet", "");
	entries[0] = entry_of(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B);
	entries[1] = entry_of(LEA_ENTRY_ADD, "sdd", 64, 4, PVID_D);
	ck_assert_str_eq(pass(entries, 2), "vg-two.pvs vg_nomda ");
}

/* An entry without a PVID, as of a person: the PV's record says what the device is. */
TEST(a_record_tells_which_pv_a_silent_device_is)
{
	struct lea_entry entries[2];

	a_told(LEA_ENTRY_ADD);
	make_sick("sdb", -EIO);
	entries[0] = entry_of(LEA_ENTRY_MISSED, "sdb", 32, 2, "");
	entries[1] = entry_of(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B);
	ck_assert_str_eq(pass(entries, 2), "");
	check_claim(LEA_CLAIM_FAILED, true, "cannot be read", 2);
}

/* The record is wrong: another disk has the number by now. */
TEST(a_member_that_has_gone_is_a_verdict)
{
	struct lea_entry copy;

	a_told(LEA_ENTRY_ADD);
	machine_unplug("sdb", 32);
	machine_plug("one-pv", "sdb", 32, 5);
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	check_claim(LEA_CLAIM_FAILED, false, "disappeared", 1);
	/* A copy that was ignored gets the record. */
	copy = entry_of(LEA_ENTRY_CHANGE, "sdf", 80, 6, PVID_A);
	machine_plug("stripe-a", "sdf", 80, 6);
	ck_assert_str_eq(pass(&copy, 1), "vg-two.pvs ");
}

/* A filter was edited since: the PV has not gone. */
TEST(a_member_that_is_excluded_is_named)
{
	static const char *rejects[] = {"r|sdb|"};

	a_told(LEA_ENTRY_ADD);
	tree_mkdir(&machine.tree, "/etc/systemd/system/lvmevent-failed@.service.d");
	conf->global_filter = (struct lea_list){.item = rejects, .count = 1, .defined = true};
	ck_assert_str_eq(b_told(LEA_ENTRY_ADD), "");
	check_claim(LEA_CLAIM_FAILED, false,
		    "PV " UUID_A " is recorded on /dev/sdb, which is excluded: device is rejected "
		    "by filter config",
		    1);
	ck_assert_msg(!units_started[0], "somebody wants it so");
}

/* vgimport of a VG of which one disk is slow: when it answers, it is no news. */
TEST(a_change_is_recorded_for_silent_members_too)
{
	ck_assert_str_eq(a_told(LEA_ENTRY_CHANGE), "");
	make_sick("sdb", -EIO);
	ck_assert_str_eq(b_told(LEA_ENTRY_CHANGE), "");
	check_claim(LEA_CLAIM_DONE, false, "by a change", 2);
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(a_told(LEA_ENTRY_MISSED), "");
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "vg-two.pvs ");
}

/* ---- incomplete = partial */

static void configure(void)
{
	int wait_ms;

	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf",
		 "event { incomplete = \"partial\" incomplete_wait = 30 }");
	read_settings();
	ck_assert_int_eq(lea_partial_new(machine.world, conf, &partial), 0);
	batch_options.partial = partial;
	ck_assert_int_eq(lea_partial_step(partial, &batch_options, true, &wait_ms),
			 LEA_PARTIAL_QUEUED);
}

/* The wait is over, and in the same pass the last PV arrives. */
TEST(a_pv_that_arrives_and_gives_no_answer_is_not_missing)
{
	struct lea_entry entries[2];

	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	make_sick("sdc", -EIO);
	entries[0] = entry_of(LEA_ENTRY_PARTIAL, "sdb", 32, 2, PVID_A);
	entries[1] = entry_of(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B);
	ck_assert_str_eq(pass(entries, 2), "");
	check_claim(LEA_CLAIM_FAILED, true, "disk /dev/sdc of it cannot be read", 2);
	ck_assert_msg(lea_partial_is_waiting(partial), "it waits anew");
}

/* It would end in an activation, perhaps of the whole VG, when the other PV has a record. */
TEST(a_change_begins_no_wait)
{
	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_CHANGE), "");
	ck_assert(!lea_partial_is_waiting(partial));
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	ck_assert(lea_partial_is_waiting(partial));
	ck_assert_str_eq(a_told(LEA_ENTRY_CHANGE), "");
	ck_assert_msg(lea_partial_is_waiting(partial), "what waits goes on waiting");
	ck_assert_str_eq(b_told(LEA_ENTRY_CHANGE), "vg-two.pvs ");
	ck_assert(!lea_partial_is_waiting(partial));
}

TEST(a_pv_with_a_record_that_gives_no_answer_is_not_missing)
{
	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	make_sick("sdc", -ETIMEDOUT);
	ck_assert_str_eq(a_told(LEA_ENTRY_PARTIAL), "");
	check_claim(LEA_CLAIM_FAILED, true, "disk /dev/sdc of it does not answer", 2);
	tree_remove(&machine.tree, "/sick");
	ck_assert_str_eq(a_told(LEA_ENTRY_MISSED), "vg-two.pvs ");
}

static int wait_for_end(void *arg)
{
	(void)arg;
	return pause();
}

/* The disk has given no answer since it came, and udev keeps no links: rows: the device that hangs
 * is this PV by udev, or another one. */
TEST_TIMES(a_pv_that_only_a_device_which_hangs_can_be_is_not_missing, 2)
{
	uint32_t room = 0;
	pid_t reader = 0;
	int code, hung_fd;

	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	machine.properties = _i ? "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" PVID_D "\n"
				: "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" PVID_B "\n";
	make_sick("sdc", -ETIMEDOUT);
	ck_assert_int_eq(lea_proc_fork(wait_for_end, NULL, &reader), 0);
	hung_fd = lea_hung_begin(machine.world, &room);
	lea_hung_note(hung_fd, "0-8:48", reader, 1, "", &room);
	ck_assert_str_eq(a_told(LEA_ENTRY_PARTIAL), _i ? "vg-two.pvs(partial) " : "");
	close(hung_fd);
	ck_assert_int_eq(kill(reader, SIGKILL), 0);
	ck_assert_int_eq(lea_proc_wait(reader, &code), 0);
}

/* The disk that gave no answer is taken out: lvm2 activates the rest when it is back. */
TEST(a_vg_that_waited_for_an_answer_and_is_active_in_part_has_no_vgs_online)
{
	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	make_sick("sdc", -ETIMEDOUT);
	ck_assert_str_eq(a_told(LEA_ENTRY_PARTIAL), "");
	ck_assert(machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	machine_unplug("sdc", 48);
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_B);
	ck_assert_str_eq(a_told(LEA_ENTRY_PARTIAL), "vg-two.pvs(partial) ");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
}

TEST(a_pv_that_is_absent_is_done_without)
{
	configure();
	ck_assert_str_eq(a_told(LEA_ENTRY_ADD), "");
	ck_assert_str_eq(a_told(LEA_ENTRY_PARTIAL), "vg-two.pvs(partial) ");
}

static uint64_t now;

static uint64_t get_now(struct lea_clock *clock)
{
	(void)clock;
	return now;
}

static struct lea_clock set_clock = {.now_ms = get_now};

static int step(void)
{
	int wait_ms;

	ck_assert_int_eq(lea_partial_step(partial, &batch_options, true, &wait_ms), 0);
	return wait_ms;
}

/* Whose PV it is nobody knows yet. */
TEST(a_pv_that_arrives_and_gives_no_answer_begins_the_waits_anew)
{
	struct lea_batch_options *of = &batch_options;

	configure();
	now = 1000;
	machine.world->clock = &set_clock;
	a_told(LEA_ENTRY_ADD);
	ck_assert_int_eq(step(), WAIT_MS);
	now += 20000;
	ck_assert_int_eq(step(), WAIT_MS - 20000);
	of->reader = NULL;
	make_sick("sdc", -EIO);
	machine.world->clock = lea_clock_kernel();
	b_told(LEA_ENTRY_ADD);
	machine.world->clock = &set_clock;
	ck_assert_int_eq(step(), WAIT_MS);
}

/* The wait of the VG is over, and a disk that may be its last PV is silent. All that the last boot
 * had is there, so that nothing else delays the next look. Returns how long that is put off. */
static int look_again(void)
{
	struct lea_entry entries[2];
	int wait_ms;

	entries[0] = entry_of(LEA_ENTRY_PARTIAL, "sdb", 32, 2, PVID_A);
	entries[1] = entry_of(LEA_ENTRY_MISSED, "sdc", 48, 3, PVID_B);
	ck_assert_str_eq(pass(entries, 2), "");
	ck_assert_int_eq(lea_partial_step(partial, &batch_options, true, &wait_ms), 0);
	return wait_ms;
}

TEST(a_silent_disk_is_looked_at_after_longer_and_longer_pauses)
{
	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&machine.tree, "/etc/lvm/lvmevent/boot",
		 "lvmevent-boot 2\nmachine " MACHINE "\nboot 99999999-2222-3333-4444-555555555555\n"
		 "vg " VG_TWO_ID " 1 1 0 vg-two.pvs\npv " PVID_A " disk 0 1 0 - - -\nend\n");
	configure();
	a_told(LEA_ENTRY_ADD);
	make_sick("sdc", -EIO);
	for (int most_ms = 1000, wait_ms; most_ms <= 256000; most_ms *= 2) {
		wait_ms = look_again();
		ck_assert_msg(wait_ms > most_ms / 2 && wait_ms <= most_ms, "%d of %d ms", wait_ms,
			      most_ms);
	}
	ck_assert_int_le(look_again(), 256000);
	lea_partial_came(partial);
	ck_assert_msg(look_again() <= 1000, "a PV has come");
}

/* The clock was set back by an hour after the records were written, as when the time of the network
 * is known. */
TEST(a_clock_that_was_set_back_brings_nothing_up)
{
	const time_t later = time(NULL) + 3600;

	a_told(LEA_ENTRY_ADD);
	set_time("/run/lvm/pvs_online/" PVID_A, later);
	make_sick("sdb", -EIO);
	b_told(LEA_ENTRY_ADD);
	tree_remove(&machine.tree, "/sick");
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg-two.pvs"), 0);
	ck_assert_str_eq(b_told(LEA_ENTRY_MISSED), "");
}
