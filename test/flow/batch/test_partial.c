/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Incomplete VGs with a rule: when the runner's passes activate them in part, and when the rest.
 * The clock stands still unless a test moves it.
 */
#include "daemon/reconcile.h"
#include "daemon/udev_wait.h"
#include "flow/partial_runner.h"
#include "memory/boot_memory_file.h"

#define MACHINE "0123456789abcdef0123456789abcdef"
#define UUID_B	"yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb"

static void set_busy(bool is_busy)
{
	if (is_busy)
		tree_put(&machine.tree, "/run/udev/queue", "");
	else
		tree_remove(&machine.tree, "/run/udev/queue");
}

/* One step of the runner that has nothing to do; a pass over what it queued. *ret_wait_ms: as of
 * the last step. Returns the VGs that were given to workers. */
static const char *rest(int *ret_wait_ms)
{
	int r;

	activated[0] = '\0';
	while ((r = lea_partial_step(partial, &batch_options, !lea_udev_is_busy(machine.world),
				     ret_wait_ms)) == LEA_PARTIAL_QUEUED)
		ck_assert_int_eq(run_queue(), 0);
	ck_assert_int_eq(r, 0);
	fflush(machine.err_file);
	fflush(machine.out_file);
	return activated;
}

static const char *a_comes(void)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	return came("sdb", 32, 1, PVID_A);
}

static const char *b_comes(void)
{
	machine_plug("stripe-b", "sdc", 48, 2);
	return came("sdc", 48, 2, PVID_B);
}

static const char *wait_long(void)
{
	int wait_ms;

	rest(&wait_ms);
	now += WAIT_MS;
	return rest(&wait_ms);
}

/* ---- the settings */

TEST(without_a_rule_there_is_nothing)
{
	static const char *const none[] = {"", "event { incomplete = \"wait\" }",
					   "event { incomplete = [ \"wait\", \"a=wait\" ] }"};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		configure(none[i]);
		ck_assert_ptr_null(partial);
	}
	ck_assert_str_eq(a_comes(), "");
	ck_assert_str_eq(wait_long(), "");
	ck_assert_str_eq(machine.err, "");
}

TEST(wrong_items_are_reported_and_the_others_count)
{
	configure("event { incomplete = [ \"whoole\", \"a=degraded\" ]\n"
		  "incomplete_wait_ms = [ 5, \"a=x\" ] }");
	ck_assert_ptr_nonnull(partial);
	ck_assert_msg(strstr(machine.err, "WARNING: /etc/lvm/lvmevent.conf:1: Configuration "
					  "setting \"event/incomplete\" has \"whoole\", which is "
					  "ignored: the value is not wait, whole, degraded or "
					  "partial."),
		      "%s", machine.err);
	ck_assert_msg(strstr(machine.err, "WARNING: /etc/lvm/lvmevent.conf:2: Configuration "
					  "setting \"event/incomplete_wait_ms\" has \"a=x\", "),
		      "%s", machine.err);
}

static const struct {
	const char *claim, *conf, *activated;
} pairs[] = {
	{"for all", "incomplete = \"degraded\"", "vg-two.pvs(degraded) "},
	{"whole", "incomplete = \"whole\"", "vg-two.pvs(whole) "},
	{"partial", "incomplete = [ \"partial\" ]", "vg-two.pvs(partial) "},
	{"for this VG", "incomplete = [ \"vg-two.pvs=whole\" ]", "vg-two.pvs(whole) "},
	{"for all but this VG", "incomplete = [ \"partial\", \"vg-two.pvs=wait\" ]", ""},
	{"for others", "incomplete = [ \"vg_one=whole\", \"@t=partial\" ]", ""},
};

TEST_EACH(rule_of_the_vg_applies, pairs)
{
	char text[128];

	snprintf(text, sizeof(text), "event { %s }", pairs[_i].conf);
	configure(text);
	ck_assert_str_eq(a_comes(), "");
	ck_assert_msg(!strcmp(wait_long(), pairs[_i].activated), "%s: %s", pairs[_i].claim,
		      activated);
}

/* ---- the wait */

