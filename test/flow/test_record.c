/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is recorded of a PV, what is refused, and what becomes of older records. */
#include "flow/record_scratch.h"

/* ---- VGs with a fault each */

static const struct lea_vg renamed = {.name = "new", ONE_PV};
static const struct lea_vg shared = {
	.name = "v", ONE_PV, .lock_type = "sanlock", .system_id = "x", .flags = LEA_FLAG_EXPORTED};
static const struct lea_vg idm = {.name = "v", ONE_PV, .lock_type = "idm"};
static const struct lea_vg local = {.name = "v", ONE_PV, .lock_type = "none"};
static const struct lea_vg foreign = {
	.name = "v", ONE_PV, .system_id = "there", .flags = LEA_FLAG_EXPORTED};
static const struct lea_vg own = {.name = "v", ONE_PV, .system_id = "here"};
static const struct lea_vg no_id = {.name = "v", ONE_PV, .system_id = ""};
static const struct lea_vg exported = {.name = "v", ONE_PV, .flags = LEA_FLAG_EXPORTED};
static const struct lea_vg clustered = {.name = "v", ONE_PV, .flags = LEA_FLAG_CLUSTERED};

static void other_is(uint32_t minor, enum lea_found_kind kind, const char *pvid)
{
	char path[64];

	others[minor].kind = kind;
	snprintf(others[minor].label.pvid, sizeof(others[minor].label.pvid), "%s", pvid);
	snprintf(path, sizeof(path), "sys/dev/block/8:%u", minor);
	ck_assert_int_eq(symlink("../nothing", path), 0);
}

static struct lea_record see_kind(enum lea_found_kind kind, bool is_md)
{
	struct lea_found found = {.kind = kind, .device = {.name = name}, .md_component = is_md};
	struct lea_record record;

	ck_assert_int_eq(lea_record_found(recorder, &found, &record), 0);
	return record;
}

/* ---- refusals */

static const struct {
	const char *claim;
	const struct lea_vg *vg;
	const char *system_id;
	enum lea_record_kind want;
} refusals[] = {
	{"an ordinary VG", &vg1, "here", LEA_RECORD_ONLINE},
	{"shared comes before foreign and exported", &shared, "here", LEA_RECORD_SHARED},
	{"idm is shared, too", &idm, "here", LEA_RECORD_SHARED},
	{"lock_type none is local", &local, "here", LEA_RECORD_ONLINE},
	{"foreign comes before exported", &foreign, "here", LEA_RECORD_FOREIGN},
	{"this host's ID", &own, "here", LEA_RECORD_ONLINE},
	{"a host without ID owns no VG with one", &own, NULL, LEA_RECORD_FOREIGN},
	{"an empty ID is none", &no_id, "here", LEA_RECORD_ONLINE},
	{"exported", &exported, "here", LEA_RECORD_EXPORTED},
	{"clustered is recorded", &clustered, "here", LEA_RECORD_ONLINE},
};

START_TEST(refuses)
{
	bool is_online = refusals[_i].want == LEA_RECORD_ONLINE;

	conf.system_id = refusals[_i].system_id;
	begin(true, true, false);
	ck_assert_msg(see(16, ID_A, refusals[_i].vg).kind == refusals[_i].want, "%s",
		      refusals[_i].claim);
	ck_assert_msg(!!get("pvs_online/" ID_A) == is_online, "%s", refusals[_i].claim);
	ck_assert_msg(!!get("newhints") == is_online, "%s", refusals[_i].claim);
	ck_assert(is_online || !get("vgs_online/v"));
}
END_TEST

START_TEST(refuses_a_pv_that_its_vg_does_not_list)
{
	begin(true, true, false);
	ck_assert_int_eq(see(16, ID_B, &vg1).kind, LEA_RECORD_NOT_IN_VG);
	ck_assert_ptr_null(get("pvs_online/" ID_B));
}
END_TEST

START_TEST(leaves_what_is_no_pv)
{
	begin(true, true, false);
	ck_assert_int_eq(see_kind(LEA_FOUND_NOT_PV, false).kind, LEA_RECORD_NOTHING);
	ck_assert_int_eq(see_kind(LEA_FOUND_EXCLUDED, false).kind, LEA_RECORD_NOTHING);
	ck_assert_int_eq(see_kind(LEA_FOUND_UNREADABLE, false).kind, LEA_RECORD_NOTHING);
	ck_assert_int_eq(see_kind(LEA_FOUND_PV, true).kind, LEA_RECORD_MD);
	ck_assert_ptr_null(get("newhints"));
	ck_assert_int_eq(see_kind(LEA_FOUND_ORPHAN, false).kind, LEA_RECORD_NOTHING);
	ck_assert_ptr_nonnull(get("newhints"));
}
END_TEST

