/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comparison of devices with claims. */
#include "flow/mark.h"
#include "flow/sweep_scratch.h"
#include "flow/take_charge.h"
#include "state/gate.h"
#include "unit/suite.h"
#include "world/udevbrief.h"

#include <sys/wait.h>

#define ANY_MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"
#define MEMBER	   ANY_MEMBER "LVMEVENT_FIRST=" UUID_ONE "\n"
#define OTHER_UUID "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"

/* Rows: the claim there is (state 0: none), what udev says, and what comes of it. */
static const struct {
	const char *claim;
	int state;
	uint32_t minor, diskseq;
	const char *properties;
	size_t enqueued, unfinished;
} rows[] = {
	{"a PV without a claim is pending", -1, 0, 0, MEMBER, 1, 0},
	{"a PV of a VG that is done is not", LEA_CLAIM_DONE, 16, 7, MEMBER, 0, 0},
	{"done with another instance of it does not count", LEA_CLAIM_DONE, 16, 6, MEMBER, 1, 0},
	{"done under another number does not count", LEA_CLAIM_DONE, 32, 7, MEMBER, 1, 0},
	{"a VG that failed for good is left alone", LEA_CLAIM_FAILED, 16, 7, MEMBER, 0, 0},
	{"failed for good with another instance does not count", LEA_CLAIM_FAILED, 16, 6, MEMBER, 1,
	 0},
	{"a PV that was made on a device in use is left alone", -1, 0, 0,
	 ANY_MEMBER "LVMEVENT_FIRST=none\n", 0, 0},
	{"a PV that got another UUID is left alone", -1, 0, 0,
	 ANY_MEMBER "LVMEVENT_FIRST=" OTHER_UUID "\n", 0, 0},
	{"a PV that was there before our rule is left alone", -1, 0, 0, ANY_MEMBER, 0, 0},
	{"another file system is nothing to us", -1, 0, 0, "ID_FS_TYPE=ext4\n", 0, 0},
	{"a path of a multipath device is not, either", -1, 0, 0,
	 MEMBER "DM_MULTIPATH_DEVICE_PATH=1\n", 0, 0},
	{"a node that other rules must not touch, neither", -1, 0, 0,
	 MEMBER "DM_UDEV_DISABLE_OTHER_RULES_FLAG=1\n", 0, 0},
	{"a PV on an LV is not asked for", -1, 0, 0, MEMBER "DM_UUID=LVM-abc\n", 0, 0},
	{"... but where scan_lvs is set", -1, 0, 0, MEMBER "DM_UUID=LVM-abc\nLVM_PVSCAN_ON_LVS=1\n",
	 1, 0},
	{"what udev has not seen is unfinished", -1, 0, 0, "", 0, 1},
	{"what udev has in work, too", -1, 0, 0, MEMBER "ID_PROCESSING=1\n", 0, 1},
};

START_TEST(comparison)
{
	struct lea_sweep_result result;
	size_t pending;

	properties = rows[_i].properties;
	if (rows[_i].state >= 0)
		claim((enum lea_claim_state)rows[_i].state, rows[_i].minor, rows[_i].diskseq);
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_uint_eq(result.devices, 1);
	ck_assert_msg(result.enqueued == rows[_i].enqueued, "%s", rows[_i].claim);
	ck_assert_msg(result.unfinished == rows[_i].unfinished, "%s", rows[_i].claim);
	ck_assert_int_eq(lea_queue_count(how.event_fd, "queue", &pending), 0);
	ck_assert_msg(pending == rows[_i].enqueued, "%s: pending", rows[_i].claim);
}
END_TEST

