/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole transaction on a machine made of files: locks, the second read under the lock, lvm2's
 * claim, messages.
 */
#include "activate/transaction.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "flow/scanned.h"
#include "state/lock.h"
#include "unit/suite.h"

#define LOCK_ONE "/run/lock/lvm/V_vg_one"
#define LOCK_TWO "/run/lock/lvm/V_vg-two.pvs"

static struct lea_activate_options options;
static struct lea_activation_run *run;
static struct lea_activate_result result;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO, .named = true};
	scanned_begin();
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
}

static void teardown(void)
{
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static int do_vg(const char *name)
{
	for (size_t i = 0; i < vg_count; i++)
		if (!strcmp(vgs[i].vg->name, name))
			return lea_activation_vg(run, name, &vgs[i], &result);
	ck_abort_msg("%s was not found", name);
	return -1;
}

static int finish(void)
{
	int r = lea_activation_finish(run);

	fflush(machine.out_file);
	fflush(machine.err_file);
	return r;
}

/* As pvscan --vgonline leaves it. */
static void claim(const char *vg)
{
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), vg), 0);
}

TEST(locks_are_held_to_the_end)
{
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_uint_eq(result.active, 3);
	ck_assert_uint_eq(result.resumed, 3);
	ck_assert_msg(machine_has(LOCK_ONE), "held until udev is through");
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert_msg(machine_has(LOCK_ONE) && machine_has(LOCK_TWO), "both");
	ck_assert_str_eq(machine.out ? machine.out : "", "");
	ck_assert_uint_eq(machine.dm->unwaited, 5);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(machine.dm->unwaited, 0);
	ck_assert_msg(machine.dm->wait_limit_ms == 5 * conf->udev_deadline_ms,
		      "a udev that gets on is waited for, however long its queue");
	ck_assert_msg(!machine_has(LOCK_ONE) && !machine_has(LOCK_TWO), "none left behind");
	ck_assert_msg(!machine_has(LOCK_ONE ":aux"), "nor a turnstile");
	ck_assert_str_eq(machine.out, ONE_ACTIVE TWO_ACTIVE);
	ck_assert_str_eq(machine.err, "");
}

/* An entry that registers a VG with dmeventd again. An inactive LV was deactivated by a user. */
TEST(watching_activates_nothing)
{
	for (size_t i = 0; i < vg_count; i++)
		vgs[i].watch_only = true;
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_msg(machine_has(LOCK_ONE), "its metadata must not change meanwhile");
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_str_eq(machine.out ? machine.out : "", "");
}

static int stands_still(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	return LEA_DM_STILL;
}

TEST(a_udev_that_does_nothing_is_told_of_once_with_all_vgs)
{
	machine.dm->dm.wait = stands_still;
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(
		machine.err,
		"  VGs vg_one, vg-two.pvs: active, but udev has done nothing for 2000 ms: a "
		"disk of one of them does not answer (see journalctl -k), or udev gets no CPU "
		"time\n");
}

/* udev's progress would not be checked. */
TEST(without_patience_the_deadline_counts_once)
{
	conf->probe_deadline_ms = 4;
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(machine.dm->wait_limit_ms, conf->udev_deadline_ms);
}

TEST(without_locking_there_is_no_lock_file)
{
	options.no_lock = true;
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert(!machine_has("/run/lock/lvm"));
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(machine.out, ONE_ACTIVE);
}

static struct lea_lock *hold_one(void)
{
	char dir[128];
	struct lea_lock *lock = NULL;
	struct lea_lock_options lock_options = {.dir = dir, .mode = LEA_LOCK_EXCLUSIVE};

	snprintf(dir, sizeof(dir), "%s/run/lock/lvm", machine.tree.root);
	ck_assert_int_eq(lea_lock_take(&lock_options, "V_vg_one", &lock), 0);
	return lock;
}

/* ---- a guard, and a caller that has the lock */

static struct {
	const char *answer;
	bool is_used[2];
	unsigned int asked, unlocked;
} guarded;

