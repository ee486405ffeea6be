/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VGs whose worker died without a report. */
#include "batch/requeue.h"
#include "flow/machine.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "unit/suite.h"
#include "worker/pool.h"

#include <sys/stat.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static int event_fd;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 0, 7);
	event_fd = machine_queue();
}

static void teardown(void)
{
	close(event_fd);
	machine_end();
}

const struct fixture fixture = {setup, teardown};

enum whose { OURS, OURS_AND_DONE, OTHERS, NOBODYS };

static const struct {
	const char *claim;
	enum whose whose;
	unsigned int diskseq;
	uint32_t again; /* how often this was so before */
	bool is_last;
	/* afterwards */
	bool is_queued;
	int state; /* of the claim; -1: there is none */
	bool is_later;
} rows[] = {
	{"a VG that is still claimed is queued by one of its devices", OURS, 7, 0, false, true,
	 LEA_CLAIM_FAILED, false},
	{"at the second time a pause comes first", OURS, 7, 1, false, false, LEA_CLAIM_FAILED,
	 true},
	{"... but not if nobody would be there after it", OURS, 7, 1, true, true, LEA_CLAIM_FAILED,
	 false},
	{"what another worker has brought to an end stays so", OURS_AND_DONE, 7, 0, false, false,
	 LEA_CLAIM_DONE, false},
	{"another process has claimed it by now and sees to it", OTHERS, 7, 0, false, false,
	 LEA_CLAIM_CLAIMED, false},
	{"without a claim its devices wait for an event", NOBODYS, 7, 0, false, false, -1, false},
	{"no disk of it is there, so nobody else would end the claim", OURS, 6, 0, false, false, -1,
	 false},
};

static void make_claim(enum whose whose, struct lea_claim *claim)
{
	const struct lea_claims claims = machine_claims();
	char path[256], text[512];
	FILE *file;

	if (whose == NOBODYS)
		return;
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, claim), 0);
	claim->state = LEA_CLAIM_DONE;
	if (whose == OURS_AND_DONE)
		ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, claim), 0);
	if (whose != OTHERS)
		return;
	/* The same claim with another owner, who is alive. */
	snprintf(path, sizeof(path), "%s/run/lvm/event/claims/" VG_ID, machine.tree.root);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "owner "));
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%.*sowner 1 99%s", (int)(strstr(text, "owner ") - text), text,
		strchr(strstr(text, "owner "), '\n'));
	fclose(file);
	tree_put_process(&machine.tree, 1, "other", 'S', 99);
}

TEST_EACH(a_lost_vg_is_queued_if_nobody_else_has_it, rows)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 0, rows[_i].diskseq}};
	struct lea_claim old = {0}, claim = {.vg_name = "vg_one",
					     .pv = &pv,
					     .pv_count = 1,
					     .again = rows[_i].again};
	const struct lea_claims claims = machine_claims();
	int r;

	make_claim(rows[_i].whose, &claim);
	r = lea_requeue_lost(machine.world, VG_ID, rows[_i].is_last);
	ck_assert_msg(r == (rows[_i].is_later ? LEA_WORKERS_LATER : 0), "%s: %d", rows[_i].claim,
		      r);
	ck_assert_msg(machine_has("/run/lvm/event/queue/8:0-7") == rows[_i].is_queued, "%s",
		      rows[_i].claim);
	r = lea_claim_read(&claims, VG_ID, &old);
	ck_assert_msg((r == LEA_CLAIM_ABSENT ? -1 : (int)old.state) == rows[_i].state, "%s: claim",
		      rows[_i].claim);
	ck_assert_msg(old.state != LEA_CLAIM_FAILED ||
			      (old.is_transient && old.again == rows[_i].again + 1),
		      "%s: another try", rows[_i].claim);
	lea_claim_done(&old);
}

/* That somebody takes the VG down until the next try is noticed by that file. */
TEST_TIMES(vgs_online_stays_if_it_came_with_the_claim, 2)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 0, 7}};
	struct lea_claim old = {0},
			 claim = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1, .is_online = _i};
	const struct lea_claims claims = machine_claims();

	make_claim(OURS, &claim);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg_one"), 0);
	ck_assert_int_eq(lea_requeue_lost(machine.world, VG_ID, false), 0);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one") == _i);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &old), 0);
	ck_assert(old.state == LEA_CLAIM_FAILED && old.is_online == _i);
	lea_claim_done(&old);
}

/* A record came after the claim. */
TEST(a_claim_whose_vgs_online_was_cleared_does_not_say_that_it_is_there)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 0, 7}};
	struct lea_claim old = {0},
			 claim = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1, .is_online = true};
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	const struct lea_claims claims = machine_claims();

	make_claim(OURS, &claim);
	ck_assert_int_eq(utimensat(claims.run_fd, "event/claims/" VG_ID, times, 0), 0);
	machine_record(PVID_ONE, "vg_one", "sda", 0);
	ck_assert_int_eq(lea_requeue_lost(machine.world, VG_ID, false), 0);
	ck_assert_int_eq(lea_claim_read(&claims, VG_ID, &old), 0);
	ck_assert(old.state == LEA_CLAIM_FAILED && old.is_transient && !old.is_online);
	lea_claim_done(&old);
}
