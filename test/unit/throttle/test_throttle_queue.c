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

static int take(struct lea_throttle *queue, uint32_t slots, uint64_t limit_ms, const char *label)
{
	struct lea_throttle_entry entry = {.id = lea_throttle_next_id(queue)};
	struct lea_clock *clock = lea_clock_kernel();
	const struct lea_throttle_terms terms = {
		.lane = 1,
		.slots = slots,
		.deadline_ms = limit_ms ? clock->now_ms(clock) + limit_ms : 0,
		.event_fd = -1,
		.entry = &entry,
		.turn = turn,
		.count = count,
	};

	snprintf(entry.label, sizeof(entry.label), "%s", label);
	return lea_throttle_take(queue, &terms);
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
