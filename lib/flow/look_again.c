/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All devices of it: which of them are still in it, only a look will say. */
#include "flow/look_again.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "state/claim.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/sysfs.h"

static int put_again(const struct lea_batch_how *how, const struct lea_found *found)
{
	struct lea_entry entry = {.kind = LEA_ENTRY_MISSED,
				  .device = found->device}; /* its name is borrowed */

	memcpy(entry.pvid, found->label.pvid, sizeof(entry.pvid));
	entry.device.devlinks = entry.device.properties = NULL;
	entry.device.seqnum = 0;
	lea_entry_set_key(&entry);
	return lea_queue_put_if_absent(how->event_fd, &entry);
}

static struct lea_claims claims_of(const struct lea_batch_how *how)
{
	return (struct lea_claims){.run_fd = lea_world_run(how->world),
				   .proc_fd = lea_world_proc(how->world)};
}

static int forget(const struct lea_batch_how *how, const char *vg_id, const char *vg_name)
{
	const struct lea_claims claims = claims_of(how);
	int r = claims.run_fd < 0 ? claims.run_fd : lea_claim_drop(&claims, vg_id);

	return r < 0 ? r : lea_vg_online_drop(claims.run_fd, vg_name);
}

int lea_look_again(const struct lea_batch_how *how, const struct lea_scan_vg *known)
{
	const struct lea_vg *vg = known->vg;
	int r = forget(how, vg->id, vg->name);

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

/* LEA_LOOK_AGAIN_NONE: it is not there, or another one has its number. */
static int put_one(const struct lea_batch_how *how, const struct lea_claim_pv *pv,
		   enum lea_entry_kind kind)
{
	const struct lea_devno devno = {.major = pv->major, .minor = pv->minor};
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	struct lea_entry entry = {.kind = kind};
	char number[24];
	int r;

	if (pv->diskseq && lea_sysfs_diskseq(how->world, devno) != pv->diskseq)
		return LEA_LOOK_AGAIN_NONE;
	snprintf(number, sizeof(number), "%u:%u", pv->major, pv->minor);
	r = lea_device_from_arg(how->world, number, &device);
	if (r || device.is_gone)
		return r < 0 ? r : LEA_LOOK_AGAIN_NONE;
	entry.device = device;
	entry.device.devlinks = entry.device.properties = NULL;
	entry.device.diskseq = pv->diskseq;
	memcpy(entry.pvid, pv->pvid, sizeof(entry.pvid));
	lea_entry_set_key(&entry);
	return lea_queue_put_if_absent(how->event_fd, &entry);
}

static int put_any(const struct lea_batch_how *how, const struct lea_claim *claim,
		   enum lea_entry_kind kind)
{
	int r = LEA_LOOK_AGAIN_NONE;

	for (uint32_t i = 0; r == LEA_LOOK_AGAIN_NONE && i < claim->pv_count; i++)
		r = put_one(how, &claim->pv[i], kind);
	return r;
}

/* Queued before it is forgotten: whoever dies in between costs a look. */
static int queue_one(const struct lea_batch_how *how, const char *vg_id,
		     const struct lea_claim *claim)
{
	const int r = put_any(how, claim, LEA_ENTRY_MISSED);

	return r ? r : forget(how, vg_id, claim->vg_name);
}

static int read_claim(const struct lea_batch_how *how, const char *vg_id,
		      struct lea_claim *ret_claim)
{
	const struct lea_claims claims = claims_of(how);

	return claims.run_fd < 0 ? claims.run_fd : lea_claim_read(&claims, vg_id, ret_claim);
}

/* What is not claimed any more was brought to an end by another worker. */
int lea_look_again_lost(struct lea_world *world, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	const struct lea_batch_how how = {.world = world, .event_fd = event_fd};
	int r = event_fd < 0 ? event_fd : read_claim(&how, vg_id, &claim);

	if (r > 0 || (!r && (claim.state != LEA_CLAIM_CLAIMED || claim.pid != getpid())))
		return 0;
	r = r ? r : queue_one(&how, vg_id, &claim);
	if (r < 0)
		return lea_log_fault(world->log, r, "VG %s: queuing a device of it again",
				     claim.vg_name[0] ? claim.vg_name : vg_id);
	if (r == 0)
		lea_log(world->log, LEA_LOG_WARNING,
			"VG %s: its worker process did not finish it; a device of it is queued "
			"again",
			claim.vg_name);
	return 0;
}

int lea_look_again_watch(const struct lea_batch_how *how, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = read_claim(how, vg_id, &claim);

	if (r || claim.state != LEA_CLAIM_DONE)
		return r < 0 ? r : LEA_LOOK_AGAIN_NONE;
	return put_any(how, &claim, LEA_ENTRY_WATCH);
}