TEST(nothing_is_activated_within_the_wait)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, WAIT_MS);
	now += WAIT_MS - 1;
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, 1);
	now += 1;
	ck_assert_str_eq(rest(&wait_ms), "vg-two.pvs(degraded) ");
	ck_assert_int_eq(wait_ms, -1);
	now += 10 * WAIT_MS;
	ck_assert_msg(!rest(&wait_ms)[0], "once");
}

TEST(pv_that_comes_within_the_wait_ends_it)
{
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	ck_assert_str_eq(b_comes(), "vg-two.pvs ");
	ck_assert_str_eq(wait_long(), "");
}

TEST(pv_of_another_vg_begins_the_wait_anew)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	rest(&wait_ms);
	now += WAIT_MS - 1;
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "vg_one ");
	now += 1;
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, WAIT_MS);
}

TEST(second_event_of_a_pv_is_no_progress)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	rest(&wait_ms);
	now += WAIT_MS - 1;
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	rest(&wait_ms);
	ck_assert_int_eq(wait_ms, 1);
}

TEST(wait_does_not_begin_while_udev_works)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	set_busy(true);
	rest(&wait_ms);
	now += WAIT_MS;
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, 500);
	set_busy(false);
	rest(&wait_ms);
	ck_assert_int_eq(wait_ms, WAIT_MS);
}

TEST(vg_has_a_wait_of_its_own)
{
	int wait_ms;

	configure("event { incomplete = \"whole\"\n"
		  "incomplete_wait_ms = [ 60000, \"vg-two.pvs=100\" ] }");
	a_comes();
	rest(&wait_ms);
	ck_assert_int_eq(wait_ms, 100);
}

#define REMEMBERED(pvid) "pv " pvid " disk 0 1 0 - - -\n"

static void remember(unsigned int pv_count, const char *pvs)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "lvmevent-boot 2\nmachine " MACHINE "\nboot 99999999-2222-3333-4444-555555555555\n"
		 "vg " VG_TWO_ID " 1 %u 0 vg-two.pvs\n%send\n",
		 pv_count, pvs);
	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&machine.tree, "/etc/lvm/lvmevent/boot", text);
}

static const struct {
	const char *claim;
	unsigned int pv_count;
	const char *pvs, *activated;
} memories[] = {
	{"all is there that was there", 1, REMEMBERED(PVID_A), "vg-two.pvs(degraded) "},
	{"the other PV was there, too", 2, REMEMBERED(PVID_A) REMEMBERED(PVID_B), ""},
	{"no PV of it is remembered", 0, "", ""},
};

TEST_EACH(memory_of_the_last_boot_ends_the_wait, memories)
{
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory;
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	remember(memories[_i].pv_count, memories[_i].pvs);
	ck_assert_msg(!lea_boot_memory_read(machine.world, arena, &memory), "%s: its form",
		      memories[_i].claim);
	lea_arena_free(arena);
	a_comes();
	set_busy(true);
	ck_assert_msg(!rest(&wait_ms)[0], "%s: udev works", memories[_i].claim);
	set_busy(false);
	ck_assert_msg(!strcmp(rest(&wait_ms), memories[_i].activated), "%s: %s", memories[_i].claim,
		      activated);
}

/* ---- what it leaves */

static void check_claim(enum lea_claim_state state, uint32_t pvs, const char *in_part)
{
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, state);
	ck_assert_uint_eq(claim.pv_count, pvs);
	ck_assert_str_eq(claim.in_part, in_part);
	lea_claim_done(&claim);
}

