/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gate and claims: which claims are valid in which epoch, and for which process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "state/claim.h"
#include "state/epoch.h"
#include "state/gate.h"
#include "state/online.h"
#include "unit/suite.h"

#define VG_ID	 "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG01"
#define VG_OTHER "VGVGVGVGVGVGVGVGVGVGVGVGVGVGVG02"
#define PV_A	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define PV_B	 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char dir[FOLDER_BYTES];
static struct lea_claims claims;
static struct lea_claim_pv pvs[] = {
	{.pvid = PV_B, .id = {8, 16, 7}},
	{.pvid = PV_A, .id = {8, 32, 8}},
};
static struct lea_claim claim = {
	.state = LEA_CLAIM_DONE, .vg_name = "vg0", .pv = pvs, .pv_count = 2};

static void setup(void)
{
	claims.run_fd = folder_new(dir);
	claims.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(claims.proc_fd, 0);
}

static void teardown(void)
{
	close(claims.proc_fd);
	folder_remove(dir, claims.run_fd);
}

const struct fixture fixture = {setup, teardown};

static int arm(void)
{
	return lea_gate_begin(claims.run_fd, claims.proc_fd, LEA_GATE_CLOSED);
}

TEST(arming_closes_the_gate_and_begins_an_epoch)
{
	char before[LEA_EPOCH_BYTES], after[LEA_EPOCH_BYTES];

	ck_assert_msg(!lea_gate_is_closed(claims.run_fd), "never armed is open");
	ck_assert_int_eq(lea_epoch_now(claims.run_fd, claims.proc_fd, before), 0);
	ck_assert_int_eq(lea_gate_open(claims.run_fd), 0); /* left by an initramfs */
	ck_assert_int_eq(arm(), 0);
	ck_assert_msg(lea_gate_is_closed(claims.run_fd), "armed is closed, whatever was before");
	ck_assert_int_eq(lea_epoch_now(claims.run_fd, claims.proc_fd, after), 0);
	ck_assert_str_ne(before, after);
	ck_assert_int_eq(lea_gate_open(claims.run_fd), 0);
	ck_assert_int_eq(lea_gate_open(claims.run_fd), 0);
	ck_assert(!lea_gate_is_closed(claims.run_fd) && lea_gate_is_armed(claims.run_fd));
}

static int begin(enum lea_gate_start start)
{
	return lea_gate_begin(claims.run_fd, claims.proc_fd, start);
}

TEST(an_epoch_begins_open_and_may_be_closed_later)
{
	char before[LEA_EPOCH_BYTES], after[LEA_EPOCH_BYTES];

	ck_assert_int_eq(begin(LEA_GATE_NONE), 0);
	ck_assert(!lea_gate_is_closed(claims.run_fd));
	ck_assert_int_eq(lea_epoch_now(claims.run_fd, claims.proc_fd, before), 0);
	ck_assert_int_eq(lea_gate_start(claims.run_fd, LEA_GATE_CLOSED), 0);
	ck_assert(lea_gate_is_closed(claims.run_fd));
	ck_assert_int_eq(lea_gate_start(claims.run_fd, LEA_GATE_STOCK), 0);
	ck_assert(!lea_gate_is_closed(claims.run_fd) && lea_gate_is_aside(claims.run_fd));
	ck_assert_int_eq(lea_epoch_now(claims.run_fd, claims.proc_fd, after), 0);
	ck_assert_str_eq(before, after);
}

TEST(a_boot_without_a_gate_is_an_epoch_too)
{
	struct lea_claim got = {0}, done = claim;

	done.state = LEA_CLAIM_DONE;
	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &done), 0);
	ck_assert_int_eq(begin(LEA_GATE_NONE), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
	ck_assert_msg(!lea_gate_is_closed(claims.run_fd), "a gate that was left closed is none");
	ck_assert(!lea_gate_is_armed(claims.run_fd));
}

