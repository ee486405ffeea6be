/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is recorded of a PV, what is refused, and what happens to older records. */
#include "fake/put.h"
#include "flow/record_scratch.h"

#include <fcntl.h>
#include <sys/resource.h>

const struct fixture fixture = {setup, teardown};

/* ---- VGs with one fault each */

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

/* Plugs a device with number 8:32, and puts @pvid into its label. */
static void other_is(const char *sample, const char *device, const char *pvid)
{
	uint8_t sector[512];
	char path[64];
	int fd;

	machine_plug(sample, device, 32, 1);
	snprintf(path, sizeof(path), "dev/%s", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, sector, sizeof(sector), 512), sizeof(sector));
	memcpy(sector + 32, pvid, strlen(pvid));
	seal_label(sector);
	ck_assert_int_eq(pwrite(fd, sector, sizeof(sector), 512), sizeof(sector));
	close(fd);
	if (!strcmp(device, "unreadable"))
		tree_remove(&machine.tree, "/dev/unreadable");
}

static struct lea_record see_kind(enum lea_found_kind kind, bool is_md)
{
	struct lea_found found = {.kind = kind, .device = {.name = name}, .md_component = is_md};
	struct lea_record record;

	lea_record_found(recorder, &found, &record);
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

TEST_EACH(each_pv_that_lvm2_refuses_is_refused, refusals)
{
	bool is_online = refusals[_i].want == LEA_RECORD_ONLINE;

	conf->system_id = refusals[_i].system_id;
	begin(true, true, false);
	ck_assert_msg(see(16, ID_A, refusals[_i].vg).kind == refusals[_i].want, "%s",
		      refusals[_i].claim);
	ck_assert_msg(!!get("pvs_online/" ID_A) == is_online, "%s", refusals[_i].claim);
	ck_assert_msg(!!get("newhints") == is_online, "%s", refusals[_i].claim);
	ck_assert(is_online || !get("vgs_online/v"));
}

/* Rows: a PV that may be used, and one that may not. What it shows must be noted in the end. */
TEST_TIMES(a_pv_that_cannot_be_noted_for_now_is_told_of, 2)
{
	struct lea_vg vg = {.name = "v", ONE_PV, .system_id = _i ? "there" : "here"};
	struct rlimit before, none;
	struct lea_record record;

	conf->system_id = "here";
	strcpy(vg.id, "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21");
	tree_mkdir(&machine.tree, "/run/lvm/event");
	begin(false, false, false);
	ck_assert_int_ge(lea_world_run(machine.world), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 3, .rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	record = see(16, ID_A, &vg);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(record.kind, _i ? LEA_RECORD_FOREIGN : LEA_RECORD_FAILED);
	ck_assert_int_eq(record.fault, -EMFILE);
	record = see(16, ID_A, &vg);
	ck_assert_int_eq(record.kind, _i ? LEA_RECORD_FOREIGN : LEA_RECORD_ONLINE);
	ck_assert_int_eq(record.fault, 0);
}

TEST(refuses_a_pv_that_its_vg_does_not_list)
{
	begin(true, true, false);
	ck_assert_int_eq(see(16, ID_B, &vg1).kind, LEA_RECORD_NOT_IN_VG);
	ck_assert_ptr_null(get("pvs_online/" ID_B));
}

TEST(a_device_that_is_no_pv_is_not_recorded)
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

/* ---- the record */

TEST(a_pv_is_recorded_as_by_lvm2)
{
	begin(false, false, false);
	ck_assert_int_eq(see(16, ID_A, &vg1).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:vg1\ndev:/dev/sdb\n");
	ck_assert_int_eq(see(17, ID_B, NULL).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_B), "8:17\ndev:/dev/sdb\n");
	ck_assert_ptr_null(get("vgs_online/vg1"));
	ck_assert_ptr_null(get("pvs_lookup/vg1"));
}

static const struct {
	const char *claim, *old;
	const char *other, *device, *other_pvid; /* sample on 8:32; NULL: no such device */
	enum lea_record_kind want;
	bool replaced, keeps_claim;
	const char *text;
} olds[] = {
	{"its own record stays", "8:16\nvg:vg1\ndev:/dev/other\n", NULL, NULL, NULL,
	 LEA_RECORD_ONLINE, false, true, "8:16\nvg:vg1\ndev:/dev/other\n"},
	{"the PV on two devices is a duplicate", "8:32\nvg:vg1\ndev:/dev/sdc\n", "one-pv", "sdc",
	 ID_A, LEA_RECORD_DUPLICATE, false, true, "8:32\nvg:vg1\ndev:/dev/sdc\n"},
	{"an orphan with the same id as well", "8:32\n", "orphan-after-vgremove", "sdc", ID_A,
	 LEA_RECORD_DUPLICATE, false, true, "8:32\n"},
	{"the recorded device is gone", "8:32\nvg:vg1\ndev:/dev/sdc\n", NULL, NULL, NULL,
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is another PV now", "8:32\nvg:vg1\ndev:/dev/sdc\n", "one-pv", "sdc",
	 ID_B, LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is no PV now", "8:32\nvg:vg1\n", "damaged/label-magic-wiped", "sdc",
	 ID_A, LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device can't be read", "8:32\nvg:vg1\n", "one-pv", "unreadable", ID_A,
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"the recorded device is not for LVM", "8:32\nvg:vg1\n", "one-pv", "excluded", ID_A,
	 LEA_RECORD_ONLINE, true, false, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"an empty record is replaced", "", NULL, NULL, NULL, LEA_RECORD_ONLINE, true, true,
	 "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"a damaged record is replaced", "what?", NULL, NULL, NULL, LEA_RECORD_ONLINE, true, true,
	 "8:16\nvg:vg1\ndev:/dev/sdb\n"},
	{"a VG that was unknown is added", "8:16\ndev:/dev/sdb\n", NULL, NULL, NULL,
	 LEA_RECORD_ONLINE, true, true, "8:16\nvg:vg1\ndev:/dev/sdb\n"},
};

TEST_EACH(an_old_record_is_kept_or_replaced_by_what_its_device_is, olds)
{
	struct lea_record record;

	old_record(ID_A, olds[_i].old);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg1"), 0);
	if (olds[_i].other)
		other_is(olds[_i].other, olds[_i].device, olds[_i].other_pvid);
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

TEST(a_record_follows_a_renamed_vg)
{
	static const char *const ids[] = {ID_A, ID_B};

	old_record(ID_A, "8:16\nvg:old\ndev:/dev/sdb\n");
	ck_assert_int_eq(lea_lookup_write(lea_world_run(machine.world), "old", ids, 2), 0);
	begin(true, true, false);
	ck_assert_str_eq(see(16, ID_A, &renamed).vg_name, "new");
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:new\ndev:/dev/sdb\n");
	ck_assert_ptr_null(get("pvs_lookup/old"));
	ck_assert_ptr_nonnull(get("vgs_online/new"));
}

TEST(leaves_a_lookup_file_that_is_not_about_this_pv)
{
	static const char *const ids[] = {ID_C, ID_B};

	old_record(ID_A, "8:16\nvg:old\n");
	ck_assert_int_eq(lea_lookup_write(lea_world_run(machine.world), "old", ids, 2), 0);
	begin(true, true, false);
	ck_assert_int_eq(see(16, ID_A, &renamed).kind, LEA_RECORD_ONLINE);
	ck_assert_ptr_nonnull(get("pvs_lookup/old"));
}

TEST(metadata_lost_keeps_the_name)
{
	old_record(ID_A, "8:16\nvg:vg1\n");
	begin(false, false, false);
	ck_assert_int_eq(see(16, ID_A, NULL).kind, LEA_RECORD_ONLINE);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\nvg:vg1\n");
}

TEST(a_name_too_long_is_left_out)
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
	lea_record_found(recorder, &found, &record);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:16\n");
}

TEST(says_why_it_could_not_record)
{
	struct lea_record record;

	put("run/lvm/pvs_online", "a file where the folder should be");
	begin(true, true, false);
	record = see(16, ID_A, &vg1);
	ck_assert_int_eq(record.kind, LEA_RECORD_FAILED);
	ck_assert_int_lt(record.fault, 0);
}

/* ---- test mode, gone */

TEST(test_mode_writes_nothing)
{
	struct lea_record record;

	begin(true, true, true);
	record = see(16, ID_A, &vg1);
	ck_assert_int_eq(record.kind, LEA_RECORD_ONLINE);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
	ck_assert_uint_eq(see(16, ID_A, &vg3).missing, 2);
	see_kind(LEA_FOUND_ORPHAN, false);
	ck_assert_int_eq(rmdir("run/lvm"), 0); /* the folder is empty */
}

TEST(test_mode_replaces_and_removes_nothing)
{
	old_record(ID_A, "8:32\nvg:vg1\n");
	begin(true, true, true);
	ck_assert(see(16, ID_A, &vg1).replaced);
	ck_assert_str_eq(get("pvs_online/" ID_A), "8:32\nvg:vg1\n");
	ck_assert_int_eq(lea_record_gone(recorder, 8, 32, ID_A, false), 0);
	ck_assert_ptr_nonnull(get("pvs_online/" ID_A));
}

TEST(a_pv_that_went_is_forgotten)
{
	begin(true, true, false);
	ck_assert(see(16, ID_A, &vg1).claimed);
	ck_assert_int_eq(lea_record_gone(recorder, 8, 99, ID_A, false), 0);
	ck_assert_msg(get("pvs_online/" ID_A), "another number's remove event");
	ck_assert_int_eq(lea_record_gone(recorder, 8, 16, ID_A, false), 0);
	ck_assert_ptr_null(get("pvs_online/" ID_A));
	ck_assert_ptr_null(get("vgs_online/vg1"));
	begin(true, true, false);
	ck_assert_msg(see(32, ID_A, &vg1).claimed, "back under another number: claimed again");
	ck_assert_int_eq(lea_record_gone_number(machine.world, 8, 32), 0);
	ck_assert_ptr_null(get("pvs_online/" ID_A));
}

/* The VG may be up with the instance that has the number now, and nobody has taken it down. */
TEST(a_pv_that_is_back_under_its_number_leaves_vgs_online)
{
	begin(true, true, false);
	ck_assert(see(16, ID_A, &vg1).claimed);
	ck_assert_int_eq(lea_record_gone(recorder, 8, 99, ID_A, true), 0);
	ck_assert_msg(get("pvs_online/" ID_A), "another number's remove event");
	ck_assert_int_eq(lea_record_gone(recorder, 8, 16, ID_A, true), 0);
	ck_assert_ptr_null(get("pvs_online/" ID_A));
	ck_assert_ptr_nonnull(get("vgs_online/vg1"));
}

TEST(without_hints_no_hint_file_is_touched)
{
	conf->hints = false;
	begin(true, true, false);
	see(16, ID_A, &vg1);
	ck_assert_ptr_null(get("newhints"));
}
