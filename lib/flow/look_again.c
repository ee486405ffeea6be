/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All devices of it: which of them are still in it, only a look will say. */
#include "flow/look_again.h"

#include <string.h>

#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"

static int put_again(const struct lea_batch_how *how, const struct lea_found *found)
{
	struct lea_entry entry = {.device = found->device}; /* its name is borrowed */

	memcpy(entry.pvid, found->label.pvid, sizeof(entry.pvid));
	entry.device.devlinks = entry.device.properties = NULL;
	entry.device.seqnum = 0;
	lea_entry_set_key(&entry);
	return lea_queue_put_if_absent(how->event_fd, &entry);
}

static int forget(const struct lea_batch_how *how, const struct lea_vg *vg)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(how->world),
					  .proc_fd = lea_world_proc(how->world)};
	int r = claims.run_fd < 0 ? claims.run_fd : lea_claim_drop(&claims, vg->id);

	return r < 0 ? r : lea_vg_online_drop(claims.run_fd, vg->name);
}

int lea_look_again(const struct lea_batch_how *how, const struct lea_scan_vg *known)
{
	const struct lea_vg *vg = known->vg;
	int r = forget(how, vg);

	lea_log(how->world->log, LEA_LOG_PRINT,
		"VG %s: was changed meanwhile, its devices are looked at again", vg->name);
	for (uint32_t i = 0; r >= 0 && i < vg->pv_count; i++)
		if (known->pv[i])
			r = put_again(how, known->pv[i]);
	if (r < 0)
		return lea_log_fault(how->world->log, r, "VG %s: looking at its devices again",
				     vg->name);
	return 0;
}
