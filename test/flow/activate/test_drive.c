/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which VGs are taken by which transaction, and what becomes of those of the real lvm. */
#include "activate/drive.h"

#include "flow/batch_scratch.h"
#include "state/lock.h"
#include "unit/suite.h"

static struct lea_scan *scan;
static struct lea_scan_vg *vgs;
static size_t vg_count;
static size_t left;	/* number of the VG that is not picked; SIZE_MAX: all are */
static char calls[256]; /* in order */
static bool is_named, only_complete;

static void append(const char *text)
{
	ck_assert_uint_lt(strlen(calls) + strlen(text), sizeof(calls));
	strcat(calls, text);
}

static bool pick(void *arg, size_t at, struct lea_drive_vg *ret_vg)
{
	ck_assert_ptr_eq(arg, calls);
	*ret_vg = (struct lea_drive_vg){vgs[at].vg->name, &vgs[at], is_named};
	append(at == left ? "- " : "");
	return at != left;
}

/* Writes how many LVs udev has to handle: those of this transaction. */
static void became(void *arg, const struct lea_drive_vg *vg, int r,
		   const struct lea_activate_result *result)
{
	char text[64];

	ck_assert_ptr_eq(arg, calls);
	ck_assert_uint_le(result->resumed, machine.dm->unwaited);
	snprintf(text, sizeof(text), "%s %d %u, ", vg->name, r, machine.dm->unwaited);
	append(text);
}

static void before_lvm(void *arg)
{
	ck_assert_ptr_eq(arg, calls);
	ck_assert_uint_eq(machine.dm->unwaited, 0);
	append("unlock ");
}

static void lvm_failed(void *arg, const char *name)
{
	ck_assert_ptr_eq(arg, calls);
	append("lost:");
	append(name);
	append(" ");
}

/* vg_one on sda, vg-two.pvs on sdb and sdc. */
static void begin(void)
{
	const struct lea_scan_options options = {0};
	struct lea_device device[3];

	setup();
	calls[0] = '\0';
	left = SIZE_MAX;
	is_named = true;
	only_complete = false;
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_scan_new(machine.world, conf, &options, &scan), 0);
	ck_assert_int_eq(lea_device_from_arg(machine.world, "8:16", &device[0]), 0);
	ck_assert_int_eq(lea_device_from_arg(machine.world, "8:32", &device[1]), 0);
	ck_assert_int_eq(lea_device_from_arg(machine.world, "8:48", &device[2]), 0);
	ck_assert_int_eq(lea_scan_add(scan, device, 3), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &vg_count), 0);
	ck_assert_uint_eq(vg_count, 2);
}

static void end(void)
{
	lea_scan_free(scan);
	teardown();
}

const struct fixture fixture = {begin, end};

static struct lea_drive_result drive(uint32_t most_lvs, const char *lvm)
{
	static const char *const words[] = {"vgchange", "-ay", NULL};
	const struct lea_drive drive = {
		.world = machine.world,
		.conf = conf,
		.options = {.what = LEA_ACTIVATE,
			    .lvm_path = lvm,
			    .only_complete = only_complete},
		.most_lvs = most_lvs,
		.pick = pick,
		.count = vg_count,
		.became = became,
		.lvm_words = lvm ? words : NULL,
		.before_lvm = before_lvm,
		.lvm_failed = lvm_failed,
		.arg = calls,
	};
	struct lea_drive_result result = {77, 77};

	ck_assert_int_eq(lea_drive(&drive, &result), 0);
	return result;
}

TEST(a_vg_that_is_not_picked_is_left)
{
	left = 0;
	drive(UINT32_MAX, NULL);
	ck_assert_str_eq(calls, "- vg-two.pvs 0 2, unlock ");
}

static const struct {
	uint32_t most_lvs;
	const char *calls;
} limits[] = {
	{0, "vg_one 0 3, vg-two.pvs 0 5, unlock "},
	{1, "vg_one 0 3, vg-two.pvs 0 2, unlock "},
	{3, "vg_one 0 3, vg-two.pvs 0 2, unlock "},
	{4, "vg_one 0 3, vg-two.pvs 0 5, unlock "},
};

TEST_EACH(a_transaction_ends_when_udev_has_enough, limits)
{
	const struct lea_drive_result result = drive(limits[_i].most_lvs, NULL);

	ck_assert_str_eq(calls, limits[_i].calls);
	ck_assert_uint_eq(result.failed + result.unfinished, 0);
}