/* ---- the record */

START_TEST(records_as_lvm2_does)
{
	begin(false, false, false);
	ck_assert_int_eq(see(16, ID_A, &vg1).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:vg1\ndev:/dev/sdb\n");
	ck_assert_int_eq(see(17, ID_B, NULL).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_B), "8:17\ndev:/dev/sdb\n");
	ck_assert_ptr_null(get("vgs_online/vg1"));
	ck_assert_ptr_null(get("pvs_lookup/vg1"));
}
END_TEST

static const struct {
	const char *claim, *old;
	enum lea_found_kind other; /* what 8:32 is; GONE: no such device */
	const char *other_pvid;
	enum lea_record_kind want;
	bool replaced, keeps_claim;
	const char *text;
} olds[] = {
	{"its own record stays", "8:16\nvg:vg1\ndev:/dev/other\n", LEA_FOUND_GONE, "",
	 LEA_RECORD_ONLINE, false, true, "8:16\nvg:vg1\ndev:/dev/other\n"},
	{"the PV on two devices is a duplicate", "8:32\nvg:vg1\ndev:/dev/sdc\n", LEA_FOUND_PV, ID_A,
	 LEA_RECORD_DUPLICATE, false, true, "8:32\nvg:vg1\ndev:/dev/sdc\n"},
	{"an orphan with the same id as well", "8:32\n", LEA_FOUND_ORPHAN, ID_A,
	 LEA_RECORD_DUPLICATE, false, true, "8:32\n"},
	{"the recorded device is gone", "8:32\nvg:vg1\ndev:/dev/sdc\n", LEA_FOUND_GONE, "",
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is another PV now", "8:32\nvg:vg1\ndev:/dev/sdc\n", LEA_FOUND_PV,
	 ID_B, LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is no PV now", "8:32\nvg:vg1\n", LEA_FOUND_NOT_PV, "",
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device can't be read", "8:32\nvg:vg1\n", LEA_FOUND_UNREADABLE, "",
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is not for LVM", "8:32\nvg:vg1\n", LEA_FOUND_EXCLUDED, "",
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"an empty record is replaced", "", LEA_FOUND_GONE, "", LEA_RECORD_ONLINE, true, true,
	 "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"a damaged record is replaced", "what?", LEA_FOUND_GONE, "", LEA_RECORD_ONLINE, true, true,
	 "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"a VG that was unknown is added", "8:16\ndev:/dev/sdb\n", LEA_FOUND_GONE, "",
	 LEA_RECORD_ONLINE, true, true, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
};

START_TEST(settles_old_records)
{
	struct lea_record record;

	old_record(ID_A, olds[_i].old);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(&world), "vg1"), 0);
	if (olds[_i].other != LEA_FOUND_GONE)
		other_is(32, olds[_i].other, olds[_i].other_pvid);
	begin(false, false, false);
	record = see(16, ID_A, &vg1);
	ck_assert_msg(record.kind == olds[_i].want, "%s", olds[_i].claim);
	ck_assert_msg(record.replaced == olds[_i].replaced, "%s", olds[_i].claim);
	ck_assert_msg(!strcmp(get("pvs_online/" ID_A), olds[_i].text), "%s: %s", olds[_i].claim,
		      get("pvs_online/" ID_A));
	ck_assert_msg(!!get("vgs_online/vg1") == olds[_i].keeps_claim, "%s", olds[_i].claim);
	if (record.kind == LEA_RECORD_DUPLICATE)
		ck_assert(record.other_major == 8 && record.other_minor == 32);
}
END_TEST

START_TEST(follows_a_rename)
{
	static const char *const ids[] = {ID_A, ID_B};

	old_record(ID_A, "8:16\nvg:old\ndev:/dev/sdb\n");
	ck_assert_int_eq(lea_lookup_write(lea_world_run(&world), "old", ids, 2), 0);
	begin(true, true, false);
	ck_assert_str_eq(see(16, ID_A, &renamed).vg_name, "new");
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:new\ndev:/dev/sdb\n");
	ck_assert_ptr_null(get("pvs_lookup/old"));
	ck_assert_ptr_nonnull(get("vgs_online/new"));
}
END_TEST

START_TEST(leaves_a_lookup_file_that_is_not_about_this_pv)
{
	static const char *const ids[] = {ID_C, ID_B};

	old_record(ID_A, "8:16\nvg:old\n");
	ck_assert_int_eq(lea_lookup_write(lea_world_run(&world), "old", ids, 2), 0);
	begin(true, true, false);
	ck_assert_int_eq(see(16, ID_A, &renamed).kind, LEA_RECORD_ONLINE);
	ck_assert_ptr_nonnull(get("pvs_lookup/old"));
}
END_TEST