TEST(without_a_rule_of_ours_we_stand_aside_until_the_next_arming)
{
	ck_assert(!lea_gate_is_aside(claims.run_fd));
	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(begin(LEA_GATE_STOCK), 0);
	ck_assert(lea_gate_is_aside(claims.run_fd) && !lea_gate_is_closed(claims.run_fd));
	ck_assert_int_eq(arm(), 0);
	ck_assert(!lea_gate_is_aside(claims.run_fd) && lea_gate_is_closed(claims.run_fd));
	ck_assert_int_eq(lea_gate_set_aside(claims.run_fd, true), 0);
	ck_assert_int_eq(lea_gate_set_aside(claims.run_fd, true), 0);
	ck_assert(lea_gate_is_aside(claims.run_fd));
	ck_assert_int_eq(lea_gate_set_aside(claims.run_fd, false), 0);
	ck_assert_int_eq(lea_gate_set_aside(claims.run_fd, false), 0);
	ck_assert(!lea_gate_is_aside(claims.run_fd));
}

TEST(a_damaged_epoch_is_a_new_one)
{
	char epoch[LEA_EPOCH_BYTES];

	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(lea_file_replace(claims.run_fd, "event/epoch", "garbage", 7), 0);
	ck_assert_int_eq(lea_epoch_now(claims.run_fd, claims.proc_fd, epoch), 0);
	ck_assert_str_eq(strrchr(epoch, '-'), "-0");
}

TEST(a_claim_reads_as_it_was_written)
{
	struct lea_claim got = {0}, failed = claim;

	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
	failed.state = LEA_CLAIM_FAILED;
	strcpy(failed.reason, "two\nlines");
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &failed), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_int_eq(got.state, LEA_CLAIM_FAILED);
	ck_assert_str_eq(got.reason, "two lines");
	ck_assert_str_eq(got.vg_name, "vg0");
	ck_assert(lea_claim_covers(&got, pvs, 2));
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
}

TEST(a_claim_that_cannot_be_written_can_be_dropped)
{
	struct rlimit before, none;
	struct lea_claim got = {0};

	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 3, .rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), -EMFILE);
	ck_assert_int_eq(lea_claim_mark_gone(&claims, VG_ID), 0);
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
}

/* The worker that tries once more may be lost as well, so its claim has it, too. */
TEST(a_failure_for_now_counts_how_often_it_was_read_again)
{
	struct lea_claim got = {0}, failed = claim;

	failed.state = LEA_CLAIM_FAILED;
	failed.is_transient = true;
	failed.again = 3;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &failed), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert(got.is_transient);
	ck_assert_uint_eq(got.again, 3);
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &failed), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_uint_eq(got.again, 3);
	lea_claim_done(&got);
	failed.state = LEA_CLAIM_DONE;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &failed), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_msg(!got.again, "it is done");
	lea_claim_done(&got);
}

/* Each state, and whether it says that vgs_online came with the claim. */
TEST(a_claim_says_that_vgs_online_came_with_it_until_it_is_done)
{
	static const enum lea_claim_state states[] = {LEA_CLAIM_CLAIMED, LEA_CLAIM_FAILED,
						      LEA_CLAIM_DONE};
	struct lea_claim got = {0}, made = claim;

	made.is_online = made.is_transient = true;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		made.state = states[i];
		ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &made), 0);
		ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
		ck_assert(got.is_online == (states[i] != LEA_CLAIM_DONE));
		lea_claim_done(&got);
	}
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &made), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert(got.is_online);
	lea_claim_done(&got);
}

static const struct {
	const char *what;
	struct lea_claim_pv pv;
} others[] = {
	{"another instance is not covered", {.pvid = PV_A, .id = {8, 32, 9}}},
	{"another number is not covered", {.pvid = PV_A, .id = {8, 48, 8}}},
	{"another PV is not covered",
	 {.pvid = "cccccccccccccccccccccccccccccccc", .id = {8, 32, 8}}},
};