TEST(pv_that_is_back_brings_the_rest)
{
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	wait_long();
	check_claim(LEA_CLAIM_DONE, 1, "degraded");
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg-two.pvs"), "lvm2 may activate the rest");
	refreshed = false;
	ck_assert_str_eq(b_comes(), "vg-two.pvs ");
	ck_assert(refreshed);
	check_claim(LEA_CLAIM_DONE, 2, "");
	ck_assert(machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	ck_assert_msg(!came("sdc", 48, 2, PVID_B)[0], "once");
	ck_assert_ptr_nonnull(strstr(machine.out, "VG vg-two.pvs: all 2 PVs are there again"));
}

TEST(entry_that_finds_its_vg_complete_activates_nothing_twice)
{
	struct lea_entry entry = event("sdb", 32, 1, PVID_A, false);

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	ck_assert_str_eq(b_comes(), "vg-two.pvs ");
	entry.kind = LEA_ENTRY_PARTIAL;
	ck_assert_str_eq(pass(&entry, 1), "");
	check_claim(LEA_CLAIM_DONE, 2, "");
}

/* The worker goes on by itself, and writes the claim. */
TEST(vg_that_is_not_waited_for_any_more_is_not_called_inactive)
{
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	is_detached = true;
	detached_why = LEA_DETACHED_DISK;
	ck_assert_str_eq(wait_long(), "vg-two.pvs(degraded) ");
	ck_assert_msg(strstr(machine.err,
			     "VG vg-two.pvs: not finished: its disk /dev/sdb does not answer") !=
			      NULL,
		      "%s", machine.err);
	lea_incomplete_log(batch_options.waiting, machine.world);
	fflush(machine.err_file);
	ck_assert_msg(!strstr(machine.err, "not activated"), "%s", machine.err);
}

/* The rule was removed meanwhile. */
TEST(pv_that_is_back_refreshes_without_a_rule)
{
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	wait_long();
	configure("");
	refreshed = false;
	ck_assert_str_eq(b_comes(), "vg-two.pvs ");
	ck_assert(refreshed);
}

/* So is one whose rest failed at first. Rows: for now; another command had changed it. */
TEST_TIMES(pv_that_is_back_refreshes_without_a_rule_at_the_next_try, 2)
{
	struct lea_entry missed = event("sdc", 48, 2, PVID_B, false);

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	wait_long();
	configure("");
	outcome = _i ? LEA_ACTIVATE_CHANGED : LEA_ACTIVATE_FAILED;
	shortage = _i ? 0 : LEA_NOT_NOW;
	b_comes();
	outcome = shortage = 0;
	refreshed = false;
	missed.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(_i ? drain() : pass(&missed, 1), "vg-two.pvs ");
	ck_assert(refreshed);
	check_claim(LEA_CLAIM_DONE, 2, "");
}

TEST(complete_vg_without_a_rule_is_not_refreshed)
{
	a_comes();
	ck_assert_str_eq(b_comes(), "vg-two.pvs ");
	ck_assert(!refreshed);
}

static unsigned int count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

TEST(journal_tells_wait_and_result_once)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	tree_mkdir(&machine.tree, "/etc/systemd/system/lvmevent-failed@.service.d");
	a_comes();
	rest(&wait_ms);
	now += 1000;
	rest(&wait_ms);
	lea_incomplete_log(batch_options.waiting, machine.world);
	ck_assert_msg(!units_started[0], "it waits");
	ck_assert_msg(strstr(machine.err,
			     "VG vg-two.pvs: incomplete: 1 of 2 PVs is there, missing PV " UUID_B
			     "; it is activated in part in 30.0 s unless a further PV comes "
			     "(incomplete = degraded)\n"),
		      "%s", machine.err);
	now += WAIT_MS;
	rest(&wait_ms);
	ck_assert_msg(strstr(machine.err,
			     "VG vg-two.pvs: incomplete: 1 of 2 PVs is there, missing PV " UUID_B
			     "; 1 LV(s) active, by incomplete = degraded; the others are activated "
			     "when the missing PV appears\n"),
		      "%s", machine.err);
	lea_incomplete_log(batch_options.waiting, machine.world);
	fflush(machine.err_file);
	ck_assert_uint_eq(count(machine.err, "VG vg-two.pvs"), 2);
	ck_assert_str_eq(units_started, "lvmevent-failed@vg\\x2dtwo.pvs.service ");
}

TEST(further_events_of_its_pvs_change_nothing)
{
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	ck_assert_str_eq(wait_long(), "vg-two.pvs(degraded) ");
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	ck_assert_msg(!wait_long()[0], "a VG that was deactivated since stays down");
	check_claim(LEA_CLAIM_DONE, 1, "degraded");
}

TEST(new_runner_begins_the_wait_of_vgs_that_have_none)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	rest(&wait_ms);
	now += WAIT_MS - 1;
	configure("event { incomplete = \"whole\" }");
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, WAIT_MS);
	now += WAIT_MS;
	ck_assert_str_eq(rest(&wait_ms), "vg-two.pvs(whole) ");
	configure("event { incomplete = \"partial\" }");
	ck_assert_msg(!wait_long()[0], "its claim covers the same PVs");
}

