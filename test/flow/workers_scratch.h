/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers with a fake activation: a VG's name determines what its activation does. Processes, pipes
 * and waits are real. Include it once.
 */
#pragma once

#include "disk/segtype.h"
#include "flow/forks.h"
#include "state/lock.h"
#include "worker/pool.h"
#include "world/clock_kernel.h"
#include "world/timeline.h"

#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct lea_activation_run {
	struct lea_world *world;
	const struct lea_activate_options *options;
	char *lock_dir; /* owned */
	uint32_t held;
	bool finish_fails;
};

/* Shared; [0]: tries of "once", [1]: pid of the worker that hangs, [2]: of the check; [3]: number
 * of workers that hung, whose pids follow. */
static int *once;

static char lock_path[] = "/tmp/lea-lock-XXXXXX";

/* Waits until the other process ends, as for a disk in state "D", but killable. */
static void wait_as_for_a_disk(void)
{
	once[1] = getpid();
	if (!vfork()) {
		syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		syscall(SYS_pause);
		_exit(0);
	}
}

static void wait_for_a_lock(void)
{
	int fd = open(lock_path, O_RDONLY | O_CLOEXEC);

	once[1] = getpid();
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	close(fd);
}

/* As for a tool, which is a child. */
static void wait_for_a_check(struct lea_world *world)
{
	int status;
	pid_t pid;

	lea_timeline_note(world, LEA_RING_CHECK, &(struct lea_timeline_note){0});
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		once[2] = getpid();
		pause();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	lea_timeline_note(world, LEA_RING_CHECKED, &(struct lea_timeline_note){0});
}

static void hang(void)
{
	once[1] = getpid();
	once[4 + __sync_fetch_and_add(&once[3], 1)] = getpid();
	raise(SIGSTOP);
}

static int start_fault; /* 0: it starts */

static int fake_start(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_activate_options *options,
		      struct lea_activation_run **ret_run)
{
	if (start_fault)
		return start_fault;
	*ret_run = calloc(1, sizeof(**ret_run));
	ck_assert_ptr_nonnull(*ret_run);
	(*ret_run)->world = world;
	(*ret_run)->options = options;
	(*ret_run)->lock_dir = conf->locking_dir ? lea_world_path(world, conf->locking_dir) : NULL;
	return 0;
}

/* Takes a VG's real lock. *ret_fd: its descriptor. */
static int take_lock(const struct lea_activation_run *run, const char *vg_name, int *ret_fd)
{
	const struct lea_lock_options options = {.dir = run->lock_dir,
						 .mode = LEA_LOCK_EXCLUSIVE,
						 .wait = !run->options->no_wait_lock};
	char name[132];
	struct lea_lock *lock; /* held as long as the process lives */
	int r;

	snprintf(name, sizeof(name), "V_%s", vg_name);
	r = lea_lock_take(&options, name, &lock);
	if (!r)
		*ret_fd = lea_lock_fd(lock);
	return r == LEA_LOCK_BUSY ? LEA_ACTIVATE_VG_BUSY : r;
}

static int fake_vg(struct lea_activation_run *run, const char *vg_name,
		   const struct lea_scan_vg *scanned, struct lea_activate_result *ret_result)
{
	if (!strncmp(vg_name, "die", 3) || (!strncmp(vg_name, "once", 4) && !(*once)++))
		raise(SIGKILL);
	if (!strncmp(vg_name, "crash", 5))
		raise(SIGTRAP);
	if (!strncmp(vg_name, "stop", 4) && !once[1]) {
		once[1] = getpid();
		raise(SIGSTOP);
	}
	if (!strncmp(vg_name, "disk", 4) && !run->options->no_wait_lock)
		wait_as_for_a_disk();
	if (!strncmp(vg_name, "locked", 6) && !run->options->no_wait_lock)
		wait_for_a_lock();
	if (strstr(vg_name, "hang")) {
		if (run->options->no_wait_lock)
			return LEA_ACTIVATE_VG_BUSY;
		hang();
	}
	if (!strncmp(vg_name, "check", 5) && !run->options->no_wait_lock)
		wait_for_a_check(run->world);
	if (!strncmp(vg_name, "held", 4)) {
		const int r = take_lock(run, vg_name, &ret_result->lock_fd);

		if (r)
			return r;
	}
	if (strstr(vg_name, "fail"))
		return LEA_ACTIVATE_FAILED;
	if (strstr(vg_name, "other"))
		return LEA_ACTIVATE_DELEGATE;
	if (strstr(vg_name, "copy"))
		return LEA_ACTIVATE_COPY;
	if (strstr(vg_name, "lacking"))
		return LEA_ACTIVATE_INCOMPLETE;
	if (strstr(vg_name, "refused"))
		return LEA_ACTIVATE_REFUSED;
	/* Another process holds the lock: a request that may wait gets it, one that may not does
	 * not. */
	if ((strstr(vg_name, "busy") || !strncmp(vg_name, "check", 5) ||
	     !strncmp(vg_name, "disk", 4) || !strncmp(vg_name, "locked", 6)) &&
	    run->options->no_wait_lock)
		return LEA_ACTIVATE_VG_BUSY;
	/* To avoid deadlock, only a process without locks may wait for one. */
	if (run->held && !run->options->no_wait_lock)
		return -EDEADLK;
	run->held++;
	run->finish_fails = !strncmp(vg_name, "late", 4);
	ret_result->active = (uint32_t)getpid();
	return 0;
}