static const char *why_not(void *arg, const struct lea_scan_vg *vg, const bool *is_used)
{
	ck_assert_ptr_eq(arg, &guarded);
	ck_assert_uint_eq(vg->vg->pv_count, 2);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	memcpy(guarded.is_used, is_used, sizeof(guarded.is_used));
	guarded.asked++;
	return guarded.answer;
}

static void unlock(void *arg, const struct lea_vg *vg)
{
	ck_assert_ptr_eq(arg, &guarded);
	ck_assert_str_eq(vg->name, "vg-two.pvs");
	ck_assert_uint_eq(machine.dm->unwaited, 0);
	guarded.unlocked++;
}

static const struct lea_activate_guard guard = {why_not, NULL, &guarded};
static const struct lea_activate_guard locked = {why_not, unlock, &guarded};

/* vg-two.pvs has LV fast on both PVs, and plain-1 on the second one. */
static const char *const plain[] = {"vg-two.pvs/plain-1"}, *const both[] = {"vg-two.pvs"};

TEST(a_guard_knows_the_pvs_that_are_used)
{
	options.guard = &guard;
	options.only = (struct lea_volume_list){.item = plain, .count = 1, .defined = true};
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert(!guarded.is_used[0] && guarded.is_used[1]);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 1);
}

TEST(a_guard_has_the_last_word)
{
	guarded.answer = "no";
	options.guard = &guard;
	options.only = (struct lea_volume_list){.item = both, .count = 1, .defined = true};
	ck_assert_int_eq(do_vg("vg-two.pvs"), LEA_ACTIVATE_REFUSED);
	ck_assert_str_eq(result.why, "no");
	ck_assert(guarded.is_used[0] && guarded.is_used[1]);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}

/* Its disks are wiped: who reads them again finds no VG. */
TEST(what_the_caller_locked_is_neither_locked_nor_read_again)
{
	options.guard = &locked;
	tree_put(&machine.tree, "/dev/sdb", "");
	tree_put(&machine.tree, "/dev/sdc", "");
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert(!machine_has(LOCK_TWO));
	ck_assert_uint_eq(guarded.asked, 1);
	ck_assert_uint_eq(guarded.unlocked, 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(guarded.unlocked, 1);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 2);
}

TEST(a_busy_vg_is_left_for_later)
{
	struct lea_lock *lock = hold_one();

	claim("vg_one");
	options.no_wait_lock = true;
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_VG_BUSY);
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(machine.out, TWO_ACTIVE);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one"), "its claim stands");
	lea_lock_release(lock);
}

/* The error is transient: the lock is held only for a moment. */
TEST(wait_for_locks_0_is_an_error)
{
	struct lea_lock *lock = hold_one();

	conf->wait_for_locks = false;
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(result.shortage, LEA_NOT_NOW);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(
		machine.err,
		"  /run/lock/lvm/V_vg_one: flock failed: Resource temporarily unavailable\n"
		"  Can't get lock for vg_one.\n"
		"  Cannot process volume group vg_one\n");
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	lea_lock_release(lock);
}

/* A fault of the lock is not a verdict on the VG. */
TEST(a_lock_that_cannot_be_made_is_transient)
{
	tree_put(&machine.tree, "/run/lock", "no folder");
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(result.shortage, LEA_NOT_NOW);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}

static int dm_fault;

static int info_fails(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	return dm_fault;
}

TEST_TIMES(a_device_mapper_that_says_nothing_is_transient, 2)
{
	dm_fault = _i ? -ENOMEM : -EIO;
	machine.dm->dm.info = info_fails;
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(result.shortage, _i ? -ENOMEM : LEA_NOT_NOW);
	ck_assert_int_lt(finish(), 0);
}

static void overwrite(const char *sample_name, bool renamed)
{
	struct sample sample;
	char path[128];

	sample_load(&sample, sample_name);
	if (renamed)
		sample_change_text(&sample, "\nhome {", "\nroom {");
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
}

