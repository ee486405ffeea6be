/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comparison of devices with claims, on a machine made of files; udev's database is a table. */
#include "flow/catch_up.h"
#include "flow/machine.h"
#include "flow/mark.h"
#include "flow/sweep.h"
#include "flow/wait.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/queue.h"
#include "unit/suite.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#include <signal.h>
#include <sys/wait.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

/* ---- in place of world/udevdb.c: what udev has of minor 16 */

static const char *properties; /* "": nothing yet */
static unsigned int asked;

int lea_udevdb_fill(struct lea_world *world, struct lea_device *device)
{
	(void)world;
	asked++;
	device->properties = strdup(properties);
	device->devlinks = strdup("");
	return 0;
}

bool lea_udevdb_property(const struct lea_device *device, const char *key, char *value, size_t size)
{
	size_t len = strlen(key);

	for (const char *line = device->properties; line && *line;
	     line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
		if (!strncmp(line, key, len) && line[len] == '=') {
			snprintf(value, size, "%.*s", (int)strcspn(line + len + 1, "\n"),
				 line + len + 1);
			return true;
		}
	return false;
}

bool lea_udevdb_is(const struct lea_device *device, const char *key, const char *value)
{
	char text[128];

	return lea_udevdb_property(device, key, text, sizeof(text)) && !strcmp(text, value);
}

/* ---- */

static struct lea_conf conf;
static struct lea_sweep_how how;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 7);
	how = (struct lea_sweep_how){.world = machine.world, .conf = &conf};
	how.event_fd = lea_queue_open(lea_world_run(machine.world));
	ck_assert_int_ge(how.event_fd, 0);
	properties = "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n";
	asked = 0;
}

static void teardown(void)
{
	close(how.event_fd);
	machine_end();
}

static void claim(enum lea_claim_state state, uint32_t minor, uint64_t diskseq)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .major = 8, .minor = minor, .diskseq = diskseq};
	const struct lea_claim made = {
		.state = state, .vg_name = "vg_one", .pv = &pv, .pv_count = 1};

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &made), 0);
}

#define MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"

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
	{"a VG that failed is tried again", LEA_CLAIM_FAILED, 16, 7, MEMBER, 1, 0},
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
	lea_entries_free(entries, count);
	close(lock_fd);
}
END_TEST

#define BRIEF                                                                                      \
	"S:disk/by-id/x\nI:42\nE:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE                   \
	"\nG:lvmevent\nV:1\n"
#define OTHER_UUID "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
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

static bool is_sda(void *arg, const struct lea_entry *entry)
{
	return !strcmp(entry->key, arg);
}