START_TEST(entry_as_an_event_makes_it)
{
	struct lea_sweep_result result;
	struct lea_entry *entries;
	size_t count;
	int lock_fd;

	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg(!lea_sweep(&how, &result), "twice is one entry");
	ck_assert_int_eq(lea_queue_lock(how.event_fd, &lock_fd), 0);
	ck_assert_int_eq(lea_queue_take(how.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(entries[0].key, "8:16-7");
	ck_assert_str_eq(entries[0].pvid, PVID_ONE);
	ck_assert_str_eq(entries[0].device.name, "/dev/sda");
	ck_assert_int_eq(entries[0].kind, LEA_ENTRY_MISSED);
	lea_entries_free(entries, count);
	close(lock_fd);
}
END_TEST

/* Rows: what the runner that has the PV's entry in hand has come to. */
static const struct {
	const char *claim;
	uint64_t diskseq;
	const char *marked; /* the PVID that it has recorded; NULL: none yet */
	bool is_taken, is_alive;
	size_t enqueued;
} hands[] = {
	{"recorded, and its VG in work", 7, PVID_ONE, true, true, 0},
	{"not recorded yet", 7, NULL, true, true, 1},
	{"recorded when it was another PV", 7, PVID_A, true, true, 1},
	{"another instance of it", 6, PVID_ONE, true, true, 1},
	{"instances are not numbered", 0, PVID_ONE, true, true, 1},
	{"the runner has died", 7, PVID_ONE, true, false, 1},
	{"the runner works, on others", 7, PVID_ONE, false, true, 1},
};

static void take_in_hand(uint64_t diskseq)
{
	static char sda[] = "/dev/sda";
	struct lea_entry entry = {
		.device = {.major = 8, .minor = 16, .diskseq = diskseq, .name = sda},
		.pvid = PVID_ONE};
	struct lea_entry *entries;
	size_t count;

	lea_entry_set_key(&entry);
	ck_assert_int_eq(lea_queue_put(how.event_fd, &entry), 0);
	ck_assert_int_eq(lea_queue_take(how.event_fd, &entries, &count), 0);
	lea_entries_free(entries, count);
}

/* Of how many says a process of its own that they are to be looked at? */
static size_t compared_elsewhere(void)
{
	struct lea_sweep_result result;
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(lea_sweep(&how, &result) == 0 ? (int)result.enqueued : 99);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return (size_t)WEXITSTATUS(status);
}

/* No second look at thousands of PVs because a comparison meets a storm. */
START_TEST(what_a_runner_has_in_hand)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = hands[_i].diskseq};
	int known_fd = lea_mark_open(how.event_fd), lock_fd;

	how.is_boot = true; /* a mark alone says less then */
	if (!hands[_i].diskseq) {
		machine_unplug("sda", 16);
		machine_plug("one-pv", "sda", 16, 0);
	}
	ck_assert_int_eq(lea_queue_lock(how.event_fd, &lock_fd), 0);
	if (hands[_i].is_taken)
		take_in_hand(hands[_i].diskseq);
	if (hands[_i].marked)
		ck_assert_int_eq(lea_mark_set(known_fd, &device, hands[_i].marked), 0);
	if (!hands[_i].is_alive)
		close(lock_fd);
	ck_assert_msg(compared_elsewhere() == hands[_i].enqueued, "%s", hands[_i].claim);
	close(known_fd);
}
END_TEST

#define BRIEF                                                                                      \
	"S:disk/by-id/x\nI:42\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE                   \
	"\nG:lvmevent\nV:1\n"
#define LV	   "I:42\nE:DM_UUID=LVM-abc\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE "\n"

/* Rows: the file that udev has of minor 16, whose VG is done; is libudev asked all the same? */
static const struct {
	const char *claim, *file;
	bool is_asked;
} files[] = {
	{"the PV that was recorded", BRIEF, false},
	{"an LV", LV, false},
	{"an LV that may be a PV", LV "E:LVM_PVSCAN_ON_LVS=1\n", false},
	{"an LV that may be a PV, another",
	 "I:42\nE:DM_UUID=LVM-abc\nE:LVM_PVSCAN_ON_LVS=1\nE:ID_FS_TYPE=LVM2_member\n", true},
	{"another file system", "I:42\nE:ID_FS_TYPE=ext4\n", false},
	{"a path of a multipath device", BRIEF "E:DM_MULTIPATH_DEVICE_PATH=1\n", false},
	{"another PV", "I:42\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" OTHER_UUID "\n", true},
	{"a PV without its UUID", "I:42\nE:ID_FS_TYPE=LVM2_member\n", true},
	{"a PV with half a UUID", "I:42\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=5ayjis-rFL7", true},
	{"nothing of a file system", "I:42\nE:ID_PATH=x\n", true},
	{"a device that udev has in work", BRIEF "E:ID_PROCESSING=1\n", true},
	{"a device that udev has not finished", "E:ID_FS_TYPE=ext4\n", true},
	{"properties of another format", "I:42\nP:ID_FS_TYPE=ext4\n", true},
	{"an empty file", "", true},
	{"no file", NULL, true},
};

