/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slow device is not a hanging one: it is read in the end, and others don't wait for it. */
#include "base/cleanup.h"
#include "flow/reader_scratch.h"
#include "state/mark.h"
#include "unit/suite.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

const struct fixture fixture = {reader_setup, reader_teardown};

static struct lea_device device;

static void look(const char *name, int want_fault)
{
	device = scratch_disk("one-pv", name, 1);
	add(&device, 1);
	ck_assert_int_eq(found[0]->fault, want_fault);
	ck_assert_msg((found[0]->vg != NULL) == !want_fault, "it is read whole or not at all");
	lea_scan_free(scan);
}

static const struct lea_device instance = {.major = 8, .minor = 1, .diskseq = 1};

static uint32_t deadline_ms(void)
{
	return lea_backoff_deadline_ms(&reader->late, &instance, DEADLINE_MS);
}

static void answer(void)
{
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	ck_assert_msg(exists(QUEUE "8:1-1"), "it is queued when it has answered");
	scratch_run("rm", QUEUE "8:1-1");
}

TEST(a_late_device_has_twice_as_long_the_next_time)
{
	new_reader();
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	ck_assert_uint_eq(deadline_ms(), 2 * DEADLINE_MS);
	ck_assert(lea_reader_is_silent(reader, &instance));
	look("slow", 0);
	ck_assert_msg(!lea_reader_is_silent(reader, &instance), "it is slow, but not silent");
	ck_assert_msg(deadline_ms() == 2 * DEADLINE_MS, "slow it was this time, too");
	lea_reader_free(LEA_TAKE(reader));
	ck_assert_msg(ends(child_pid()), "the child has said all");
	ck_assert_msg(!exists(QUEUE "8:1-1"), "in its time: not queued once more");
}

/* In the grace period the child queues it and its answer counts as well. */
TEST(an_answer_after_the_deadline_makes_that_longer)
{
	new_reader();
	look("late", 0);
	wait_until(QUEUE "8:1-1", true);
	ck_assert_msg(exists(QUEUE "8:1-1"), "the child has queued it");
	scratch_run("rm", QUEUE "8:1-1");
	ck_assert_uint_eq(deadline_ms(), 2 * DEADLINE_MS);
	look("late", 0);
	lea_reader_free(LEA_TAKE(reader));
	ck_assert_msg(ends(child_pid()), "the child has said all");
	ck_assert_msg(!exists(QUEUE "8:1-1"), "in its time: that is the end of it");
}

/* A disk that answers in two minutes may be one of two such disks of a VG, which must be read in
 * one pass. */
TEST(a_device_that_may_only_be_slow_is_asked_again)
{
	new_reader();
	make("sick");
	look("hang", -ETIMEDOUT);
	look("hang", -ETIMEDOUT);
	ck_assert_uint_eq(forks, 2);
	answer();
	lea_reader_free(LEA_TAKE(reader));
}

TEST(a_device_that_hangs_costs_one_process)
{
	new_reader();
	reader->hanging.hung_ms = 0;
	make("sick");
	look("hang", -ETIMEDOUT);
	for (unsigned int i = 0; i < 3; i++)
		look("hang", -ETIMEDOUT);
	ck_assert_uint_eq(forks, 1);
	lea_reader_free(LEA_TAKE(reader));
	new_reader();
	reader->hanging.hung_ms = 0;
	look("hang", -ETIMEDOUT);
	ck_assert_msg(!forks, "another process does not read it, either");
	answer();
	look("sda", 0);
	ck_assert_msg(!exists("run/lvm/event/hung"), "nothing hangs any more");
	lea_reader_free(LEA_TAKE(reader));
}

