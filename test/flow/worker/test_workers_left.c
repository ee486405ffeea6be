/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that hang: any kind of end is noticed, and nothing waits for them. */
#include "fake/tree.h"
#include "flow/workers_scratch.h"
#include "batch/requeue.h"
#include "plan/incomplete_rules.h"
#include "record/duplicate_note.h"
#include "state/claim.h"
#include "state/mark.h"
#include "state/online.h"
#include "world/manager.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#define PATIENCE_MS 60000 /* for what should happen at once: the machine may be slow */
#define VG_ID	    "0123456789abcdef0123456789abcdef"
#define UNITS_STARTED 100 /* of once */

const double timeout_s = 2 * PATIENCE_MS / 1000;

static struct tree tree;
static char lost_text[8192]; /* ids of VGs, each followed by a space */
static int lost_faults;	     /* number of calls that fail */

static bool is_put_off;

static int lost(struct lea_world *world, const char *vg_id, bool is_last)
{
	if (lost_faults-- > 0)
		return -ENOSPC;
	strcat(strcat(lost_text, vg_id), is_last ? "! " : " ");
	return is_put_off ? LEA_WORKERS_LATER : 0;
}

static struct lea_conf conf;
static const struct lea_workers_options options = {
	.activator = &fake_activator, .lvm_args = lvm_args, .lvm_path = "/bin/true", .lost = lost};

/* In the worker. */
static bool start(const struct lea_world *world, const char *const *units, size_t count)
{
	once[UNITS_STARTED]++;
	return true;
}

static const struct lea_manager manager = {.start = start};

static struct lea_workers *new_workers(void)
{
	struct lea_workers *workers;

	conf = (struct lea_conf){.workers = 2,
				 .locking_dir = "/lock",
				 .lvs_in_flight = 1000,
				 .probe_deadline_ms = 2500,
				 .udev_deadline_ms = 60000};
	/* Real processes make the claims, in run files of our own. */
	tree_init(&tree);
	tree.world.log = &quiet;
	tree.world.manager = &manager;
	tree_mkdir(&tree, "/etc/systemd/system/lvmevent-failed@.service.d");
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
	if (once[1])
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

/* Rows: what a worker that hung brings its VG to when it continues. */
static const struct {
	const char *claim, *vg;
	int read; /* of the claim */
	enum lea_claim_state state;
	bool is_tagged, is_lost;
} ends_of_left[] = {
	{"an active VG is done", "hang", 0, LEA_CLAIM_DONE, false, false},
	{"a tag that the boot needs is not forgotten", "hangtagged", 0, LEA_CLAIM_DONE, true,
	 false},
	{"another try would fail as well", "hangfail", 0, LEA_CLAIM_FAILED, false, false},
	{"a copy stays one", "hangcopy", 0, LEA_CLAIM_FAILED, false, false},
	{"a PV of it is gone", "hanglacking", 0, LEA_CLAIM_FAILED, false, false},
	{"it is not to be activated", "hangrefused", 0, LEA_CLAIM_DONE, false, false},
	{"what only the real lvm can do is left to that", "hangother", 0, LEA_CLAIM_DONE, false,
	 false},
	{"what was taken down meanwhile lvm does not bring up", "hangotheronline", LEA_CLAIM_ABSENT,
	 0, false, true},
	{"what has changed meanwhile is for the runner", "hangothermoved", LEA_CLAIM_ABSENT, 0,
	 false, true},
};

TEST_EACH(a_left_worker_ends_the_claims_of_its_vgs, ends_of_left)
{
	static const char *needed[] = {"@tag"};
	struct lea_claim claim = {0};
	struct lea_claims claims;
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	conf.needed = (struct lea_list){.item = needed, .count = 1, .defined = true};
	add_vg(workers, ends_of_left[_i].vg, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &claim) == ends_of_left[_i].read, "%s: read",
		      ends_of_left[_i].claim);
	ck_assert_msg(claim.state == ends_of_left[_i].state, "%s: %d", ends_of_left[_i].claim,
		      (int)claim.state);
	ck_assert_msg(claim.is_tagged == ends_of_left[_i].is_tagged, "%s", ends_of_left[_i].claim);
	ck_assert_msg((lost_text[0] != '\0') == ends_of_left[_i].is_lost, "%s: lost %s",
		      ends_of_left[_i].claim, lost_text);
	ck_assert_msg(once[UNITS_STARTED] == (claim.state == LEA_CLAIM_FAILED),
		      "%s: %d units started", ends_of_left[_i].claim, (int)once[UNITS_STARTED]);
	lea_claim_done(&claim);
	end(workers);
}

