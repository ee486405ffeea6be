/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of duplicates, what claims say of them, and the epoch in which both count: a shortage that
 * lasts for one call is no answer. */
#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "record/duplicate_claim.h"
#include "record/duplicate_note.h"
#include "state/epoch.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CALLS_MOST 12U
#define BOOT_ID	   "11111111-2222-3333-4444-000000000001"
#define PVID	   "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"
#define VG_ID	   "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static struct tree tree;
static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", BOOT_ID "\n");
	tree_put(&tree, "/run/lvm/event/epoch", BOOT_ID " 3\n");
	tree_put_process(&tree, getpid(), "test", 'R', 7);
	ck_assert_int_ge(lea_world_run(&tree.world), 0);
	ck_assert_int_ge(lea_world_proc(&tree.world), 0);
}

static void teardown(void)
{
	calls_until_fault = 0;
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* One that is ignored brings nothing up, and so does one that cannot be read for now. */
TEST(an_ignored_duplicate_stays_one)
{
	const struct lea_duplicate ignored = {.id = {8, 32, 2},
					      .pvid = PVID,
					      .vg_id = VG_ID,
					      .state = LEA_DUPLICATE_IGNORED};
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	unsigned int faults = 0;
	int r;

	ck_assert_int_eq(lea_duplicate_put(&tree.world, &ignored), 0);
	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		calls_until_fault = call;
		r = lea_duplicate_list(&tree.world, PVID, listed);
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || (r == 1 && listed[0].state == LEA_DUPLICATE_IGNORED),
			      "call %u: %d", call, r);
	}
	ck_assert_uint_eq(faults, 4);
}

static struct lea_claim_pv pv = {.pvid = PVID, .id = {8, 16, 1}};

static void claim(enum lea_claim_state state)
{
	const struct lea_claim claim = {
		.state = state, .vg_name = "vg0", .seqno = 1, .pv = &pv, .pv_count = 1};
	struct lea_claims claims;

	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
}

static int has_failed(void)
{
	return lea_duplicate_has_claim(&tree.world, VG_ID, LEA_CLAIM_FAILED);
}

static int ask_device(int (*ask)(struct lea_world *world, const struct lea_vg *vg, const char *pvid,
				 const struct lea_device *recorded))
{
	const struct lea_vg vg = {.id = VG_ID, .name = "vg0"};
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 1};

	return ask(&tree.world, &vg, PVID, &device);
}

static int is_used(void)
{
	return ask_device(lea_duplicate_is_used);
}

static int is_dealt_with(void)
{
	return ask_device(lea_duplicate_is_dealt_with);
}

/* Rows: what a copy wants to know. "No" would bring up what was taken down, or leave down what was
 * refused. */
static const struct {
	enum lea_claim_state state;
	int (*ask)(void);
} questions[] = {{LEA_CLAIM_FAILED, has_failed},
		 {LEA_CLAIM_DONE, is_used},
		 {LEA_CLAIM_DONE, is_dealt_with}};

TEST_EACH(a_claim_that_cannot_be_read_is_no_answer, questions)
{
	unsigned int faults = 0;
	int r;

	claim(questions[_i].state);
	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		calls_until_fault = call;
		r = questions[_i].ask();
		faults += r < 0;
		ck_assert_msg(r == -ENFILE || r == 1, "call %u: %d", call, r);
	}
	ck_assert_uint_ge(faults, 1);
}

/* It would stay refused for good: the note of the copy goes next. */
TEST(a_refusal_that_cannot_be_read_is_not_forgotten)
{
	int r = 0;

	for (unsigned int call = 1; call <= CALLS_MOST; call++) {
		claim(LEA_CLAIM_FAILED);
		calls_until_fault = call;
		r = lea_duplicate_forget_refusal(&tree.world, VG_ID);
		calls_until_fault = 0;
		ck_assert_msg(r == -ENFILE || (!r && !has_failed()), "call %u: %d", call, r);
	}
	ck_assert_int_eq(r, 0);
}

/* With the number of an earlier epoch its claims would count again, and those of this one not. */
TEST(an_epoch_that_cannot_be_read_is_not_the_first)
{
	const int run_fd = lea_world_run(&tree.world), proc_fd = lea_world_proc(&tree.world);
	char epoch[LEA_EPOCH_BYTES];
	int event_fd = openat(run_fd, "event", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(event_fd, 0);
	for (unsigned int call = 1; call <= 2; call++) {
		calls_until_fault = call;
		ck_assert_int_eq(lea_epoch_now(run_fd, proc_fd, epoch), -ENFILE);
		calls_until_fault = call;
		ck_assert_int_eq(lea_epoch_begin(run_fd, proc_fd, event_fd), -ENFILE);
	}
	ck_assert_int_eq(lea_epoch_now(run_fd, proc_fd, epoch), 0);
	ck_assert_str_eq(epoch, BOOT_ID "-3");
	close(event_fd);
}