/* The thread that still waits would queue it as something less. */
TEST(an_add_of_a_device_that_hangs_is_asked_for_all_the_same)
{
	struct lea_scan_device added = {.again = LEA_ENTRY_ADD};
	size_t count;

	new_reader();
	reader->hanging.hung_ms = 0;
	make("sick");
	look("hang", -ETIMEDOUT);
	added.device = scratch_disk("one-pv", "hang", 1);
	new_scan();
	ck_assert_int_eq(lea_scan_add_expected(scan, &added, 1), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_int_eq(found[0]->fault, -ETIMEDOUT);
	ck_assert_uint_eq(forks, 2);
	lea_scan_free(scan);
	scratch_run("rm", "sick");
	wait_until(QUEUE "8:1-1", true);
	lea_reader_free(LEA_TAKE(reader));
}

static pid_t abandoned;

static void note_abandoned(void *arg, pid_t child)
{
	abandoned = child;
}

#define UEVENT "printf 'DEVNAME=hang\\nDISKSEQ=%d\\n' >"
#define PVID   "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"

/* Rows: it is queued at once; another disk is there by then; a reconcile queues it, later; it was
 * refused meanwhile, as when its VG is exported, so that no add makes it usable again. */
TEST_TIMES(what_a_killed_reader_waits_for_is_queued, 4)
{
	struct lea_scan_device added = {.again = LEA_ENTRY_ADD, .expected = PVID};
	struct lea_entry *entries;
	char put[64];
	size_t count;

	abandoned = 0;
	new_reader();
	lea_reader_follow(reader, note_abandoned, NULL);
	make("sick");
	added.device = scratch_disk("one-pv", "hang", 1);
	new_scan();
	ck_assert_int_eq(lea_scan_add_expected(scan, &added, 1), 0);
	lea_scan_free(scan);
	ck_assert_int_eq(abandoned, child_pid());
	snprintf(put, sizeof(put), UEVENT, _i == 1 ? 2 : 1);
	scratch_run("mkdir -p", "sys/dev/block/8:1");
	scratch_run(put, "sys/dev/block/8:1/uevent");
	ck_assert_int_eq(lea_reader_requeue_owed(&scratch_world, event_fd, false), 0);
	ck_assert_msg(!lea_queue_has_pending(event_fd), "it waits");
	ck_assert_int_eq(kill(abandoned, SIGKILL), 0);
	ck_assert(ends(abandoned));
	if (_i == 3)
		ck_assert_int_eq(lea_mark_set(event_fd, LEA_MARK_REFUSED, "8:1-1"), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(lea_reader_requeue_owed(&scratch_world, event_fd, _i == 2), 0);
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count),
			 _i == 1 ? LEA_QUEUE_EMPTY : 0);
	if (_i != 1) {
		ck_assert_uint_eq(count, 1);
		ck_assert_str_eq(entries[0].key, "8:1-1");
		ck_assert_int_eq(entries[0].kind, _i == 3   ? LEA_ENTRY_CHANGE
						  : _i ? LEA_ENTRY_MISSED
						       : LEA_ENTRY_ADD);
		ck_assert_str_eq(entries[0].pvid, PVID);
		ck_assert_str_eq(entries[0].device.name, "/dev/hang");
		lea_entries_free(entries, count);
	}
	ck_assert_msg(!exists("run/lvm/event/hung"), "nothing is owed any more");
	lea_reader_free(LEA_TAKE(reader));
}

static const struct {
	const char *claim, *note, *mode;
} nobodys[] = {
	{"no note", "nonsense", "700"},
	{"no entry", "1 1 1 1\\nwhatever", "700"},
	{"no kind", "1 1 1 1\\n99 8:1-1 x", "700"},
	{"no device", "1 1 1 1\\n4 8:99-1 x", "700"},
	{"a folder of others", "1 1 1 1\\n4 8:1-1 x", "777"},
};

TEST_EACH(nothing_is_queued_for_what_makes_no_sense, nobodys)
{
	char command[128];

	scratch_run("mkdir -p", "run/lvm/event/hung");
	snprintf(command, sizeof(command), "printf '%s\\n' >", nobodys[_i].note);
	scratch_run(command, "run/lvm/event/hung/4-8:1");
	snprintf(command, sizeof(command), "chmod %s", nobodys[_i].mode);
	scratch_run(command, "run/lvm/event/hung");
	ck_assert_msg(!lea_reader_requeue_owed(&scratch_world, event_fd, false), "%s", nobodys[_i].claim);
	ck_assert_msg(!lea_queue_has_pending(event_fd), "%s", nobodys[_i].claim);
}

TEST(a_device_in_time_is_slow_no_longer)
{
	new_reader();
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	look("sda", 0);
	look("hang", 0);
	ck_assert_uint_eq(deadline_ms(), DEADLINE_MS);
	lea_reader_free(LEA_TAKE(reader));
}

static unsigned int asked;

static bool somebody_comes(void *arg)
{
	asked++;
	return true;
}

/* As the runner does. */
static bool asks_the_queue(void *arg)
{
	return lea_reader_is_awaited(reader, event_fd);
}