TEST_EACH(a_claim_covers_its_own_pvs_only, others)
{
	struct lea_claim_pv now[] = {others[_i].pv, pvs[0]};
	struct lea_claim got;

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_msg(!lea_claim_covers(&got, now, 2), "%s", others[_i].what);
	ck_assert_msg(lea_claim_covers(&got, pvs, 1), "a VG that was reduced is covered");
	lea_claim_done(&got);
}

/* Rows: the result of a worker whose turn began at 5; the VG's claim by then. */
static const struct {
	enum lea_claim_state state, now;
	bool is_transient;
	uint64_t turn_ms, diskseq; /* of the second PV; 0: it is not there */
	int r;
} reports[] = {
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 5, 8, 0},
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 5, 0, 0},
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 5, 9, 0},
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 3, 9, 0},
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 6, 8, LEA_CLAIM_REPLACED},
	{LEA_CLAIM_FAILED, LEA_CLAIM_FAILED, true, 6, 9, LEA_CLAIM_REPLACED},
	{LEA_CLAIM_FAILED, LEA_CLAIM_DONE, false, 6, 9, LEA_CLAIM_REPLACED},
	{LEA_CLAIM_DONE, LEA_CLAIM_FAILED, true, 5, 9, 0},
	{LEA_CLAIM_DONE, LEA_CLAIM_FAILED, true, 6, 8, LEA_CLAIM_REPLACED},
	{LEA_CLAIM_DONE, LEA_CLAIM_FAILED, false, 6, 9, 0},
	{LEA_CLAIM_DONE, LEA_CLAIM_DONE, false, 6, 9, 0},
};

TEST_EACH(a_report_ends_the_claim_of_its_own_turn_only, reports)
{
	struct lea_claim_pv came[] = {pvs[0], pvs[1]};
	struct lea_claim now = {.state = reports[_i].now,
				.is_transient = reports[_i].is_transient,
				.vg_name = "vg0",
				.turn_ms = reports[_i].turn_ms,
				.pv = came,
				.pv_count = reports[_i].diskseq ? 2 : 1};
	struct lea_claim report = claim, got = {0};

	came[1].id.diskseq = reports[_i].diskseq;
	report.state = reports[_i].state;
	report.turn_ms = 5;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &now), 0);
	ck_assert_int_eq(lea_claim_report(&claims, VG_ID, &report), reports[_i].r);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_uint_eq(got.turn_ms, reports[_i].r ? reports[_i].turn_ms : 5);
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_int_eq(lea_claim_report(&claims, VG_ID, &report), 0);
}

/* Rows: the VG's claim when a worker whose turn began at 5 finds that lvm has removed the file, or that
 * nothing was brought up; is the file that turn's? */
static const struct {
	enum lea_claim_state state;
	uint64_t turn_ms;
	bool is_its;
} online_turns[] = {
	{LEA_CLAIM_CLAIMED, 5, true}, {LEA_CLAIM_CLAIMED, 6, false}, {LEA_CLAIM_FAILED, 5, false},
	{LEA_CLAIM_FAILED, 6, false}, {LEA_CLAIM_DONE, 5, false},    {LEA_CLAIM_DONE, 6, false},
};

