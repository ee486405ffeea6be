/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that hang: any kind of end is noticed, and nothing waits for them. */
#include "fake/tree.h"
#include "flow/workers_scratch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#define PATIENCE_MS 60000 /* for what should happen at once: the machine may be slow */
#define VG_ID	    "0123456789abcdef0123456789abcdef"

const double timeout_s = 2 * PATIENCE_MS / 1000;

static struct tree tree;
static char lost_text[256]; /* ids of VGs, each followed by a space */
static int lost_faults;	    /* number of calls that fail */

static int lost(struct lea_world *world, const char *vg_id)
{
	if (lost_faults-- > 0)
		return -ENOSPC;
	strcat(strcat(lost_text, vg_id), " ");
	return 0;
}

static struct lea_workers *new_workers(void)
{
	static struct lea_conf conf = {.workers = 2,
				       .locking_dir = "/lock",
				       .lvs_in_flight = 1000,
				       .probe_deadline_ms = 2500,
				       .udev_deadline_ms = 60000};
	const struct lea_workers_options options = {.activator = &fake_activator,
						    .lvm_args = lvm_args,
						    .lvm_path = "/bin/true",
						    .lost = lost};
	struct lea_workers *workers;

	/* Real processes make the claims, in run files of our own. */
	tree_init(&tree);
	tree.world.log = &quiet;
	tree.world.clock = lea_clock_kernel();
	tree.world.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(tree.world.proc_fd, 0);
	once = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(once, MAP_FAILED);
	lost_text[0] = '\0';
	lost_faults = 0;
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &options, &workers), 0);
	return workers;
}

static void leave_one(struct lea_workers *workers, struct told *told)
{
	add_vg(workers, "hang", told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(told->text, "hang=0left ");
}

/* Waits like the runner: only on the descriptor. */
static bool is_woken(struct lea_workers *workers)
{
	struct pollfd heard = {.fd = lea_workers_fd(workers), .events = POLLIN};

	return poll(&heard, 1, PATIENCE_MS) == 1;
}

static bool is_there(pid_t pid)
{
	return kill(pid, 0) == 0; /* a zombie exists, too */
}

static void start_hanging(struct lea_workers *workers, struct told *told)
{
	add_vg(workers, "hang", told);
	ck_assert_int_eq(lea_workers_step(workers), 0);
	for (int i = 0; i < PATIENCE_MS && !once[1]; i++)
		usleep(1000);
	ck_assert_int_ne(once[1], 0);
}

static void end(struct lea_workers *workers)
{
	kill(once[1], SIGKILL);
	lea_workers_free(workers);
	munmap(once, 4096);
	tree_done(&tree);
}

TEST(the_vg_of_a_left_worker_that_is_killed_is_told_as_lost)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	leave_one(workers, &told);
	ck_assert_int_eq(kill(once[1], SIGKILL), 0);
	ck_assert_msg(is_woken(workers), "nothing wakes who sleeps");
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_str_eq(lost_text, VG_ID " ");
	ck_assert_msg(!is_there(once[1]), "it is waited for");
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_msg(!strcmp(lost_text, VG_ID " "), "told twice: %s", lost_text);
	end(workers);
}

/* As the boot scan waits. */
TEST(a_worker_that_hangs_wakes_who_waits_for_the_descriptor)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	start_hanging(workers, &told);
	for (int i = 0; i < 60 && !told.text[0]; i++) {
		ck_assert(is_woken(workers));
		ck_assert_int_eq(lea_workers_step(workers), 0);
	}
	ck_assert_str_eq(told.text, "hang=0left ");
	end(workers);
}

TEST(a_left_worker_that_ends_by_itself_is_waited_for_and_not_lost)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	leave_one(workers, &told);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_msg(!is_there(once[1]), "no zombie, though nothing else hangs");
	ck_assert_str_eq(lost_text, "");
	end(workers);
}

TEST(a_lost_vg_that_can_not_be_queued_now_is_told_again)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	leave_one(workers, &told);
	lost_faults = 1;
	ck_assert_int_eq(kill(once[1], SIGKILL), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_str_eq(lost_text, "");
	ck_assert_msg(is_woken(workers), "a second later");
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_str_eq(lost_text, VG_ID " ");
	end(workers);
}

TEST(stopping_does_not_wait_for_a_worker_that_hangs)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	start_hanging(workers, &told);
	alarm(PATIENCE_MS / 1000); /* waits without limit: the test ends here */
	lea_workers_stop(workers);
	alarm(0);
	ck_assert_msg(is_there(once[1]), "nobody kills it");
	ck_assert_str_eq(told.text, "");
	add_vg(workers, "a", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(told.text, "a=0 ");
	ck_assert_int_eq(kill(once[1], SIGKILL), 0);
	for (int i = 0; i < PATIENCE_MS && !lost_text[0]; i++) {
		ck_assert_int_eq(lea_workers_step(workers), 0);
		usleep(1000);
	}
	ck_assert_msg(!strcmp(lost_text, VG_ID " "), "killed later, its VG is told as lost");
	end(workers);
}

TEST(who_ends_hands_over_vgs_of_workers_that_hang)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	leave_one(workers, &told);
	lea_workers_hand_over(workers);
	ck_assert_str_eq(lost_text, VG_ID " ");
	ck_assert(is_there(once[1]));
	end(workers);
}

/* ---- why they hang */

static void finished_why(void *arg, const struct lea_worker_result *result)
{
	static const char *const words[] = {
		[LEA_DETACHED_OTHER] = "other", [LEA_DETACHED_DISK] = "disk",
		[LEA_DETACHED_LOCK] = "lock",	[LEA_DETACHED_UDEV] = "udev",
		[LEA_DETACHED_LVM] = "lvm",	[LEA_DETACHED_BESIDE] = "beside"};
	struct told *told = arg;
	size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof(told->text) - used, "%s=%s%s%s ", result->vg_name,
		 result->is_detached ? words[result->detached_why] : "done",
		 result->is_detached && result->detached_by[0] ? ":" : "",
		 result->is_detached ? result->detached_by : "");
}

static const struct {
	const char *claim, *vgs[3], *want;
} reasons[] = {
	{"a disk that does not answer", {"disk"}, "disk=disk "},
	{"a lock that another one has", {"locked"}, "locked=lock "},
	{"a VG that was set up beside one that hangs is not blamed; what was not begun is done",
	 {"busy", "stopbusy", "z"},
	 "busy=beside:stopbusy stopbusy=other z=done "},
	{"its lock is released, and another worker finishes it",
	 {"held", "stopbusy", "z"},
	 "held=done stopbusy=other z=done "},
	{"so is one that is busy for others and was not begun",
	 {"stopbusy", "busy"},
	 "stopbusy=other busy=lock "},
};

TEST_EACH(each_vg_is_left_for_its_own_reason, reasons)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();
	int fd;

	strcpy(lock_path, "/tmp/lea-lock-XXXXXX");
	fd = mkstemp(lock_path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	listener = finished_why;
	for (int i = 0; i < 3 && reasons[_i].vgs[i]; i++)
		add_vg(workers, reasons[_i].vgs[i], &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_msg(!strcmp(told.text, reasons[_i].want), "%s: %s", reasons[_i].claim, told.text);
	unlink(lock_path);
	end(workers);
	close(fd);
}