START_TEST(what_was_seen_is_left_out)
{
	static char key[] = "8:16-7", other[] = "8:16-8";
	struct lea_sweep_result result;

	properties = MEMBER;
	how.skips = is_sda;
	how.arg = key;
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_uint_eq(result.enqueued, 0);
	how.arg = other;
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_uint_eq(result.enqueued, 1);
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

START_TEST(gate_is_opened_first)
{
	const int run_fd = lea_world_run(machine.world);

	ck_assert_int_eq(lea_gate_arm(run_fd, lea_world_proc(machine.world)), 0);
	ck_assert(lea_gate_is_closed(run_fd));
	ck_assert_int_eq(lea_gate_open_and_sweep(&how), 0);
	ck_assert(!lea_gate_is_closed(run_fd));
	ck_assert(lea_queue_has_pending(how.event_fd));
}
END_TEST

/* ---- the wait before the gate opens, on a clock of its own */

#define QUIET_MS 3000U
#define WAIT_MS	 60000U

static uint64_t time_ms, udev_works_until_ms, boot_pass_ends_ms, recorded_ms;
static bool udev_empties_its_queue;
static pid_t boot_pass;

static void set_mark(uint64_t diskseq);

static uint64_t test_now_ms(struct lea_clock *clock)
{
	(void)clock;
	return time_ms;
}

/* Time passes: udev gets on as long as it does, and then is idle or hangs. */
static void test_sleep_ms(struct lea_clock *clock, uint64_t ms)
{
	char text[32];

	(void)clock;
	time_ms += ms;
	if (time_ms <= udev_works_until_ms) {
		snprintf(text, sizeof(text), "%u\n", (unsigned int)time_ms);
		tree_put(&machine.tree, "/sys/kernel/uevent_seqnum", text);
	} else if (udev_empties_its_queue) {
		tree_remove(&machine.tree, "/run/udev/queue");
	}
	if (recorded_ms && time_ms >= recorded_ms)
		set_mark(7);
	if (boot_pass && time_ms >= boot_pass_ends_ms) {
		kill(boot_pass, SIGKILL);
		waitpid(boot_pass, NULL, 0);
		boot_pass = 0;
	}
}

static struct lea_clock test_clock = {.now_ms = test_now_ms, .sleep_ms = test_sleep_ms};

/* A record lock is seen by other processes only. */
static void start_boot_pass(bool works)
{
	int fd, lock_fd, ready[2];
	char byte = 0;

	ck_assert_int_eq(pipe(ready), 0);
	boot_pass = fork();
	if (!boot_pass) {
		if (lea_flag_raise(how.event_fd, LEA_FLAG_BOOT, &fd) != 0 ||
		    (works && lea_queue_lock(how.event_fd, &lock_fd)) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static void end_boot_pass(void)
{
	if (boot_pass) {
		kill(boot_pass, SIGKILL);
		waitpid(boot_pass, NULL, 0);
	}
	boot_pass = 0;
}

static size_t pending(void)
{
	size_t count;

	ck_assert_int_eq(lea_queue_count(how.event_fd, "queue", &count), 0);
	return count;
}

static size_t to_be_looked_at(void)
{
	struct lea_sweep_result result;

	ck_assert_int_eq(lea_catch_up(&how, 0, &result), 0);
	return result.enqueued;
}

static void set_mark(uint64_t diskseq)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = diskseq};
	int known_fd = lea_mark_open(how.event_fd);

	ck_assert_int_ge(known_fd, 0);
	ck_assert_int_eq(lea_mark_set(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

/* It hears of each; what it has recorded may be of a VG that waits for others, without a claim. */
START_TEST(a_boot_pass_that_lives_has_all)
{
	struct lea_sweep_result result;

	start_boot_pass(false);
	ck_assert_uint_eq(to_be_looked_at(), 1);
	set_mark(6);
	ck_assert_msg(to_be_looked_at() == 1, "the mark is another instance's");
	set_mark(7);
	ck_assert_uint_eq(to_be_looked_at(), 0);
	ck_assert_msg(pending() == 1, "what has no record is queued, without a wait");
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg(result.enqueued == 1 && pending() == 1,
		      "the gate's comparisons trust nobody");
	end_boot_pass();
	ck_assert_msg(to_be_looked_at() == 1, "a dead one has nothing");
}
END_TEST

static const struct {
	const char *claim;
	uint64_t recorded_ms, boot_pass_ends_ms; /* 0: never recorded; there is none */
	bool works;				 /* all the time */
	int outcome;
	uint64_t least_ms, most_ms;
	size_t pending;
} left_to_it[] = {
	{"what it has recorded needs no wait", 1, WAIT_MS * 2, false, 0, 0, 200, 0},
	{"a record that it makes ends the wait", 800, WAIT_MS * 2, false, 0, 800, 1000, 0},
	{"what it has not heard of is queued when it rests", 0, WAIT_MS * 2, false, LEA_WAIT_LATE,
	 1500 + QUIET_MS, 2500 + QUIET_MS, 1},
	{"while it works it is waited for", 0, WAIT_MS * 2, true, LEA_WAIT_LATE, WAIT_MS,
	 WAIT_MS + 600, 0},
	{"what it leaves when it dies is queued, and is waited for as long as a quiet runner", 0,
	 30000, true, LEA_WAIT_LATE, 30000 + QUIET_MS, 31000 + QUIET_MS, 1},
	{"with nobody at work nothing is waited for that long", 0, 0, false, LEA_WAIT_LATE,
	 QUIET_MS, QUIET_MS + 600, 1},
};

START_TEST(what_is_left_to_it_is_waited_for)
{
	struct lea_sweep_result result;
	int r;

	time_ms = 0;
	boot_pass_ends_ms = left_to_it[_i].boot_pass_ends_ms;
	recorded_ms = left_to_it[_i].recorded_ms;
	conf.boot_quiet_ms = QUIET_MS;
	machine.world->clock = &test_clock;
	if (boot_pass_ends_ms)
		start_boot_pass(left_to_it[_i].works);
	r = lea_catch_up(&how, WAIT_MS, &result);
	end_boot_pass();
	ck_assert_msg(r == left_to_it[_i].outcome, "%s: %d", left_to_it[_i].claim, r);
	ck_assert_msg(time_ms >= left_to_it[_i].least_ms && time_ms <= left_to_it[_i].most_ms,
		      "%s: %u ms", left_to_it[_i].claim, (unsigned int)time_ms);
	ck_assert_msg(pending() == left_to_it[_i].pending, "%s: pending", left_to_it[_i].claim);
}
END_TEST

START_TEST(without_quiet_only_the_deadline_ends_the_wait)
{
	struct lea_sweep_result result;

	time_ms = recorded_ms = 0;
	conf.boot_quiet_ms = 0;
	machine.world->clock = &test_clock;
	ck_assert_int_eq(lea_catch_up(&how, WAIT_MS, &result), LEA_WAIT_LATE);
	ck_assert_uint_ge(time_ms, WAIT_MS);
}
END_TEST

static const struct {
	const char *claim;
	uint64_t boot_pass_ends_ms; /* 0: there is none */
	uint64_t udev_works_until_ms;
	bool udev_empties_its_queue;
	int outcome;
	uint64_t least_ms, most_ms;
} waits[] = {
	{"an idle udev is not waited for", WAIT_MS * 2, 0, true, 0, 0, 1000},
	{"the gate opens behind the last event", WAIT_MS * 2, 40000, true, 0, 40000, 41000},
	{"a udev that hangs is waited for as long as a quiet one", WAIT_MS * 2, 10000, false,
	 LEA_WAIT_LATE, 10000 + QUIET_MS, 11000 + QUIET_MS},
	{"a udev that never ends is not waited for", WAIT_MS * 2, WAIT_MS * 2, true, LEA_WAIT_LATE,
	 WAIT_MS, WAIT_MS + 1000},
	{"with no boot pass nobody takes the events: nothing is waited for", 0, 40000, true, 0, 0,
	 1000},
	{"a boot pass that dies ends the wait", 20000, 40000, true, 0, 20000, 21000},
};

START_TEST(gate_waits_while_something_gets_on)
{
	int r;

	time_ms = 0;
	recorded_ms = 0;
	udev_works_until_ms = waits[_i].udev_works_until_ms;
	udev_empties_its_queue = waits[_i].udev_empties_its_queue;
	boot_pass_ends_ms = waits[_i].boot_pass_ends_ms;
	conf.gate_wait_ms = WAIT_MS;
	conf.boot_quiet_ms = QUIET_MS;
	machine.world->clock = &test_clock;
	tree_put(&machine.tree, "/run/udev/queue", "");
	if (boot_pass_ends_ms)
		start_boot_pass(false);
	r = lea_gate_wait(&how);
	end_boot_pass();
	ck_assert_msg(r == waits[_i].outcome, "%s: %d", waits[_i].claim, r);
	ck_assert_msg(time_ms >= waits[_i].least_ms && time_ms <= waits[_i].most_ms, "%s: %u ms",
		      waits[_i].claim, (unsigned int)time_ms);
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
	tcase_add_test(tcase, what_was_seen_is_left_out);
	tcase_add_test(tcase, a_boot_pass_that_lives_has_all);
	tcase_add_loop_test(tcase, what_is_left_to_it_is_waited_for, 0, ARRAY_SIZE(left_to_it));
	tcase_add_test(tcase, without_quiet_only_the_deadline_ends_the_wait);
	tcase_add_test(tcase, lost_event_is_repeated);
	tcase_add_test(tcase, gate_is_opened_first);
	tcase_add_loop_test(tcase, gate_waits_while_something_gets_on, 0, ARRAY_SIZE(waits));
	suite_add_tcase(suite, tcase);
	return suite;
}
