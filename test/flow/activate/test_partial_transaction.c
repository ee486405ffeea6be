/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG that is activated in part, under its lock: only what was decided on, by the rule's mode; and
 * the refresh when its PV is back, by the real lvm, after the lock was released.
 */
#include "activate/transaction.h"
#include "flow/scanned.h"
#include "plan/incomplete_rules.h"
#include "unit/suite.h"

#define NAME "vg-two.pvs"

static struct lea_activate_options options;
static struct lea_activation_run *run;
static struct lea_activate_result result;
static struct lea_scan_vg whole, half; /* without its first PV */
static struct lea_found *half_pv[2];
static char lvm[256];

static void setup(void)
{
	char text[1024];

	machine_begin();
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	scanned_begin();
	ck_assert_uint_eq(vg_count, 1);
	ck_assert_str_eq(vgs[0].pv[0]->label.pvid, PVID_A);
	whole = half = vgs[0];
	half_pv[1] = whole.pv[1];
	half.pv = half_pv;
	machine_unplug("sdb", 32);
	snprintf(lvm, sizeof(lvm), "%s/lvm", machine.tree.root);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\necho \"$*\" >>%s.calls\n[ ! -e %s/run/lock/lvm/V_" NAME
		 " ] || echo locked "
		 ">>%s.calls\n[ ! -e %s.fails ]\n",
		 lvm, machine.tree.root, lvm, lvm);
	tree_put_program(&machine.tree, "/lvm", text);
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO,
						.only_complete = true,
						.quiet_refusals = true,
						.quiet_success = true,
						.lvm_path = lvm};
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
}

static void teardown(void)
{
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void finish(void)
{
	ck_assert_int_eq(lea_activation_finish(run), 0);
	fflush(machine.out_file);
	fflush(machine.err_file);
}

static const struct {
	enum lea_incomplete_mode mode;
	uint32_t active;
	const char *node; /* NULL: none beside plain-1 */
} rows[] = {
	{LEA_INCOMPLETE_WHOLE, 1, NULL},
	{LEA_INCOMPLETE_DEGRADED, 1, NULL},
	{LEA_INCOMPLETE_PARTIAL, 2, "vg--two.pvs-fast-missing_0_0"},
};

TEST_EACH(each_mode_activates_what_it_says, rows)
{
	half.in_part = rows[_i].mode;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	ck_assert_uint_eq(result.active, rows[_i].active);
	ck_assert_ptr_nonnull(fake_dm_find(machine.dm, "vg--two.pvs-plain--1"));
	if (rows[_i].node)
		ck_assert_ptr_nonnull(fake_dm_find(machine.dm, rows[_i].node));
	else
		ck_assert_uint_eq(fake_dm_count(machine.dm), 1);
	finish();
	ck_assert_str_eq(machine.err, "");
}

/* lvm.conf says what commands may do; the rule is closer. */
TEST(rule_counts_and_not_activation_mode)
{
	conf->activation_mode = "complete";
	half.in_part = LEA_INCOMPLETE_PARTIAL;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	ck_assert_uint_eq(result.active, 2);
	finish();
}

TEST(without_a_rule_it_is_incomplete)
{
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), LEA_ACTIVATE_INCOMPLETE);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	finish();
}

/* The run's options are another VG's, too. */
TEST(rule_is_for_its_vg_alone)
{
	const struct lea_scan_vg other = half;

	half.in_part = LEA_INCOMPLETE_WHOLE;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	finish();
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	ck_assert_int_eq(lea_activation_vg(run, NAME, &other, &result), LEA_ACTIVATE_INCOMPLETE);
	finish();
}

/* After vgextend the new PV would count as missing. */
TEST(vg_that_changed_since_the_scan_is_left)
{
	half.in_part = LEA_INCOMPLETE_PARTIAL;
	half.vg->seqno--;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), LEA_ACTIVATE_CHANGED);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	finish();
}

/* Its PV was there when the wait was over, and went before the lock. */
TEST(pv_that_has_just_gone_is_not_done_without)
{
	whole.in_part = LEA_INCOMPLETE_PARTIAL;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &whole, &result), LEA_ACTIVATE_CHANGED);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	finish();
}

/* While the worker waited for the lock the missing PV came, and was recorded. */
TEST(pv_that_has_come_is_not_done_without)
{
	const int run_fd = lea_world_run(machine.world);
	const struct lea_online online = {
		.major = 8, .minor = 32, .vg = NAME, .device = "/dev/sdb"};

	half.in_part = LEA_INCOMPLETE_PARTIAL;
	machine_plug("stripe-a", "sdb", 32, 4);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	ck_assert_int_eq(lea_online_write(run_fd, PVID_A, &online), 0);
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), LEA_ACTIVATE_CHANGED);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	finish();
}

#define THIRD "cccccccccccccccccccccccccccccccc"
#define LEG(number, id)                                                                            \
	"pv" number " { id=\"" id "\" status=[\"ALLOCATABLE\"] pe_start=2048 pe_count=15 } "