/* As the runner would note it. Rows: what led to the VG, and why it failed. */
static const struct {
	const char *vg;
	int waits;
} waiting[] = {
	{"hanglackingadded", 1},
	{"hanglacking", 0},
	{"hangfailadded", 0},
};

TEST_EACH(the_add_of_a_vg_that_lacks_a_pv_waits_for_it, waiting)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();
	int event_fd = lea_queue_open(lea_world_run(&tree.world));

	add_vg(workers, waiting[_i].vg, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_int_eq(lea_awaited_ask(event_fd, VG_ID, 2), waiting[_i].waits);
	close(event_fd);
	end(workers);
}

/* The unit that is started may look; a change of the PV may come meanwhile. */
static bool look_at_start(const struct lea_world *world, const char *const *units, size_t count)
{
	int event_fd = lea_queue_open(lea_world_run(&tree.world));

	once[UNITS_STARTED] = 10 + lea_awaited_ask(event_fd, VG_ID, 2);
	close(event_fd);
	return true;
}

TEST(the_add_waits_before_the_unit_is_started)
{
	static const struct lea_manager looking = {.start = look_at_start};
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	tree.world.manager = &looking;
	add_vg(workers, "hanglackingadded", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_int_eq(once[UNITS_STARTED], 11);
	end(workers);
}

/* A shortage when the add is to be noted: the runner drops the claim, and tries again. */
TEST(a_shortage_loses_no_add_of_a_left_worker)
{
	static struct lea_workers_options real_lost;
	struct lea_claim claim = {.state = LEA_CLAIM_CLAIMED};
	struct lea_claims claims;
	struct told told = {0};
	struct lea_workers *workers = new_workers();
	int event_fd = lea_queue_open(lea_world_run(&tree.world)), r;

	lea_workers_free(workers);
	real_lost = options;
	real_lost.lost = lea_requeue_lost;
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &real_lost, &workers), 0);
	snprintf(claim.vg_name, sizeof(claim.vg_name), "hanglackingadded");
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &claim), 0);
	tree_put(&tree, "/run/lvm/event/awaited", ""); /* nothing can be made in it */
	add_vg(workers, "hanglackingadded", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	tree_remove(&tree, "/run/lvm/event/awaited");
	r = lea_claim_read(&claims, VG_ID, &claim);
	ck_assert_msg(r == LEA_CLAIM_ABSENT || claim.is_transient ||
			      lea_awaited_ask(event_fd, VG_ID, 0) > 0,
		      "state %d, not to be tried again, and no add waits: %s", (int)claim.state,
		      claim.reason);
	close(event_fd);
	end(workers);
}

/* A left worker lets the real lvm do it, which fails so that another try may do better, or finds it
 * changed; a later turn has ended by then. */
static const struct {
	const char *vg;
	enum lea_claim_state later;
} put_backs[] = {{"hangothermovedonline", LEA_CLAIM_FAILED},
		 {"hangotherkilledonline", LEA_CLAIM_FAILED},
		 {"hangotherbadonline", LEA_CLAIM_FAILED},
		 {"hangotherbadonline", LEA_CLAIM_DONE},
		 {"hangotherkilledonline", LEA_CLAIM_DONE}};

