/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reconcile: compares devices with claims. */
#include "base/cleanup.h"
#include "daemon/reconcile.h"
#include "daemon/take_charge.h"
#include "flow/reconcile_scratch.h"
#include "record/recorded_marker.h"
#include "scan/reader_private.h"
#include "state/gate.h"
#include "state/mark.h"
#include "unit/suite.h"
#include "world/udevbrief.h"

#include <sys/stat.h>
#include <sys/wait.h>

const struct fixture fixture = {setup, teardown};

#define ANY_MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"
#define MEMBER	   ANY_MEMBER "LVMEVENT_FIRST=" UUID_ONE "\n"
#define OTHER_UUID "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"

static void drop_record(void)
{
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
}

/* Rows: the claim (state 0: none), udev's properties, and the result. */
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
	{"a PV that was made on a device in use, by a change that was lost", -1, 0, 0,
	 ANY_MEMBER "LVMEVENT_FIRST=none\n", 1, 0},
	{"a PV that got another UUID by such a change", -1, 0, 0,
	 ANY_MEMBER "LVMEVENT_FIRST=" OTHER_UUID "\n", 1, 0},
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

TEST_EACH(a_reconcile_queues_what_has_no_claim, rows)
{
	struct lea_reconcile_result result;
	size_t pending;

	machine.properties = rows[_i].properties;
	if (rows[_i].state >= 0)
		claim((enum lea_claim_state)rows[_i].state, rows[_i].minor, rows[_i].diskseq);
	else
		drop_record();
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_uint_eq(result.devices, 1);
	ck_assert_msg(result.enqueued == rows[_i].enqueued, "%s", rows[_i].claim);
	ck_assert_msg(result.unfinished == rows[_i].unfinished, "%s", rows[_i].claim);
	ck_assert_int_eq(lea_queue_count(options.event_fd, "queue", &pending), 0);
	ck_assert_msg(pending == rows[_i].enqueued, "%s: pending", rows[_i].claim);
}

/* Rows: as what the PV came. */
static const struct {
	const char *properties;
	enum lea_entry_kind kind;
} kinds[] = {
	{MEMBER, LEA_ENTRY_MISSED},
	{ANY_MEMBER "LVMEVENT_FIRST=none\n", LEA_ENTRY_CHANGE},
	{ANY_MEMBER "LVMEVENT_FIRST=" OTHER_UUID "\n", LEA_ENTRY_CHANGE},
};

TEST_EACH(a_reconcile_makes_the_entry_of_an_event, kinds)
{
	struct lea_reconcile_result result;
	struct lea_entry *entries;
	size_t count;
	int lock_fd;

	machine.properties = kinds[_i].properties;
	drop_record();
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_msg(!lea_reconcile(&options, &result), "twice is one entry");
	ck_assert_int_eq(lea_queue_lock(options.event_fd, &lock_fd), 0);
	ck_assert_int_eq(lea_queue_take(options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(entries[0].key, "8:16-7");
	ck_assert_str_eq(entries[0].pvid, PVID_ONE);
	ck_assert_str_eq(entries[0].device.name, "/dev/sda");
	ck_assert_int_eq(entries[0].kind, kinds[_i].kind);
	lea_entries_free(entries, count);
	close(lock_fd);
}

/* Rows: the progress of the runner that is processing the PV's entry. */
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
	ck_assert_int_eq(lea_queue_put(options.event_fd, &entry), 0);
	ck_assert_int_eq(lea_queue_take(options.event_fd, &entries, &count), 0);
	lea_entries_free(entries, count);
}

/* Number of devices that reconcile would queue, in a separate process. */
static size_t compared_elsewhere(void)
{
	struct lea_reconcile_result result;
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(lea_reconcile(&options, &result) == 0 ? (int)result.enqueued : 99);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return (size_t)WEXITSTATUS(status);
}

/* Reconcile must not queue thousands of PVs again because it runs during a storm. */
TEST_EACH(a_reconcile_leaves_out_what_a_runner_works_on, hands)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = hands[_i].diskseq};
	int known_fd = lea_marker_open(options.event_fd), lock_fd;

	options.is_boot = true; /* then a mark alone proves less */
	if (!hands[_i].diskseq) {
		machine_unplug("sda", 16);
		machine_plug("one-pv", "sda", 16, 0);
	}
	ck_assert_int_eq(lea_queue_lock(options.event_fd, &lock_fd), 0);
	if (hands[_i].is_taken)
		take_in_hand(hands[_i].diskseq);
	if (hands[_i].marked)
		ck_assert_int_eq(lea_marker_set(known_fd, &device, hands[_i].marked), 0);
	if (!hands[_i].is_alive)
		close(lock_fd);
	ck_assert_msg(compared_elsewhere() == hands[_i].enqueued, "%s", hands[_i].claim);
	close(known_fd);
}

