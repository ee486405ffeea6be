/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PVs with older and newer metadata of one VG id, which need not know of each other. */
#include "flow/duplicates_scratch.h"
#include "flow/outdated_scratch.h"
#include "flow/slow_scratch.h"
#include "record/outdated.h"
#include "scan/reader.h"
#include "state/online.h"

#include <fcntl.h>
#include <unistd.h>

#define SAID                                                                                       \
	"  PV " UUID_ORIGINAL " on /dev/sda has outdated metadata of VG vg_one: seqno 5, newest "  \
	"is 6 on /dev/sdb; it is not used: lvmevent explain /dev/sda\n"
#define NOTE "/run/lvm/event/newest/" VG_ONE_ID "-vg_one"

const struct fixture fixture = {setup, teardown};

static const char *original_came(void)
{
	return came("sda", 16, 1, PVID_ONE);
}

static const char *changed_came(void)
{
	return came("sdb", 32, 2, PVID_CHANGED);
}

static uint32_t claimed_seqno(void)
{
	struct lea_claim claim;
	uint32_t seqno;

	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	seqno = claim.seqno;
	lea_claim_done(&claim);
	return seqno;
}

TEST(older_metadata_activate_nothing_and_replace_no_claim)
{
	plug_original();
	plug_changed();
	ck_assert_str_eq(changed_came(), "vg_one ");
	ck_assert_str_eq(original_came(), "");
	ck_assert_str_eq(machine.err, SAID);
	ck_assert_uint_eq(claimed_seqno(), 6);
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
}

/* "vgchange -an", and then an add of the disk with the older ones. */
TEST(an_add_of_the_outdated_pv_leaves_a_vg_down)
{
	plug_original();
	plug_changed();
	changed_came();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	ck_assert_str_eq(original_came(), "");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_str_eq(changed_came(), "vg_one ");
}

TEST_TIMES(both_in_one_pass, 2)
{
	struct lea_entry entries[2];

	entries[_i] = event("sda", 16, 1, PVID_ONE, false);
	entries[!_i] = event("sdb", 32, 2, PVID_CHANGED, false);
	plug_original();
	plug_changed();
	ck_assert_str_eq(pass(entries, 2), "vg_one ");
	ck_assert_str_eq(machine.err, SAID);
	ck_assert_uint_eq(claimed_seqno(), 6);
}

TEST(the_older_ones_come_first_and_do_not_come_back)
{
	plug_original();
	ck_assert_str_eq(original_came(), "vg_one ");
	plug_changed();
	changed_came();
	ck_assert_uint_eq(claimed_seqno(), 6);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	ck_assert_str_eq(original_came(), "");
	ck_assert_uint_eq(claimed_seqno(), 6);
}

TEST(when_the_newer_pv_has_gone_the_older_metadata_count)
{
	plug_original();
	plug_changed();
	changed_came();
	ck_assert_str_eq(original_came(), "");
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_CHANGED);
	ck_assert_str_eq(original_came(), "vg_one ");
	ck_assert_uint_eq(claimed_seqno(), 5);
}

/* Row 1: after a reconcile. */
TEST_TIMES(a_newer_pv_that_is_back_under_another_number_counts, 2)
{
	plug_original();
	plug_changed();
	changed_came();
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_CHANGED);
	machine_plug("one-pv", "sdc", 48, 3);
	rewrite("one-pv", "sdc", "seqno = 6", UUID_CHANGED);
	ck_assert_str_eq(came("sdc", 48, 3, PVID_CHANGED), "vg_one ");
	if (_i)
		lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert_str_eq(original_came(), "");
	ck_assert_ptr_nonnull(strstr(machine.err, "newest is 6 on /dev/sdc"));
}

/* The newer set changes when the original is away, and udev's rule starts no process for that: what is
 * noted is no more than what the original shows when it comes, or less. */
static const struct {
	const char *claim, *changed, *original; /* seqno */
	uint32_t noted;
} apart[] = {
	{"the note says the same seqno", "seqno = 7", "seqno = 6", 7},
	{"the note says less", "seqno = 9", "seqno = 8", 9},
};