TEST_EACH(vgs_online_is_put_back_and_removed_for_the_turn_that_is_under_way, online_turns)
{
	const bool is_its = online_turns[_i].is_its;
	struct lea_claim now = {.vg_name = "vg0", .turn_ms = online_turns[_i].turn_ms};
	int run_fd = claims.run_fd;

	now.state = online_turns[_i].state;
	ck_assert_int_eq(now.state == LEA_CLAIM_CLAIMED ? lea_claim_take(&claims, VG_ID, &now)
							 : lea_claim_finish(&claims, VG_ID, &now),
			 0);
	ck_assert_int_eq(lea_claim_keep_online(&claims, VG_ID, "vg0", 5), 0);
	ck_assert(lea_vg_online_may_exist(run_fd, "vg0") == is_its);
	ck_assert_int_ge(lea_vg_online_claim(run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_claim_drop_online(&claims, VG_ID, "vg0", 5), 0);
	ck_assert(lea_vg_online_may_exist(run_fd, "vg0") == !is_its);
	ck_assert_int_eq(lea_vg_online_drop(run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_int_eq(lea_claim_keep_online(&claims, VG_ID, "vg0", 5), 0);
	ck_assert_msg(!lea_vg_online_may_exist(run_fd, "vg0"), "without a claim");
	ck_assert_int_ge(lea_vg_online_claim(run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_claim_drop_online(&claims, VG_ID, "vg0", 5), 0);
	ck_assert_msg(!lea_vg_online_may_exist(run_fd, "vg0"), "without a claim");
}

/* Rows: the claim by the time that changes which met one are stored. */
static const struct {
	enum lea_claim_state state;
	bool is_extended;
} extensions[] = {
	{LEA_CLAIM_CLAIMED, true},
	{LEA_CLAIM_DONE, true},
	{LEA_CLAIM_FAILED, false},
};

TEST_EACH(a_claim_is_extended_as_it_is_by_then, extensions)
{
	struct lea_claim_pv came[] = {{.pvid = PV_B, .id = {8, 48, 9}}};
	struct lea_claim got = {0}, now = claim, by = {.pv = came, .pv_count = 1};

	now.state = extensions[_i].state;
	now.turn_ms = 7;
	ck_assert_int_eq(lea_claim_extend(&claims, VG_ID, &by), 0);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &got) == LEA_CLAIM_ABSENT, "it has gone");
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &now), 0);
	ck_assert_int_eq(lea_claim_extend(&claims, VG_ID, &by), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_int_eq(got.state, extensions[_i].state);
	ck_assert_uint_eq(got.turn_ms, 7);
	ck_assert_uint_eq(got.pv_count, 2);
	ck_assert(lea_claim_covers(&got, came, 1) == extensions[_i].is_extended);
	ck_assert_msg(!*got.reason == (extensions[_i].state != LEA_CLAIM_DONE),
		      "it is active on another instance");
	lea_claim_done(&got);
}

TEST(a_claim_of_a_dead_owner_does_not_count)
{
	struct lea_claim got;
	siginfo_t end;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(lea_claim_take(&claims, VG_ID, &claim) == 0 ? 0 : 1);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &got) == LEA_CLAIM_ABSENT,
		      "nor does that of a zombie");
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &got) == LEA_CLAIM_ABSENT,
		      "a claim of a dead owner does not count");
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &claim), 0);
	pid = fork();
	if (pid == 0)
		_exit(lea_claim_take(&claims, VG_ID, &claim) == LEA_CLAIM_HELD ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "a claim of a living owner is held");
}