#define BRIEF                                                                                      \
	"S:disk/by-id/x\nI:42\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE                   \
	"\nG:lvmevent\nV:1\n"
#define LV "I:42\nE:DM_UUID=LVM-abc\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE "\n"

/* Rows: udev's file of minor 16, whose VG is DONE, and whether libudev is queried nevertheless. */
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

TEST_EACH(the_file_of_udev_saves_a_question, files)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = 7};
	LEA_AUTO(lea_closep) int known_fd = lea_marker_open(options.event_fd);
	struct lea_reconcile_result result;

	claim(LEA_CLAIM_DONE, 16, 7);
	ck_assert_int_eq(lea_marker_set(known_fd, &sda, PVID_ONE), 0);
	if (files[_i].file)
		tree_put(&machine.tree, "/run/udev/data/b8:16", files[_i].file);
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_msg((machine.asked > 0) == files[_i].is_asked, "%s: asked %u times",
		      files[_i].claim, machine.asked);
	ck_assert_msg(result.enqueued + result.unfinished == 0, "%s", files[_i].claim);
}

/* The file alone never decides. */
TEST(the_file_of_udev_never_answers_a_question)
{
	static char longest[LEA_UDEVBRIEF_BYTES + 64] = BRIEF;
	struct lea_reconcile_result result;

	tree_put(&machine.tree, "/run/udev/data/b8:16", BRIEF);
	machine.properties = "";
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_msg(machine.asked == 1 && result.unfinished == 1,
		      "a PV without a claim: libudev knows");
	claim(LEA_CLAIM_DONE, 16, 7);
	memset(longest + strlen(BRIEF), 'x', sizeof(longest) - 1 - strlen(BRIEF));
	tree_put(&machine.tree, "/run/udev/data/b8:16", longest);
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_msg(machine.asked == 2, "what may be cut is not believed");
}

/* Thousands of journal lines would help nobody. */
TEST(sixteen_devices_at_most_are_named)
{
	struct lea_reconcile_result result;
	char name[16];
	size_t lines = 0;

	machine.properties = "";
	options.retrigger = true;
	for (uint32_t i = 1; i < 20; i++) {
		snprintf(name, sizeof(name), "sd%c", (char)('a' + i));
		machine_plug("one-pv", name, 16 + i * 16, 7 + i);
	}
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_uint_eq(result.unfinished, 20);
	fflush(machine.err_file);
	for (const char *line = machine.err; *line; line = strchr(line, '\n') + 1)
		lines++;
	ck_assert_msg(lines == 17 && strstr(machine.err, "4 more devices: udev has not finished"),
		      "%s", machine.err);
}

