/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue with processes of its own; test/crash/throttle and test/faults kill and stop them. */
#include "throttle/throttle_queue.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"
#include "world/clock_kernel.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

const struct fixture fixture = {queue_setup, queue_teardown};

static uint32_t turn(const bool waits[static 3], uint32_t runs[static 2])
{
	return waits[0] ? 0 : waits[1] ? 1 : 2;
}

static void count(uint32_t runs[static 2], uint32_t lane, const bool waits[static 3])
{
}

static struct lea_throttle *open_queue(void)
{
	struct lea_throttle *queue = NULL;

	ck_assert_int_eq(lea_throttle_open(event_fd, LEA_THROTTLE_CLASSES, "change",
					   lea_clock_kernel(), &queue),
			 0);
	return queue;
}

static int asked; /* whether a waiter is exempt */

static bool is_exempt(void *arg)
{
	asked++;
	return *(bool *)arg;
}

/* @exempts: NULL: nobody is. */
static int take_unless(bool *exempts, struct lea_throttle *queue, uint32_t slots, uint64_t limit_ms,
		       const char *label)
{
	struct lea_throttle_entry entry = {.id = lea_throttle_next_id(queue)};
	struct lea_clock *clock = lea_clock_kernel();
	const struct lea_throttle_terms terms = {
		.lane = 1,
		.slots = slots,
		.deadline_ms = limit_ms ? clock->now_ms(clock) + limit_ms : 0,
		.event_fd = -1,
		.entry = &entry,
		.is_exempt = exempts ? is_exempt : NULL,
		.arg = exempts,
		.turn = turn,
		.count = count,
	};

	snprintf(entry.label, sizeof(entry.label), "%s", label);
	return lea_throttle_take(queue, &terms);
}

static int take(struct lea_throttle *queue, uint32_t slots, uint64_t limit_ms, const char *label)
{
	return take_unless(NULL, queue, slots, limit_ms, label);
}

/* A process that takes a slot, and ends when the pipe is closed. Returns when it has the slot. */
static pid_t holder(uint32_t slots, int *ret_fd)
{
	int up[2], stop[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(up) | pipe(stop), 0);
	pid = fork();
	if (!pid) {
		struct lea_throttle *queue = open_queue();

		close(stop[1]);
		if (take(queue, slots, 0, "holder") || write(up[1], "x", 1) < 0)
			_exit(1);
		_exit(read(stop[0], &byte, 1) < 0);
	}
	close(stop[0]);
	close(up[1]);
	ck_assert_int_eq(read(up[0], &byte, 1), 1);
	close(up[0]);
	*ret_fd = stop[1];
	return pid;
}

