/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers with an activation of our own in place of the real one: what a VG does is in its name.
 * The processes, pipes and waits are real.
 */
#include "flow/workers.h"

#include "unit/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lea_activation_run {
	const struct lea_activate_options *options;
	uint32_t held;
	bool finish_fails;
};

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
	if (!strncmp(vg_name, "die", 3))
		raise(SIGKILL);
	if (!strncmp(vg_name, "fail", 4))
		return LEA_ACTIVATE_FAILED;
	if (!strncmp(vg_name, "other", 5))
		return LEA_ACTIVATE_DELEGATE;
	/* Somebody holds it: who waits gets it, who may not wait does not. */
	if (!strncmp(vg_name, "busy", 4) && run->options->no_wait_lock)
		return LEA_ACTIVATE_VG_BUSY;
	/* The rule against deadlock: waiting is for those who hold nothing. */
	if (run->held && !run->options->no_wait_lock)
		return -EDEADLK;
	run->held++;
	run->finish_fails = !strncmp(vg_name, "late", 4);
	ret_result->active = known->vg->pv_count + 6;
	return 0;
}

int lea_activation_finish(struct lea_activation_run *run)
{
	int r = run->finish_fails ? LEA_ACTIVATE_FAILED : 0;

	free(run);
	return r;
}

/* ---- a few VGs, and what is told of them */

struct told {
	char text[4096];
};

static void finished(void *arg, const struct lea_worker_result *result)
{
	struct told *told = arg;
	size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof(told->text) - used, "%s=%d%s ", result->vg_name,
		 result->outcome, result->delegated ? "d" : "");
}

static void silent(struct lea_log *log, enum lea_log_level level, const char *line)
{
}

static struct lea_log quiet = {.write = silent, .max_level = LEA_LOG_ERROR};

static void add_vg(struct lea_workers *workers, const char *name)
{
	struct lea_vg vg = {.name = name, .id = "0123456789abcdef0123456789abcdef", .lv_count = 1};
	struct lea_scan_vg known = {.vg = &vg};

	if (!strncmp(name, "raid", 4))
		vg.delegate_reason = "raid";
	ck_assert_int_eq(lea_workers_add(workers, &known), 0);
}

struct row {
	const char *claim, *lvm_path, *vgs, *want;
	uint32_t workers, worker_vgs;
};

static const struct row rows[] = {
	{"one worker takes a batch in order", "/bin/true", "a b c d", "a=0 b=0 c=0 d=0 ", 1, 16},
	{"batches follow each other", "/bin/true", "a b c d e", "a=0 b=0 c=0 d=0 e=0 ", 1, 2},
	{"a busy VG goes to the end and is waited for there", "/bin/true", "a busy c d",
	 "a=0 c=0 d=0 busy=0 ", 1, 16},
	{"a failure is its own", "/bin/true", "a fail c", "a=0 fail=1 c=0 ", 1, 16},
	{"VGs that are not ours go to lvm together", "/bin/true", "raid1 a raid2",
	 "a=0 raid1=0d raid2=0d ", 1, 16},
	{"an lvm that fails is a failure", "/bin/false", "raid1", "raid1=1d ", 1, 16},
	{"found to be not ours under the lock: handed over then", "/bin/true", "other a",
	 "a=0 other=0d ", 1, 16},
	{"a wait for udev that fails, fails its VGs", "/bin/true", "late", "late=1 ", 1, 16},
	{"an lvm that can't be started is a fault", "/no/lvm", "raid1", NULL, 1, 16},
};

START_TEST(test_rows)
{
	const struct row *row = &rows[_i];
	struct lea_world world = {.log = &quiet};
	struct lea_conf conf = {
		.workers = row->workers, .worker_vgs = row->worker_vgs, .lvs_in_flight = 1000};
	const char *const args[] = {"vgchange", NULL};
	struct told told = {""};
	const struct lea_workers_options options = {
		.lvm_args = args, .lvm_path = row->lvm_path, .finished = finished, .arg = &told};
	struct lea_workers *workers;
	char names[128], *rest = names;

	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	strcpy(names, row->vgs);
	for (char *name; (name = strsep(&rest, " "));)
		add_vg(workers, name);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_eq(lea_workers_open(workers), 0);
	lea_workers_free(workers);
	if (row->want)
		ck_assert_msg(!strcmp(told.text, row->want), "%s: %s, not %s", row->claim,
			      told.text, row->want);
	else
		ck_assert_msg(!strstr(told.text, "=0"), "%s: %s", row->claim, told.text);
}
END_TEST

START_TEST(test_a_worker_that_dies_fails_only_its_vgs)
{
	struct lea_world world = {.log = &quiet};
	struct lea_conf conf = {.workers = 2, .worker_vgs = 1, .lvs_in_flight = 10};
	const char *const args[] = {"vgchange", NULL};
	struct told told = {""};
	const struct lea_workers_options options = {
		.lvm_args = args, .lvm_path = "/bin/true", .finished = finished, .arg = &told};
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
	struct lea_world world = {.log = &quiet};
	struct lea_conf conf = {.workers = 3, .worker_vgs = 256, .lvs_in_flight = 30};
	const char *const args[] = {"vgchange", NULL};
	struct told told = {""};
	const struct lea_workers_options options = {
		.lvm_args = args, .lvm_path = "/bin/true", .finished = finished, .arg = &told};
	struct lea_workers *workers;
	char name[8];
	int done = 0;

	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		add_vg(workers, name);
	}
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	for (const char *at = told.text; (at = strstr(at, "=0 ")); at += 3)
		done++;
	ck_assert_int_eq(done, 300);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("workers");
	TCase *tcase = tcase_create("workers");

	tcase_add_loop_test(tcase, test_rows, 0, (int)ARRAY_SIZE(rows));
	tcase_add_test(tcase, test_a_worker_that_dies_fails_only_its_vgs);
	tcase_add_test(tcase, test_many_vgs_few_workers);
	suite_add_tcase(suite, tcase);
	return suite;
}
