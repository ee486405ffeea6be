/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An add comes back after a shortage, and a person has taken its VG down meanwhile. */
#include "fake/no_descriptor.h"
#include "flow/batch_scratch.h"
#include "state/claim.h"
#include "unit/suite.h"

#define ONLINE "/run/lvm/vgs_online/vg_one"

static void teardown_all(void)
{
	lea_repeats_done(&pass_cache.repeats, machine.world);
	end_until_fault = NULL;
	teardown();
}

const struct fixture fixture = {setup, teardown_all};

static enum lea_claim_state state(void)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const struct lea_claims claims = machine_claims();

	ck_assert_int_eq(lea_claim_read(&claims, VG_ONE_ID, &claim), 0);
	return claim.state;
}

static int add(uint64_t seqnum)
{
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

	entry.device.seqnum = seqnum;
	activated[0] = '\0';
	return run_pass(&entry, 1);
}

/* Rows: nobody has touched it; a person has taken it down; that add has come once more since, as by udevadm
 * trigger. */
static const struct {
	bool is_down;
	uint64_t seqnum;
	const char *activated;
} repeats[] = {{false, 5, "vg_one "}, {true, 5, ""}, {true, 6, "vg_one "}};

TEST_EACH(a_vg_that_failed_in_a_shortage_stays_down, repeats)
{
	machine_plug("one-pv", "sda", 16, 7);
	outcome = shortage = -EMFILE;
	ck_assert_int_eq(add(5), -EMFILE);
	outcome = shortage = 0;
	ck_assert(machine_has(ONLINE));
	if (repeats[_i].is_down)
		tree_remove(&machine.tree, ONLINE);
	ck_assert_int_eq(add(repeats[_i].seqnum), 0);
	ck_assert_str_eq(activated, repeats[_i].activated);
}

static void use_up(void)
{
	end_until_fault = "claims";
	before_report = NULL;
}

/* It is up, and only that cannot be written. Rows as above; what nobody has touched is not activated again. */
TEST_EACH(a_vg_whose_claim_could_not_be_ended_stays_down, repeats)
{
	machine_plug("one-pv", "sda", 16, 7);
	before_report = use_up;
	ck_assert_int_eq(add(5), -ENFILE);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_int_eq(state(), LEA_CLAIM_CLAIMED);
	if (repeats[_i].is_down)
		tree_remove(&machine.tree, ONLINE);
	ck_assert_int_eq(add(repeats[_i].seqnum), 0);
	ck_assert_int_eq(state(), LEA_CLAIM_DONE);
	ck_assert_str_eq(activated, repeats[_i].seqnum == 6 ? "vg_one " : "");
}

/* The runner begins again for other settings, by an exec: it would be the owner still. */
TEST(no_claim_is_left_to_a_program_that_knows_nothing_of_it)
{
	machine_plug("one-pv", "sda", 16, 7);
	before_report = use_up;
	ck_assert_int_eq(add(5), -ENFILE);
	ck_assert_int_eq(state(), LEA_CLAIM_CLAIMED);
	lea_repeats_done(&pass_cache.repeats, machine.world);
	ck_assert_int_eq(state(), LEA_CLAIM_DONE);
}

/* The claim is of before the pass that was short: it was dealt with then, and this add is another. */
TEST(an_add_that_comes_back_before_it_had_its_turn_counts)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_int_eq(add(5), 0);
	tree_remove(&machine.tree, ONLINE);
	machine.tree.world.clock->sleep_ms(machine.tree.world.clock, 2);
	calls_until_fault = 1;
	ck_assert_int_eq(add(6), -ENFILE);
	calls_until_fault = 0;
	ck_assert_int_eq(add(6), 0);
	ck_assert_str_eq(activated, "vg_one ");
}
