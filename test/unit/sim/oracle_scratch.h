/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps and states that are made up, for tests of the oracle. */
#pragma once

#include "sim/course.c"
#include "sim/finding.c"
#include "sim/memory.c"
#include "sim/oracle.c"
#include "sim/oracle_active.c"
#include "sim/truth.c"

#include "unit/suite.h"

#include <stdlib.h>

static struct sim_history history;
static struct sim_findings findings;
static struct sim_oracle oracle;
static struct sim_state state;

#define ID	   "vg0-id"
#define TAKEN_DOWN "a VG was activated although it was taken down and no disk of it was added since"

static void set_up(void)
{
	memset(&history, 0, sizeof(history));
	memset(&findings, 0, sizeof(findings));
	memset(&state, 0, sizeof(state));
	sim_oracle_begin(&oracle, &history, &findings);
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		state.disk[i].of = -1;
		snprintf(state.disk[i].pvid, sizeof(state.disk[i].pvid), "pv%u", i);
		snprintf(state.disk[i].wwid, sizeof(state.disk[i].wwid), "naa.%u", i);
	}
	state.now_ms = 1000;
}

const struct fixture fixture = {set_up, NULL};

static void step(struct sim_step step, uint64_t ms)
{
	sim_oracle_after(&oracle, &step, &state);
	state.now_ms += ms;
}

static inline void plug(unsigned disk, uint64_t ms)
{
	state.disk[disk].is_there = true;
	state.disk[disk].diskseq++;
	step((struct sim_step){.op = SIM_PLUG, .a = (uint8_t)disk}, ms);
}

static inline void unplug(unsigned disk, uint64_t ms)
{
	state.disk[disk].is_there = false;
	step((struct sim_step){.op = SIM_UNPLUG, .a = (uint8_t)disk}, ms);
}

/* Metadata of VG 0 with the PVs of disks 0 to count - 1, on these. */
static void write_vg(unsigned count, uint32_t seqno)
{
	for (unsigned i = 0; i < count; i++) {
		struct sim_disk *disk = &state.disk[i];

		disk->is_pv = true;
		strcpy(disk->vg_id, ID);
		strcpy(disk->vg_name, "vg0");
		disk->seqno = seqno;
		disk->pv_count = count;
		for (unsigned pv = 0; pv < count; pv++)
			strcpy(disk->pv[pv], state.disk[pv].pvid);
	}
	strcpy(state.vg[0], ID);
}

static void activate(bool by_us)
{
	state.active_count = 1;
	state.active[0] = (struct sim_active){.lvs = 1,
					      .disks = 1,
					      .seqno = state.disk[0].seqno,
					      .by_us = by_us,
					      .at_ms = state.now_ms};
	strcpy(state.active[0].vg_id, ID);
}

static inline void take_down(uint64_t ms)
{
	state.active_count = 0;
	step((struct sim_step){.op = SIM_DOWN}, ms);
}

/* Two disks with a VG, active by a command, and nothing under way. */
static void begin(unsigned disks)
{
	for (unsigned i = 0; i < disks; i++)
		plug(i, 1000);
	state.now_ms += 200000;
	write_vg(disks, 1);
	activate(false);
	step((struct sim_step){.op = SIM_CREATE, .a = 1}, 200000);
}

static void rest(void)
{
	sim_oracle_after(&oracle, NULL, &state);
}

static void check_findings(const char *kind)
{
	if (!kind)
		ck_assert_msg(!findings.count, "%s", findings.text[0]);
	else
		ck_assert_msg(sim_findings_have(&findings, kind), "%s", findings.text[0]);
}

static inline void expect(const char *kind)
{
	rest();
	check_findings(kind);
}

static inline void copy(unsigned from, unsigned to, bool is_path)
{
	struct sim_disk disk = state.disk[from];

	disk.is_there = false;
	disk.of = (int)from;
	disk.diskseq = 100;
	if (!is_path)
		strcpy(disk.wwid, "naa.copy");
	state.disk[to] = disk;
	plug(to, 30000);
}