TEST(what_is_under_the_lock_counts)
{
	overwrite("one-pv", true);
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_ptr_nonnull(fake_dm_find(machine.dm, "vg_one-room"));
	ck_assert_ptr_null(fake_dm_find(machine.dm, "vg_one-home"));
	ck_assert_str_eq(machine.out, ONE_ACTIVE);
}

TEST_TIMES(a_vg_that_is_gone_meanwhile, 2)
{
	overwrite("orphan", false);
	options.named = _i;
	ck_assert_int_eq(do_vg("vg_one"), _i ? LEA_ACTIVATE_FAILED : LEA_ACTIVATE_CHANGED);
	ck_assert_int_eq(finish(), 0);
	ck_assert_msg(!strcmp(machine.err, _i ? "  Volume group \"vg_one\" not found\n" : ""),
		      "silence when nobody named it: %s", machine.err);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}

/* The metadata is newer than before, so the PV may just have been replaced. */
TEST_TIMES(a_pv_that_is_not_there_meanwhile, 2)
{
	options.named = false;
	options.only_complete = true;
	machine_unplug("sdc", 48);
	for (size_t i = 0; _i && i < vg_count; i++)
		vgs[i].vg->seqno--;
	ck_assert_int_eq(do_vg("vg-two.pvs"), _i ? LEA_ACTIVATE_CHANGED : LEA_ACTIVATE_INCOMPLETE);
	ck_assert_int_eq(result.shortage, 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}

/* Rows: an action on vg_one, and whether lvm2's claim exists afterwards. */
static const struct {
	const char *claim;
	enum lea_activation what;
	bool test, event_activation, incomplete;
	int fail_at, want;
	bool stays;
} claims[] = {
	{"success keeps it", LEA_ACTIVATE_AUTO, false, true, false, -1, 0, true},
	{"a failure gives it back", LEA_ACTIVATE_AUTO, false, true, false, 1, LEA_ACTIVATE_FAILED,
	 false},
	{"deactivation gives it back", LEA_DEACTIVATE, false, true, false, -1, 0, false},
	{"not with -t", LEA_DEACTIVATE, true, true, false, -1, 0, true},
	{"not with event_activation=0", LEA_DEACTIVATE, false, false, false, -1, 0, true},
	{"a VG that is incomplete gives it back", LEA_ACTIVATE_AUTO, false, true, true, -1,
	 LEA_ACTIVATE_INCOMPLETE, false},
};

static const struct {
	const char *claim;
	bool only_complete, keeps_online;
} keepers[] = {
	{"a person's command has not made it", false, false},
	{"who made it removes it", true, true},
};

TEST_EACH(a_failure_gives_back_only_what_is_its_own, keepers)
{
	claim("vg_one");
	options.what = LEA_ACTIVATE_AUTO;
	options.only_complete = keepers[_i].only_complete;
	options.keeps_online = keepers[_i].keeps_online;
	machine.dm->fail_at = 1;
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(finish(), 0);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one"), "%s", keepers[_i].claim);
}

/* While the lock was waited for. */
TEST_TIMES(a_vg_that_was_taken_down_meanwhile, 2)
{
	if (_i)
		claim("vg_one");
	for (size_t i = 0; i < vg_count; i++)
		vgs[i].has_online = true;
	ck_assert_int_eq(do_vg("vg_one"), _i ? 0 : LEA_ACTIVATE_CHANGED);
	ck_assert_int_eq(finish(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), _i ? 3 : 0);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one") == _i);
}

TEST_EACH(vgs_online_says_what_is, claims)
{
	const char *vg = claims[_i].incomplete ? "vg-two.pvs" : "vg_one";
	char path[64];

	if (claims[_i].incomplete) {
		lea_scan_free(scan);
		machine_unplug("sdc", 48);
		scan_disks();
	}
	claim(vg);
	conf->event_activation = claims[_i].event_activation;
	options.what = claims[_i].what;
	options.test = claims[_i].test;
	options.only_complete = true;
	machine.dm->fail_at = claims[_i].fail_at;
	ck_assert_msg(do_vg(vg) == claims[_i].want, "%s", claims[_i].claim);
	ck_assert_int_eq(finish(), 0);
	snprintf(path, sizeof(path), "/run/lvm/vgs_online/%s", vg);
	ck_assert_msg(machine_has(path) == claims[_i].stays, "%s", claims[_i].claim);
}

TEST(every_vg_that_goes_down_gives_its_claim_back)
{
	claim("vg_one");
	claim("vg-two.pvs");
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_int_eq(do_vg("vg-two.pvs"), 0);
	ck_assert_int_eq(finish(), 0);
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg-two.pvs"), "of each, not of the first");
	ck_assert_str_eq(machine.out,
			 "  0 logical volume(s) in volume group \"vg_one\" now active\n"
			 "  0 logical volume(s) in volume group \"vg-two.pvs\" now active\n");
}

TEST(failures_do_not_hide_the_count)
{
	machine.dm->fail_at = 1;
	ck_assert_int_eq(do_vg("vg_one"), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_int_eq(finish(), 0);
	ck_assert_str_eq(machine.out,
			 "  2 logical volume(s) in volume group \"vg_one\" now active\n");
}

/* ---- what goes on after an activation */

#define CARRIES_ON "vgchange --poll y vg_one\n"

static const char *const one_lv[] = {"vg_one/home"};

static const struct {
	const char *claim;
	bool has_move, poll;
	struct lea_volume_list only;
	enum lea_activation what;
	const char *lvm; /* its calls when nothing is left to activate */
} moves[] = {
	{"as lvm2 does", true, true, {0}, LEA_ACTIVATE_AUTO, CARRIES_ON},
	{"not unasked", true, false, {0}, LEA_ACTIVATE_AUTO, ""},
	{"not without a move", false, true, {0}, LEA_ACTIVATE_AUTO, ""},
	{"the rest of the VG comes later",
	 true,
	 true,
	 {.item = one_lv, .count = 1, .defined = true},
	 LEA_ACTIVATE_AUTO,
	 ""},
	{"nor for a VG that goes down", true, true, {0}, LEA_DEACTIVATE, ""},
};

/* A move of what is active before the scan: nobody carries it on. "PVMOVE" hides the LV, too. */
static void begin_move(void)
{
	struct sample sample;
	char path[256];

	sample_load(&sample, "one-pv");
	sample_change_text(&sample, "\"VISIBLE\"", "\"PVMOVE\" ");
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	lea_scan_free(scan);
	scan_disks();
}

static char lvm[256];

/* Returns what the real lvm was called with; to be freed. */
static char *lvm_calls(void)
{
	char *text = NULL;
	int r;

	snprintf(lvm, sizeof(lvm), "%s/lvm.calls", machine.tree.root);
	r = lea_file_read(AT_FDCWD, lvm, 4096, &text, NULL);
	ck_assert(r == 0 || r == LEA_FILE_ABSENT);
	return text ? text : strdup("");
}

TEST_EACH(a_move_that_was_active_before_is_carried_on, moves)
{
	LEA_AUTO(lea_freep) char *calls = NULL;

	tree_put_program(&machine.tree, "/lvm", "#!/bin/sh\necho \"$*\" >>$0.calls\n");
	if (moves[_i].has_move)
		begin_move();
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_int_eq(finish(), 0);
	snprintf(lvm, sizeof(lvm), "%s/lvm", machine.tree.root);
	options.lvm_path = lvm;
	options.poll = moves[_i].poll;
	options.only = moves[_i].only;
	options.what = moves[_i].what;
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	ck_assert_int_eq(do_vg("vg_one"), 0);
	ck_assert_uint_eq(result.resumed, 0);
	ck_assert_int_eq(finish(), 0);
	calls = lvm_calls();
	ck_assert_msg(!strcmp(calls, moves[_i].lvm), "%s: %s", moves[_i].claim, calls);
}
