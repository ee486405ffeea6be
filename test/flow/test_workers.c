/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers with an activation of our own in place of the real one: what a VG does is in its name.
 * The processes, pipes and waits are real.
 */
#include "disk/segtype.h"
#include "flow/read_again.h"
#include "flow/workers.h"
#include "world/clock_kernel.h"

#include "unit/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct lea_activation_run {
	const struct lea_activate_options *options;
	uint32_t held;
	bool finish_fails;
};

static int *once; /* how often "once" was tried, pid of the one that hangs; shared with them */

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
	if (!strncmp(vg_name, "hang", 4) && !run->options->no_wait_lock) {
		once[1] = getpid();
		raise(SIGSTOP);
	}
	if (!strncmp(vg_name, "fail", 4))
		return LEA_ACTIVATE_FAILED;
	if (!strncmp(vg_name, "other", 5))
		return LEA_ACTIVATE_DELEGATE;
	/* Somebody holds it: who waits gets it, who may not wait does not. */
	if ((strstr(vg_name, "busy") || !strncmp(vg_name, "hang", 4)) && run->options->no_wait_lock)
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

int lea_still_there(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_activate_options *options, const struct lea_scan_vg *known)
{
	return strstr(known->vg->name, "moved") ? LEA_STILL_THERE_NOT : 0;
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
	snprintf(told->text + used, sizeof(told->text) - used, "%s=%d%s ", result->vg_name,
		 result->is_left ? 0 : result->outcome,
		 result->is_left     ? "left"
		 : result->delegated ? "d"
				     : "");
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

struct row {
	const char *claim, *lvm_path, *vgs, *want;
	uint32_t workers, worker_vgs;
};

static const struct row rows[] = {
	{"one worker takes a batch in order", "/bin/true", "a b c d", "a=0 b=0 c=0 d=0 ", 1, 16},
	{"batches follow each other", "/bin/true", "a b c d e", "a=0 b=0 c=0 d=0 e=0 ", 1, 2},
	{"a busy VG goes to the end and is waited for there", "/bin/true", "a busy c d",
	 "a=0 c=0 d=0 busy=0 ", 1, 16},
	{"a VG with a pool to be checked goes alone: nobody is before it", "/bin/true",
	 "a poolbusy c", "a=0 poolbusy=0 c=0 ", 1, 16},
	{"nor with it", "/bin/true", "pool busy", "pool=0 busy=0 ", 1, 16},
	{"a failure is its own", "/bin/true", "a fail c", "a=0 fail=1 c=0 ", 1, 16},
	{"VGs that are not ours go to lvm together", "/bin/true", "raid1 a raid2",
	 "a=0 raid1=0d raid2=0d ", 1, 16},
	{"an lvm that fails is a failure", "/bin/false", "raid1", "raid1=1d ", 1, 16},
	{"found to be not ours under the lock: handed over then", "/bin/true", "other a",
	 "a=0 other=0d ", 1, 16},
	{"of several, only the one that lvm fails; a renamed one is looked at again", "/bin/sh",
	 "raid1 raidbad raidmoved raid2", "raid1=0d raidbad=1d raidmoved=7d raid2=0d ", 1, 16},
	{"a worker that dies is nobody's fault the first time", "/bin/true", "a once c",
	 "a=0 once=0 c=0 ", 1, 16},
	{"each alone: the VG that kills fails, no other", "/bin/true", "a die c",
	 "a=0 die=-10 c=0 ", 1, 16},
	{"a wait for udev that fails, fails its VGs", "/bin/true", "late", "late=1 ", 1, 16},
	{"an lvm that can't be started is a fault", "/no/lvm", "raid1", NULL, 1, 16},
};

START_TEST(test_rows)
{
	const struct row *row = &rows[_i];
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {
		.workers = row->workers, .worker_vgs = row->worker_vgs, .lvs_in_flight = 1000};
	struct told told = {0};
	const struct lea_workers_options options = {.lvm_args = lvm_args,
						    .lvm_path = row->lvm_path,
						    .finished = finished,
						    .arg = &told};
	struct lea_workers *workers;
	char names[128], *rest = names;

	once = mmap(NULL, sizeof(*once), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(once, MAP_FAILED);
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	strcpy(names, row->vgs);
	for (char *name; (name = strsep(&rest, " "));)
		add_vg(workers, name);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_eq(lea_workers_open(workers), 0);
	lea_workers_free(workers);
	munmap(once, sizeof(*once));
	if (row->want)
		ck_assert_msg(!strcmp(told.text, row->want), "%s: %s, not %s", row->claim,
			      told.text, row->want);
	else
		ck_assert_msg(!strstr(told.text, "=0"), "%s: %s", row->claim, told.text);
}
END_TEST

START_TEST(test_a_worker_that_dies_fails_only_its_vgs)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 2, .worker_vgs = 1, .lvs_in_flight = 10};
	struct told told = {0};
	const struct lea_workers_options options = {
		.lvm_args = lvm_args, .lvm_path = "/bin/true", .finished = finished, .arg = &told};
	struct lea_workers *workers;

	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "a");
	add_vg(workers, "die");
	add_vg(workers, "c");
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	ck_assert_ptr_nonnull(strstr(told.text, "a=0 "));
	ck_assert_ptr_nonnull(strstr(told.text, "c=0 "));
	ck_assert_ptr_nonnull(strstr(told.text, "die=-"));
}
END_TEST