/* The VG has a third PV, on which nothing lies. */
static const char of_three[] =
	NAME " { id=\"VqoF2z-8DLr-9uB4-DSmt-7k8I-RGz3-GndTHh\" seqno=4 format=\"lvm2\" "
	"status=[\"READ\",\"WRITE\"] extent_size=8192 max_lv=0 max_pv=0 physical_volumes { "
	LEG("0", "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA")
	LEG("1", "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb")
	LEG("2", "cccccc-cccc-cccc-cccc-cccc-cccc-cccccc") "} logical_volumes { plain { "
	"id=\"aaaaaa-aaaa-aaaa-aaaa-aaaa-aaaa-aaaaaa\" status=[\"READ\",\"WRITE\",\"VISIBLE\"] "
	"segment_count=1 segment1 { start_extent=0 extent_count=1 type=\"striped\" stripe_count=1 "
	"stripes=[\"pv1\",0] } } } }\n"
	"contents=\"Text Format Volume Group\"\nversion=1\n";

static void set_text(const char *sample_name, const char *name)
{
	struct sample sample;
	char path[256];

	sample_load(&sample, sample_name);
	sample_set_text(&sample, of_three);
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

/* There are as many PVs as there were. Rows: has one come, and another one gone, while the worker
 * waited for the lock? */
TEST_TIMES(pv_that_has_come_is_not_taken_for_one_that_has_gone, 2)
{
	static char sdd[] = "/dev/sdd";
	struct lea_found third = {.device = {.major = 8, .minor = 64, .name = sdd, .diskseq = 5},
				  .kind = LEA_FOUND_PV,
				  .label = {.pvid = THIRD}};
	/* As a worker gets it: the PVs that are there. */
	struct lea_found *pv[] = {whole.pv[1], &third};
	struct lea_vg vg = {.name = NAME,
			    .id = "VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh",
			    .seqno = 4,
			    .pv_count = 1 + _i};
	const struct lea_scan_vg before = {
		.vg = &vg, .pv = pv, .in_part = LEA_INCOMPLETE_PARTIAL};

	set_text("stripe-b", "sdc");
	if (_i) {
		machine_plug("stripe-a", "sdb", 32, 4);
		set_text("stripe-a", "sdb");
		machine_record(PVID_A, NAME, "sdb", 32);
	}
	ck_assert_int_eq(lea_activation_vg(run, NAME, &before, &result),
			 _i ? LEA_ACTIVATE_CHANGED : 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), !_i);
	finish();
}

/* Its event has not been worked on yet. */
TEST(pv_that_udev_announces_is_not_done_without)
{
	half.in_part = LEA_INCOMPLETE_PARTIAL;
	machine_plug("stripe-a", "sdb", 32, 4);
	tree_put(&machine.tree,
		 "/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-"
		 "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA/b8:32",
		 "");
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), LEA_ACTIVATE_CHANGED);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	finish();
}

/* To the host it is missing, as it was when that was decided. */
TEST(pv_that_a_filter_rejects_is_done_without)
{
	const char *patterns[] = {"r|^/dev/sdb$|"};

	half.in_part = LEA_INCOMPLETE_PARTIAL;
	conf->filter = (struct lea_list){.item = patterns, .count = 1, .defined = true};
	machine_plug("stripe-a", "sdb", 32, 4);
	tree_put(&machine.tree,
		 "/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-"
		 "I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA/b8:32",
		 "");
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	ck_assert_uint_eq(result.active, 2);
	finish();
}

/* The record is a leftover. */
TEST(pv_that_is_only_recorded_is_done_without)
{
	const int run_fd = lea_world_run(machine.world);
	const struct lea_online online = {
		.major = 8, .minor = 32, .vg = NAME, .device = "/dev/sdb"};

	half.in_part = LEA_INCOMPLETE_PARTIAL;
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	ck_assert_int_eq(lea_online_write(run_fd, PVID_A, &online), 0);
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	ck_assert_uint_eq(result.active, 2);
	finish();
}

static const char *calls(void)
{
	static char text[512];
	char path[300];
	FILE *file;
	size_t bytes;

	snprintf(path, sizeof(path), "%s.calls", lvm);
	file = fopen(path, "re");
	if (!file)
		return "";
	bytes = fread(text, 1, sizeof(text) - 1, file);
	text[bytes] = '\0';
	fclose(file);
	return text;
}

static void come_back(bool refreshes)
{
	half.in_part = LEA_INCOMPLETE_PARTIAL;
	ck_assert_int_eq(lea_activation_vg(run, NAME, &half, &result), 0);
	finish();
	machine_plug("stripe-a", "sdb", 32, 2); /* as in the scan that @whole is of */
	whole.refreshes = refreshes;
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	ck_assert_int_eq(lea_activation_vg(run, NAME, &whole, &result), 0);
	ck_assert_uint_eq(result.active, 2);
	ck_assert_uint_eq(result.resumed, 0);
	finish();
}

TEST(pv_that_is_back_is_taken_in_by_lvm)
{
	come_back(true);
	ck_assert_str_eq(calls(), "lvchange --refresh " NAME "/fast\n");
	ck_assert_msg(strstr(machine.out, "VG " NAME ": a missing PV is back: refreshed: " NAME
					  "/fast\n") != NULL,
		      "%s", machine.out);
}

TEST(refresh_that_fails_is_an_error_with_a_next_step)
{
	tree_put(&machine.tree, "/lvm.fails", "");
	come_back(true);
	ck_assert_msg(strstr(machine.err, "VG " NAME ": a missing PV is back, but LVs still do "
					  "without it (status 1): " NAME
					  "/fast; try: lvchange --refresh " NAME "\n") != NULL,
		      "%s", machine.err);
}

TEST(nobody_asked_for_a_refresh)
{
	come_back(false);
	ck_assert_str_eq(calls(), "");
}