TEST_EACH(no_file_stays_of_a_left_worker_that_ends_no_claim, put_backs)
{
	static const char *const args[] = {
		"-c",
		"for vg; do rm ${TREE}/run/lvm/vgs_online/$vg; "
		"case $vg in *killed*) kill -9 $$ ;; *moved* | *bad*) exit 5 ;; esac; done",
		"lvm", NULL};
	static struct lea_workers_options with_sh;
	struct lea_claim later = {.state = put_backs[_i].later, .turn_ms = 5, .reason = "later"};
	struct lea_claims claims;
	char path[200];
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	lea_workers_free(workers);
	with_sh = options;
	with_sh.lvm_args = args;
	with_sh.lvm_path = "/bin/sh";
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &with_sh, &workers), 0);
	snprintf(later.vg_name, sizeof(later.vg_name), "%s", put_backs[_i].vg);
	ck_assert_int_eq(setenv("TREE", tree.root, 1), 0);
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	add_vg(workers, put_backs[_i].vg, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &later), 0);
	/* It is there when the left worker begins with lvm. */
	snprintf(path, sizeof(path), "/run/lvm/vgs_online/%s", put_backs[_i].vg);
	tree_put(&tree, path, "");
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_msg(!lea_vg_online_may_exist(claims.run_fd, put_backs[_i].vg), "%s",
		      put_backs[_i].vg);
	end(workers);
}

/* lvm2 is to activate the rest. Rows: does the VG lack a PV? */
TEST_TIMES(a_left_worker_leaves_no_vgs_online_of_a_vg_in_part, 2)
{
	struct lea_vg vg = {.name = "hang", .id = VG_ID};
	const struct lea_scan_vg scanned = {.vg = &vg, .in_part = _i ? LEA_INCOMPLETE_PARTIAL : 0};
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	tree_put(&tree, "/run/lvm/vgs_online/hang", "");
	ck_assert_int_eq(lea_workers_add(workers, &scanned, finished, &told), 0);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert(lea_vg_online_may_exist(lea_world_run(&tree.world), "hang") == !_i);
	ck_assert_int_eq(once[UNITS_STARTED], _i);
	end(workers);
}

#define PVID "cccccccccccccccccccccccccccccccc"

/* A VG whose PV is on sda, and a note of the copy on sdb. */
static void add_copied(struct lea_workers *workers, const char *name, struct told *told)
{
	static char sda[] = "/dev/sda";
	static struct lea_found found = {
		.device = {.major = 8, .minor = 16, .name = sda, .diskseq = 1},
		.label = {.pvid = PVID}};
	static struct lea_found *of_pv[] = {&found};
	struct lea_vg vg = {.name = name, .id = VG_ID, .pv_count = 1};
	const struct lea_scan_vg scanned = {.vg = &vg, .pv = of_pv};
	const struct lea_duplicate copy = {.pvid = PVID, .id = {8, 32, 2}};

	tree_put(&tree, "/sys/dev/block/8:32/uevent", "DEVNAME=sdb\nDISKSEQ=2\n");
	tree_put(&tree, "/run/lvm/event/epoch", "1\n");
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &copy), 0);
	ck_assert_int_eq(lea_workers_add(workers, &scanned, finished, told), 0);
}

/* Rows: is the copy ignored from now on? */
static const struct {
	const char *vg;
	enum lea_duplicate_state state;
} copied[] = {
	{"hang", LEA_DUPLICATE_IGNORED},
	{"hangfail", LEA_DUPLICATE_NOTED},
	{"hangrefused", LEA_DUPLICATE_NOTED},
};

