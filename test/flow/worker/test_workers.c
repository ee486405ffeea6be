/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of VGs that are given to workers all at once. */
#include "flow/ends.h"
#include "flow/workers_scratch.h"
#include "world/proc_stat.h"

struct row {
	const char *claim, *lvm_path, *vgs, *want;
};

static const struct row rows[] = {
	{"one worker takes a batch in order", "/bin/true", "a b c d", "a=0 b=0 c=0 d=0 "},
	{"a busy VG goes to the end and is waited for there", "/bin/true", "a busy c d",
	 "a=0 c=0 d=0 busy=0 "},
	{"a VG with a pool to be checked goes alone: nobody is before it", "/bin/true",
	 "a poolbusy c", "a=0 poolbusy=0 c=0 "},
	{"nor with it", "/bin/true", "pool busy", "pool=0 busy=0 "},
	{"a failure is its own", "/bin/true", "a fail c", "a=0 fail=1 c=0 "},
	{"VGs that are not ours go to lvm together", "/bin/true", "raid1 a raid2",
	 "a=0 raid1=0d raid2=0d "},
	{"an lvm that fails is a failure", "/bin/false", "raid1", "raid1=1d "},
	{"what is only to be watched is never brought up by lvm", "/bin/false",
	 "raidwatch a", "raidwatch=0 a=0 "},
	{"found to be not ours under the lock: handed over then", "/bin/true", "other a",
	 "a=0 other=0d "},
	{"of several, only the one that lvm fails; a renamed one is looked at again", "/bin/sh",
	 "raid1 raidbad raidmoved raid2", "raid1=0d raidbad=1d raidmoved=7d raid2=0d "},
	{"a VG with a copied PV does not go to lvm, others do", "/bin/sh", "raid1 raidcopy raidbad",
	 "raid1=0d raidbad=1d raidcopy=8d "},
	{"alone with it lvm is not started", "/no/lvm", "raidcopy", "raidcopy=8d "},
	{"a worker that dies is nobody's fault the first time", "/bin/true", "a once c",
	 "a=0 once=0 c=0 "},
	{"each alone: the VG that makes it crash fails, no other", "/bin/true", "a crash c",
	 "a=0 crash=-10 c=0 "},
	{"one that somebody kills fails for now: that says nothing of the VG", "/bin/true",
	 "a die c", "a=0 die=-114t c=0 "},
	{"a wait for udev that fails, fails its VGs for now", "/bin/true", "late", "late=1t "},
	{"so does an lvm that can't be started", "/no/lvm", "raid1", "raid1=-114dt "},
};

TEST_EACH(each_vg_ends_as_its_worker_says, rows)
{
	const struct row *row = &rows[_i];
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 1, .lvs_in_flight = 1000};
	struct told told = {0};
	const struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = row->lvm_path};
	struct lea_workers *workers;
	char names[128], *rest = names;

	once = mmap(NULL, sizeof(*once), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(once, MAP_FAILED);
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	strcpy(names, row->vgs);
	for (char *name; (name = strsep(&rest, " "));)
		add_vg(workers, name, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	munmap(once, sizeof(*once));
	ck_assert_msg(!strcmp(told.text, row->want), "%s: %s, not %s", row->claim, told.text,
		      row->want);
}

static void keep_reason(void *arg, const struct lea_worker_result *result)
{
	snprintf(arg, 192, "%s", result->reason);
}

/* The words of a failed lvm: the last line that is no warning. */
TEST(what_lvm_says_is_the_reason)
{
	static const char *const says[] = {
		"-c", "echo '  WARNING: x.' >&2; echo '  Cannot do it.' >&2; exit 5", NULL};
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 1, .lvs_in_flight = 10};
	const struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = says, .lvm_path = "/bin/sh"};
	char reason[192] = "";
	struct lea_workers *workers;

	listener = keep_reason;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "raid1", (void *)reason);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	listener = finished;
	ck_assert_str_eq(reason, "/bin/sh ended with status 5: Cannot do it.");
}

static const struct {
	int fault;
	const char *told;
} starts[] = {
	{-ENOMEM, "a=-114t "}, {-EMFILE, "a=-114t "}, {-ENOBUFS, "a=-114t "}, {-EIO, "a=-10 "}};

/* A shortage that two workers meet says nothing of the VG, which is to be tried again. */
TEST_EACH(a_worker_that_finds_no_room_fails_its_vgs_for_now, starts)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 1, .lvs_in_flight = 10};
	struct told told = {0};
	const struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = "/bin/true"};
	struct lea_workers *workers;

	start_fault = starts[_i].fault;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "a", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	start_fault = 0;
	ck_assert_str_eq(told.text, starts[_i].told);
}

TEST(a_worker_that_dies_fails_only_its_vgs)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 2, .lvs_in_flight = 10};
	struct told told = {0};
	const struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = "/bin/true"};
	struct lea_workers *workers;

	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "a", &told);
	add_vg(workers, "die", &told);
	add_vg(workers, "c", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	ck_assert_ptr_nonnull(strstr(told.text, "a=0 "));
	ck_assert_ptr_nonnull(strstr(told.text, "c=0 "));
	ck_assert_ptr_nonnull(strstr(told.text, "die=-"));
}