/* It may live: its VG must not get another worker. */
TEST(an_owner_of_which_nothing_is_known_is_not_dead)
{
	struct lea_claim got;
	int begun[2], r = -1;
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(begun), 0);
	pid = fork();
	if (pid == 0) {
		if (lea_claim_take(&claims, VG_ID, &claim) || write(begun[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(begun[0], &byte, 1), 1);
	for (unsigned int at = 1; r < 0; at++) {
		calls_until_fault = at;
		r = lea_claim_read(&claims, VG_ID, &got);
		calls_until_fault = 0;
		ck_assert_msg(!r || r == -ENFILE, "read, the %uth call: %d", at, r);
	}
	lea_claim_done(&got);
	r = -1;
	for (unsigned int at = 1; r < 0; at++) {
		calls_until_fault = at;
		r = lea_claim_take(&claims, VG_ID, &claim);
		calls_until_fault = 0;
		ck_assert_msg(r == LEA_CLAIM_HELD || r == -ENFILE, "take, the %uth call: %d", at, r);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(arming_voids_claims)
{
	struct lea_claim got;

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
}

static const char *const decisions[] = {"claims", "refused", "unsettled",
					"probed", "skipped", "awaited"};

TEST_EACH(arming_drops_what_the_last_epoch_decided, decisions)
{
	char path[64];

	ck_assert_int_eq(arm(), 0);
	snprintf(path, sizeof(path), "event/%s", decisions[_i]);
	ck_assert(!mkdirat(claims.run_fd, path, 0700) || errno == EEXIST);
	strcat(path, "/8:16-7");
	close(openat(claims.run_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ck_assert_int_eq(faccessat(claims.run_fd, path, F_OK, 0), 0);
	ck_assert_int_eq(arm(), 0);
	ck_assert_int_lt(faccessat(claims.run_fd, path, F_OK, 0), 0);
}

static int count(void *arg, const char *vg_id, const struct lea_claim *told)
{
	uint32_t *told_count = arg;

	ck_assert_str_eq(vg_id, VG_OTHER);
	ck_assert_str_eq(told->vg_name, "vg0");
	(*told_count)++;
	return 0;
}

static int make_folder(const char *path)
{
	return mkdirat(claims.run_fd, path, 0700);
}

static int make_fifo(const char *path)
{
	return mkfifoat(claims.run_fd, path, 0600);
}

static int make_link(const char *path)
{
	return symlinkat(VG_OTHER, claims.run_fd, path);
}

static int (*const makes[])(const char *path) = {make_folder, make_fifo, make_link};

TEST_EACH(what_is_no_file_is_no_claim_and_hides_no_other, makes)
{
	struct lea_claim got;
	uint32_t told = 0;

	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_OTHER, &claim), 0);
	ck_assert_int_eq(makes[_i]("event/claims/" VG_ID), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), LEA_CLAIM_ABSENT);
	ck_assert_int_eq(lea_claim_each(&claims, count, &told), 0);
	ck_assert_uint_eq(told, 1);
}

static void write_file(const char *path, const char *text)
{
	int fd = openat(claims.run_fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static const char *const damaged[] = {
	"",
	"lvmevent-claim 2\nstate done\n",
	"lvmevent-claim 1\nstate\n",
	"lvmevent-claim 1\nstate happy\n",
	"lvmevent-claim 1\nstate done\npv short 8:16 1\n",
	"lvmevent-claim 1\nstate done\npv " PV_A " 8 1\n",
	"lvmevent-claim 1\nstate done\n",
};

TEST_EACH(a_damaged_claim_counts_as_none, damaged)
{
	struct lea_claim got;

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	write_file("event/claims/" VG_ID, damaged[_i]);
	ck_assert_msg(lea_claim_read(&claims, VG_ID, &got) == LEA_CLAIM_ABSENT, "%s", damaged[_i]);
	ck_assert_int_lt(lea_claim_read(&claims, "../../../../etc/passwd", &got), 0);
}

TEST(a_claim_is_marked_until_it_is_stored_anew)
{
	struct lea_claim got;

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_mark_gone(&claims, VG_ID), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_claim_mark_gone(&claims, VG_ID), 0);
	ck_assert_msg(!lea_claim_read(&claims, VG_ID, &got), "it was stored anew");
	lea_claim_done(&got);
	ck_assert_int_eq(lea_claim_mark_gone(&claims, VG_ID), 1);
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ID), 0);
	ck_assert_msg(!lea_claim_mark_gone(&claims, VG_ID), "none is fine");
	ck_assert_int_lt(lea_claim_mark_gone(&claims, "../passwd"), 0);
}

/* Rows: failed for now, and then no more; active; active, but not by what had made the file. */
TEST_TIMES(vgs_online_is_kept_until_the_vg_is_active, 3)
{
	struct lea_claim end = claim;

	end.state = _i ? LEA_CLAIM_DONE : LEA_CLAIM_FAILED;
	end.is_transient = !_i;
	end.is_online = _i < 2;
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &end), 0);
	ck_assert_int_eq(lea_vg_online_claim(claims.run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_vg_online_keep(claims.run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &end), 0);
	ck_assert_int_eq(lea_vg_online_is_kept(claims.run_fd, "vg0"), _i != 1);
	ck_assert(lea_vg_online_may_exist(claims.run_fd, "vg0"));
	ck_assert_int_eq(lea_claim_forget(&claims, VG_ID, &end, false), 0);
	ck_assert_msg(lea_vg_online_may_exist(claims.run_fd, "vg0") == (_i > 0),
		      "it goes with its claim");
}

/* While a worker has the VG: a record that goes is no sign that somebody took the VG down. */
TEST_TIMES(a_claim_tells_who_removed_vgs_online, 2)
{
	const struct lea_online online = {8, 16, "vg0", ""};
	struct lea_claim taken = claim;

	taken.is_online = true;
	ck_assert_int_eq(lea_online_write(claims.run_fd, taken.pv[0].pvid, &online), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &taken), 0);
	ck_assert_int_eq(lea_vg_online_claim(claims.run_fd, "vg0"), 0);
	ck_assert_int_eq(lea_vg_online_keep(claims.run_fd, "vg0"), 0);
	if (_i)
		ck_assert_int_eq(lea_vg_online_drop(claims.run_fd, "vg0"), 0); /* vgchange -an */
	ck_assert_int_eq(lea_online_forget_pv(claims.run_fd, taken.pv[0].pvid, 8, 16, NULL), 0);
	ck_assert_int_eq(lea_vg_online_may_exist(claims.run_fd, "vg0"), !_i);
	ck_assert_msg(lea_claim_ask_online(&claims, VG_ID) == 1, "so it was not cleared");
}