TEST_EACH(a_left_worker_ignores_copies_of_what_it_has_activated, copied)
{
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	add_copied(workers, copied[_i].vg, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(kill(once[1], SIGCONT), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_int_eq(lea_duplicate_list(&tree.world, PVID, listed), 1);
	ck_assert_msg(listed[0].state == copied[_i].state, "%s: %d", copied[_i].vg,
		      (int)listed[0].state);
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

TEST(a_lost_vg_that_is_put_off_is_told_once)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	leave_one(workers, &told);
	is_put_off = true;
	ck_assert_int_eq(kill(once[1], SIGKILL), 0);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	is_put_off = false;
	ck_assert_str_eq(lost_text, VG_ID " ");
	ck_assert(lea_workers_has_put_off(workers));
	ck_assert(!lea_workers_has_put_off(workers));
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
	ck_assert_str_eq(lost_text, VG_ID "! ");
	ck_assert(is_there(once[1]));
	end(workers);
}

/* ---- why they hang */

static void finished_why(void *arg, const struct lea_worker_result *result)
{
	static const char *const words[] = {
		[LEA_DETACHED_OTHER] = "other", [LEA_DETACHED_DISK] = "disk",
		[LEA_DETACHED_LOCK] = "lock",	[LEA_DETACHED_UDEV] = "udev",
		[LEA_DETACHED_LVM] = "lvm",	[LEA_DETACHED_BESIDE] = "beside",
		[LEA_DETACHED_CHECK] = "check"};
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

/* ---- checks of pools */

/* Returns when the check has begun. */
static void start_check(struct lea_workers *workers, struct told *told)
{
	add_vg(workers, "check", told);
	ck_assert_int_eq(lea_workers_step(workers), 0);
	for (int i = 0; i < PATIENCE_MS && !once[2]; i++)
		usleep(1000);
	ck_assert_int_ne(once[2], 0);
}

static void step_until(struct lea_workers *workers, const struct told *told, const char *text)
{
	for (int i = 0; i < 60 && strcmp(told->text, text) != 0; i++) {
		ck_assert(is_woken(workers));
		ck_assert_int_eq(lea_workers_step(workers), 0);
	}
	ck_assert_str_eq(told->text, text);
}

TEST(a_check_takes_no_other_vg_its_worker)
{
	struct told told = {0};
	struct lea_workers *workers;

	workers = new_workers();
	lea_workers_free(workers);
	conf.workers = conf.lvs_in_flight = 1;
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &options, &workers), 0);
	start_check(workers, &told);
	add_vg(workers, "a", &told);
	step_until(workers, &told, "a=0 ");
	ck_assert_msg(is_there(once[2]), "the check goes on");
	kill(once[2], SIGKILL);
	step_until(workers, &told, "a=0 check=0 ");
	end(workers);
}

/* It is told apart from a worker that hangs, and ends its VG by itself. */
/* Another disk may be a copy of one of its PVs, is read first, and is slow. Rows: it comes first, or
 * the other VG does. */
TEST_TIMES(a_vg_with_a_copy_takes_no_other_vg_its_worker, 2)
{
	struct told told = {0};
	struct lea_workers *workers;
	const char *first = _i ? "b" : "copied", *second = _i ? "copied" : "b";

	workers = new_workers();
	lea_workers_free(workers);
	conf.workers = 2;
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &options, &workers), 0);
	add_vg(workers, first, &told);
	add_vg(workers, second, &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_uint_eq(told.count, 2);
	ck_assert_int_ne(told.all[0], told.all[1]);
	end(workers);
}

/* The same of VGs that the real lvm activates. */
TEST_TIMES(a_delegated_vg_with_a_copy_takes_no_other_vg_its_worker, 2)
{
	static struct lea_workers_options with_sh;
	static const char *const args[] = {"-c", "echo $# >>$TREE/counts", "lvm", NULL};
	struct told told = {0};
	struct lea_workers *workers;
	char path[200];
	FILE *f;
	int n = 0, most = 0;

	workers = new_workers();
	lea_workers_free(workers);
	conf.workers = 2;
	with_sh = options;
	with_sh.lvm_args = args;
	with_sh.lvm_path = "/bin/sh";
	ck_assert_int_eq(setenv("TREE", tree.root, 1), 0);
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &with_sh, &workers), 0);
	add_vg(workers, _i ? "raidcopied" : "raidb", &told);
	add_vg(workers, _i ? "raidb" : "raidcopied", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	snprintf(path, sizeof(path), "%s/counts", tree.root);
	f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	while (fscanf(f, "%d", &n) == 1)
		most = n > most ? n : most;
	fclose(f);
	ck_assert_int_eq(most, 1);
	end(workers);
}

TEST(a_check_that_lasts_too_long_is_left_alone)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	conf.udev_deadline_ms = 1000;
	listener = finished_why;
	start_check(workers, &told);
	step_until(workers, &told, "check=check ");
	ck_assert_msg(is_there(once[2]), "the check goes on");
	kill(once[2], SIGKILL);
	ck_assert(is_woken(workers));
	ck_assert_int_eq(lea_workers_step(workers), 0);
	ck_assert_str_eq(lost_text, "");
	end(workers);
}

