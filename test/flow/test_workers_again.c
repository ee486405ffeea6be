/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch after batch: which workers are there, and how they end. */
#include "flow/workers_scratch.h"

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

/* Whoever listened when a VG was added hears of it, somebody else of the next one. */
START_TEST(test_each_hears_of_its_own)
{
	struct told first = {0}, second = {0};
	struct lea_workers *workers = new_workers(1, &first, NULL);

	add_vg(workers, "a");
	add_vg(workers, "raid");
	lea_workers_listen(workers, finished, &second);
	add_vg(workers, "b");
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(first.text, "a=0 raid=0d ");
	ck_assert_str_eq(second.text, "b=0 ");
	lea_workers_free(workers);
}
END_TEST

/* VGs that come together, and how many workers have a part of them */
static const struct {
	int vgs;
	uint32_t workers;
} shares[] = {{1, 1}, {8, 1}, {9, 2}, {40, 4}};

START_TEST(test_all_have_a_share)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(4, &told, NULL);

	for (int i = 0; i < shares[_i].vgs; i++)
		add_vg(workers, "a");
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_eq(lea_workers_started(workers), shares[_i].workers);
	lea_workers_free(workers);
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
	Suite *suite = suite_create("workers_again");
	TCase *tcase = tcase_create("workers_again");

	tcase_add_test(tcase, test_batches_share_a_worker);
	tcase_add_test(tcase, test_each_hears_of_its_own);
	tcase_add_loop_test(tcase, test_all_have_a_share, 0, (int)ARRAY_SIZE(shares));
	tcase_add_test(tcase, test_killed_between_batches);
	tcase_add_test(tcase, test_stopped_and_used_again);
	tcase_add_test(tcase, test_holds_nothing_of_ours);
	tcase_add_test(tcase, test_none_outlives_us);
	tcase_add_test(tcase, test_one_that_hangs_is_left);
	tcase_add_test(tcase, test_memory_of_a_batch_goes_with_it);
	suite_add_tcase(suite, tcase);
	return suite;
}
