/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues all devices of the VG: only a scan tells which of them still belong to it. */
#include "batch/requeue.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "worker/pool.h"
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

int lea_requeue_vg(const struct lea_batch_options *options, const struct lea_scan_vg *scanned,
		   const char *why)
{
	const struct lea_vg *vg = scanned->vg;
	int r = 0;

	lea_log_with(options->world->log, LEA_LOG_PRINT,
		     &(const struct lea_log_fields){.vg = vg->name, .vg_id = vg->id},
		     "VG %s: %s; its devices are queued again", vg->name, why);
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

static int read_claim(const struct lea_batch_options *options, const char *vg_id,
		      struct lea_claim *ret_claim)
{
	struct lea_claims claims;
	const int r = lea_claims_init(&claims, options->world, NULL);

	return r ? r : lea_claim_read(&claims, vg_id, ret_claim);
}

static bool is_any_there(const struct lea_batch_options *options, const struct lea_claim *claim)
{
	int r = LEA_DEVICE_GONE;

	for (uint32_t i = 0; r > 0 && i < claim->pv_count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = {0};

		r = lea_device_find(options->world, &claim->pv[i].id, &device);
	}
	return r <= 0;
}

static int fail_for_now(const struct lea_batch_options *options, const char *vg_id,
			struct lea_claim *claim)
{
	struct lea_claims claims;
	int r = lea_claims_init(&claims, options->world, NULL);

	claim->state = LEA_CLAIM_FAILED;
	claim->is_transient = true;
	claim->again++;
	snprintf(claim->reason, sizeof(claim->reason), LEA_REQUEUE_UNFINISHED);
	r = r ? r : lea_claim_ask_online(&claims, vg_id);
	claim->is_online = r > 0;
	r = r < 0 ? r : lea_claim_finish(&claims, vg_id, claim);
	return r < 0 || claim->is_online ? r : lea_vg_online_drop(claims.run_fd, claim->vg_name);
}

enum rest {
	REST_NONE,   /* no device of the VG is there */
	REST_QUEUED, /* one is pending */
	REST_LATER,
};

/* Queues the device before it ends the claim: if the process dies in between, the device is read
 * once more than needed. The claim goes with its VG, too: nobody else would end it. A worker that
 * hangs for long, or dies of the VG, would otherwise be followed by the next one at once. */
static int see_to_rest(const struct lea_batch_options *options, const char *vg_id,
		       struct lea_claim *claim, bool is_last, enum rest *ret_rest)
{
	int r = 0;

	*ret_rest = !is_any_there(options, claim) ? REST_NONE
		    : claim->again && !is_last	  ? REST_LATER
						  : REST_QUEUED;
	if (*ret_rest == REST_NONE)
		return drop_claim_and_online(options, vg_id, claim->vg_name);
	if (*ret_rest == REST_QUEUED)
		r = put_any(options, claim, LEA_ENTRY_MISSED);
	return r < 0 ? r : fail_for_now(options, vg_id, claim);
}

/* If there is no claim any more, another worker has finished the VG. */
int lea_requeue_lost(struct lea_world *world, const char *vg_id, bool is_last)
{
	static const char *const texts[] = {
		[REST_NONE] = "none of its devices is there",
		[REST_QUEUED] = "a device of it is queued again",
		[REST_LATER] = "it will be retried",
	};
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	const struct lea_batch_options options = {.world = world, .event_fd = event_fd};
	int r = event_fd < 0 ? event_fd : read_claim(&options, vg_id, &claim);
	enum rest rest = REST_NONE;

	if (r > 0 || (!r && (claim.state != LEA_CLAIM_CLAIMED || claim.pid != getpid())))
		return 0;
	r = r ? r : see_to_rest(&options, vg_id, &claim, is_last, &rest);
	if (r < 0)
		return lea_log_fault(world->log, r, "VG %s: queuing a device of it again",
				     claim.vg_name[0] ? claim.vg_name : vg_id);
	lea_log_with(world->log, LEA_LOG_WARNING,
		     &(const struct lea_log_fields){.vg = claim.vg_name, .vg_id = vg_id},
		     "VG %s: its worker process did not finish it; %s", claim.vg_name, texts[rest]);
	return rest == REST_LATER ? LEA_WORKERS_LATER : 0;
}

int lea_requeue_monitor(const struct lea_batch_options *options, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = read_claim(options, vg_id, &claim);

	if (r || claim.state != LEA_CLAIM_DONE)
		return r < 0 ? r : LEA_REQUEUE_NONE;
	return put_any(options, &claim, LEA_ENTRY_WATCH);
}
