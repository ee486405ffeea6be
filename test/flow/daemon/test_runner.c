/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enqueue and runner: a storm from many processes, runners that are killed, nothing lost. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/enqueue.h"
#include "daemon/runner.h"
#include "fake/no_descriptor.h"
#include "state/reconcile_request.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"
#include "world/clock_kernel.h"

#define WRITERS	     8
#define EACH	     60
#define KILLED_AFTER 7 /* after so many entries the runner is killed */

static char seen_dir[80];
static int seen_fd;

static void quiet(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

static struct lea_log log_sink = {.write = quiet, .max_level = LEA_LOG_ERROR};

static void setup(void)
{
	queue_setup();
	snprintf(seen_dir, sizeof(seen_dir), "%s/seen", dir);
	ck_assert_int_eq(mkdir(seen_dir, 0700), 0);
	seen_fd = open(seen_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void teardown(void)
{
	close(seen_fd);
	queue_teardown();
}

const struct fixture fixture = {setup, teardown};

static int enqueue(unsigned int minor, const char *action)
{
	char text[8][80];
	char *environ_[9] = {0};

	snprintf(text[0], sizeof(text[0]), "ACTION=%s", action);
	snprintf(text[1], sizeof(text[1]), "MINOR=%u", minor);
	snprintf(text[2], sizeof(text[2]), "MAJOR=8");
	snprintf(text[3], sizeof(text[3]), "DEVNAME=/dev/sd%u", minor);
	snprintf(text[4], sizeof(text[4]), "DISKSEQ=%u", minor + 1);
	snprintf(text[5], sizeof(text[5]), "SEQNUM=%u", minor + 100);
	snprintf(text[6], sizeof(text[6]), "ID_FS_TYPE=LVM2_member");
	snprintf(text[7], sizeof(text[7]), "ID_FS_UUID=aaaaaa-bbbb-cccc-dddd-eeee-ffff-%06u",
		 minor);
	for (size_t i = 0; i < 8; i++)
		environ_[i] = text[i];
	return lea_enqueue_event(dir, environ_);
}

/* Each entry creates a file with its key; a runner may be told to die half-way. */
struct fake {
	int left; /* entries until it dies; < 0: never */
	const char *poison;
};

static int process(void *arg, struct lea_entry *entries, size_t count,
		   struct lea_batch_pass **ret_pass)
{
	struct fake *fake = arg;

	*ret_pass = NULL; /* nothing to wait for */

	for (size_t i = 0; i < count; i++) {
		if (fake->left-- == 0 || (fake->poison && !strcmp(fake->poison, entries[i].key)))
			raise(SIGKILL);
		if (lea_file_create_empty(seen_fd, entries[i].key) < 0)
			return -EIO;
	}
	return 0;
}

static int run(int left, const char *poison)
{
	struct fake fake = {.left = left, .poison = poison};
	struct lea_flight flight = {
		.event_fd = event_fd, .start = process, .arg = &fake, .log = &log_sink};
	const struct lea_runner_options options = {.flight = &flight};

	return lea_runner_run(&options);
}

static int run_in_child(int left, const char *poison)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(left, poison) < 0 ? 1 : 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static size_t count_of(const char *folder)
{
	size_t count = 0;

	ck_assert_int_eq(lea_queue_count(event_fd, folder, &count), 0);
	return count;
}

static size_t count_seen(void)
{
	size_t count = 0;

	ck_assert_int_eq(lea_queue_count(run_fd, "seen", &count), 0);
	return count;
}

TEST(no_entry_of_a_storm_is_lost)
{
	pid_t writer[WRITERS];
	size_t retried;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		writer[i] = fork();
		if (writer[i] == 0) {
			for (int n = 0; n < EACH; n++)
				if (enqueue((unsigned int)(i * EACH + n), "add") ||
				    enqueue((unsigned int)(n), "change"))
					_exit(1);
			_exit(0);
		}
	}
	/* runners die and restart while the writers write */
	for (int i = 0; i < 20; i++)
		run_in_child(KILLED_AFTER, NULL);
	for (int i = 0; i < WRITERS; i++) {
		ck_assert_int_eq(waitpid(writer[i], &status, 0), writer[i]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(run_in_child(-1, NULL), 0);
	/* An entry that three runners processed when they died is in quarantine, not lost. */
	ck_assert_int_eq(lea_queue_retry(event_fd, &retried), 0);
	ck_assert_int_eq(run_in_child(-1, NULL), 0);
	ck_assert_uint_eq(count_seen(), WRITERS * EACH);
	ck_assert_uint_eq(count_of("queue") + count_of("taken") + count_of("failed"), 0);
}

TEST(an_entry_that_kills_runners_alone_is_set_apart)
{
	for (unsigned int i = 0; i < 50; i++)
		ck_assert_int_eq(enqueue(i, "add"), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_ne(run_in_child(-1, "8:33-34"), 0);
	ck_assert_int_eq(run_in_child(-1, "8:33-34"), 0);
	ck_assert_uint_eq(count_seen(), 49);
	ck_assert_uint_eq(count_of("failed"), 1);
	ck_assert_uint_eq(count_of("taken"), 0);
}

TEST(a_second_runner_finds_the_first_busy)
{
	int lock_fd, status;
	pid_t pid;

	ck_assert_int_eq(enqueue(1, "add"), 0);
	ck_assert_int_eq(lea_queue_lock(event_fd, &lock_fd), 0);
	pid = fork();
	if (pid == 0)
		_exit(run(-1, NULL) == LEA_RUNNER_BUSY ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(count_seen(), 0);
	close(lock_fd);
	ck_assert_int_eq(run(-1, NULL), 0);
	ck_assert_uint_eq(count_seen(), 1);
}

static int leave(void *arg)
{
	return LEA_RUNNER_BUSY + 1;
}

/* The holder of the lock dies after this pause with an entry in taken/. */
static void hold_take_die(int told_fd)
{
	struct timespec nap = {.tv_nsec = 200000000L};
	struct lea_entry *entries;
	size_t count;
	int lock_fd;

	if (lea_queue_lock(event_fd, &lock_fd) || lea_queue_take(event_fd, &entries, &count) ||
	    write(told_fd, "x", 1) != 1)
		_exit(1);
	nanosleep(&nap, NULL);
	raise(SIGKILL);
}

TEST(a_runner_stays_until_the_other_has_finished)
{
	struct fake fake = {.left = -1};
	struct lea_flight flight = {
		.event_fd = event_fd, .start = process, .arg = &fake, .log = &log_sink};
	struct lea_runner_options options = {
		.flight = &flight, .stay = leave, .wait_ms = 10, .clock = lea_clock_kernel()};
	int told[2], status;
	char byte;
	pid_t pid;

	ck_assert_int_eq(enqueue(1, "add"), 0);
	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	if (pid == 0)
		hold_take_die(told[1]);
	ck_assert_int_eq(read(told[0], &byte, 1), 1);
	/* Nothing is pending and the lock is busy: the runner must not sleep on the queue. */
	ck_assert_int_eq(lea_runner_run(&options), LEA_RUNNER_BUSY + 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	ck_assert_uint_eq(count_seen(), 1);
	ck_assert_uint_eq(count_of("taken"), 0);
	close(told[0]);
	close(told[1]);
}

static int refuse(void *arg, struct lea_entry *entries, size_t count,
		  struct lea_batch_pass **ret_pass)
{
	return -EIO;
}

TEST(a_fault_of_a_pass_loses_no_entry)
{
	struct lea_flight flight = {.event_fd = event_fd, .start = refuse, .log = &log_sink};
	const struct lea_runner_options options = {.flight = &flight};

	ck_assert_int_eq(enqueue(1, "add"), 0);
	ck_assert_int_eq(lea_runner_run(&options), -EIO);
	ck_assert_int_eq(run(-1, NULL), 0);
	ck_assert_uint_eq(count_seen(), 1);
}

/* What comes while a pass works comes after the settings were changed. */
static int process_and_change(void *arg, struct lea_entry *entries, size_t count,
			      struct lea_batch_pass **ret_pass)
{
	struct fake fake = {.left = -1};

	ck_assert_int_eq(enqueue(2, "add"), 0);
	*(int *)arg = 7;
	return process(&fake, entries, count, ret_pass);
}

static int look(void *arg)
{
	return *(int *)arg;
}

TEST(a_pass_begins_with_the_settings_of_the_moment)
{
	int told = 0;
	struct lea_flight flight = {
		.event_fd = event_fd, .start = process_and_change, .arg = &told, .log = &log_sink};
	const struct lea_runner_options options = {.flight = &flight, .look = look, .arg = &told};

	ck_assert_int_eq(enqueue(1, "add"), 0);
	ck_assert_int_eq(lea_runner_run(&options), 7);
	ck_assert_uint_eq(count_seen(), 1);
	ck_assert_uint_eq(count_of("queue"), 1);
}

static const struct {
	const char *claim;
	char *environ_[8];
	int expected;
} events[] = {
	{"no number is invalid",
	 {(char[]){"ACTION=add"}, (char[]){"DEVNAME=/dev/sda"}},
	 LEA_ENQUEUE_INVALID},
	{"a negative number is invalid",
	 {(char[]){"ACTION=add"}, (char[]){"MAJOR=-8"}, (char[]){"MINOR=0"},
	  (char[]){"DEVNAME=/dev/sda"}},
	 LEA_ENQUEUE_INVALID},
	{"a name outside /dev is invalid",
	 {(char[]){"ACTION=add"}, (char[]){"MAJOR=8"}, (char[]){"MINOR=0"},
	  (char[]){"DEVNAME=/etc/passwd"}},
	 LEA_ENQUEUE_INVALID},
	{"a name with a line end is invalid",
	 {(char[]){"ACTION=add"}, (char[]){"MAJOR=8"}, (char[]){"MINOR=0"},
	  (char[]){"DEVNAME=/dev/sda\npvid x"}},
	 LEA_ENQUEUE_INVALID},
	{"other subsystems are not ours",
	 {(char[]){"ACTION=add"}, (char[]){"SUBSYSTEM=net"}, (char[]){"MAJOR=8"},
	  (char[]){"MINOR=0"}, (char[]){"DEVNAME=/dev/sda"}},
	 LEA_ENQUEUE_NOT_OURS},
	{"bind is nothing to us",
	 {(char[]){"ACTION=bind"}, (char[]){"MAJOR=8"}, (char[]){"MINOR=0"},
	  (char[]){"DEVNAME=/dev/sda"}},
	 LEA_ENQUEUE_NOT_OURS},
};

TEST_EACH(each_event_is_enqueued_or_refused, events)
{
	ck_assert_msg(lea_enqueue_event(dir, events[_i].environ_) == events[_i].expected, "%s",
		      events[_i].claim);
	ck_assert_uint_eq(count_of("queue"), 0);
}

#define CHANGE                                                                                     \
	"ACTION=change SUBSYSTEM=block MAJOR=8 MINOR=1 DEVNAME=/dev/sda1 ID_FS_TYPE=LVM2_member "
#define UUID  "ID_FS_UUID=aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg "
#define FIRST "LVMEVENT_FIRST=aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg "

/* Rows: udev's properties of a change event, and the resulting entry. */
static const struct {
	const char *claim, *words;
	enum lea_entry_kind kind;
} changes[] = {
	{"the first event of a device in use", CHANGE UUID FIRST "LVMEVENT_NEW=1", LEA_ENTRY_ADD},
	{"a dm device whose table became live", CHANGE UUID "DM_ACTIVATION=1", LEA_ENTRY_ADD},
	{"the PV that came, and that nobody has recorded", CHANGE UUID FIRST, LEA_ENTRY_MISSED},
	{"a PV that was made since", CHANGE UUID "LVMEVENT_FIRST=none", LEA_ENTRY_CHANGE},
	{"a PV that got another UUID",
	 CHANGE UUID "LVMEVENT_FIRST=bbbbbb-bbbb-cccc-dddd-eeee-ffff-gggggg", LEA_ENTRY_CHANGE},
	{"a rule that says nothing of it", CHANGE UUID, LEA_ENTRY_CHANGE},
	{"a device of before", CHANGE UUID FIRST "USEC_INITIALIZED=4999", LEA_ENTRY_CHANGE},
	{"a device of before, of which udev has no more",
	 CHANGE UUID FIRST "LVMEVENT_NEW=1 USEC_INITIALIZED=4999", LEA_ENTRY_CHANGE},
	{"a device of after", CHANGE UUID FIRST "USEC_INITIALIZED=5000", LEA_ENTRY_MISSED},
};

static int enqueue_words(const char *words_)
{
	char words[512], *environ_[16] = {0}, *state = NULL, *word;
	size_t count = 0;

	snprintf(words, sizeof(words), "%s", words_);
	for (word = strtok_r(words, " ", &state); word; word = strtok_r(NULL, " ", &state))
		environ_[count++] = word;
	return lea_enqueue_event(dir, environ_);
}

static enum lea_entry_kind only_kind(void)
{
	struct lea_entry *entries;
	enum lea_entry_kind kind;
	size_t count = 0;

	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	kind = entries[0].kind;
	lea_entries_free(entries, count);
	return kind;
}

TEST_EACH(each_change_is_of_its_kind, changes)
{
	ck_assert_int_eq(lea_file_create(event_fd, "since", "5000\n", 5), 0);
	ck_assert_int_eq(enqueue_words(changes[_i].words), 0);
	ck_assert_msg(only_kind() == changes[_i].kind, "%s", changes[_i].claim);
}

/* Rows: whatever call finds no descriptor, a device of before is a change, or a reconcile is asked
 * for. */
TEST_TIMES(a_shortage_makes_no_device_a_new_one, 12)
{
	int r;

	ck_assert_int_eq(lea_file_create(event_fd, "since", "5000\n", 5), 0);
	calls_until_fault = (unsigned int)_i + 1;
	r = enqueue_words(CHANGE UUID FIRST "LVMEVENT_NEW=1 USEC_INITIALIZED=4999");
	calls_until_fault = 0;
	if (!r)
		ck_assert_int_eq(only_kind(), LEA_ENTRY_CHANGE);
	else
		ck_assert(lea_is_shortage(r) &&
			  (!_i || lea_reconcile_request_take(event_fd) == LEA_RECONCILE_DUE));
}

/* It is neither lost, nor does it bring up what a person took down. */
TEST(of_a_device_whose_age_nobody_knows_less_is_activated)
{
	ck_assert_int_eq(symlinkat("since", event_fd, "since"), 0);
	ck_assert_int_eq(
		enqueue_words(CHANGE UUID FIRST "LVMEVENT_NEW=1 USEC_INITIALIZED=4999"), 0);
	ck_assert_int_eq(only_kind(), LEA_ENTRY_MISSED);
}

TEST(a_closed_gate_takes_no_entry)
{
	ck_assert_int_eq(lea_file_create_empty(event_fd, "gate-armed"), 0);
	ck_assert_int_eq(enqueue(1, "add"), LEA_ENQUEUE_CLOSED);
	ck_assert_uint_eq(count_of("queue"), 0);
	ck_assert_int_eq(lea_file_create_empty(run_fd, "boot-finished"), 0);
	ck_assert_int_eq(enqueue(1, "add"), 0);
	ck_assert_uint_eq(count_of("queue"), 1);
}

TEST(a_queue_folder_that_vanished_is_made_again)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/event", dir);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(enqueue(1, "add"), 0);
	close(event_fd);
	event_fd = lea_queue_open(run_fd);
	ck_assert_uint_eq(count_of("queue"), 1);
}
