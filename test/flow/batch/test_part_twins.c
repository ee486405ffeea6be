/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VGs of one name, of which one or each lacks PVs. */
#include "fake/no_descriptor.h"
#include "flow/partial_scratch.h"

#define UUID_C "CCCCCC-CCCC-CCCC-CCCC-CCCC-CCCC-CCCCCC"
#define UUID_D "DDDDDD-DDDD-DDDD-DDDD-DDDD-DDDD-DDDDDD"

static const struct made_vg one = {'V', "vg", 5, "A"}, lacks_c = {'W', "vg", 5, "BC"},
			    lacks_d = {'V', "vg", 5, "AD"};

/* A node of the VG with the letter, on the disk. */
static void put_node(uint32_t minor, char vg)
{
	char path[128], uuid[128];

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/holders/dm-0/dm/uuid", minor);
	snprintf(uuid, sizeof(uuid), "LVM-%s00000000000000000000000000000000\n", made_id(vg));
	tree_put(&machine.tree, path, uuid);
	tree_mkdir(&machine.tree, "/dev/vg");
}

/* Rows: the VG is active in part; a person has taken it down since; so, and the LVs are another
 * VG's. */
TEST_TIMES(a_vg_that_is_active_in_part_holds_its_name, 3)
{
	struct lea_claim claim;

	configure(RULE);
	make_come("sdb", 32, 'B', &lacks_c);
	ck_assert_str_eq(wait_long(), "vg(degraded) ");
	if (_i != 1)
		put_node(32, _i ? 'X' : 'W');
	ck_assert_str_eq(make_come("sda", 16, 'A', &one), _i ? "vg " : "");
	ck_assert_int_eq(claim_of(made_id('V'), &claim), 0);
	ck_assert_int_eq(claim.state, _i ? LEA_CLAIM_DONE : LEA_CLAIM_FAILED);
	ck_assert(_i || strstr(claim.reason, "another VG has this name"));
	lea_claim_done(&claim);
	if (!_i)
		ck_assert_msg(!strcmp(make_come("sdc", 48, 'C', &lacks_c), "vg "), "%s", activated);
}

/* Its rest came and failed, so that its claim says so; and a person may have taken it down since: row 1. */
TEST_TIMES(a_part_whose_rest_failed_holds_its_name, 2)
{
	struct lea_claims claims = machine_claims();
	struct lea_claim claim;

	configure(RULE);
	make_come("sdb", 32, 'B', &lacks_c);
	ck_assert_str_eq(wait_long(), "vg(degraded) ");
	ck_assert_int_eq(claim_of(made_id('W'), &claim), 0);
	claim.state = LEA_CLAIM_FAILED;
	ck_assert_int_eq(lea_claim_finish(&claims, made_id('W'), &claim), 0);
	lea_claim_done(&claim);
	put_node(32, _i ? 'X' : 'W');
	ck_assert_str_eq(make_come("sda", 16, 'A', &one), _i ? "vg " : "");
}

/* That its LVs cannot be looked for says nothing of them. */
TEST(a_name_is_not_free_for_want_of_a_descriptor)
{
	struct lea_entry entry = event("sda", 16, 16, made_id('A'), false);

	configure(RULE);
	make_come("sdb", 32, 'B', &lacks_c);
	ck_assert_str_eq(wait_long(), "vg(degraded) ");
	put_node(32, 'W');
	machine_plug("stripe-a", "sda", 16, 16);
	make_show("sda", 'A', &one);
	end_until_fault = "8:32/holders";
	activated[0] = '\0';
	ck_assert_int_eq(run_pass(&entry, 1), -ENFILE);
	ck_assert_ptr_null(end_until_fault);
	ck_assert_str_eq(activated, "");
	lea_device_done(&entry.device);
}

/* The line on its wait has said that it would be activated in part. */
TEST(a_vg_that_waits_on_beside_another_of_its_name_says_so)
{
	configure(RULE);
	make_come("sda", 16, 'A', &one);
	make_come("sdb", 32, 'B', &lacks_c);
	rest();
	ck_assert_msg(!strstr(machine.err, "not activated"), "%s", machine.err);
	ck_assert_str_eq(wait_long(), "");
	ck_assert_msg(strstr(machine.err, "VG vg: not activated in part, incomplete: 1 of 2 PVs is "
					  "there, missing PV " UUID_C "; "),
		      "%s", machine.err);
}

/* Rows: it is up, and pvscan --cache has removed its vgs_online file; a person has taken it down. */
TEST_TIMES(a_vg_that_is_down_keeps_no_other_from_being_active_in_part, 2)
{
	configure(RULE);
	ck_assert_str_eq(make_come("sda", 16, 'A', &one), "vg ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg");
	if (!_i)
		put_node(16, 'V');
	make_come("sdb", 32, 'B', &lacks_c);
	ck_assert_str_eq(wait_long(), _i ? "vg(degraded) " : "");
}

TEST(each_line_names_the_pv_that_its_vg_lacks)
{
	configure(RULE);
	make_come("sdb", 32, 'B', &lacks_c);
	make_come("sda", 16, 'A', &lacks_d);
	rest();
	ck_assert_msg(count(machine.err, "missing PV " UUID_C "; it is activated in part") == 1 &&
			      count(machine.err, "missing PV " UUID_D "; it is activated in part") == 1,
		      "%s", machine.err);
}