static void set_record_time(time_t seconds)
{
	const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
	char path[64];

	snprintf(path, sizeof(path), "pvs_online/%s", claim.pv[0].pvid);
	ck_assert_int_eq(utimensat(claims.run_fd, path, times, 0), 0);
}

/* Rows: by the time of the record before, which lies ahead if the clock was set back since, and by
 * that of now, 0: it stays; pvscan --cache writes it anew, earlier or later, as the clock says. */
static const struct {
	time_t before, now;
	bool is_cleared;
} clocks[] = {{1000, 0, false},		 {INT32_MAX, 0, false},	       {1000, 1001, true},
	      {INT32_MAX, 1001, true}, {INT32_MAX, INT32_MAX - 1, true}};

TEST_EACH(pvscan_cache_is_known_by_the_records, clocks)
{
	const struct lea_online online = {8, 16, "vg0", ""};
	struct lea_claim taken = claim, got;

	taken.is_online = true;
	ck_assert_int_eq(lea_online_write(claims.run_fd, taken.pv[0].pvid, &online), 0);
	set_record_time(clocks[_i].before);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &taken), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &got), 0);
	ck_assert_msg(!lea_claim_was_cleared(&claims, &got), "the record is the same");
	if (clocks[_i].now)
		set_record_time(clocks[_i].now);
	ck_assert(lea_claim_was_cleared(&claims, &got) == clocks[_i].is_cleared);
	/* One that an earlier version stored does not say. */
	for (uint32_t i = 0; i < got.pv_count; i++)
		got.pv[i].record_ns = LEA_CLAIM_UNKNOWN_NS;
	ck_assert(!lea_claim_was_cleared(&claims, &got));
	lea_claim_done(&got);
}

/* Of an active one, or when another VG has the name: by its mode, or as the caller knows. */
TEST_TIMES(vgs_online_of_others_stays_when_a_claim_goes, 3)
{
	struct lea_claim other = claim;

	other.state = _i ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE;
	other.is_transient = other.is_online = _i;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &other), 0);
	ck_assert_int_eq(_i < 2 ? lea_vg_online_claim(claims.run_fd, "vg0")
				: lea_vg_online_claim_kept(claims.run_fd, "vg0"),
			 0);
	ck_assert_int_eq(lea_claim_forget(&claims, VG_ID, &other, _i == 2), 0);
	ck_assert(lea_vg_online_may_exist(claims.run_fd, "vg0"));
}