START_TEST(file_of_udev_saves_a_question)
{
	struct lea_sweep_result result;

	claim(LEA_CLAIM_DONE, 16, 7);
	if (files[_i].file)
		tree_put(&machine.tree, "/run/udev/data/b8:16", files[_i].file);
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg((asked > 0) == files[_i].is_asked, "%s: asked %u times", files[_i].claim,
		      asked);
	ck_assert_msg(result.enqueued + result.unfinished == 0, "%s", files[_i].claim);
}
END_TEST

/* ... and never answers one. */
START_TEST(file_of_udev_is_no_answer)
{
	static char longest[LEA_UDEVBRIEF_BYTES + 64] = BRIEF;
	struct lea_sweep_result result;

	tree_put(&machine.tree, "/run/udev/data/b8:16", BRIEF);
	properties = "";
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg(asked == 1 && result.unfinished == 1, "a PV without a claim: libudev knows");
	claim(LEA_CLAIM_DONE, 16, 7);
	memset(longest + strlen(BRIEF), 'x', sizeof(longest) - 1 - strlen(BRIEF));
	tree_put(&machine.tree, "/run/udev/data/b8:16", longest);
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg(asked == 2, "what may be cut is not believed");
}
END_TEST

/* A journal of thousands of lines would help nobody. */
START_TEST(few_of_many_are_named)
{
	struct lea_sweep_result result;
	char name[16];
	size_t lines = 0;

	properties = "";
	how.retrigger = true;
	for (uint32_t i = 1; i < 20; i++) {
		snprintf(name, sizeof(name), "sd%c", (char)('a' + i));
		machine_plug("one-pv", name, 16 + i * 16, 7 + i);
	}
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_uint_eq(result.unfinished, 20);
	fflush(machine.err_file);
	for (const char *line = machine.err; *line; line = strchr(line, '\n') + 1)
		lines++;
	ck_assert_msg(lines == 17 && strstr(machine.err, "4 more devices: udev has not finished"),
		      "%s", machine.err);
}
END_TEST

static void mark(void)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = 7};
	int known_fd = lea_mark_open(how.event_fd);

	ck_assert_int_eq(lea_mark_set(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

static size_t compared(bool is_boot)
{
	struct lea_sweep_result result;

	how.is_boot = is_boot;
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	return result.enqueued;
}

/* It waits for other PVs, or lvm2 was at work since. The boot pass may have died in between. */
START_TEST(recorded_is_dealt_with_but_at_boot)
{
	properties = MEMBER;
	mark();
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 1);
	claim(LEA_CLAIM_DONE, 16, 7);
	ck_assert_uint_eq(compared(true), 0);
}
END_TEST

START_TEST(transient_failure_is_tried_again)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .major = 8, .minor = 16, .diskseq = 7};
	struct lea_claim failed = {.state = LEA_CLAIM_FAILED,
				   .vg_name = "vg_one",
				   .is_transient = true,
				   .pv = &pv,
				   .pv_count = 1};

	properties = MEMBER;
	mark();
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &failed), 0);
	ck_assert_uint_eq(compared(false), 1);
	failed.is_transient = false;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &failed), 0);
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 0);
}
END_TEST

/* Its worker and its runner were killed, and nobody is left to say so. */
START_TEST(claim_of_a_dead_owner_is_tried_again)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .major = 8, .minor = 16, .diskseq = 7};
	const struct lea_claim mine = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1};
	char path[64];

	properties = MEMBER;
	mark();
	ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &mine), 0);
	ck_assert_uint_eq(compared(false), 0);
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)getpid());
	tree_remove(&machine.tree, path);
	ck_assert_uint_eq(compared(false), 1);
}
END_TEST