/* Rows: a reconcile found the PV, whose add was lost; a change led to it, as of a VG that was made
 * here: the administrator decides what is active. */
TEST_TIMES(new_runner_waits_for_a_vg_only_if_a_pv_of_it_was_added, 2)
{
	struct lea_entry entry = event("sdb", 32, 1, PVID_A, false);
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	machine_plug("stripe-a", "sdb", 32, 1);
	entry.kind = _i ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), "");
	configure("event { incomplete = \"degraded\" }");
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, _i ? -1 : WAIT_MS);
}

/* The kernel numbers instances, or does not: only the PV that went may be another disk's. */
TEST_TIMES(vg_that_lost_a_disk_has_been_dealt_with, 2)
{
	const uint32_t a = _i ? 1 : 0, b = _i ? 2 : 0;
	struct lea_entry change = event("sdb", 32, a, PVID_A, false);

	configure("event { incomplete = \"degraded\" }");
	machine_plug("stripe-a", "sdb", 32, a);
	came("sdb", 32, a, PVID_A);
	machine_plug("stripe-b", "sdc", 48, b);
	ck_assert_str_eq(came("sdc", 48, b, PVID_B), "vg-two.pvs ");
	machine_unplug("sdc", 48);
	went("sdc", 48, b, PVID_B);
	change.kind = LEA_ENTRY_CHANGE;
	ck_assert_str_eq(pass(&change, 1), "");
	configure("event { incomplete = \"degraded\" }");
	ck_assert_msg(!wait_long()[0], "a VG that was deactivated since stays down");
	machine_plug("stripe-b", "sdc", 48, _i ? 3 : 0);
	ck_assert_str_eq(came("sdc", 48, _i ? 3 : 0, PVID_B), "vg-two.pvs ");
}

TEST(pv_that_goes_within_the_wait_leaves_nothing_to_activate)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	rest(&wait_ms);
	machine_unplug("sdb", 32);
	went("sdb", 32, 1, PVID_A);
	now += WAIT_MS;
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, -1);
}

static const struct {
	const char *claim;
	int outcome, shortage;
	enum lea_claim_state state;
	const char *again; /* after a further event of the PV that is there: its wait is over */
} failures[] = {
	{"a fault", -EIO, 0, LEA_CLAIM_FAILED, ""},
	{"an LV that cannot do without the PV, although the rule allows it", LEA_ACTIVATE_FAILED, 0,
	 LEA_CLAIM_DONE, ""},
	{"a VG of another host", LEA_ACTIVATE_REFUSED, 0, LEA_CLAIM_DONE, ""},
	{"a failure that may end", LEA_ACTIVATE_FAILED, LEA_NOT_NOW, LEA_CLAIM_FAILED,
	 "vg-two.pvs(degraded) "},
};

TEST_EACH(failure_is_noted_as_of_a_complete_vg, failures)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	outcome = failures[_i].outcome;
	shortage = failures[_i].shortage;
	wait_long();
	check_claim(failures[_i].state, 1,
		    failures[_i].outcome == LEA_ACTIVATE_FAILED && !failures[_i].shortage
			    ? "degraded"
			    : "");
	outcome = shortage = 0;
	came("sdb", 32, 1, PVID_A);
	ck_assert_msg(!strcmp(rest(&wait_ms), failures[_i].again), "%s: %s", failures[_i].claim,
		      activated);
}

/* Rows: does somebody take the VG down before that? */
TEST_TIMES(vg_that_failed_for_now_is_left_down, 2)
{
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	wait_long();
	outcome = shortage = 0;
	ck_assert(machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	if (_i)
		tree_remove(&machine.tree, "/run/lvm/vgs_online/vg-two.pvs");
	came("sdb", 32, 1, PVID_A);
	rest(&wait_ms);
	now += WAIT_MS;
	rest(&wait_ms);
	check_claim(LEA_CLAIM_DONE, 1, _i ? "" : "degraded");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
}

/* Another command changed the VG between the scan and the lock. */
TEST(vg_that_changed_waits_again)
{
	struct lea_claim claim;
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	outcome = LEA_ACTIVATE_CHANGED;
	ck_assert_str_eq(wait_long(), "vg-two.pvs(degraded) ");
	outcome = 0;
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_FAILED && claim.is_transient);
	lea_claim_done(&claim);
	ck_assert_str_eq(rest(&wait_ms), "");
	ck_assert_int_eq(wait_ms, WAIT_MS);
	now += WAIT_MS;
	ck_assert_str_eq(rest(&wait_ms), "vg-two.pvs(degraded) ");
}