static uint32_t noted_seqno(void)
{
	uint32_t seqno = 0;

	ck_assert_int_eq(lea_newest_seqno(lea_world_run(machine.world), VG_ONE_ID, "vg_one", &seqno,
					  NULL),
			 0);
	return seqno;
}

TEST_EACH(a_set_that_knows_nothing_of_the_other_is_asked_anew, apart)
{
	plug_changed();
	ck_assert_str_eq(changed_came(), "vg_one ");
	rewrite("one-pv", "sdb", apart[_i].changed, UUID_CHANGED);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	plug_original();
	rewrite("one-pv", "sda", apart[_i].original, NULL);
	ck_assert_msg(!*original_came(), "%s", apart[_i].claim);
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg_one"), "%s", apart[_i].claim);
	ck_assert_ptr_nonnull(strstr(machine.err, "has outdated metadata of VG vg_one"));
	/* What it shows by now is noted, also for one that knows both. */
	ck_assert_uint_eq(noted_seqno(), apart[_i].noted);
}

/* It was taken out of the VG, perhaps because it hangs. */
TEST(a_set_apart_that_gives_no_answer_holds_up_nothing)
{
	plug_changed();
	changed_came();
	tree_put(&machine.tree, "/sys/dev/block/8:32/dm/suspended", "1\n");
	plug_original();
	rewrite("one-pv", "sda", "seqno = 7", NULL);
	ck_assert_str_eq(original_came(), "vg_one ");
	ck_assert_uint_eq(claimed_seqno(), 7);
}

/* Another disk has its number: it shows nothing of this VG. */
TEST(another_disk_in_the_newer_ones_place_does_not_count)
{
	plug_original();
	plug_changed();
	changed_came();
	machine_unplug("sdb", 32);
	machine_plug("orphan", "sdb", 32, 3);
	ck_assert_str_eq(original_came(), "vg_one ");
}

TEST(a_newer_pv_that_does_not_answer_counts)
{
	plug_original();
	plug_changed();
	changed_came();
	tree_put(&machine.tree, "/sys/dev/block/8:32/holders/dm-0/dm/uuid", "LVM-" VG_ONE_ID "\n");
	tree_remove(&machine.tree, "/dev/sdb");
	ck_assert_str_eq(original_came(), "");
	ck_assert_ptr_nonnull(strstr(machine.err, "newest is 6 on a disk that does not answer"));
}

/* Rows: in this pass it was read, and gave no answer; it was not, but other VGs wait. */
static const struct {
	const char *name;
	uint32_t minor, diskseq, deadline_ms, limit_ms;
	const char *pvid;
} waits[] = {
	{"sdb", 32, 2, 3000, 2500, PVID_CHANGED},
	{"sdc", 48, 3, 12000, 8000, PVID_A},
};

TEST_EACH(a_newer_pv_that_does_not_answer_holds_up_no_other_vg, waits)
{
	struct lea_clock *clock = machine.world->clock;
	struct lea_entry entries[2];
	uint64_t began_ms;

	plug_original();
	plug_changed();
	changed_came();
	machine_plug("stripe-a", "sdc", 48, 3);
	machine.world->open_device = open_slow;
	tree_put(&machine.tree, SLOW, "");
	conf->probe_deadline_ms = waits[_i].deadline_ms;
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
	entries[0] = event("sda", 16, 1, PVID_ONE, false);
	entries[1] = event(waits[_i].name, waits[_i].minor, waits[_i].diskseq, waits[_i].pvid,
			   false);
	began_ms = clock->now_ms(clock);
	ck_assert_str_eq(pass(entries, 2), "");
	ck_assert_uint_lt(clock->now_ms(clock) - began_ms, waits[_i].limit_ms);
	ck_assert_ptr_nonnull(strstr(machine.err, "newest is 6 on a disk that does not answer"));
	tree_remove(&machine.tree, SLOW);
	lea_reader_free(LEA_TAKE(batch_options.reader));
}