static void mark(void)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = 7};
	int known_fd = lea_marker_open(options.event_fd);

	ck_assert_int_eq(lea_marker_set(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

static size_t compared(bool is_boot)
{
	struct lea_reconcile_result result;

	options.is_boot = is_boot;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	return result.enqueued;
}

/* Its VG waits for other PVs, or lvm2 has changed it since. At boot, the boot scan may have died in
 * between. */
TEST(a_recorded_pv_is_left_out_but_at_boot)
{
	machine.properties = MEMBER;
	mark();
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 1);
	claim(LEA_CLAIM_DONE, 16, 7);
	ck_assert_uint_eq(compared(true), 0);
}

static void put_failed(bool is_transient)
{
	const struct lea_claims claims = machine_claims();
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	const struct lea_claim failed = {.state = LEA_CLAIM_FAILED,
					 .vg_name = "vg_one",
					 .is_transient = is_transient,
					 .pv = &pv,
					 .pv_count = 1};

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &failed), 0);
}

TEST(transient_failure_is_tried_again)
{
	machine.properties = MEMBER;
	mark();
	put_failed(true);
	ck_assert_uint_eq(compared(false), 1);
	put_failed(false);
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 0);
}

/* Worker and runner were killed, so nobody reported it. */
/* Of what is queued again and again nothing was lost. Rows: why it is queued. */
static const struct {
	bool is_silent, has_failed;
	size_t repeated;
} repeats[] = {{false, false, 0}, {true, false, 1}, {false, true, 1}};

TEST_EACH(what_gives_no_answer_is_known_to_be_repeated, repeats)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 7};
	struct lea_reconcile_result result;
	struct lea_reader *reader;

	machine.properties = MEMBER;
	ck_assert_int_eq(lea_reader_new(machine.world, &conf, &reader), 0);
	if (repeats[_i].is_silent)
		lea_backoff_note_timeout(&reader->late, &device, true, "");
	if (repeats[_i].has_failed)
		put_failed(true);
	else
		drop_record();
	options.reader = reader;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_uint_eq(result.enqueued, 1);
	ck_assert_uint_eq(result.repeated, repeats[_i].repeated);
	lea_reader_free(reader);
}

TEST(claim_of_a_dead_owner_is_tried_again)
{
	const struct lea_claims claims = machine_claims();
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	const struct lea_claim mine = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1};
	char path[64];

	machine.properties = MEMBER;
	mark();
	ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &mine), 0);
	ck_assert_uint_eq(compared(false), 0);
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)getpid());
	tree_remove(&machine.tree, path);
	ck_assert_uint_eq(compared(false), 1);
}

TEST(refused_instance_is_left_alone)
{
	machine.properties = MEMBER;
	ck_assert_int_eq(lea_mark_set(options.event_fd, LEA_MARK_REFUSED, "8:16-7"), 0);
	ck_assert_uint_eq(compared(false), 0);
	ck_assert_uint_eq(compared(true), 0);
	ck_assert_int_eq(lea_mark_drop(options.event_fd, LEA_MARK_REFUSED, "8:16-7"), 0);
	ck_assert_uint_eq(compared(false), 1);
}

/* Rows: when was udev's file of the device written, as seen from the refusal, and from the entry
 * that led to it? */
static const struct {
	const char *claim;
	bool is_taken;
	time_t stored_s, taken_s; /* the latter as seen from now */
	size_t enqueued;
	time_t begun_s; /* as seen from now */
} refusals[] = {
	{"udev has learned nothing since", false, -1, 0, 0, 0},
	{"an event since then led to nothing", false, 1, 0, 1, 0},
	{"the mark has the time of the entry", true, -101, -100, 0, 0},
	{"an event while it was read led to nothing", true, -99, -100, 1, 0},
	{"the clock was set back before an event that led to nothing", true, 0, 100, 1, 0},
	{"an event while the boot scan read it led to nothing", false, -5, 0, 1, -10},
	{"... and one before that was judged", false, -15, 0, 0, -10},
};