/* A reconcile finds nothing to do about a VG that is active in part. */
TEST(reconcile_leaves_it)
{
	const struct lea_reconcile_options options = {
		.world = machine.world, .conf = conf, .event_fd = batch_options.event_fd};
	struct lea_reconcile_result result;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	wait_long();
	machine.properties =
		"ID_FS_TYPE=LVM2_member\nID_FS_UUID=" PVID_A "\nLVMEVENT_FIRST=" PVID_A "\n";
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_uint_eq(result.devices, 1);
	ck_assert_uint_eq(result.enqueued, 0);
}

/* ---- records of PVs that are not there */

static const struct {
	const char *claim;
	const char *sample; /* what has the number of the other PV by now; NULL: nothing */
	uint32_t diskseq;
	const char *conf, *activated;
	bool is_recorded; /* it still has its record */
} denied[] = {
	{"nothing is there", NULL, 0, "", "vg-two.pvs(degraded) ", false},
	{"it is a PV of no VG by now", "orphan", 2, "", "vg-two.pvs(degraded) ", false},
	{"another disk is there", "one-pv", 9, "", "vg-two.pvs(degraded) ", false},
	{"it is there, and not to be read", "stripe-b", 2,
	 "devices { filter = [ \"r|^/dev/sdc$|\" ] }\n", "", true},
};

/* Both PVs had records, and went; one is back. */
TEST_EACH(vg_that_false_records_complete_is_incomplete, denied)
{
	char conf_text[256];

	snprintf(conf_text, sizeof(conf_text), "%sevent { incomplete = \"degraded\" }",
		 denied[_i].conf);
	configure("event { incomplete = \"degraded\" }");
	a_comes();
	b_comes();
	machine_unplug("sdb", 32);
	machine_unplug("sdc", 48);
	if (denied[_i].sample)
		machine_plug(denied[_i].sample, "sdc", 48, denied[_i].diskseq);
	configure(conf_text);
	machine_plug("stripe-a", "sdx", 240, 3);
	ck_assert_str_eq(came("sdx", 240, 3, PVID_A), "");
	ck_assert_str_eq(drain(), "");
	ck_assert_msg(!strcmp(wait_long(), denied[_i].activated), "%s: %s", denied[_i].claim,
		      activated);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_B) == denied[_i].is_recorded, "%s",
		      denied[_i].claim);
	ck_assert_msg(!wait_long()[0], "%s: once", denied[_i].claim);
}

/* A filter has excluded the other PV until then, and no event tells that it does no longer. */
TEST(pv_that_may_be_used_by_now_gets_its_record)
{
	configure("devices { filter = [ \"r|^/dev/sdc$|\" ] }\n"
		  "event { incomplete = \"degraded\" }");
	a_comes();
	b_comes();
	claim_link_of(UUID_B, "", 48);
	configure("event { incomplete = \"degraded\" }");
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	ck_assert_str_eq(wait_long(), "vg-two.pvs ");
	ck_assert_str_eq(drain(), "");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_B));
	check_claim(LEA_CLAIM_DONE, 2, "");
}

/* What it had queued before would lead to the same fault at once. */
TEST(fault_is_followed_by_a_pause)
{
	const int event_fd = batch_options.event_fd;
	int wait_ms;

	configure("event { incomplete = \"degraded\" }");
	a_comes();
	ck_assert_int_eq(renameat(event_fd, "queue", event_fd, "away"), 0);
	ck_assert_int_lt(lea_partial_step(partial, &batch_options, true, &wait_ms), 0);
	ck_assert_int_gt(wait_ms, 0);
	ck_assert_int_eq(renameat(event_fd, "away", event_fd, "queue"), 0);
	now += (uint64_t)wait_ms - 1;
	ck_assert_int_eq(lea_partial_step(partial, &batch_options, true, &wait_ms), 0);
	ck_assert_int_eq(wait_ms, 1);
	now += 1;
	ck_assert_int_eq(lea_partial_step(partial, &batch_options, true, &wait_ms),
			 LEA_PARTIAL_QUEUED);
}
