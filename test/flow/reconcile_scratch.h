/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of reconcile: a machine made of files, with a PV that udev knows and that has a record.
 * Include it once.
 */
#pragma once

#include "daemon/reconcile.h"
#include "flow/machine.h"
#include "state/claim.h"
#include "state/queue.h"

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

static struct lea_conf conf;
static struct lea_reconcile_options options;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 7);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	options = (struct lea_reconcile_options){.world = machine.world, .conf = &conf};
	options.event_fd = lea_queue_open(lea_world_run(machine.world));
	ck_assert_int_ge(options.event_fd, 0);
	machine.properties =
		"ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\nLVMEVENT_FIRST=" UUID_ONE "\n";
	conf.probe_unknown = conf.event_activation = false;
}

static void teardown(void)
{
	close(options.event_fd);
	machine_end();
}

static inline void claim(enum lea_claim_state state, uint32_t minor, uint64_t diskseq)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, minor, diskseq}};
	const struct lea_claim made = {
		.state = state, .vg_name = "vg_one", .pv = &pv, .pv_count = 1};

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &made), 0);
}
