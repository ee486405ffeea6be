/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a worker counts as one that hangs, and in what: real processes, looks at given times. */
#include "unit/suite.h"
#include "world/timeline.h"
#include "worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const double timeout_s = 300;

#define STUCK_MS 2000
#define LIMIT_MS 60000

static char lock_path[] = "/tmp/lea-lock-XXXXXX";

static void sleeps(void)
{
	pause();
}

static void is_stopped(void)
{
	raise(SIGSTOP);
}

static void waits_for_lock(void)
{
	const int fd = open(lock_path, O_RDWR | O_CLOEXEC);

	flock(fd, LOCK_EX);
}

/* The parent of a vfork waits uninterruptibly, as for a disk. */
static void waits_for_disk(void)
{
	if (!vfork()) {
		syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		syscall(SYS_pause);
		_exit(0);
	}
}

static void waits_for_child(void)
{
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	wait(NULL);
}

static void runs(void)
{
	for (;;)
		;
}

static const struct {
	const char *claim;
	void (*does)(void);
	enum lea_ring_kind step;
	uint32_t limit_ms;
	uint64_t look_ms[4]; /* after the first; 0: no more */
	int hangs_at;	     /* the look; 0: none */
	enum lea_detached_why why;
} rows[] = {
	{"two seconds without a step: a disk", waits_for_disk, 0, LIMIT_MS, {1000, 2000}, 2,
	 LEA_DETACHED_DISK},
	{"a lock", waits_for_lock, 0, LIMIT_MS, {1000, 2000}, 2, LEA_DETACHED_LOCK},
	{"a process that was stopped", is_stopped, 0, LIMIT_MS, {1000, 2000}, 2,
	 LEA_DETACHED_OTHER},
	{"a wait that has no name", sleeps, 0, LIMIT_MS, {1000, 2000}, 2, LEA_DETACHED_OTHER},
	{"not before", sleeps, 0, LIMIT_MS, {500, 1000, 1900}, 0, 0},
	{"not by one look after a long time in which nobody ran", sleeps, 0, LIMIT_MS,
	 {1000, 90000}, 2, LEA_DETACHED_OTHER},
	{"of a gap, two looks count", sleeps, 0, LIMIT_MS, {100000, 101000}, 1,
	 LEA_DETACHED_OTHER},
	{"a program of its own has the long limit", waits_for_child, 0, 4000,
	 {2000, 3000, 3900}, 0, 0},
	{"and no longer", waits_for_child, 0, 4000, {2000, 3000, 4000}, 3, LEA_DETACHED_OTHER},
	{"without a limit it has all the time", waits_for_child, 0, 0, {2000, 4000, 90000}, 0, 0},
	{"a check is named", waits_for_child, LEA_RING_CHECK, 4000, {2000, 4000}, 2,
	 LEA_DETACHED_CHECK},
	{"what runs does not hang", runs, 0, LIMIT_MS, {1000, 2000, 3000}, 0, 0},
	{"a wait for udev that has a limit ends by itself", sleeps, LEA_RING_WAIT, LIMIT_MS,
	 {1000, 2000, 90000, 180000}, 0, 0},
	{"one without does not", sleeps, LEA_RING_WAIT, 0, {1000, 2000}, 2, LEA_DETACHED_UDEV},
	{"after it, nothing is forgiven", sleeps, LEA_RING_WAITED, LIMIT_MS, {1000, 2000}, 2,
	 LEA_DETACHED_OTHER},
};

static pid_t start(void (*does)(void))
{
	const pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		does();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

/* Has the process come to what it does for the rest of its life? */
static bool has_begun(pid_t pid, void (*does)(void))
{
	enum lea_proc_wait want = does == waits_for_disk	 ? LEA_PROC_WAIT_DISK
				  : does == waits_for_lock	 ? LEA_PROC_WAIT_LOCK
				  : does == sleeps || does == is_stopped ? LEA_PROC_WAIT_OTHER
								 : LEA_PROC_WAIT_NONE;
	uint64_t used_ns = lea_proc_cpu_ns(pid);

	usleep(20000);
	return lea_proc_waits_for(pid) == want && (lea_proc_cpu_ns(pid) == used_ns) == (does != runs);
}

TEST_EACH(a_worker_hangs_by_what_it_does_not_by_the_clock, rows)
{
	struct lea_worker_progress progress = {.step.kind = rows[_i].step};
	struct lea_request job = {.vg_name = "vg_one"};
	struct lea_worker worker = {.state = LEA_WORKER_BUSY, .progress = &progress,
				    .job = {&job}, .job_count = 1};
	const uint64_t begin_ms = 5000000;
	const int lock = mkstemp(lock_path);
	int hangs_at = 0;

	ck_assert_int_ge(lock, 0);
	ck_assert_int_eq(flock(lock, LOCK_EX), 0);
	worker.pid = start(rows[_i].does);
	while (!has_begun(worker.pid, rows[_i].does))
		;
	ck_assert(!lea_worker_hangs(&worker, begin_ms, STUCK_MS, rows[_i].limit_ms));
	for (int i = 0; i < 4 && rows[_i].look_ms[i] && !hangs_at; i++) {
		if (rows[_i].does == runs)
			usleep(50000);
		if (lea_worker_hangs(&worker, begin_ms + rows[_i].look_ms[i], STUCK_MS,
				     rows[_i].limit_ms))
			hangs_at = i + 1;
	}
	ck_assert_msg(hangs_at == rows[_i].hangs_at, "%s: at look %d", rows[_i].claim, hangs_at);
	if (hangs_at)
		ck_assert_msg(lea_worker_why(&worker, 0) == rows[_i].why, "%s: %d",
			      rows[_i].claim, (int)lea_worker_why(&worker, 0));
	kill(worker.pid, SIGKILL);
	waitpid(worker.pid, NULL, 0);
	close(lock);
	unlink(lock_path);
}
