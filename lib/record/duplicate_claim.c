/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_claim.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "state/claim_index.h"
#include "state/online.h"

/* Returns 0, LEA_CLAIM_ABSENT or -errno. *ret_claim: the caller's in any case. */
static int read_claim(struct lea_world *world, const char *vg_id, struct lea_claims *ret_claims,
		      struct lea_claim *ret_claim)
{
	int r = vg_id[0] ? lea_claims_init(ret_claims, world, NULL) : LEA_CLAIM_ABSENT;

	r = r == -ENOENT ? LEA_CLAIM_ABSENT : r;
	return r ? r : lea_claim_read(ret_claims, vg_id, ret_claim);
}

int lea_duplicate_has_claim(struct lea_world *world, const char *vg_id, enum lea_claim_state state)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_claims claims;
	int r = read_claim(world, vg_id, &claims, &claim);

	return r < 0 ? r : !r && claim.state == state;
}

/* Does the VG's claim list this very instance of the PV? As lea_duplicate_has_claim. *ret_claim: the
 * caller's in any case. */
static int is_claimed(struct lea_world *world, const struct lea_vg *vg, const char *pvid,
		      const struct lea_device *recorded, struct lea_claim *ret_claim)
{
	struct lea_claims claims;
	struct lea_claim_pv pv = {.id = lea_device_id(recorded)};
	int r = vg ? read_claim(world, vg->id, &claims, ret_claim) : LEA_CLAIM_ABSENT;

	snprintf(pv.pvid, sizeof(pv.pvid), "%s", pvid);
	return r < 0 ? r : !r && lea_claim_covers(ret_claim, &pv, 1);
}

int lea_duplicate_is_dealt_with(struct lea_world *world, const struct lea_vg *vg, const char *pvid,
				const struct lea_device *recorded)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = is_claimed(world, vg, pvid, recorded, &claim);

	return r > 0 ? claim.state == LEA_CLAIM_DONE : r;
}

int lea_duplicate_is_used(struct lea_world *world, const struct lea_vg *vg, const char *pvid,
			  const struct lea_device *recorded)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = is_claimed(world, vg, pvid, recorded, &claim);

	return r > 0 ? claim.state == LEA_CLAIM_CLAIMED ||
			       (claim.state == LEA_CLAIM_DONE && !claim.reason[0])
		     : r;
}

int lea_duplicate_forget_refusal(struct lea_world *world, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_claim_index index = {0};
	struct lea_claims claims;
	int r = read_claim(world, vg_id, &claims, &claim);

	if (r || claim.state != LEA_CLAIM_FAILED)
		return r < 0 ? r : 0;
	r = lea_claim_index_forget(&index, &claims, vg_id, &claim);
	lea_claim_index_clear(&index);
	return r;
}

int lea_duplicate_settle_refusal(struct lea_world *world, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_claims claims;
	bool was_online;
	int r = read_claim(world, vg_id, &claims, &claim);

	if (r || claim.state != LEA_CLAIM_FAILED || !claim.is_transient)
		return r < 0 ? r : 0;
	was_online = claim.is_online;
	claim.is_transient = claim.is_online = false;
	claim.again = 0;
	r = lea_claim_report(&claims, vg_id, &claim);
	if (!r && was_online)
		r = lea_vg_online_drop_kept(claims.run_fd, claim.vg_name);
	return r < 0 ? r : 0;
}