TEST_EACH(refusal_ends_with_what_udev_learns, refusals)
{
	static const char taken[] = "/run/lvm/event/taken/8:16-7";
	const time_t taken_s = time(NULL) + refusals[_i].taken_s;
	const struct timespec begun = {.tv_sec = time(NULL) + refusals[_i].begun_s};
	struct timespec times[2] = {{.tv_sec = taken_s}, {.tv_sec = taken_s}};
	struct lea_entry *entries;
	char path[128];
	size_t count;

	machine.properties = MEMBER;
	drop_record();
	if (refusals[_i].is_taken) {
		tree_put(&machine.tree, taken, "");
		snprintf(path, sizeof(path), "%s%s", machine.tree.root, taken);
		ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	for (int i = 0; i < 2; i++)
		ck_assert_msg(!lea_refused_set(options.event_fd, "8:16-7", false, &begun), "again is fine");
	if (refusals[_i].is_taken)
		tree_remove(&machine.tree, taken);
	tree_put(&machine.tree, "/run/udev/data/b8:16", "I:1\nE:ID_PATH=x\n");
	snprintf(path, sizeof(path), "%s/run/udev/data/b8:16", machine.tree.root);
	times[1].tv_sec = time(NULL) + refusals[_i].stored_s;
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
	ck_assert_msg(compared(true) == 0, "the boot announces all devices twice");
	ck_assert_msg(compared(false) == refusals[_i].enqueued, "%s", refusals[_i].claim);
	if (!refusals[_i].enqueued)
		return;
	ck_assert_int_eq(lea_queue_take(options.event_fd, &entries, &count), 0);
	ck_assert_int_eq(entries[0].kind, LEA_ENTRY_CHANGE);
	lea_entries_free(entries, count);
}

/* Rows: USEC_INITIALIZED, when event activation took charge of the running machine, and the
 * result. */
static const struct {
	const char *claim, *initialized, *since;
	size_t enqueued;
} ages[] = {
	{"a device of before is left alone", "4000", "5000\n", 0},
	{"... and one that has its number in the sequence of disks since then", "4000", "5000 7\n",
	 0},
	{"a device of after is not", "6000", "5000\n", 1},
	{"a time that is no number is none", "4000", "x\n", 1},
	{"a loop device of before that got a file after", "4000", "5000 6\n", 1},
	{"a kernel that numbers no disks", "4000", "5000 0\n", 0},
	{"a number that is none", "4000", "5000 x\n", 0},
	{"charge was taken at boot", "4000", NULL, 1},
};

TEST_EACH(a_device_older_than_a_live_enable_is_left_out, ages)
{
	static char text[256];

	snprintf(text, sizeof(text), "%sUSEC_INITIALIZED=%s\n", MEMBER, ages[_i].initialized);
	machine.properties = text;
	if (ages[_i].since)
		tree_put(&machine.tree, "/run/lvm/event/since", ages[_i].since);
	ck_assert_msg(compared(false) == ages[_i].enqueued, "%s", ages[_i].claim);
}

/* That it was not there before is known only if that can be read. */
TEST(a_device_whose_age_nobody_knows_is_left_alone)
{
	machine.properties = MEMBER "USEC_INITIALIZED=6000\n";
	tree_link(&machine.tree, "/run/lvm/event/since", "since");
	ck_assert_uint_eq(compared(false), 0);
}

TEST(taking_charge_of_a_running_machine)
{
	struct lea_entry *entries;
	size_t count;

	machine.properties = ANY_MEMBER;
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert_int_eq(lea_queue_take(options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(entries[0].kind, LEA_ENTRY_CHANGE);
	ck_assert_int_eq(lea_queue_done(options.event_fd, &entries[0]), 0);
	lea_entries_free(entries, count);
	ck_assert(machine_has("/run/lvm/event/since"));
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert_msg(!lea_queue_has_pending(options.event_fd), "once");
}

TEST(arming_forgets_what_the_epoch_before_refused)
{
	const int run_fd = lea_world_run(machine.world);

	tree_put(&machine.tree, "/run/lvm/event/since", "5000\n");
	ck_assert_int_eq(lea_mark_set(options.event_fd, LEA_MARK_REFUSED, "8:16-7"), 0);
	ck_assert_int_eq(lea_gate_begin(run_fd, lea_world_proc(machine.world), LEA_GATE_CLOSED), 0);
	ck_assert_msg(!machine_has("/run/lvm/event/since") &&
			      !lea_mark_ask(options.event_fd, LEA_MARK_REFUSED, "8:16-7"),
		      "what an epoch decided ends with it");
	ck_assert_int_eq(lea_take_charge(machine.world, &conf), 0);
	ck_assert(!machine_has("/run/lvm/event/since"));
	ck_assert(!lea_queue_has_pending(options.event_fd));
}

static bool is_announced(void)
{
	LEA_AUTO(lea_fclosep) FILE *file = NULL;
	char text[64] = "", path[128];

	snprintf(path, sizeof(path), "%s/sys/dev/block/8:16/uevent", machine.tree.root);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	return !strncmp(text, "add", 3);
}

/* With udev running, lost events are requested again. */
TEST(a_lost_event_is_repeated)
{
	struct lea_reconcile_result result;

	machine.properties = "";
	options.retrigger = true;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert(is_announced());
	fflush(machine.err_file);
	ck_assert_str_eq(machine.err,
			 "  /dev/sda: udev has not finished with it: the device may hang, see "
			 "journalctl -k; its event is triggered again\n");
}

/* Rows: what is known when udev has no entry of the device. */
static const struct {
	const char *claim;
	bool runs, is_busy, is_done, is_boot, takes_note, is_repeated;
} losses[] = {
	{"udev works on nothing", true, false, false, false, false, true},
	{"udev has something to do, perhaps this", true, true, false, false, false, false},
	{"udev does not run", false, false, false, false, false, false},
	{"its VG was dealt with, so it had its event", true, false, true, false, false, false},
	{"the boot waits for udev, and repeats events at its end", true, false, false, true, false,
	 false},
	{"charge is being taken of what is there", true, false, false, false, true, false},
};

/* Nobody asks for it: each reconcile finds what udev has lost. */
TEST_EACH(a_reconcile_has_events_repeated_that_udev_has_lost, losses)
{
	struct lea_reconcile_result result;

	machine.properties = "";
	if (losses[_i].runs)
		tree_put(&machine.tree, "/run/udev/control", "");
	if (losses[_i].is_busy)
		tree_put(&machine.tree, "/run/udev/queue", "");
	if (losses[_i].is_done)
		claim(LEA_CLAIM_DONE, 16, 7);
	options.is_boot = losses[_i].is_boot;
	options.takes_note = losses[_i].takes_note;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_uint_eq(result.unfinished, 1);
	ck_assert_msg(is_announced() == losses[_i].is_repeated, "%s", losses[_i].claim);
}

#define CAME_BLANK "ID_PATH=x\nLVMEVENT_FIRST=none\n"
#define NOT_QUEUED LEA_ENTRY_KINDS

/* Rows: what udev says of a device on which it names nothing, and how the device is queued. */
static const struct {
	const char *claim, *properties;
	enum lea_entry_kind kind;
} silences[] = {
	{"udev does not probe such devices", CAME_BLANK, LEA_ENTRY_MISSED},
	{"our rule has not seen it in use yet", "ID_PATH=x\n", LEA_ENTRY_MISSED},
	{"it came as a PV", "LVMEVENT_FIRST=" UUID_ONE "\n", LEA_ENTRY_CHANGE},
	{"it has partitions", CAME_BLANK "ID_PART_TABLE_TYPE=dos\n", NOT_QUEUED},
	{"it has a file system", CAME_BLANK "ID_FS_TYPE=ext4\n", NOT_QUEUED},
	{"it is a path of a map", CAME_BLANK "DM_MULTIPATH_DEVICE_PATH=1\n", NOT_QUEUED},
	{"it is suspended", CAME_BLANK "DM_SUSPENDED=1\n", NOT_QUEUED},
	{"its owner keeps links away", CAME_BLANK "DM_UDEV_DISABLE_DISK_RULES_FLAG=1\n",
	 NOT_QUEUED},
	{"its owner keeps everybody away", CAME_BLANK "DM_UDEV_DISABLE_OTHER_RULES_FLAG=1\n",
	 NOT_QUEUED},
	{"it is not ready", CAME_BLANK "SYSTEMD_READY=0\n", NOT_QUEUED},
	{"its owner keeps probes away", CAME_BLANK "UDEV_DISABLE_PERSISTENT_STORAGE_BLKID_FLAG=1\n",
	 NOT_QUEUED},
	{"its owner keeps storage rules away",
	 CAME_BLANK "UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG=1\n", NOT_QUEUED},
	{"it is an LV", CAME_BLANK "DM_UUID=LVM-abc\n", NOT_QUEUED},
	{"it is an LV that may be a PV", CAME_BLANK "DM_UUID=LVM-abc\nLVM_PVSCAN_ON_LVS=1\n",
	 LEA_ENTRY_MISSED},
	{"udev has not finished", CAME_BLANK "ID_PROCESSING=1\n", NOT_QUEUED},
};

static struct lea_entry *take_one(size_t *ret_count)
{
	struct lea_entry *entries = NULL;
	int lock_fd;

	*ret_count = 0;
	ck_assert_int_eq(lea_queue_lock(options.event_fd, &lock_fd), 0);
	ck_assert_int_ge(lea_queue_take(options.event_fd, &entries, ret_count), 0);
	for (size_t i = 0; i < *ret_count; i++)
		ck_assert_int_eq(lea_queue_done(options.event_fd, &entries[i]), 0);
	close(lock_fd);
	return entries;
}

/* The kind that one reconcile queues the device with. */
static enum lea_entry_kind queued_as(void)
{
	struct lea_reconcile_result result;
	enum lea_entry_kind kind = NOT_QUEUED;
	struct lea_entry *entries;
	size_t count;

	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	entries = take_one(&count);
	ck_assert_uint_eq(result.unnamed, count);
	ck_assert_msg(!result.enqueued, "nobody's event was lost");
	if (count)
		kind = entries[0].kind;
	lea_entries_free(entries, count);
	return kind;
}

TEST_EACH(device_that_udev_does_not_name_is_queued_by_what_it_is, silences)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = silences[_i].properties;
	ck_assert_msg(queued_as() == silences[_i].kind, "%s", silences[_i].claim);
}

TEST(entry_of_such_a_device_says_what_udev_knows)
{
	struct lea_reconcile_result result;
	struct lea_entry *entries;
	size_t count;

	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	entries = take_one(&count);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(entries[0].key, "8:16-7");
	ck_assert_str_eq(entries[0].pvid, "");
	ck_assert_str_eq(entries[0].device.properties, CAME_BLANK);
	lea_entries_free(entries, count);
}

/* Rows: what else keeps such a device from being read. */
static const struct {
	const char *claim;
	bool probe_unknown, event_activation, is_boot, takes_note, is_empty, is_held;
	enum lea_entry_kind kind;
} circumstances[] = {
	{"nothing does", true, true, false, false, false, false, LEA_ENTRY_MISSED},
	{"the setting is off", false, true, false, false, false, false, NOT_QUEUED},
	{"event activation is off", true, false, false, false, false, false, NOT_QUEUED},
	{"it is the boot's reconcile", true, true, true, false, false, false, NOT_QUEUED},
	{"charge is being taken", true, true, false, true, false, false, NOT_QUEUED},
	{"there is no medium", true, true, false, false, true, false, NOT_QUEUED},
	{"a map lies on it", true, true, false, false, false, true, NOT_QUEUED},
};

TEST_EACH(device_that_udev_does_not_name_is_left_alone_where, circumstances)
{
	drop_record();
	conf.probe_unknown = circumstances[_i].probe_unknown;
	conf.event_activation = circumstances[_i].event_activation;
	options.is_boot = circumstances[_i].is_boot;
	options.takes_note = circumstances[_i].takes_note;
	if (circumstances[_i].is_empty)
		tree_put(&machine.tree, "/sys/dev/block/8:16/size", "0\n");
	if (circumstances[_i].is_held)
		tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-0/dm/uuid", "mpath-x\n");
	machine.properties = CAME_BLANK;
	ck_assert_msg(queued_as() == circumstances[_i].kind, "%s", circumstances[_i].claim);
}

/* vgcreate on a slow disk: the change will tell. */
TEST(device_that_udev_still_reads_is_not_read)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK;
	tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(queued_as(), NOT_QUEUED);
	tree_remove(&machine.tree, "/run/udev/queue");
	ck_assert_int_eq(queued_as(), LEA_ENTRY_MISSED);
}

/* A live enable takes up nothing that was there. */
TEST(device_that_udev_does_not_name_and_of_before_is_a_change)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK "USEC_INITIALIZED=4000\n";
	tree_put(&machine.tree, "/run/lvm/event/since", "5000\n");
	ck_assert_int_eq(queued_as(), LEA_ENTRY_CHANGE);
}