/* It is waited for only where no other lock is held, or where the caller says so. */
static const struct {
	uint32_t most_lvs;
	const char *calls;
} locks[] = {
	{UINT32_MAX, "vg_one 0 3, vg-two.pvs 1 0, unlock "},
	{0, "vg_one 0 3, vg-two.pvs 1 3, unlock "},
};

TEST_EACH(a_transaction_ends_at_a_lock_that_is_not_free, locks)
{
	struct lea_lock *lock = NULL;

	conf->wait_for_locks = false; /* what would wait fails */
	tree_mkdir(&machine.tree, "/run/lock/lvm");
	ck_assert_int_eq(lea_vg_lock(machine.world, conf, "vg-two.pvs", false, &lock), 0);
	ck_assert_uint_eq(drive(locks[_i].most_lvs, NULL).failed, 1);
	ck_assert_str_eq(calls, locks[_i].calls);
	lea_lock_release(lock);
}

static const struct {
	const char *lvm, *calls;
	size_t failed;
} hands[] = {
	{NULL, "vg_one 4 0, vg-two.pvs 4 0, unlock ", 0},
	{"/bin/true", "vg_one 4 0, vg-two.pvs 4 0, unlock ", 0},
	{"/bin/false", "vg_one 4 0, vg-two.pvs 4 0, unlock lost:vg_one lost:vg-two.pvs ", 2},
	{"/none", "vg_one 4 0, vg-two.pvs 4 0, unlock lost:vg_one lost:vg-two.pvs ", 2},
};

TEST_EACH(the_real_lvm_gets_what_only_it_can_activate, hands)
{
	conf->lvm_only = "a test";
	ck_assert_uint_eq(drive(UINT32_MAX, hands[_i].lvm).failed, hands[_i].failed);
	ck_assert_str_eq(calls, hands[_i].calls);
}

/* Rows: what another command has done since the scan. The real lvm reads the VG anew; of one that
 * is gone it would complain. */
static const struct {
	const char *claim, *from, *to;
	const char *calls;
	size_t failed;
} races[] = {
	{"a PV has gone, and nothing has changed", NULL, NULL,
	 "vg_one 0 3, vg-two.pvs 2 3, unlock ", 0},
	{"the VG has changed, and lacks a PV of the scan", "seqno = 3", "seqno = 4",
	 "vg_one 0 3, vg-two.pvs 7 3, unlock lost:vg-two.pvs ", 1},
	{"the VG has another name", "vg-two.pvs {", "vg-new.pvs {",
	 "vg_one 0 3, vg-two.pvs 7 3, unlock ", 0},
};

TEST_EACH(what_changed_since_the_scan_is_for_the_real_lvm, races)
{
	const char *const pairs[] = {races[_i].from, races[_i].to, NULL};

	is_named = false;
	only_complete = true;
	machine_unplug("sdc", 48);
	machine_change("stripe-a", "sdb", pairs);
	ck_assert_msg(drive(UINT32_MAX, "/bin/false").failed == races[_i].failed, "%s",
		      races[_i].claim);
	ck_assert_msg(!strcmp(calls, races[_i].calls), "%s: %s", races[_i].claim, calls);
}

TEST(each_failure_counts)
{
	machine.dm->fail_on = "create";
	ck_assert_uint_eq(drive(UINT32_MAX, NULL).failed, 2);
	machine.dm->fail_on = "wait";
	ck_assert_uint_eq(drive(1, NULL).unfinished, 2);
}

static const struct {
	int outcome;
	bool has_failed;
} outcomes[] = {
	{-ENOMEM, true},
	{0, false},
	{LEA_ACTIVATE_FAILED, true},
	{LEA_ACTIVATE_INCOMPLETE, false},
	{LEA_ACTIVATE_REFUSED, false},
	{LEA_ACTIVATE_DELEGATE, false},
	{LEA_ACTIVATE_VG_BUSY, false},
	{LEA_ACTIVATE_NOT_AUTO, false},
	{LEA_ACTIVATE_CHANGED, false},
	{LEA_ACTIVATE_COPY, true},
	{LEA_ACTIVATE_OUTDATED, true},
};

TEST_EACH(outcomes_that_are_failures, outcomes)
{
	ck_assert_int_eq(lea_drive_has_failed(outcomes[_i].outcome), outcomes[_i].has_failed);
}
