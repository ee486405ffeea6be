/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written in which order: claims, vgs_online, entries; what a kill and a shortage leave. */
#include "flow/batch_scratch.h"
#include "flow/slow_scratch.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONLINE "/run/lvm/vgs_online/vg-two.pvs"

/* The fault of the next request to the workers, once. */
static int add_fault;

static int add_or_fail(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		       void (*finish)(void *arg, const struct lea_worker_result *result), void *arg)
{
	const int r = add_fault;

	add_fault = 0;
	return r ? r : fake_add(workers, scanned, finish, arg);
}

static struct lea_pool pool;

static void begin(void)
{
	setup();
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine.world->open_device = open_slow;
	pool = fake_pool;
	pool.add = add_or_fail;
	batch_options.pool = &pool;
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

const struct fixture fixture = {begin, teardown};

static void take_down(void)
{
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg-two.pvs"), 0);
}

static void come_up(void)
{
	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert(machine_has(ONLINE));
}

static void kill_and_wait(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tree_remove(&machine.tree, SLOW);
}

/* vgchange -an, then an add: it brings the VG up, even if the runner dies while it reads the other
 * PV and the next runner takes the entry. */
TEST(kill_while_members_are_read)
{
	pid_t pid;

	come_up();
	take_down();
	conf->probe_deadline_ms = 30000;
	tree_put(&machine.tree, SLOW, "");
	pid = fork();
	if (!pid) {
		tree_put_process(&machine.tree, getpid(), "test", 'S', 4243);
		came("sdc", 48, 3, PVID_B);
		_exit(0);
	}
	usleep(500000);
	ck_assert_msg(!machine_has(ONLINE), "nothing is written before it is decided");
	kill_and_wait(pid);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

/* vgs_online beside the claim that the VG was done would say that nobody took it down: so the new
 * claim is written first. Here it cannot be for a moment. */
TEST(kill_before_the_claim_is_written)
{
	struct lea_entry entry = event("sdc", 48, 3, PVID_B, false);
	char path[256];
	pid_t pid;
	int fd;

	come_up();
	take_down();
	snprintf(path, sizeof(path), "%s/run/lvm/event/claims", machine.tree.root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	pid = fork();
	if (!pid) {
		tree_put_process(&machine.tree, getpid(), "test", 'S', 4243);
		(void)!run_pass(&entry, 1);
		_exit(0);
	}
	usleep(500000);
	ck_assert(!machine_has(ONLINE));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(flock(fd, LOCK_UN), 0);
	close(fd);
	lea_device_done(&entry.device);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

/* Leaves what is there when a runner is killed with a VG at its workers. */
static int kill_in_add(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		       void (*finish)(void *arg, const struct lea_worker_result *result), void *arg)
{
	_exit(0);
}

static void be_killed_in_add(void)
{
	char path[64];
	const pid_t pid = fork();

	if (!pid) {
		tree_put_process(&machine.tree, getpid(), "test", 'S', 4243);
		pool.add = kill_in_add;
		came("sdc", 48, 3, PVID_B);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	tree_remove(&machine.tree, path);
	ck_assert(machine_has(ONLINE));
}

TEST(kill_after_claim_and_vgs_online)
{
	struct lea_claim claim;

	come_up();
	take_down();
	be_killed_in_add();
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), LEA_CLAIM_ABSENT);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

/* A change of the VG is all that comes after that. Its claim that is done, beside the vgs_online
 * file of the dead runner, would say that the VG was brought up. */
TEST(kill_before_a_change_leaves_no_vgs_online)
{
	struct lea_entry change = event("sdc", 48, 3, PVID_B, false);

	change.kind = LEA_ENTRY_CHANGE;
	come_up();
	take_down();
	be_killed_in_add();
	ck_assert_str_eq(pass(&change, 1), "");
	ck_assert(!machine_has(ONLINE));
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

/* Returns what a pass with a shortage told. */
static int short_pass(int fault, uint64_t diskseq)
{
	struct lea_entry entry = event("sdc", 48, diskseq, PVID_B, false);

	add_fault = fault;
	return run_pass(&entry, 1);
}

static const int faults[] = {-EMFILE, -EBADF};

/* A shortage, after which the entry comes back; a fault, after which the runner starts again. */
TEST_EACH(pass_that_ends_early_leaves_no_vgs_online, faults)
{
	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	ck_assert_int_eq(short_pass(faults[_i], 3), faults[_i]);
	ck_assert(!machine_has(ONLINE));
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert(machine_has(ONLINE));
	/* It is not this pass's. */
	machine_unplug("sdc", 48);
	machine_plug("stripe-b", "sdc", 48, 4);
	ck_assert_int_eq(short_pass(faults[_i], 4), faults[_i]);
	ck_assert(machine_has(ONLINE));
	ck_assert_msg(!lea_vg_online_is_kept(lea_world_run(machine.world), "vg-two.pvs"),
		      "it goes with a record, as before");
}

static void let_files_grow(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* While the workers have the VG, /run fills up. */
static int add_and_fill(struct lea_workers *workers, const struct lea_scan_vg *scanned,
			void (*finish)(void *arg, const struct lea_worker_result *result),
			void *arg)
{
	let_files_grow(0);
	return fake_add(workers, scanned, finish, arg);
}

static const struct {
	int outcome;
	bool stays_online;
} ends[] = {{0, true}, {LEA_ACTIVATE_FAILED, false}, {LEA_ACTIVATE_CHANGED, false}};

TEST_EACH(claim_that_cannot_be_completed_is_given_back, ends)
{
	struct lea_entry entry = event("sdc", 48, 3, PVID_B, false);
	struct lea_claim claim;

	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	pool.add = add_and_fill;
	outcome = ends[_i].outcome;
	ck_assert_int_le(run_pass(&entry, 1), 0);
	let_files_grow(RLIM_INFINITY);
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), LEA_CLAIM_ABSENT);
	ck_assert_int_eq(machine_has(ONLINE), ends[_i].stays_online);
}

TEST(dropped_pass_leaves_no_vgs_online)
{
	struct lea_entry entry = event("sdc", 48, 3, PVID_B, false);
	struct lea_batch_pass *first;

	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	ck_assert_int_eq(lea_batch_start(&batch_options, &entry, 1, &summary, &first), 0);
	ck_assert(machine_has(ONLINE));
	lea_batch_drop(first);
	ck_assert(!machine_has(ONLINE));
	lea_device_done(&entry.device);
}

/* A worker that was slow reports its failure when the VG has come up in a later turn. */
TEST(report_of_an_earlier_turn_changes_nothing)
{
	struct lea_entry entry = event("sdc", 48, 3, PVID_B, false);
	const struct lea_claims claims = machine_claims();
	struct lea_batch_pass *first;
	struct lea_claim claim;

	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	outcome = LEA_ACTIVATE_FAILED;
	ck_assert_int_eq(lea_batch_start(&batch_options, &entry, 1, &summary, &first), 0);
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	claim.state = LEA_CLAIM_DONE;
	claim.turn_ms++;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
	lea_claim_done(&claim);
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	lea_claim_done(&claim);
	ck_assert(machine_has(ONLINE));
	lea_device_done(&entry.device);
}

/* ---- a VG that is not as it was read */

static const char *pass_of_queue(size_t expected)
{
	struct lea_entry *entries;
	size_t count;

	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, expected);
	pass(entries, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(lea_queue_done(batch_options.event_fd, &entries[i]), 0);
	free(entries);
	return activated;
}

static void check_again(uint32_t again)
{
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_FAILED);
	ck_assert(claim.is_transient);
	ck_assert_uint_eq(claim.again, again);
	lea_claim_done(&claim);
}

/* Reader and worker may keep disagreeing. */
TEST(vg_that_keeps_changing_is_tried_again_after_a_pause)
{
	struct lea_entry entry;
	struct lea_claim claim;

	came("sdb", 32, 2, PVID_A);
	outcome = LEA_ACTIVATE_CHANGED;
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
	check_again(1);
	ck_assert_uint_eq(summary.vgs_again + summary.vgs_failed, 0);
	ck_assert_str_eq(pass_of_queue(2), "vg-two.pvs ");
	check_again(2);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	ck_assert_uint_eq(summary.vgs_again, 1);
	ck_assert_msg(strstr(machine.err, "another command changed it meanwhile; it will be") !=
			      NULL,
		      "%s", machine.err);
	/* A reconcile queues it, and it has still not come to rest. */
	entry = event("sdc", 48, 3, PVID_B, false);
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), "vg-two.pvs ");
	check_again(3);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	ck_assert_uint_eq(summary.vgs_again, 2);
	outcome = 0;
	entry = event("sdc", 48, 3, PVID_B, false);
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), "vg-two.pvs ");
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	ck_assert_uint_eq(claim.again, 0);
	lea_claim_done(&claim);
}