static void end(pid_t pid, int fd)
{
	int status;

	close(fd);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

TEST(a_slot_is_free_again_when_its_process_ends)
{
	struct lea_throttle *queue = open_queue();
	int fd;
	pid_t pid = holder(1, &fd);

	ck_assert_int_eq(take(queue, 1, 50, "late"), LEA_THROTTLE_LATE);
	end(pid, fd);
	ck_assert_int_eq(take(queue, 1, 10000, "next"), 0);
	ck_assert_uint_eq(lea_throttle_slot(queue), 0);
	lea_throttle_close(queue);
}

TEST(another_slot_is_taken_while_one_is_held)
{
	struct lea_throttle *queue = open_queue();
	int fd;
	pid_t pid = holder(2, &fd);

	ck_assert_int_eq(take(queue, 2, 10000, "second"), 0);
	ck_assert_uint_eq(lea_throttle_slot(queue), 1);
	lea_throttle_close(queue);
	end(pid, fd);
}

TEST(a_child_keeps_the_slot_of_a_dead_wrapper)
{
	struct lea_throttle *queue = open_queue();
	struct lea_proc_id ours;
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct lea_throttle *its = open_queue();

		lea_proc_identify(&ours);
		ours.pid = getppid();
		_exit(take(its, 1, 0, "dies") ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(take(queue, 1, 10000, "next"), 0);
	/* the slot has a new holder: the child of an earlier one may not begin */
	lea_proc_identify(&ours);
	ck_assert(lea_throttle_adopt(queue, &ours));
	ck_assert(!lea_throttle_adopt(queue, &ours));
	lea_throttle_close(queue);
}

TEST(who_is_exempt_does_not_wait)
{
	struct lea_throttle *queue = open_queue();
	bool yes = true, no = false;
	int fd;
	pid_t pid = holder(1, &fd);

	ck_assert_int_eq(take_unless(&yes, queue, 2, 0, "free"), 0);
	ck_assert_msg(!asked, "who gets a slot at once is not asked");
	lea_throttle_close(queue);
	queue = open_queue();
	ck_assert_int_eq(take_unless(&yes, queue, 1, 0, "exempt"), LEA_THROTTLE_EXEMPT);
	ck_assert_int_eq(asked, 1);
	ck_assert_int_eq(take_unless(&no, queue, 1, 3000, "late"), LEA_THROTTLE_LATE);
	ck_assert_msg(asked == 2, "%d: it is asked once, however often it looks", asked);
	end(pid, fd);
	ck_assert_int_eq(take(queue, 1, 10000, "next"), 0);
	lea_throttle_close(queue);
}

TEST(a_command_is_found_in_any_class)
{
	struct lea_throttle *queue = open_queue(), *other = NULL;
	struct lea_proc_id id[2] = {{0}};

	lea_proc_identify(&id[1]);
	ck_assert_int_eq(take(queue, 1, 10000, "x"), 0);
	ck_assert_int_eq(lea_throttle_open(event_fd, LEA_THROTTLE_CLASSES, "other",
					   lea_clock_kernel(), &other),
			 0);
	ck_assert(!lea_throttle_is_any_command(event_fd, other, "other", id, 2));
	ck_assert(lea_throttle_adopt(queue, &id[1]));
	ck_assert(lea_throttle_is_any_command(event_fd, queue, "change", id, 2));
	ck_assert(!lea_throttle_is_any_command(event_fd, queue, "change", id, 1));
	ck_assert(!lea_throttle_is_any_command(event_fd, queue, "change", id, 0));
	id[1].start_ticks++;
	ck_assert_msg(!lea_throttle_is_any_command(event_fd, queue, "change", id, 2),
		      "another process has its number");
	id[1].start_ticks--;
	lea_throttle_release(queue);
	ck_assert(!lea_throttle_is_any_command(event_fd, queue, "change", id, 2));
	lea_throttle_close(queue);
	lea_throttle_close(other);
}

TEST(a_running_command_is_told_from_a_forged_one)
{
	struct lea_throttle *queue = open_queue();
	int fd;
	pid_t pid = holder(1, &fd);

	ck_assert(lea_throttle_is_running(event_fd, "change", 0, 1));
	ck_assert(!lea_throttle_is_running(event_fd, "change", 0, 2));
	ck_assert(!lea_throttle_is_running(event_fd, "change", 1, 1));
	ck_assert(!lea_throttle_is_running(event_fd, "change", 9999, 1));
	ck_assert(!lea_throttle_is_running(event_fd, "none", 0, 1));
	lea_throttle_close(queue);
	end(pid, fd);
	ck_assert(!lea_throttle_is_running(event_fd, "change", 0, 1));
}

/* How a process ends that waits for a slot of the class for so long. */
static int taken(const char *class_, uint64_t limit_ms)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct lea_throttle *queue = NULL;

		if (lea_throttle_open(event_fd, LEA_THROTTLE_CLASSES, class_, lea_clock_kernel(),
				      &queue))
			_exit(99);
		_exit(take(queue, 1, limit_ms, "x"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

TEST(a_drain_holds_all_classes_and_new_ones)
{
	struct lea_throttle_hold *hold = NULL, *other = NULL;
	struct lea_throttle *queue = open_queue();
	int status;
	pid_t pid;

	ck_assert_int_eq(lea_throttle_hold(event_fd, lea_clock_kernel(), &hold), 0);
	lea_throttle_tell_hold(queue, true);
	ck_assert_int_eq(lea_throttle_wait_idle(queue, hold, 0), 0);
	ck_assert_int_eq(taken("change", 100), LEA_THROTTLE_LATE);
	ck_assert_int_eq(taken("new", 100), LEA_THROTTLE_LATE);
	pid = fork();
	if (!pid)
		_exit(lea_throttle_hold(event_fd, lea_clock_kernel(), &other));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), LEA_THROTTLE_LATE);
	lea_throttle_unhold(hold);
	ck_assert_int_eq(taken("change", 10000), 0);
	ck_assert_int_eq(taken("new", 10000), 0);
	lea_throttle_close(queue);
}

/* What a drain that was killed has left, and one that does not run. */
TEST(a_hold_counts_while_its_process_runs)
{
	struct lea_throttle_hold *hold = NULL;
	uint64_t long_ago = 1;
	int fd, status, go[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (!pid) {
		if (lea_throttle_hold(event_fd, lea_clock_kernel(), &hold))
			_exit(1);
		_exit(write(go[1], "x", 1) != 1 || pause());
	}
	ck_assert_int_eq(read(go[0], &byte, 1), 1);
	ck_assert(lea_throttle_is_drained(event_fd, lea_clock_kernel()));
	ck_assert_int_eq(taken("new", 100), LEA_THROTTLE_LATE);
	fd = openat(event_fd, "throttle/hold", O_WRONLY);
	ck_assert_int_eq(pwrite(fd, &long_ago, sizeof(long_ago), 0), sizeof(long_ago));
	close(fd);
	ck_assert(!lea_throttle_is_drained(event_fd, lea_clock_kernel()));
	ck_assert_int_eq(taken("new", 10000), 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(taken("other", 10000), 0);
	ck_assert_int_eq(lea_throttle_hold(event_fd, lea_clock_kernel(), &hold), 0);
	lea_throttle_unhold(hold);
}

static uint64_t moment_ms;

static uint64_t moment(struct lea_clock *clock)
{
	(void)clock;
	return moment_ms;
}

/* A drain that was stopped held nobody for a while: it looks again at what it has seen idle. */
TEST(a_hold_that_lapsed_says_so_once)
{
	struct lea_clock clock = {.now_ms = moment};
	struct lea_throttle_hold *hold = NULL;

	moment_ms = 1000;
	ck_assert_int_eq(lea_throttle_hold(event_fd, &clock, &hold), 0);
	for (int i = 0; i < 20; i++) {
		moment_ms += LEA_THROTTLE_HOLD_BEAT_MS;
		lea_throttle_hold_beat(hold, &clock);
	}
	ck_assert(!lea_throttle_hold_has_lapsed(hold));
	moment_ms += 60000;
	lea_throttle_hold_beat(hold, &clock);
	ck_assert(lea_throttle_hold_has_lapsed(hold));
	ck_assert(!lea_throttle_hold_has_lapsed(hold));
	lea_throttle_unhold(hold);
}

TEST(those_who_run_and_wait_are_listed)
{
	struct lea_throttle_view view;
	int fd, other_fd;
	pid_t pid = holder(2, &fd), other = holder(2, &other_fd);

	ck_assert_int_eq(lea_throttle_look(event_fd, LEA_THROTTLE_CLASSES, "change", &view), 0);
	ck_assert_uint_eq(view.running_count, 2);
	ck_assert_uint_eq(view.waiting_count, 0);
	ck_assert_uint_eq(view.slots, 2);
	ck_assert_str_eq(view.running[0].label, "holder");
	lea_throttle_view_done(&view);
	end(other, other_fd); /* it has inherited the other pipe */
	end(pid, fd);
	ck_assert_int_eq(lea_throttle_look(event_fd, LEA_THROTTLE_CLASSES, "none", &view), -ENOENT);
}

TEST(a_ticket_that_points_forward_is_refused)
{
	struct lea_throttle *queue = open_queue();
	const uint64_t forward = 7;
	char path[128], bytes[392] = "";
	int fd;

	/* a dead waiter's ticket, and the counter that follows it */
	memcpy(bytes, &forward, sizeof(forward));
	snprintf(path, sizeof(path), "%s/event/throttle/class/change/n1", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	ck_assert_int_eq(take(queue, 1, 1000, "next"), -EPROTO);
	lea_throttle_close(queue);
}

TEST(a_folder_that_others_may_write_to_is_refused)
{
	struct lea_throttle *queue = open_queue();
	char path[128];

	lea_throttle_close(queue);
	snprintf(path, sizeof(path), "%s/event/throttle", dir);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_int_eq(lea_throttle_open(event_fd, LEA_THROTTLE_CLASSES, "change",
					   lea_clock_kernel(), &queue),
			 -EPERM);
}

/* ---- queues that are idle */

static struct lea_throttle *open_named(enum lea_throttle_kind kind, const char *name)
{
	struct lea_throttle *queue = NULL;

	ck_assert_int_eq(lea_throttle_open(event_fd, kind, name, lea_clock_kernel(), &queue), 0);
	return queue;
}

static void make(enum lea_throttle_kind kind, const char *name)
{
	lea_throttle_close(open_named(kind, name));
}

static bool is_there(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "throttle/%s", name);
	return !faccessat(event_fd, path, F_OK, 0);
}

/* As if so much time had passed since everything. */
static void sweep(int64_t seconds)
{
	lea_throttle_sweep(event_fd, LEA_THROTTLE_CLASSES, lea_clock_kernel(), time(NULL) + seconds);
	lea_throttle_sweep(event_fd, LEA_THROTTLE_VGS, lea_clock_kernel(), time(NULL) + seconds);
}

TEST(queues_go_an_hour_after_their_last_use)
{
	make(LEA_THROTTLE_CLASSES, "mine");
	make(LEA_THROTTLE_CLASSES, "change");
	make(LEA_THROTTLE_VGS, "csi");
	ck_assert_int_eq(mkdirat(event_fd, "throttle/vg/empty", 0700), 0);
	sweep(LEA_THROTTLE_IDLE_S - 60);
	ck_assert(is_there("class/mine") && is_there("vg/csi") && is_there("vg/empty"));
	sweep(LEA_THROTTLE_IDLE_S + 1);
	ck_assert(!is_there("class/mine") && !is_there("vg/csi") && !is_there("vg/empty"));
	ck_assert(is_there("class/change/state"));
}

TEST(a_queue_that_is_in_use_stays)
{
	struct lea_throttle *queue = open_named(LEA_THROTTLE_VGS, "csi");
	int fd;
	const pid_t pid = fork();

	if (!pid) {
		sweep(LEA_THROTTLE_IDLE_S + 1);
		_exit(!is_there("vg/csi/state"));
	}
	ck_assert_int_eq(waitpid(pid, &fd, 0), pid);
	ck_assert_int_eq(fd, 0);
	lea_throttle_close(queue);
	sweep(LEA_THROTTLE_IDLE_S + 1);
	ck_assert(!is_there("vg/csi"));
}

TEST(a_queue_whose_command_outlives_its_wrapper_stays)
{
	int up[2], status;
	pid_t pid, child = 0;

	ck_assert_int_eq(pipe(up), 0);
	pid = fork();
	if (!pid) {
		struct lea_throttle *queue = open_named(LEA_THROTTLE_CLASSES, "mine");

		child = take(queue, 1, 0, "x") ? -1 : fork();
		if (!child) {
			struct lea_proc_id id;

			lea_proc_identify(&id);
			if (!lea_throttle_adopt(queue, &id))
				_exit(1);
			child = getpid();
			if (write(up[1], &child, sizeof(child)) < 0)
				_exit(1);
			pause();
		}
		sleep(60);
		_exit(1);
	}
	ck_assert_int_eq(read(up[0], &child, sizeof(child)), sizeof(child));
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	sweep(LEA_THROTTLE_IDLE_S + 1);
	ck_assert(is_there("class/mine/state"));
	kill(child, SIGKILL);
	close(up[1]);
	ck_assert_int_eq(read(up[0], &status, 1), 0);
	/* It is about to end. */
	for (int i = 0; i < 20000 && is_there("class/mine"); i++, usleep(1000))
		sweep(LEA_THROTTLE_IDLE_S + 1);
	ck_assert(!is_there("class/mine"));
}

/* Opens it again and again; some times takes the only slot, with a folder that only its holder makes
 * as the proof. */
static int use_often(int times)
{
	for (int i = 0; i < times; i++) {
		struct lea_throttle *queue = open_named(LEA_THROTTLE_CLASSES, "mine");

		if (!is_there("class/mine/state"))
			return 1;
		if (i % 50 == 0 && (take(queue, 1, 0, "x") || mkdirat(event_fd, "busy", 0700) ||
				    unlinkat(event_fd, "busy", AT_REMOVEDIR)))
			return 1;
		lea_throttle_close(queue);
	}
	return 0;
}

TEST(beside_those_who_remove_it_a_queue_keeps_its_bound)
{
	pid_t user[3], remover[2];
	int status, bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(remover); i++)
		if (!(remover[i] = fork()))
			for (;; usleep(200))
				sweep(LEA_THROTTLE_IDLE_S + 1);
	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		if (!(user[i] = fork()))
			_exit(use_often(3000));
	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		bad |= waitpid(user[i], &status, 0) != user[i] || status;
	for (size_t i = 0; i < ARRAY_SIZE(remover); i++) {
		kill(remover[i], SIGKILL);
		waitpid(remover[i], &status, 0);
	}
	ck_assert_int_eq(bad, 0);
}

TEST(idle_queues_are_not_looked_for_each_time)
{
	const struct timespec old[2] = {{.tv_sec = time(NULL) - LEA_THROTTLE_IDLE_S},
					{.tv_sec = time(NULL) - LEA_THROTTLE_IDLE_S}};

	make(LEA_THROTTLE_VGS, "old");
	make(LEA_THROTTLE_CLASSES, "old");
	ck_assert_int_eq(utimensat(event_fd, "throttle/vg/old", old, 0), 0);
	ck_assert_int_eq(utimensat(event_fd, "throttle/class/old", old, 0), 0);
	make(LEA_THROTTLE_VGS, "new");
	lea_throttle_sweep_if_due(event_fd, lea_clock_kernel());
	ck_assert(!is_there("vg/old") && !is_there("class/old") && is_there("vg/new"));
	make(LEA_THROTTLE_VGS, "old");
	make(LEA_THROTTLE_CLASSES, "old");
	ck_assert_int_eq(utimensat(event_fd, "throttle/vg/old", old, 0), 0);
	ck_assert_int_eq(utimensat(event_fd, "throttle/class/old", old, 0), 0);
	lea_throttle_sweep_if_due(event_fd, lea_clock_kernel());
	ck_assert(is_there("vg/old") && is_there("class/old"));
	ck_assert_int_eq(utimensat(event_fd, "throttle/swept", old, 0), 0);
	lea_throttle_sweep_if_due(event_fd, lea_clock_kernel());
	ck_assert(!is_there("vg/old") && !is_there("class/old") && is_there("vg/new"));
}
