/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues all devices of the VG: only a scan tells which of them still belong to it. */
#include "batch/requeue.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/device_find.h"

static int put_again(const struct lea_batch_options *options, const struct lea_found *found)
{
	struct lea_device device = found->device; /* the name is borrowed */

	device.devlinks = device.properties = NULL;
	/* Not ordered with udev's events: the pass asks which instance has the number by then. */
	device.seqnum = 0;
	return lea_queue_put_device(options->event_fd, LEA_ENTRY_MISSED, &device,
				    found->label.pvid);
}

static int drop_claim_and_online(const struct lea_batch_options *options, const char *vg_id,
				 const char *vg_name)
{
	struct lea_claims claims;
	int r = lea_claims_init(&claims, options->world, NULL);

	r = r ? r : lea_claim_drop(&claims, vg_id);
	return r < 0 ? r : lea_vg_online_drop(claims.run_fd, vg_name);
}

int lea_requeue_vg(const struct lea_batch_options *options, const struct lea_scan_vg *scanned)
{
	const struct lea_vg *vg = scanned->vg;
	int r = 0;

	lea_log_with(options->world->log, LEA_LOG_PRINT,
		     &(const struct lea_log_fields){.vg = vg->name, .vg_id = vg->id},
		     "VG %s: another command changed it meanwhile; its devices are queued again",
		     vg->name);
	for (uint32_t i = 0; r >= 0 && i < vg->pv_count; i++)
		if (scanned->pv[i])
			r = put_again(options, scanned->pv[i]);
	if (r < 0)
		return lea_log_fault(options->world->log, r, "VG %s: queuing its devices again",
				     vg->name);
	return 0;
}

int lea_requeue_pv(const struct lea_batch_options *options, const struct lea_claim_pv *pv,
		   enum lea_entry_kind kind)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	int r = lea_device_find(options->world, &pv->id, &device);

	if (r)
		return r < 0 ? r : LEA_REQUEUE_NONE;
	return lea_queue_put_device(options->event_fd, kind, &device, pv->pvid);
}

static int put_any(const struct lea_batch_options *options, const struct lea_claim *claim,
		   enum lea_entry_kind kind)
{
	int r = LEA_REQUEUE_NONE;

	for (uint32_t i = 0; r == LEA_REQUEUE_NONE && i < claim->pv_count; i++)
		r = lea_requeue_pv(options, &claim->pv[i], kind);
	return r;
}

/* Queues the device before it drops the claim: if the process dies in between, the device is read
 * once more than needed. The claim goes with its VG, too: nobody else would end it. *ret_any: is a
 * device of the VG there? */
static int queue_one(const struct lea_batch_options *options, const char *vg_id,
		     const struct lea_claim *claim, bool *ret_any)
{
	const int r = put_any(options, claim, LEA_ENTRY_MISSED);

	*ret_any = !r;
	return r < 0 ? r : drop_claim_and_online(options, vg_id, claim->vg_name);
}

static int read_claim(const struct lea_batch_options *options, const char *vg_id,
		      struct lea_claim *ret_claim)
{
	struct lea_claims claims;
	const int r = lea_claims_init(&claims, options->world, NULL);

	return r ? r : lea_claim_read(&claims, vg_id, ret_claim);
}

/* If there is no claim any more, another worker has finished the VG. */
int lea_requeue_lost(struct lea_world *world, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	const struct lea_batch_options options = {.world = world, .event_fd = event_fd};
	int r = event_fd < 0 ? event_fd : read_claim(&options, vg_id, &claim);
	bool any = false;

	if (r > 0 || (!r && (claim.state != LEA_CLAIM_CLAIMED || claim.pid != getpid())))
		return 0;
	r = r ? r : queue_one(&options, vg_id, &claim, &any);
	if (r < 0)
		return lea_log_fault(world->log, r, "VG %s: queuing a device of it again",
				     claim.vg_name[0] ? claim.vg_name : vg_id);
	lea_log_with(world->log, LEA_LOG_WARNING,
		     &(const struct lea_log_fields){.vg = claim.vg_name, .vg_id = vg_id},
		     "VG %s: its worker process did not finish it; %s", claim.vg_name,
		     any ? "a device of it is queued again" : "none of its devices is there");
	return 0;
}

int lea_requeue_monitor(const struct lea_batch_options *options, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = read_claim(options, vg_id, &claim);

	if (r || claim.state != LEA_CLAIM_DONE)
		return r < 0 ? r : LEA_REQUEUE_NONE;
	return put_any(options, &claim, LEA_ENTRY_WATCH);
}