START_TEST(test_many_vgs_few_workers)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 3, .worker_vgs = 256, .lvs_in_flight = 30};
	struct told told = {0};
	const struct lea_workers_options options = {
		.lvm_args = lvm_args, .lvm_path = "/bin/true", .finished = finished, .arg = &told};
	struct lea_workers *workers;
	char name[8];
	int done = 0;

	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		add_vg(workers, name);
	}
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_le(lea_workers_started(workers), 3);
	lea_workers_free(workers);
	for (const char *at = told.text; (at = strstr(at, "=0 ")); at += 3)
		done++;
	ck_assert_int_eq(done, 300);
}
END_TEST

/* ---- batch after batch */

static struct lea_workers *new_workers(uint32_t count, struct told *told, const int *private_fd)
{
	static struct lea_world world;
	static struct lea_conf conf = {.worker_vgs = 16, .lvs_in_flight = 1000};
	const struct lea_workers_options options = {
		.lvm_args = lvm_args,
		.lvm_path = "/bin/true",
		.finished = finished,
		.arg = told,
		.private_fd = private_fd,
		.private_fd_count = private_fd ? 2 : 0,
	};
	struct lea_workers *workers;

	world.log = &quiet;
	world.clock = lea_clock_kernel();
	conf.workers = count;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	return workers;
}

static void one_batch(struct lea_workers *workers, const char *name)
{
	add_vg(workers, name);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
}

static char state_of(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 'X';
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return strrchr(line, ')') ? strrchr(line, ')')[2] : 'X';
}

static bool ends(pid_t pid)
{
	for (int i = 0; i < 300 && !strchr("XZ", state_of(pid)); i++)
		usleep(10000);
	return strchr("XZ", state_of(pid)) != NULL;
}

START_TEST(test_batches_share_a_worker)
{
	struct told told = {0}, other = {0};
	struct lea_workers *workers = new_workers(4, &told, NULL);
	pid_t pid;

	ck_assert_msg(!lea_workers_started(workers), "none before there is a VG");
	one_batch(workers, "a");
	pid = told.pid;
	for (int i = 0; i < 4; i++)
		one_batch(workers, "b");
	one_batch(workers, "raid");
	ck_assert_str_eq(told.text, "a=0 b=0 b=0 b=0 b=0 raid=0d ");
	ck_assert_int_eq(told.pid, pid);
	ck_assert_uint_eq(lea_workers_started(workers), 1);
	lea_workers_listen(workers, finished, &other);
	one_batch(workers, "c");
	ck_assert_str_eq(other.text, "c=0 ");
	ck_assert_int_eq(other.pid, pid);
	lea_workers_free(workers);
	ck_assert_msg(state_of(pid) == 'X', "ended, and waited for");
}
END_TEST

START_TEST(test_killed_between_batches)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(1, &told, NULL);
	pid_t pid;

	one_batch(workers, "a");
	pid = told.pid;
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert(ends(pid));
	one_batch(workers, "b");
	ck_assert_str_eq(told.text, "a=0 b=0 ");
	ck_assert_int_ne(told.pid, pid);
	ck_assert_uint_eq(lea_workers_started(workers), 2);
	one_batch(workers, "die");
	one_batch(workers, "c");
	ck_assert_ptr_nonnull(strstr(told.text, "die=-"));
	ck_assert_ptr_nonnull(strstr(told.text, "c=0 "));
	ck_assert_uint_eq(lea_workers_started(workers), 4);
	lea_workers_free(workers);
}
END_TEST

START_TEST(test_stopped_and_used_again)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(1, &told, NULL);

	one_batch(workers, "a");
	add_vg(workers, "b");
	ck_assert_int_eq(lea_workers_step(workers), 0);
	add_vg(workers, "c");
	lea_workers_stop(workers);
	ck_assert_uint_eq(lea_workers_open(workers), 0);
	one_batch(workers, "d");
	ck_assert_str_eq(told.text, "a=0 d=0 ");
	lea_workers_free(workers);
}
END_TEST

START_TEST(test_holds_nothing_of_ours)
{
	struct told told = {0};
	struct lea_workers *workers;
	int fds[2], private_fd[2] = {-1, -1};
	char byte;

	ck_assert_int_eq(pipe(fds), 0);
	workers = new_workers(1, &told, private_fd);
	private_fd[1] = fds[1]; /* there only when the worker is started */
	one_batch(workers, "a");
	close(fds[1]);
	ck_assert_msg(!strchr("XZ", state_of(told.pid)), "the worker waits");
	ck_assert_msg(!read(fds[0], &byte, 1), "and the pipe has no writer");
	lea_workers_free(workers);
	close(fds[0]);
}
END_TEST