/* Cached values must not make a forked child's claim look like its parent's. */
TEST(a_forked_child_claims_as_itself)
{
	struct lea_claims_now now = {0};
	struct lea_claims kept = {.run_fd = claims.run_fd, .proc_fd = claims.proc_fd, .now = &now};
	struct lea_claim found = {0};
	int code = 0;
	pid_t pid;

	ck_assert_int_eq(lea_claim_finish(&kept, VG_ID, &claim), 0);
	ck_assert_int_eq(now.pid, getpid());
	ck_assert_int_eq(lea_claim_finish(&kept, VG_OTHER, &claim), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_OTHER, &found), 0);
	ck_assert_int_eq(found.pid, getpid());
	ck_assert_uint_eq(found.start_ticks, now.start_ticks);
	lea_claim_done(&found);
	pid = fork();
	if (!pid)
		_exit(lea_claim_take(&kept, VG_ID, &claim) ? 1 : 0);
	ck_assert_int_eq(waitpid(pid, &code, 0), pid);
	ck_assert_int_eq(code, 0);
	ck_assert_msg(lea_claim_read(&kept, VG_ID, &found) == LEA_CLAIM_ABSENT,
		      "the child is dead, and so is its claim");
}

/* A process was stopped while it had the lock of the folder. */
TEST(a_claim_does_not_wait_for_ever)
{
	LEA_AUTO(lea_closep) int other_fd = -1;

	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &claim), 0);
	other_fd = openat(claims.run_fd, "event/claims", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(other_fd, 0);
	ck_assert_int_eq(flock(other_fd, LOCK_EX), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_OTHER, &claim), -EAGAIN);
	ck_assert_int_eq(flock(other_fd, LOCK_UN), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_OTHER, &claim), 0);
}

static const struct left {
	enum lea_claim_state state;
	const char *vg_name;
	bool is_left;
} lefts[] = {
	{LEA_CLAIM_CLAIMED, "vg0", true},
	{LEA_CLAIM_FAILED, "vg0", true}, /* killed before vgs_online went, or tried again */
	{LEA_CLAIM_DONE, "vg0", false},
	{LEA_CLAIM_CLAIMED, "vg1", false},
};

/* What a claim of ours that was not done, of this epoch or an earlier one, has left in vgs_online.
 */
TEST_EACH(vgs_online_of_an_unfinished_claim_is_ours, lefts)
{
	const struct left *left = &lefts[_i];
	struct lea_claim stored = claim;

	ck_assert_int_eq(lea_claim_left_online(&claims, VG_ID, "vg0"), 0);
	stored.state = left->state;
	snprintf(stored.vg_name, sizeof(stored.vg_name), "%s", left->vg_name);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &stored), 0);
	ck_assert_int_eq(lea_claim_left_online(&claims, VG_ID, "vg0"), left->is_left);
	write_file("event/epoch", "11111111-2222-3333-4444-555555555555 7\n");
	ck_assert_int_eq(lea_claim_left_online(&claims, VG_ID, "vg0"), left->is_left);
	ck_assert_int_lt(lea_claim_left_online(&claims, "../vg", "vg0"), 0);
}

TEST_EACH(an_epoch_ends_with_vgs_online_of_unfinished_vgs, lefts)
{
	const struct left *left = &lefts[_i];
	struct lea_claim stored = claim;

	stored.state = left->state;
	snprintf(stored.vg_name, sizeof(stored.vg_name), "%s", left->vg_name);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &stored), 0);
	ck_assert_int_eq(lea_vg_online_claim(claims.run_fd, "vg0"), 0);
	write_file("event/claims/" VG_OTHER, "lvmevent-claim 1\nstate of mind\n");
	ck_assert_int_eq(arm(), 0);
	ck_assert_int_eq(lea_vg_online_may_exist(claims.run_fd, "vg0"), !left->is_left);
	ck_assert_int_ne(faccessat(claims.run_fd, "event/claims/" VG_ID, F_OK, 0), 0);
	ck_assert_int_ne(faccessat(claims.run_fd, "event/claims/" VG_OTHER, F_OK, 0), 0);
}