/* That it was not there before is known only if that can be read. */
TEST(device_that_udev_does_not_name_is_a_change_if_nobody_knows_when_it_came)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = "USEC_INITIALIZED=4000\n";
	tree_link(&machine.tree, "/run/lvm/event/since", "since");
	ck_assert_int_eq(queued_as(), LEA_ENTRY_CHANGE);
}

/* pvchange -u, and then the disk gives udev no answer. */
TEST(device_of_a_vg_that_is_done_which_udev_does_not_name_is_a_change)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK;
	put_failed(false);
	ck_assert_int_eq(queued_as(), LEA_ENTRY_CHANGE);
}

TEST(device_that_udev_does_not_name_is_read_once)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK;
	tree_put(&machine.tree, "/run/udev/data/b8:16", "I:42\nE:ID_PATH=x\n");
	ck_assert_int_eq(queued_as(), LEA_ENTRY_MISSED);
	machine.asked = 0;
	ck_assert_int_eq(queued_as(), NOT_QUEUED);
	ck_assert_msg(!machine.asked, "the file of udev is enough");
	tree_put(&machine.tree, "/sys/dev/block/8:16/uevent",
		 "MAJOR=8\nMINOR=16\nDEVNAME=sda\nDISKSEQ=8\n");
	tree_put(&machine.tree, "/sys/dev/block/8:16/diskseq", "8\n");
	ck_assert_msg(queued_as() == LEA_ENTRY_MISSED, "another instance is another device");
	ck_assert(lea_mark_ask(options.event_fd, LEA_MARK_PROBED, "8:16-7"));
	lea_marker_tidy(machine.world, options.event_fd);
	ck_assert_msg(!lea_mark_ask(options.event_fd, LEA_MARK_PROBED, "8:16-7"),
		      "that instance has gone");
	ck_assert_int_eq(queued_as(), NOT_QUEUED);
	ck_assert_int_eq(lea_gate_begin(lea_world_run(machine.world), lea_world_proc(machine.world),
					LEA_GATE_CLOSED),
			 0);
	ck_assert_msg(queued_as() == LEA_ENTRY_MISSED, "a new epoch has read nothing");
}

TEST(transient_failure_with_such_a_device_is_tried_again)
{
	drop_record();
	conf.probe_unknown = conf.event_activation = true;
	machine.properties = CAME_BLANK;
	ck_assert_int_eq(queued_as(), LEA_ENTRY_MISSED);
	put_failed(true);
	ck_assert_int_eq(queued_as(), LEA_ENTRY_MISSED);
	put_failed(false);
	ck_assert_int_eq(queued_as(), NOT_QUEUED);
}