/* Several, so that each was forked while ways to others were open. */
START_TEST(test_none_outlives_us)
{
	struct told told = {0};
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	if (!fork()) {
		struct lea_workers *workers = new_workers(3, &told, NULL);

		for (int i = 0; i < 3; i++) {
			add_vg(workers, "a");
			ck_assert_int_eq(lea_workers_step(workers), 0);
		}
		ck_assert_int_eq(lea_workers_drain(workers), 0);
		_exit(write(fds[1], &told, sizeof(told)) != sizeof(told));
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &told, sizeof(told)), sizeof(told));
	ck_assert_uint_eq(told.count, 3);
	for (size_t i = 0; i < told.count; i++)
		ck_assert_msg(ends(told.all[i]), "worker %zu", i);
	close(fds[0]);
}
END_TEST

START_TEST(test_one_that_hangs_is_left)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {
		.workers = 1, .worker_vgs = 16, .lvs_in_flight = 1000, .probe_deadline_ms = 2500};
	struct told told = {0};
	const struct lea_workers_options options = {.finished = finished, .arg = &told};
	struct lea_workers *workers;

	once = mmap(NULL, 2 * sizeof(*once), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	ck_assert_ptr_ne(once, MAP_FAILED);
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "hang");
	add_vg(workers, "a");
	add_vg(workers, "b");
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(told.text, "hang=0left a=0 b=0 ");
	ck_assert_uint_eq(lea_workers_started(workers), 2);
	told.text[0] = '\0';
	one_batch(workers, "c");
	ck_assert_str_eq(told.text, "c=0 ");
	ck_assert_msg(state_of(once[1]) == 'T', "nobody kills it");
	kill(once[1], SIGCONT);
	ck_assert_msg(ends(once[1]), "it ends by itself");
	lea_workers_free(workers);
	munmap(once, 2 * sizeof(*once));
}
END_TEST

static long resident_kib(pid_t pid)
{
	char path[64];
	long all, resident = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%ld %ld", &all, &resident), 2);
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* 500 batches of some 50 KiB each. */
START_TEST(test_memory_of_a_batch_goes_with_it)
{
	enum { PVS = 50 };
	static struct lea_pv pvs[PVS];
	static uint32_t by_id[PVS];
	static struct lea_found found[PVS], *pv[PVS];
	struct lea_vg vg = {.name = "v",
			    .id = "0123456789abcdef0123456789abcdef",
			    .pv_count = PVS,
			    .pvs = pvs,
			    .pvs_by_id = by_id};
	struct lea_scan_vg known = {.vg = &vg, .pv = pv};
	char name[] = "/dev/sda", properties[1000];
	struct told told = {0};
	struct lea_workers *workers = new_workers(1, &told, NULL);
	long before = 0;

	memset(properties, 'x', sizeof(properties) - 1);
	properties[sizeof(properties) - 1] = '\0';
	for (uint32_t i = 0; i < PVS; i++) {
		strcpy(pvs[i].id, vg.id);
		by_id[i] = i;
		found[i].device.name = name;
		found[i].device.properties = properties;
		pv[i] = &found[i];
	}
	for (int i = 0; i < 550; i++) {
		told.text[0] = '\0';
		ck_assert_int_eq(lea_workers_add(workers, &known), 0);
		ck_assert_int_eq(lea_workers_drain(workers), 0);
		ck_assert_str_eq(told.text, "v=0 ");
		if (i == 50)
			before = resident_kib(told.pid);
	}
	ck_assert_uint_eq(lea_workers_started(workers), 1);
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory for a while */
	ck_assert_int_le(resident_kib(told.pid), before + 512);
#endif
	ck_assert_int_gt(before, 0);
	lea_workers_free(workers);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("workers");
	TCase *tcase = tcase_create("workers");

	tcase_add_loop_test(tcase, test_rows, 0, (int)ARRAY_SIZE(rows));
	tcase_add_test(tcase, test_a_worker_that_dies_fails_only_its_vgs);
	tcase_add_test(tcase, test_many_vgs_few_workers);
	tcase_add_test(tcase, test_batches_share_a_worker);
	tcase_add_test(tcase, test_killed_between_batches);
	tcase_add_test(tcase, test_stopped_and_used_again);
	tcase_add_test(tcase, test_holds_nothing_of_ours);
	tcase_add_test(tcase, test_none_outlives_us);
	tcase_add_test(tcase, test_one_that_hangs_is_left);
	tcase_add_test(tcase, test_memory_of_a_batch_goes_with_it);
	suite_add_tcase(suite, tcase);
	return suite;
}