START_TEST(metadata_lost_keeps_the_name)
{
	old_record(ID_A, "8:16\nvg:vg1\n");
	begin(false, false, false);
	ck_assert_int_eq(see(16, ID_A, NULL).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:vg1\n");
}
END_TEST

START_TEST(a_name_too_long_is_left_out)
{
	struct lea_found found = {.kind = LEA_FOUND_PV, .device = {.major = 8, .minor = 16}};
	struct lea_record record;
	char longer[200];

	memset(longer, 'x', sizeof(longer));
	memcpy(longer, "/dev/", 5);
	longer[sizeof(longer) - 1] = '\0';
	found.device.name = longer;
	strcpy(found.label.pvid, ID_A);
	begin(false, false, false);
	ck_assert_int_eq(lea_record_found(recorder, &found, &record), 0);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\n");
}
END_TEST

START_TEST(says_why_it_could_not_record)
{
	struct lea_record record;

	put("run/lvm/pvs_online", "a file where the folder should be");
	begin(true, true, false);
	record = see(16, ID_A, &vg1);
	ck_assert_int_eq(record.kind, LEA_RECORD_FAILED);
	ck_assert_int_lt(record.fault, 0);
}
END_TEST

/* ---- test mode, gone */

START_TEST(test_mode_writes_nothing)
{
	struct lea_record record;

	begin(true, true, true);
	record = see(16, ID_A, &vg1);
	ck_assert_int_eq(record.kind, LEA_RECORD_ONLINE);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
	ck_assert_uint_eq(see(16, ID_A, &vg3).missing, 2);
	see_kind(LEA_FOUND_ORPHAN, false);
	ck_assert_int_eq(rmdir("run/lvm"), 0); /* is empty */
}
END_TEST

START_TEST(test_mode_settles_nothing)
{
	old_record(ID_A, "8:32\nvg:vg1\n");
	begin(true, true, true);
	ck_assert(see(16, ID_A, &vg1).replaced);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:32\nvg:vg1\n");
	ck_assert_int_eq(lea_record_gone(recorder, 8, 32, ID_A), 0);
	ck_assert_ptr_nonnull(get("pvs_online/" ID_A));
}
END_TEST

START_TEST(gone_forgets)
{
	begin(true, true, false);
	ck_assert(see(16, ID_A, &vg1).claimed);
	ck_assert_int_eq(lea_record_gone(recorder, 8, 99, ID_A), 0);
	ck_assert_msg(get("pvs_online/" ID_A), "another number's remove event");
	ck_assert_int_eq(lea_record_gone(recorder, 8, 16, ID_A), 0);
	ck_assert_ptr_null(get("pvs_online/" ID_A));
	ck_assert_ptr_null(get("vgs_online/vg1"));
	begin(true, true, false);
	ck_assert_msg(see(32, ID_A, &vg1).claimed, "back under another number: claimed again");
	ck_assert_int_eq(lea_record_gone_number(&world, 8, 32), 0);
	ck_assert_ptr_null(get("pvs_online/" ID_A));
}
END_TEST

START_TEST(hints_none_are_left_alone)
{
	conf.hints = false;
	begin(true, true, false);
	see(16, ID_A, &vg1);
	ck_assert_ptr_null(get("newhints"));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("record");
	TCase *tcase = tcase_create("run files");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, refuses, 0, (int)ARRAY_SIZE(refusals));
	tcase_add_test(tcase, refuses_a_pv_that_its_vg_does_not_list);
	tcase_add_test(tcase, leaves_what_is_no_pv);
	tcase_add_test(tcase, records_as_lvm2_does);
	tcase_add_loop_test(tcase, settles_old_records, 0, (int)ARRAY_SIZE(olds));
	tcase_add_test(tcase, follows_a_rename);
	tcase_add_test(tcase, leaves_a_lookup_file_that_is_not_about_this_pv);
	tcase_add_test(tcase, metadata_lost_keeps_the_name);
	tcase_add_test(tcase, a_name_too_long_is_left_out);
	tcase_add_test(tcase, says_why_it_could_not_record);
	tcase_add_test(tcase, test_mode_writes_nothing);
	tcase_add_test(tcase, test_mode_settles_nothing);
	tcase_add_test(tcase, gone_forgets);
	tcase_add_test(tcase, hints_none_are_left_alone);
	suite_add_tcase(suite, tcase);
	return suite;
}
