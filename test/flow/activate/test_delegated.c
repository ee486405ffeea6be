/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluation of the real lvm's exit code, on a machine made of files with device-mapper in
 * memory. */
#include "flow/scanned.h"
#include "plan/plan_name.h"
#include "state/claim.h"
#include "unit/suite.h"
#include "worker/delegated.h"

#include <errno.h>

static struct lea_scan_vg *scanned; /* vg_one, with three LVs */
static struct lea_workers_options options;
static struct lea_worker_setting setting;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 1);
	scanned_begin();
	ck_assert_uint_eq(vg_count, 1);
	scanned = vgs;
	options = (struct lea_workers_options){.activator = &lea_activator_real,
					       .activate = {.what = LEA_ACTIVATE_AUTO},
					       .lvm_path = "/usr/sbin/lvm"};
	setting = (struct lea_worker_setting){
		.world = machine.world, .conf = conf, .options = &options};
}

static void teardown(void)
{
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void come_up(uint32_t count)
{
	struct lea_arena *arena = lea_arena_new(1 << 20);
	struct lea_plan_names names;

	for (uint32_t i = 0; i < count; i++) {
		ck_assert_int_eq(lea_plan_names(arena, scanned->vg, &scanned->vg->lvs[i],
						LEA_LAYER_NONE, &names),
				 0);
		fake_dm_add(machine.dm, names.name, names.uuid, "0 8 error \n");
	}
	lea_arena_free(arena);
}

/* Rows: lvm's exit code, and the state of the VG. */
static const struct {
	const char *claim;
	int code;
	uint32_t active;
	bool is_away, excluded, by_another_name;
	int want, want_shortage;
} rows[] = {
	{"all is active", 0, 3, false, false, false, 0, 0},
	{"lvm leaves LVs out for reasons of its own", 0, 1, false, false, false, 0, 0},
	{"it found the VG incomplete, and ended well", 0, 0, false, false, false,
	 LEA_ACTIVATE_INCOMPLETE, 0},
	{"no LV was meant to come up", 0, 0, false, true, false, 0, 0},
	{"it has another name by now", 5, 0, false, false, true, LEA_ACTIVATE_CHANGED, 0},
	{"a failure is a verdict", 5, 1, false, false, false, LEA_ACTIVATE_FAILED, 0},
	{"killed it says nothing of the VG", 137, 0, false, false, false, LEA_ACTIVATE_FAILED,
	 LEA_NOT_NOW},
	{"ended it says nothing of the VG", 143, 0, false, false, false, LEA_ACTIVATE_FAILED,
	 LEA_NOT_NOW},
	{"a crash is a verdict", 139, 0, false, false, false, LEA_ACTIVATE_FAILED, 0},
	{"without its libraries it says nothing of the VG", 127, 0, false, false, false,
	 LEA_ACTIVATE_FAILED, LEA_NOT_NOW},
	{"it is not there", -ENOENT, 0, false, false, false, LEA_NOT_NOW, 0},
	{"there is no memory to start it", -ENOMEM, 0, false, false, false, -ENOMEM, 0},
	{"the PV has gone", 5, 0, true, false, false, LEA_ACTIVATE_CHANGED, 0},
};

TEST_EACH(the_state_after_lvm_decides_the_claim, rows)
{
	struct lea_worker_report report = {0};
	const char *claim = rows[_i].claim;

	come_up(rows[_i].active);
	if (rows[_i].is_away)
		machine_unplug("sda", 16);
	if (rows[_i].excluded)
		conf->auto_activation_volume_list.defined = true;
	if (rows[_i].by_another_name)
		scanned->vg->name = "its-old-name";
	lea_delegated_report(&setting, scanned, rows[_i].code, &report);
	ck_assert_msg(report.outcome == rows[_i].want, "%s: %d", claim, report.outcome);
	ck_assert_msg(report.shortage == rows[_i].want_shortage, "%s", claim);
	ck_assert_msg(report.active == (rows[_i].code ? 0 : rows[_i].active), "%s", claim);
	ck_assert_msg(!*report.reason ==
			      (report.outcome <= 0 || report.outcome == LEA_ACTIVATE_CHANGED),
		      "%s: %s", claim, report.reason);
}

/* lvm has removed it. Rows: was it made with this turn? */
TEST_TIMES(a_failure_of_lvm_is_no_deactivation, 2)
{
	struct lea_worker_report report = {0};
	struct lea_claim claim = {.vg_name = "vg_one"};
	struct lea_claims claims;

	ck_assert_int_eq(lea_claims_init(&claims, machine.world, NULL), 0);
	claim.turn_ms = scanned->turn_ms;
	ck_assert_int_eq(lea_claim_take(&claims, scanned->vg->id, &claim), 0);
	scanned->has_online = _i;
	lea_delegated_report(&setting, scanned, 5, &report);
	ck_assert_int_eq(report.outcome, LEA_ACTIVATE_FAILED);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one") == _i);
}
