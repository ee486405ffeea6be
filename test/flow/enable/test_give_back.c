/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvm2 finds when it is in charge again. */
#include "enable/give_back.h"

#include "flow/machine.h"
#include "state/claim.h"
#include "state/online.h"
#include "unit/suite.h"

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

static int event_fd;

static void setup(void)
{
	machine_begin();
	event_fd = machine_queue();
}

static void teardown(void)
{
	close(event_fd);
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static const struct {
	const char *claim;
	enum lea_claim_state state;
	bool is_transient, is_online, stays;
} rows[] = {
	{"a VG that would be tried again is lvm2's", LEA_CLAIM_FAILED, true, true, false},
	{"so is one that a worker had", LEA_CLAIM_CLAIMED, false, true, false},
	{"the file is another VG's", LEA_CLAIM_FAILED, true, false, true},
	{"an active VG stays as it is", LEA_CLAIM_DONE, false, false, true},
};

TEST_EACH(vgs_online_of_what_is_not_finished_goes, rows)
{
	const struct lea_claim claim = {.vg_name = "vg_one",
					.state = rows[_i].state,
					.is_transient = rows[_i].is_transient,
					.is_online = rows[_i].is_online};
	const struct lea_claims claims = machine_claims();
	size_t count;

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg_one"), 0);
	ck_assert_int_eq(lea_give_back(machine.world, event_fd, &count), 0);
	ck_assert_uint_eq(count, 0);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one") == rows[_i].stays, "%s",
		      rows[_i].claim);
}