TEST(a_slow_device_does_not_hold_up_others)
{
	new_reader();
	lea_reader_listen(reader, somebody_comes, NULL);
	make("sick");
	look("hang", -ETIMEDOUT);
	ck_assert_msg(asked == 1, "asked once, %u", asked);
	ck_assert_msg(deadline_ms() == DEADLINE_MS, "what had not its whole time is not late");
	answer();
	look("sda", 0);
	ck_assert_msg(asked == 1, "nobody is asked about one that answers");
	lea_reader_free(LEA_TAKE(reader));
}

#define PVID_A "I8XE83WSfiGJNRzXtmH0pZKGjnlfNZDA"
#define PVID_B "yENn7puYj71QO17ZPCPRhnZTfMzF8qNb"

/* A disk of VG stripe answers at once, the other one later. */
static const struct patience {
	const char *claim;
	bool is_patient;
	const char *expected;		/* on the slow disk */
	const char *beside;		/* a sample on a third disk; NULL: there is none */
	bool (*others_wait)(void *arg); /* NULL: nobody is asked */
	int fault;
} patience[] = {
	{"only its own VG waits, so that both disks are read at once", true, PVID_B, NULL, NULL, 0},
	{"a disk that is no PV waits for nothing", true, PVID_B, "orphan", NULL, 0},
	{"another VG waits", true, PVID_B, "one-pv", NULL, -ETIMEDOUT},
	{"so does a PV whose VG nobody knows", true, PVID_B, "nomda-b", NULL, -ETIMEDOUT},
	{"somebody comes", true, PVID_B, NULL, somebody_comes, -ETIMEDOUT},
	{"nobody knows what is on it", true, "", NULL, NULL, -ETIMEDOUT},
	{"it may be a copy: the VG waits for nothing", true, PVID_A, NULL, NULL, -ETIMEDOUT},
	{"who reads it may have other VGs that wait", false, PVID_B, NULL, NULL, -ETIMEDOUT},
};

TEST_EACH(a_slow_device_may_keep_its_own_vg_waiting, patience)
{
	const struct patience *row = &patience[_i];
	struct lea_scan_options options = {.out_of_process = true, .is_patient = row->is_patient};
	struct lea_scan_device disks[] = {
		{.device = scratch_disk("stripe-a", "sda", 1), .expected = PVID_A},
		{.device = scratch_disk("stripe-b", row->fault ? "hang" : "lazy", 2)},
		{.device = scratch_disk(row->beside ? row->beside : "orphan", "sdc", 3)},
	};
	const struct lea_device slow = {.major = 8, .minor = 2, .diskseq = 2};
	size_t count;

	make("sick");
	new_reader();
	lea_reader_limit(reader, 0, 3);
	lea_reader_listen(reader, row->others_wait, NULL);
	options.reader = reader;
	snprintf(disks[1].expected, sizeof(disks[1].expected), "%s", row->expected);
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add_expected(scan, disks, row->beside ? 3 : 2), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_msg(found[1]->fault == row->fault, "%s: %d", row->claim, found[1]->fault);
	ck_assert_msg(!found[0]->fault && found[0]->vg, "%s", row->claim);
	if (!row->beside)
		lea_device_done(&disks[2].device);
	ck_assert_msg(lea_backoff_deadline_ms(&reader->late, &slow, DEADLINE_MS) == DEADLINE_MS,
		      "%s: it was abandoned before its time, or read in it", row->claim);
	scratch_run("rm", "sick");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
	ck_assert_msg(ends(child_pid()), "the child has said all");
}

/* A copy of a PV of VG stripe was read, and the recorded device is asked. Rows: who waits, too. */
static const struct {
	const char *beside; /* a sample on another disk that was read */
	int fault;
} courses[] = {
	{NULL, 0}, {"orphan", 0}, {"stripe-b", 0}, {"one-pv", -ETIMEDOUT}, {"nomda-b", -ETIMEDOUT},
};