static int fake_finish(struct lea_activation_run *run)
{
	int r = run->finish_fails ? LEA_ACTIVATE_FAILED : 0;

	free(run->lock_dir);
	free(run);
	return r;
}

static int fake_rescan(struct lea_scan *scan, const struct lea_scan_vg *scanned,
		       const struct lea_scan_vg **ret_vg)
{
	*ret_vg = strstr(scanned->vg->name, "moved") ? NULL : scanned;
	return 0;
}

static int fake_check(const struct lea_duplicates_options *options,
		      const struct lea_scan_vg *scanned,
		      char ret_reason[static LEA_DUPLICATES_REASON_BYTES])
{
	strcpy(ret_reason, "a PV of it is on a copy");
	return strstr(scanned->vg->name, "copy") ? LEA_DUPLICATES_COPY : 0;
}

static const struct lea_activator fake_activator = {
	.start = fake_start,
	.vg = fake_vg,
	.finish = fake_finish,
	.rescan = fake_rescan,
	.check_duplicates = fake_check,
};

/* ---- a few VGs, and the results that are reported */

struct told {
	char text[4096];
	pid_t pid;    /* of the worker that activated the last VG */
	pid_t all[4]; /* of the first few VGs */
	size_t count;
};

static void finished(void *arg, const struct lea_worker_result *result)
{
	struct told *told = arg;
	size_t used = strlen(told->text);

	if (!result->outcome && !result->delegated) {
		told->pid = (pid_t)result->active;
		if (told->count < ARRAY_SIZE(told->all))
			told->all[told->count++] = told->pid;
	}
	snprintf(told->text + used, sizeof(told->text) - used, "%s=%d%s%s ", result->vg_name,
		 result->is_detached ? 0 : result->outcome,
		 result->is_detached ? "left"
		 : result->delegated ? "d"
				     : "",
		 lea_is_transient(result->shortage) ? "t" : "");
}

static void silent(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

static struct lea_log quiet = {.write = silent, .max_level = LEA_LOG_ERROR};

static void (*listener)(void *arg, const struct lea_worker_result *result) = finished;

static void add_vg(struct lea_workers *workers, const char *name, struct told *told)
{
	const struct lea_lv_seg pool = {.segtype = &lea_segtype_thin_pool};
	struct lea_lv lv = {.name = "lv", .seg = &pool, .seg_count = !strncmp(name, "pool", 4)};
	static const char *tags[] = {"tag"};
	struct lea_vg vg = {
		.name = name, .id = "0123456789abcdef0123456789abcdef", .lvs = &lv, .lv_count = 1};
	struct lea_scan_vg scanned = {.vg = &vg,
				      .has_online = strstr(name, "online") != NULL,
				      .has_copies = strstr(name, "copied") != NULL,
				      .is_added = strstr(name, "added") != NULL,
				      .watch_only = strstr(name, "watch") != NULL};

	if (!strncmp(name, "raid", 4))
		vg.delegate_reason = "raid";
	if (strstr(name, "tagged"))
		vg.tags = (struct lea_strings){.item = tags, .count = 1};
	ck_assert_int_eq(lea_workers_add(workers, &scanned, listener, told), 0);
}

/* Arguments for /bin/sh in place of lvm, with the VGs as further arguments. */
static const char *const lvm_args[] = {
	"-c", "for vg; do case $vg in raidbad | raidmoved) exit 5 ;; esac; done", "lvm", NULL};