TEST(many_vgs_share_few_workers)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 3, .lvs_in_flight = 30};
	struct told told = {0};
	const struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = "/bin/true"};
	struct lea_workers *workers;
	char name[8];
	int done = 0;

	forks = 0;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		add_vg(workers, name, &told);
	}
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_le(forks, 3);
	lea_workers_free(workers);
	for (const char *at = told.text; (at = strstr(at, "=0 ")); at += 3)
		done++;
	ck_assert_int_eq(done, 300);
}

static struct lea_workers *new_workers(uint32_t count)
{
	static struct lea_world world;
	static struct lea_conf conf = {.lvs_in_flight = 1000};
	const struct lea_workers_options options = {
		.activator = &fake_activator,
		.lvm_args = lvm_args,
		.lvm_path = "/bin/true",
	};
	struct lea_workers *workers;

	world.log = &quiet;
	world.clock = lea_clock_kernel();
	conf.workers = count;
	forks = 0;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	return workers;
}

static void one_batch(struct lea_workers *workers, const char *name, struct told *told)
{
	add_vg(workers, name, told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
}

static char state_of(pid_t pid)
{
	LEA_AUTO(lea_closep) int proc_fd = open("/proc", O_RDONLY | O_CLOEXEC);
	struct lea_proc_stat stat;

	return lea_proc_stat(proc_fd, pid, &stat) ? 'X' : stat.state;
}

TEST(batches_share_a_worker)
{
	struct told told = {0}, other = {0};
	struct lea_workers *workers = new_workers(4);
	pid_t pid;

	ck_assert_msg(!forks, "none before there is a VG");
	one_batch(workers, "a", &told);
	pid = told.pid;
	for (int i = 0; i < 4; i++)
		one_batch(workers, "b", &told);
	one_batch(workers, "raid", &told);
	ck_assert_str_eq(told.text, "a=0 b=0 b=0 b=0 b=0 raid=0d ");
	ck_assert_int_eq(told.pid, pid);
	ck_assert_uint_eq(forks, 1);
	one_batch(workers, "c", &other);
	ck_assert_str_eq(other.text, "c=0 ");
	ck_assert_int_eq(other.pid, pid);
	lea_workers_free(workers);
	ck_assert_msg(state_of(pid) == 'X', "ended, and waited for");
}

/* Who adds a VG hears of it, and of no other. */
TEST(each_listener_hears_of_its_own_vgs)
{
	struct told first = {0}, second = {0};
	struct lea_workers *workers = new_workers(1);

	add_vg(workers, "a", &first);
	add_vg(workers, "raid", &first);
	add_vg(workers, "b", &second);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(first.text, "a=0 raid=0d ");
	ck_assert_str_eq(second.text, "b=0 ");
	lea_workers_free(workers);
}

/* VGs that are added together, and the number of workers that share them. */
static const struct {
	int vgs;
	uint32_t workers;
} shares[] = {{1, 1}, {8, 1}, {9, 2}, {40, 4}};

TEST_EACH(each_worker_has_a_share_of_the_vgs, shares)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(4);

	for (int i = 0; i < shares[_i].vgs; i++)
		add_vg(workers, "a", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_eq(forks, shares[_i].workers);
	lea_workers_free(workers);
}

TEST(a_worker_killed_between_batches_is_replaced)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(1);
	pid_t pid;

	one_batch(workers, "a", &told);
	pid = told.pid;
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert(ends(pid));
	one_batch(workers, "b", &told);
	ck_assert_str_eq(told.text, "a=0 b=0 ");
	ck_assert_int_ne(told.pid, pid);
	ck_assert_uint_eq(forks, 2);
	one_batch(workers, "die", &told);
	one_batch(workers, "c", &told);
	ck_assert_ptr_nonnull(strstr(told.text, "die=-"));
	ck_assert_ptr_nonnull(strstr(told.text, "c=0 "));
	ck_assert_uint_eq(forks, 4);
	lea_workers_free(workers);
}

TEST(stopped_workers_can_be_used_again)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(1);

	one_batch(workers, "a", &told);
	add_vg(workers, "b", &told);
	ck_assert_int_eq(lea_workers_step(workers), 0);
	add_vg(workers, "c", &told);
	lea_workers_stop(workers);
	one_batch(workers, "d", &told);
	ck_assert_str_eq(told.text, "a=0 d=0 ");
	lea_workers_free(workers);
}

/* Whatever it is, and whoever opened it: a worker may hang for days after its parent has ended. */
TEST(a_worker_holds_no_descriptor_of_its_parent)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers(1);
	int fds[2];
	char byte;

	ck_assert_int_eq(pipe(fds), 0);
	one_batch(workers, "a", &told);
	close(fds[1]);
	ck_assert_msg(!strchr("XZ", state_of(told.pid)), "the worker waits");
	ck_assert_msg(!read(fds[0], &byte, 1), "and the pipe has no writer");
	lea_workers_free(workers);
	close(fds[0]);
}