START_TEST(refused_instance_is_left_alone)
{
	properties = MEMBER;
	ck_assert_int_eq(lea_refused_set(how.event_fd, "8:16-7"), 0);
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 0);
	ck_assert_int_eq(lea_refused_drop(how.event_fd, "8:16-7"), 0);
	ck_assert_uint_eq(compared(false), 1);
}
END_TEST

/* Rows: USEC_INITIALIZED, when charge was taken of a machine that ran, and what comes of it. */
static const struct {
	const char *claim, *initialized, *since;
	size_t enqueued;
} ages[] = {
	{"a device of before is left alone", "4000", "5000\n", 0},
	{"a device of after is not", "6000", "5000\n", 1},
	{"a time that is no number is none", "4000", "x\n", 1},
	{"charge was taken at boot", "4000", NULL, 1},
};

START_TEST(device_of_before_a_live_enable)
{
	static char text[256];

	snprintf(text, sizeof(text), "%sUSEC_INITIALIZED=%s\n", MEMBER, ages[_i].initialized);
	properties = text;
	if (ages[_i].since)
		tree_put(&machine.tree, "/run/lvm/event/since", ages[_i].since);
	ck_assert_msg(compared(false) == ages[_i].enqueued, "%s", ages[_i].claim);
}
END_TEST

START_TEST(taking_charge_of_a_running_machine)
{
	struct lea_entry *entries;
	size_t count;

	properties = ANY_MEMBER;
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert_int_eq(lea_queue_take(how.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(entries[0].kind, LEA_ENTRY_CHANGE);
	ck_assert_int_eq(lea_queue_done(how.event_fd, &entries[0]), 0);
	lea_entries_free(entries, count);
	ck_assert(machine_has("/run/lvm/event/since"));
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert_msg(!lea_queue_has_pending(how.event_fd), "once");
}
END_TEST

START_TEST(boot_has_taken_charge)
{
	const int run_fd = lea_world_run(machine.world);

	tree_put(&machine.tree, "/run/lvm/event/since", "5000\n");
	ck_assert_int_eq(lea_refused_set(how.event_fd, "8:16-7"), 0);
	ck_assert_int_eq(lea_gate_arm(run_fd, lea_world_proc(machine.world)), 0);
	ck_assert_msg(!machine_has("/run/lvm/event/since") &&
			      !lea_refused_is_set(how.event_fd, "8:16-7"),
		      "what an epoch decided ends with it");
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert(!machine_has("/run/lvm/event/since"));
	ck_assert(!lea_queue_has_pending(how.event_fd));
}
END_TEST

/* With udev there, what it lost is asked for again. */
START_TEST(lost_event_is_repeated)
{
	struct lea_sweep_result result;
	char text[64] = "", path[128];
	FILE *file;

	properties = "";
	how.retrigger = true;
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:16/uevent", machine.tree.root);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	ck_assert_msg(!strncmp(text, "add", 3), "%s", text);
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err, "  /dev/sda: udev has not finished with it: it may hang, see "
				      "journalctl -k; asked again\n");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("sweep");
	TCase *tcase = tcase_create("sweep");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, comparison, 0, ARRAY_SIZE(rows));
	tcase_add_loop_test(tcase, file_of_udev_saves_a_question, 0, ARRAY_SIZE(files));
	tcase_add_test(tcase, file_of_udev_is_no_answer);
	tcase_add_test(tcase, entry_as_an_event_makes_it);
	tcase_add_loop_test(tcase, what_a_runner_has_in_hand, 0, ARRAY_SIZE(hands));
	tcase_add_test(tcase, recorded_is_dealt_with_but_at_boot);
	tcase_add_test(tcase, transient_failure_is_tried_again);
	tcase_add_test(tcase, claim_of_a_dead_owner_is_tried_again);
	tcase_add_test(tcase, refused_instance_is_left_alone);
	tcase_add_loop_test(tcase, device_of_before_a_live_enable, 0, ARRAY_SIZE(ages));
	tcase_add_test(tcase, taking_charge_of_a_running_machine);
	tcase_add_test(tcase, boot_has_taken_charge);
	tcase_add_test(tcase, lost_event_is_repeated);
	tcase_add_test(tcase, few_of_many_are_named);
	suite_add_tcase(suite, tcase);
	return suite;
}
