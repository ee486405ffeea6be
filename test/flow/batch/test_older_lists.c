/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVs that list other members than the VG has by now: what is said to be missing, and what is
 * activated in part.
 */
#include "flow/partial_scratch.h"
#include "state/missing.h"

#define UUID_C "CCCCCC-CCCC-CCCC-CCCC-CCCC-CCCC-CCCCCC"

/* ---- a PV that was away while the VG was changed comes first */

/* Rows: what it lists; with a rule. */
static const struct {
	const char *pvs, *conf;
} older[] = {{"AB", ""}, {"AB", RULE}, {"ABD", ""}, {"ABD", RULE}};

TEST_EACH(line_names_what_the_newest_metadata_lack, older)
{
	configure(older[_i].conf);
	make_come("sda", 16, 'A', &(struct made_vg){'V', "vg", 5, older[_i].pvs});
	make_come("sdb", 32, 'B', &(struct made_vg){'V', "vg", 9, "BC"});
	rest();
	ck_assert_msg(count(machine.err, "VG vg: ") == 1 &&
			      strstr(machine.err, "1 of 2 PVs is there, missing PV " UUID_C),
		      "%s", machine.err);
}

/* A new runner reads what waits. */
TEST_TIMES(older_list_makes_no_vg_complete, 2)
{
	struct made_vg vg = {'V', "vg", 9, "ABC"};

	configure(_i ? RULE : "");
	make_come("sda", 16, 'A', &(struct made_vg){'V', "vg", 5, "AB"});
	ck_assert_str_eq(make_come("sdb", 32, 'B', &vg), "");
	ck_assert_str_eq(wait_long(), _i ? "vg(degraded) " : "");
	ck_assert_str_eq(came("sda", 16, 16, made_id('A')), "");
	ck_assert_msg(!strstr(machine.err, "disappeared"), "%s", machine.err);
	ck_assert_str_eq(make_come("sdc", 48, 'C', &vg), "vg ");
}

/* vgreduce --removemissing. Rows: of a VG that is incomplete, that waits, that is active in part. */
TEST_TIMES(vg_that_was_reduced_lacks_nothing, 3)
{
	struct lea_entry change = event("sda", 16, 16, made_id('A'), false);
	struct lea_missing missing;
	struct lea_claim claim;
	size_t told;

	configure(_i ? RULE : "");
	make_come("sda", 16, 'A', &(struct made_vg){'V', "vg", 5, "AB"});
	if (_i == 2)
		ck_assert_str_eq(wait_long(), "vg(degraded) ");
	told = machine.err_bytes;
	make_show("sda", 'A', &(struct made_vg){'V', "vg", 7, "A"});
	change.kind = LEA_ENTRY_CHANGE;
	ck_assert_str_eq(pass(&change, 1), "");
	ck_assert_str_eq(wait_long(), "");
	ck_assert_str_eq(machine.err + told, "");
	ck_assert_int_eq(lea_missing_read(lea_world_run(machine.world), "vg", &missing), 0);
	ck_assert_uint_eq(missing.count, 0);
	lea_missing_done(&missing);
	ck_assert_int_eq(claim_of(made_id('V'), &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_DONE && !claim.in_part[0]);
	lea_claim_done(&claim);
}