TEST_EACH(what_waits_in_the_scan_before_waits_for_no_slow_device, courses)
{
	const char *beside = courses[_i].beside;
	struct lea_scan_options options = {.out_of_process = true};
	struct lea_device read[] = {
		scratch_disk("stripe-a", "sda", 1),
		scratch_disk(beside ? beside : "orphan", "sdc", 3),
	};
	struct lea_device asked_one =
		scratch_disk("stripe-a", courses[_i].fault ? "hang" : "lazy", 2);
	const struct lea_device slow = {.major = 8, .minor = 2, .diskseq = 2};
	struct lea_scan *before;
	size_t count;

	make("sick");
	new_reader();
	options.reader = reader;
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &before), 0);
	ck_assert_int_eq(lea_scan_add(before, read, beside ? 2 : 1), 0);
	options.within = before;
	options.within_of = lea_scan_found(before, &count)[0];
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add(scan, &asked_one, 1), 0);
	ck_assert_int_eq(lea_scan_found(scan, &count)[0]->fault, courses[_i].fault);
	ck_assert_msg(lea_backoff_deadline_ms(&reader->late, &slow, DEADLINE_MS) == DEADLINE_MS,
		      "it was abandoned before its time, or read in it");
	scratch_run("rm", "sick");
	if (!beside)
		lea_device_done(&read[1]);
	lea_scan_free(scan);
	lea_scan_free(before);
	lea_reader_free(LEA_TAKE(reader));
	ck_assert_msg(ends(child_pid()), "the child has said all");
}

/* Of two slow disks of a VG one has older metadata: they must be read together, too. */
TEST(an_outdated_pv_waits_for_nothing)
{
	struct lea_scan_options options = {.out_of_process = true, .is_patient = true};
	struct lea_scan_device old = {.device = scratch_disk("stripe-a", "sda", 1)};
	struct lea_scan_device members[] = {
		{.device = scratch_disk("orphan", "sdc", 3)},
		{.device = scratch_disk("stripe-b", "lazy", 2), .expected = PVID_B},
	};
	size_t count;

	make("sick");
	new_reader();
	lea_reader_limit(reader, 0, 3);
	options.reader = reader;
	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add_expected(scan, &old, 1), 0);
	found = lea_scan_found(scan, &count);
	found[0]->vg = NULL;
	found[0]->is_outdated = true;
	ck_assert_int_eq(lea_scan_add_expected(scan, members, 2), 0);
	found = lea_scan_found(scan, &count);
	ck_assert_int_eq(found[2]->fault, 0);
	scratch_run("rm", "sick");
	lea_scan_free(scan);
	lea_reader_free(LEA_TAKE(reader));
}

TEST(slow_devices_do_not_drive_each_other_out)
{
	new_reader();
	lea_reader_listen(reader, asks_the_queue, NULL);
	make(QUEUE "8:2-2");
	make("sick");
	look("hang", -ETIMEDOUT);
	answer();
	ck_assert_msg(deadline_ms() == DEADLINE_MS, "somebody came");
	scratch_run("rm", QUEUE "8:2-2");
	make(QUEUE "8:1-1");
	make("sick");
	look("hang", -ETIMEDOUT);
	scratch_run("rm", "sick");
	ck_assert_msg(deadline_ms() == 2 * DEADLINE_MS, "it is the one that waits, nobody else");
	lea_reader_free(LEA_TAKE(reader));
}

static bool answers_after_the_look;

/* Waits until the child has written everything, possibly in pieces. */
static void wait_for_rest(int fd)
{
	int before = -1, bytes = 0;

	while (ioctl(fd, FIONREAD, &bytes) == 0 && bytes != before) {
		before = bytes;
		usleep(200000);
	}
}

/* Replaces libc's poll: finds nothing, and a moment later the answer arrives. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
	const int r = ppoll(fds, count, timeout_ms < 0 ? NULL : &time, NULL);

	if (r || timeout_ms || !answers_after_the_look)
		return r;
	scratch_run("rm", "sick");
	ck_assert_int_eq(ppoll(fds, count, NULL, NULL), 1);
	wait_for_rest(fds->fd);
	fds->revents = 0;
	answers_after_the_look = false;
	return 0;
}

TEST(a_late_answer_is_not_lost_at_the_end)
{
	new_reader();
	lea_reader_listen(reader, somebody_comes, NULL);
	make("sick");
	answers_after_the_look = true;
	look("hang", 0);
	ck_assert_msg(!answers_after_the_look, "that is how it was");
	ck_assert_msg(ends(child_pid()), "the child was left all the same");
	ck_assert_msg(!exists(QUEUE "8:1-1"), "it was read: not queued as well");
	lea_reader_free(LEA_TAKE(reader));
}