/* Several workers, so that each was forked while channels to others were open. */
TEST(no_worker_outlives_its_parent)
{
	struct told told = {0};
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	if (!fork()) {
		struct lea_workers *workers = new_workers(3);

		for (int i = 0; i < 3; i++) {
			add_vg(workers, "a", &told);
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

TEST(a_worker_that_hangs_is_abandoned)
{
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 1, .lvs_in_flight = 1000, .probe_deadline_ms = 2500};
	struct told told = {0};
	const struct lea_workers_options options = {.activator = &fake_activator};
	struct lea_workers *workers;

	once = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(once, MAP_FAILED);
	forks = 0;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	add_vg(workers, "hang", &told);
	add_vg(workers, "a", &told);
	add_vg(workers, "b", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(told.text, "hang=0left a=0 b=0 ");
	ck_assert_uint_eq(forks, 2);
	told.text[0] = '\0';
	one_batch(workers, "c", &told);
	ck_assert_str_eq(told.text, "c=0 ");
	ck_assert_msg(state_of(once[1]) == 'T', "nobody kills it");
	kill(once[1], SIGCONT);
	ck_assert_msg(ends(once[1]), "it ends by itself");
	lea_workers_free(workers);
	munmap(once, 4096);
}

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
TEST(the_memory_of_a_batch_goes_with_it)
{
	enum { PVS = 50 };
	static struct lea_found found[PVS], *pv[PVS];
	struct lea_vg vg = {.name = "v", .id = "0123456789abcdef0123456789abcdef", .pv_count = PVS};
	struct lea_scan_vg scanned = {.vg = &vg, .pv = pv};
	char name[] = "/dev/sda", properties[1000];
	struct told told = {0};
	struct lea_workers *workers = new_workers(1);
	long before = 0;

	memset(properties, 'x', sizeof(properties) - 1);
	properties[sizeof(properties) - 1] = '\0';
	for (uint32_t i = 0; i < PVS; i++) {
		strcpy(found[i].label.pvid, vg.id);
		found[i].device.name = name;
		found[i].device.properties = properties;
		pv[i] = &found[i];
	}
	for (int i = 0; i < 550; i++) {
		told.text[0] = '\0';
		ck_assert_int_eq(lea_workers_add(workers, &scanned, finished, &told), 0);
		ck_assert_int_eq(lea_workers_drain(workers), 0);
		ck_assert_str_eq(told.text, "v=0 ");
		if (i == 50)
			before = resident_kib(told.pid);
	}
	ck_assert_uint_eq(forks, 1);
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory for a while */
	ck_assert_int_le(resident_kib(told.pid), before + 512);
#endif
	ck_assert_int_gt(before, 0);
	lea_workers_free(workers);
}

/* Rows: VGs in the order in which they are added, and in the order of their results. */
static const struct {
	const char *add[8];
	const char *want;
} orders[] = {
	{{"a", "b"}, "a=0 b=0 "},
	{{"a", "last", "needed", "b"}, "needed=0 a=0 b=0 last=0 "},
	{{"last", "last2", "needed2", "needed"}, "needed2=0 needed=0 last=0 last2=0 "},
	/* VGs for the real lvm come last in their class, and before those of later classes. */
	{{"raid", "a", "raidneeded", "needed"}, "needed=0 raidneeded=0d a=0 raid=0d "},
	{{"raidlast", "last", "raidneeded", "a"}, "raidneeded=0d a=0 last=0 raidlast=0d "},
	/* A VG that ends in another way keeps its class, and the others are activated. */
	{{"a", "busy", "needed"}, "needed=0 a=0 busy="},
};

TEST_EACH(classes_are_activated_in_their_order, orders)
{
	static const char *needed[] = {"needed", "needed2", "raidneeded"};
	static const char *last[] = {"last", "last2", "raidlast"};
	const struct lea_need_sources sources = {
		.needed = {.item = needed, .count = ARRAY_SIZE(needed), .defined = true},
		.last = {.item = last, .count = ARRAY_SIZE(last), .defined = true},
	};
	struct lea_world world = {.log = &quiet, .clock = lea_clock_kernel()};
	struct lea_conf conf = {.workers = 1, .lvs_in_flight = 1000};
	struct lea_workers_options options = {
		.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = "/bin/sh"};
	struct lea_needs *needs;
	struct lea_workers *workers;
	struct told told = {0};

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	options.needs = needs;
	ck_assert_int_eq(lea_workers_new(&world, &conf, &options, &workers), 0);
	for (size_t i = 0; orders[_i].add[i]; i++)
		add_vg(workers, orders[_i].add[i], &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	lea_workers_free(workers);
	lea_needs_free(needs);
	ck_assert_msg(!strncmp(told.text, orders[_i].want, strlen(orders[_i].want)), "got %s",
		      told.text);
}