/* ---- too many that hang */

static void kill_all(void)
{
	for (int i = 0; i < once[3]; i++)
		kill(once[4 + i], SIGKILL);
}

TEST(too_many_that_hang_stop_no_other_vg_and_then_refuse_it)
{
	enum { PLACES = 20, MOST = LEA_WORKERS_LEFT + PLACES };
	struct told told = {0};
	struct lea_workers *workers;
	char name[16];

	workers = new_workers();
	lea_workers_free(workers);
	conf.workers = PLACES;
	ck_assert_int_eq(lea_workers_new(&tree.world, &conf, &options, &workers), 0);
	for (int i = 0; i < MOST; i++) {
		if (i == MOST - 1) {
			ck_assert_int_eq(lea_workers_drain(workers), 0);
			told.text[0] = '\0';
			add_vg(workers, "a", &told);
			ck_assert_int_eq(lea_workers_drain(workers), 0);
			ck_assert_msg(!strcmp(told.text, "a=0 "), "with one place: %s", told.text);
		}
		snprintf(name, sizeof(name), "poolhang%d", i); /* each in a worker of its own */
		add_vg(workers, name, &told);
	}
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(once[3], MOST);
	told.text[0] = '\0';
	add_vg(workers, "b", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	snprintf(name, sizeof(name), "b=%dt ", LEA_ACTIVATE_FAILED);
	ck_assert_msg(!strcmp(told.text, name), "without: %s", told.text);
	kill(once[4], SIGKILL);
	ck_assert(is_woken(workers));
	told.text[0] = '\0';
	add_vg(workers, "c", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_msg(!strcmp(told.text, "c=0 "), "again with one: %s", told.text);
	kill_all();
	end(workers);
}

/* Nobody holds its lock: it waited only for its turn. */
TEST(lvm_brings_up_nothing_that_was_taken_down)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();

	tree_put(&tree, "/run/lvm/vgs_online/raidonline2", "");
	add_vg(workers, "raidonline1", &told);
	add_vg(workers, "raidonline2", &told);
	add_vg(workers, "raid3", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_str_eq(told.text, "raid3=0d raidonline2=0d raidonline1=7d ");
	end(workers);
}

/* A command of a person: it removes the file, and then releases the lock of the VG. */
static pid_t start_command(const char *vg_name, bool takes_down)
{
	LEA_AUTO(lea_freep) char *dir = lea_world_path(&tree.world, conf.locking_dir);
	const struct lea_lock_options lock_options = {
		.dir = dir, .mode = LEA_LOCK_EXCLUSIVE, .wait = true};
	struct lea_lock *lock;
	int ready[2];
	char name[64], go;
	pid_t pid;

	snprintf(name, sizeof(name), "V_%s", vg_name);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (lea_lock_take(&lock_options, name, &lock) || write(ready[1], "", 1) != 1)
			_exit(1);
		usleep(300000);
		if (takes_down && lea_vg_online_drop(lea_world_run(&tree.world), vg_name))
			_exit(1);
		lea_lock_release(lock);
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &go, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* Rows: does the command that has the lock take it down? */
TEST_TIMES(lvm_is_started_for_a_locked_vg_when_the_lock_is_free, 2)
{
	struct told told = {0};
	struct lea_workers *workers = new_workers();
	pid_t pid;
	int status;

	conf.wait_for_locks = true;
	tree_put(&tree, "/run/lvm/vgs_online/raidonline1", "");
	tree_put(&tree, "/run/lvm/vgs_online/raidonline2", "");
	pid = start_command("raidonline1", _i);
	add_vg(workers, "raidonline1", &told);
	add_vg(workers, "raidonline2", &told);
	ck_assert_int_eq(lea_workers_drain(workers), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(strstr(told.text, _i ? "raidonline1=7d " : "raidonline1=0d ") != NULL, "%s",
		      told.text);
	ck_assert_msg(strstr(told.text, "raidonline2=0d ") != NULL, "%s", told.text);
	end(workers);
}
