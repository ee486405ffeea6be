/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of VGs that are given to workers, all at once. */
#include "flow/workers_scratch.h"

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
	{"a VG with a copied PV does not go to lvm, others do", "/bin/sh",
	 "raid1 raidcopy raidbad", "raid1=0d raidbad=1d raidcopy=8d ", 1, 16},
	{"alone with it lvm is not started", "/no/lvm", "raidcopy", "raidcopy=8d ", 1, 16},
	{"a worker that dies is nobody's fault the first time", "/bin/true", "a once c",
	 "a=0 once=0 c=0 ", 1, 16},
	{"each alone: the VG that kills fails, no other", "/bin/true", "a die c",
	 "a=0 die=-10 c=0 ", 1, 16},
	{"a wait for udev that fails, fails its VGs for now", "/bin/true", "late", "late=1t ", 1,
	 16},
	{"so does an lvm that can't be started", "/no/lvm", "raid1", "raid1=-114dt ", 1, 16},
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
	ck_assert_msg(!strcmp(told.text, row->want), "%s: %s, not %s", row->claim, told.text,
		      row->want);
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
