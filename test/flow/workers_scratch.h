/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers with an activation of our own in place of the real one: what a VG does is in its name.
 * The processes, pipes and waits are real. Include it once.
 */
#ifndef LEA_TEST_FLOW_WORKERS_SCRATCH_H
#define LEA_TEST_FLOW_WORKERS_SCRATCH_H

#include "disk/segtype.h"
#include "flow/read_again.h"
#include "flow/rivals.h"
#include "flow/workers.h"
#include "world/clock_kernel.h"

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
#include <unistd.h>

struct lea_activation_run {
	const struct lea_activate_options *options;
	uint32_t held;
	bool finish_fails;
};

static int *once; /* how often "once" was tried, pid of the one that hangs; shared with them */

static char lock_path[] = "/tmp/lea-lock-XXXXXX";

/* Killable, but "D": until the other process ends. */
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

int lea_activation_start(struct lea_world *world, const struct lea_conf *conf,
			 const struct lea_activate_options *options,
			 struct lea_activation_run **ret_run)
{
	*ret_run = calloc(1, sizeof(**ret_run));
	ck_assert_ptr_nonnull(*ret_run);
	(*ret_run)->options = options;
	return 0;
}

int lea_activation_vg(struct lea_activation_run *run, const char *vg_name,
		      const struct lea_scan_vg *known, struct lea_activate_result *ret_result)
{
	if (!strncmp(vg_name, "die", 3) || (!strncmp(vg_name, "once", 4) && !(*once)++))
		raise(SIGKILL);
	if (!strncmp(vg_name, "stop", 4) && !once[1]) {
		once[1] = getpid();
		raise(SIGSTOP);
	}
	if (!strncmp(vg_name, "disk", 4) && !run->options->no_wait_lock)
		wait_as_for_a_disk();
	if (!strncmp(vg_name, "locked", 6) && !run->options->no_wait_lock)
		wait_for_a_lock();
	if (!strncmp(vg_name, "hang", 4) && !run->options->no_wait_lock) {
		once[1] = getpid();
		raise(SIGSTOP);
	}
	if (!strncmp(vg_name, "fail", 4))
		return LEA_ACTIVATE_FAILED;
	if (!strncmp(vg_name, "other", 5))
		return LEA_ACTIVATE_DELEGATE;
	/* Somebody holds it: who waits gets it, who may not wait does not. */
	if ((strstr(vg_name, "busy") || !strncmp(vg_name, "hang", 4) ||
	     !strncmp(vg_name, "disk", 4) || !strncmp(vg_name, "locked", 6)) &&
	    run->options->no_wait_lock)
		return LEA_ACTIVATE_VG_BUSY;
	/* The rule against deadlock: waiting is for those who hold nothing. */
	if (run->held && !run->options->no_wait_lock)
		return -EDEADLK;
	run->held++;
	run->finish_fails = !strncmp(vg_name, "late", 4);
	ret_result->active = (uint32_t)getpid();
	return 0;
}

int lea_activation_finish(struct lea_activation_run *run)
{
	int r = run->finish_fails ? LEA_ACTIVATE_FAILED : 0;

	free(run);
	return r;
}

int lea_read_again(struct lea_scan *scan, const struct lea_scan_vg *known,
		   const struct lea_scan_vg **ret_vg)
{
	*ret_vg = strstr(known->vg->name, "moved") ? NULL : known;
	return 0;
}

int lea_rivals_check(const struct lea_rivals_how *how, const struct lea_scan_vg *known,
		     char ret_reason[static LEA_RIVALS_REASON_BYTES])
{
	strcpy(ret_reason, "a PV of it is on a copy");
	return strstr(known->vg->name, "copy") ? LEA_RIVALS_COPY : 0;
}

/* ---- a few VGs, and what is told of them */

struct told {
	char text[4096];
	pid_t pid;    /* of the worker that was the last to activate something */
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
		 result->is_left ? 0 : result->outcome,
		 result->is_left     ? "left"
		 : result->delegated ? "d"
				     : "",
		 lea_is_transient(result->shortage) ? "t" : "");
}

static void silent(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

static struct lea_log quiet = {.write = silent, .max_level = LEA_LOG_ERROR};

static void add_vg(struct lea_workers *workers, const char *name)
{
	const struct lea_lv_seg pool = {.segtype = &lea_segtype_thin_pool};
	struct lea_lv lv = {.name = "lv", .seg = &pool, .seg_count = !strncmp(name, "pool", 4)};
	struct lea_vg vg = {
		.name = name, .id = "0123456789abcdef0123456789abcdef", .lvs = &lv, .lv_count = 1};
	struct lea_scan_vg known = {.vg = &vg};

	if (!strncmp(name, "raid", 4))
		vg.delegate_reason = "raid";
	ck_assert_int_eq(lea_workers_add(workers, &known), 0);
}

/* For /bin/sh in lvm's place, which gets the VGs as arguments; others take it as words. */
static const char *const lvm_args[] = {
	"-c", "for vg; do case $vg in raidbad | raidmoved) exit 5 ;; esac; done", "lvm", NULL};

#endif