/* vgcfgrestore of an older backup: then no PV shows more. */
TEST(metadata_that_were_restored_count)
{
	plug_changed();
	ck_assert_str_eq(changed_came(), "vg_one ");
	rewrite("one-pv", "sdb", "seqno = 4", UUID_CHANGED);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	ck_assert_str_eq(changed_came(), "vg_one ");
	ck_assert_str_eq(machine.err, "");
	ck_assert_uint_eq(claimed_seqno(), 4);
	plug_original();
	original_came();
	ck_assert_uint_eq(claimed_seqno(), 5);
}

TEST(a_newer_pv_that_is_excluded_counts_for_nothing)
{
	plug_original();
	plug_changed();
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|sdb|\" ] }\n");
	read_settings();
	changed_came();
	ck_assert_str_eq(original_came(), "vg_one ");
	ck_assert_str_eq(machine.err, "");
}

/* The copy was exported: no event uses it, and it has no record. It still shows what is newest. */
TEST(a_newer_pv_that_this_host_may_not_use_counts)
{
	struct sample sample;
	char path[256];

	plug_original();
	plug_changed();
	sample_load(&sample, "one-pv");
	sample_change_text(&sample, "seqno = 5", "seqno = 6");
	sample_change_text(&sample, "[\"RESIZEABLE\", \"READ\"", "[\"EXPORTED\",   \"READ\"");
	sample_change_text(&sample, UUID_ORIGINAL, UUID_CHANGED);
	set_label(&sample, PVID_CHANGED);
	snprintf(path, sizeof(path), "%s/dev/sdb", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	ck_assert_str_eq(changed_came(), "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_CHANGED));
	ck_assert_str_eq(original_came(), "");
	ck_assert_str_eq(machine.err, SAID);
}

/* sdb was away when the metadata on sda changed. */
TEST(a_member_that_was_away_completes_the_vg_as_the_newer_metadata_say)
{
	machine_plug("stripe-a", "sda", 16, 1);
	rewrite("stripe-a", "sda", "seqno = 4", NULL);
	machine_plug("stripe-b", "sdb", 32, 2);
	ck_assert_str_eq(came("sda", 16, 1, PVID_A), "");
	tree_remove(&machine.tree, "/run/lvm/pvs_lookup/vg-two.pvs"); /* some PV went */
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "vg-two.pvs ");
	ck_assert_str_eq(machine.err, "");
}

/* A disk of somebody else with the id of our VG, another name, and a higher seqno. */
TEST_TIMES(a_disk_with_the_id_alone_outdates_nothing, 2)
{
	struct sample sample;
	char path[256];

	plug_original();
	plug_changed();
	sample_load(&sample, "one-pv");
	sample_change_text(&sample, "seqno = 5", "seqno = 9");
	sample_change_text(&sample, "vg_one", "vg_two");
	sample_change_text(&sample, UUID_ORIGINAL, UUID_CHANGED);
	set_label(&sample, PVID_CHANGED);
	snprintf(path, sizeof(path), "%s/dev/sdb", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	if (_i)
		changed_came();
	original_came();
	ck_assert_ptr_null(strstr(machine.err, "outdated"));
	ck_assert(machine_has(NOTE));
}

/* ---- a PV that is in another VG now */

#define UUID_A "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define MOVED                                                                                      \
	"PV " UUID_A " on /dev/sda is in VG vg_one now: the metadata on its other PVs are out of " \
	"date"

/* sda was taken into vg_one while sdb, of the same VG vg-two.pvs, was away. */
static void take_away(void)
{
	machine_plug("one-pv", "sda", 16, 1);
	rewrite("one-pv", "sda", "seqno = 5", UUID_A);
	machine_plug("stripe-b", "sdb", 32, 2);
}

TEST(a_vg_that_lost_a_pv_to_another_stays_down)
{
	take_away();
	ck_assert_str_eq(came("sda", 16, 1, PVID_A), "vg_one ");
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "");
	ck_assert_str_eq(machine.err, "  VG vg-two.pvs: not activated: " MOVED "\n");
	expect_failed(VG_TWO_ID, MOVED);
	ck_assert_int_eq(machine_command("status"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "failed: VG vg-two.pvs: " MOVED
						  "; see: lvmevent explain vg-two.pvs\n"));
	ck_assert_ptr_null(strstr(machine.out, "vgchange -"));
}

/* ---- commands of events, and the check under the VG's lock */

TEST_TIMES(commands_of_events_refuse_it, 2)
{
	static const char *const commands[] = {"pvscan --cache -aay 8:16",
					       "vgchange -aay --autoactivation event vg_one"};

	plug_original();
	plug_changed();
	ck_assert_int_eq(machine_command("pvscan --cache 8:16"), 0);
	ck_assert_int_eq(machine_command("pvscan --cache 8:32"), 0);
	/* What another program may do: only the older PV is known. */
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_CHANGED);
	ck_assert_int_eq(machine_command(commands[_i]), _i ? 5 : 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_ptr_nonnull(strstr(machine.err, "has outdated metadata of VG vg_one: seqno 5, "
						  "newest is 6 on /dev/sdb"));
}

TEST(commands_take_the_newest)
{
	plug_original();
	plug_changed();
	ck_assert_int_eq(machine_command("pvscan --cache 8:16"), 0);
	ck_assert_int_eq(machine_command("pvscan --cache -aay 8:32"), 0);
	ck_assert_uint_ne(fake_dm_count(machine.dm), 0);
}

/* The record of a PV that commands gave another id, or took out of its VG, stays as it was. */
TEST(status_names_what_a_pv_shows_and_not_what_its_record_says)
{
	size_t said;

	plug_original();
	original_came();
	plug_changed();
	changed_came();
	ck_assert_int_eq(machine_command("status"), 0);
	ck_assert_ptr_nonnull(strstr(
		machine.out, "outdated: PV " UUID_ORIGINAL " on /dev/sda: its metadata of VG "
			     "vg_one are older than seqno 6 on /dev/sdb; see: lvmevent explain "
			     "/dev/sda\n"));
	rewrite("one-pv", "sda", "seqno = 5", "7ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap");
	said = strlen(machine.out);
	ck_assert_int_eq(machine_command("status"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out + said, "in charge: "));
	ck_assert_ptr_null(strstr(machine.out + said, "outdated: "));
}

/* The notes of VGs that are gone do not pile up. */
TEST(a_reconcile_drops_notes_of_what_is_gone)
{
	plug_changed();
	changed_came();
	ck_assert(machine_has(NOTE));
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert(machine_has(NOTE));
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_CHANGED);
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert(!machine_has(NOTE));
}

