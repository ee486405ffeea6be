/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PV on two devices: events and messages. Include it once. */
#pragma once

#include "flow/batch_scratch.h"
#include "unit/suite.h"

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define WHY	 "PV " UUID_ONE " is on /dev/sda and on /dev/sdb: remove or exclude one of them"
#define REFUSED	 "  VG vg_one: not activated: " WHY "\n"
#define DUPLICATES "/run/lvm/event/duplicates/" PVID_ONE

static inline const char *both(void)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_ONE, false)};

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("one-pv", "sdb", 32, 2);
	return pass(entries, 2);
}

static inline void expect_failed(const char *vg_id, const char *why)
{
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_FAILED);
	ck_assert_str_eq(claim.reason, why);
	lea_claim_done(&claim);
}

static inline enum lea_claim_state claim_state(const char *vg_id)
{
	struct lea_claim claim;

	enum lea_claim_state state;

	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	state = claim.state;
	lea_claim_done(&claim);
	return state;
}

static inline void claim_link(const char *form, uint32_t minor)
{
	claim_link_of(UUID_ONE, form, minor);
}

static inline void new_conf(const char *devices)
{
	char text[256];

	snprintf(text, sizeof(text), "devices { %s }\n", devices);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", text);
	read_settings();
}