/* Whoever carried on without the note would take older metadata for the newest. */
TEST(a_note_stays_while_nobody_knows_of_its_pv)
{
	const int run_fd = lea_world_run(machine.world);

	plug_original();
	plug_changed();
	changed_came();
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_CHANGED);
	ck_assert_int_eq(renameat(run_fd, "pvs_online", run_fd, "away"), 0);
	tree_link(&machine.tree, "/run/lvm/pvs_online", "pvs_online");
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert(machine_has(NOTE));
	tree_remove(&machine.tree, "/run/lvm/pvs_online");
	ck_assert_int_eq(renameat(run_fd, "away", run_fd, "pvs_online"), 0);
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert(!machine_has(NOTE));
}

/* vgremove and vgcreate, again and again. */
TEST(a_pv_that_is_in_another_vg_now_keeps_one_note)
{
	struct sample sample;
	char path[256];

	plug_original();
	original_came();
	usleep(2000); /* the notes are ordered by milliseconds */
	sample_load(&sample, "one-pv");
	sample_change_text(&sample, "GUetLO-o5Gp", "HUetLO-o5Gp");
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	original_came();
	ck_assert(machine_has(NOTE));
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert(!machine_has(NOTE));
	ck_assert(machine_has("/run/lvm/event/newest/HUetLOo5Gp19A2XKrJeENXFnMeOFEu21-vg_one"));
}
