/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed at once, because the scan may be freed before a worker is free: first the VG, then the id
 * and the device of each PV that was found.
 */
#include "worker/request.h"

#include "activate/monitor_poll.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "plan/incomplete_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A larger message omits links and properties of devices: the filters then ask udev for them. */
#define WHOLE_BYTES (16U * 1024U * 1024U)

enum vg_bit {
	HAS_DUPLICATE = 1,
	HAS_CONFLICT = 2,
	WATCH_ONLY = 4,
	REFRESHES = 8,
	IS_TAGGED = 16,
	HAS_ONLINE = 32,
	IS_ADDED = 64,
	IN_PART = 128, /* times an enum lea_incomplete_mode; no higher bit */
};

static void pack_pv(struct lea_wire_out *out, const struct lea_found *found)
{
	struct lea_device device = found->device;

	if (out->len > WHOLE_BYTES)
		device.devlinks = device.properties = NULL;
	lea_wire_put_bytes(out, found->label.pvid, LEA_ID_CHARS);
	lea_device_pack(out, &device);
}

static void pack(struct lea_request *job, const struct lea_scan_vg *scanned, bool is_tagged)
{
	struct lea_wire_out *out = &job->packed;

	lea_wire_put_bytes(out, job->vg_name, sizeof(job->vg_name));
	lea_wire_put_bytes(out, job->vg_id, LEA_ID_CHARS);
	lea_wire_put_u32(out, scanned->vg->seqno);
	lea_wire_put_u64(out, scanned->turn_ms);
	lea_wire_put_u32(
		out, (scanned->has_duplicate ? HAS_DUPLICATE : 0) |
			     (scanned->has_conflict ? HAS_CONFLICT : 0) |
			     (scanned->watch_only ? WATCH_ONLY : 0) |
			     (scanned->refreshes ? REFRESHES : 0) | (is_tagged ? IS_TAGGED : 0) |
			     (scanned->has_online ? HAS_ONLINE : 0) |
			     (scanned->is_added ? IS_ADDED : 0) | IN_PART * scanned->in_part);
	lea_wire_put_u32(out, lea_scan_vg_count(scanned, LEA_PRESENT));
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (scanned->pv[i])
			pack_pv(out, scanned->pv[i]);
}

LEA_DEFINE_FREEP(struct lea_request, request_freep, lea_request_free);

int lea_request_new(const struct lea_scan_vg *scanned, bool is_tagged, struct lea_request **ret_job)
{
	LEA_AUTO(request_freep) struct lea_request *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	snprintf(job->vg_name, sizeof(job->vg_name), "%s", scanned->vg->name);
	snprintf(job->vg_id, sizeof(job->vg_id), "%s", scanned->vg->id);
	job->class = LEA_CLASS_NORMAL;
	job->lv_count = scanned->vg->lv_count;
	job->in_part = scanned->in_part != 0;
	job->has_copies = scanned->has_copies;
	job->takes_time = lea_monitor_poll_takes_time(scanned->vg);
	pack(job, scanned, is_tagged);
	if (job->packed.fault)
		return job->packed.fault;
	lea_wire_out_fit(&job->packed);
	*ret_job = LEA_TAKE(job);
	return 0;
}

void lea_request_free(struct lea_request *job)
{
	if (!job)
		return;
	lea_wire_out_done(&job->packed);
	free(job);
}

/* Where the first request of @class is, or would be. */
static struct lea_request **begin_of(struct lea_requests *jobs, enum lea_need_class class)
{
	struct lea_request **begin = &jobs->first;

	for (int before = 0; before < (int)class; before++)
		if (jobs->last[before])
			begin = &jobs->last[before]->next;
	return begin;
}

static void put_at(struct lea_requests *jobs, struct lea_request **at, struct lea_request *job)
{
	job->next = *at;
	*at = job;
	jobs->count++;
}

void lea_requests_put(struct lea_requests *jobs, struct lea_request *job)
{
	struct lea_request *last = jobs->last[job->class];

	put_at(jobs, last ? &last->next : begin_of(jobs, job->class), job);
	jobs->last[job->class] = job;
}

void lea_requests_put_first(struct lea_requests *jobs, struct lea_request *job)
{
	put_at(jobs, begin_of(jobs, job->class), job);
	if (!jobs->last[job->class])
		jobs->last[job->class] = job;
}

struct lea_request *lea_requests_get(struct lea_requests *jobs)
{
	struct lea_request *job = jobs->first;

	if (jobs->last[job->class] == job)
		jobs->last[job->class] = NULL;
	jobs->first = job->next;
	jobs->count--;
	job->next = NULL;
	return job;
}

static void get_id(struct lea_wire_in *in, char id[static LEA_ID_CHARS + 1])
{
	lea_wire_get_bytes(in, id, LEA_ID_CHARS);
	id[LEA_ID_CHARS] = '\0';
	if (!in->fault && !lea_id_ok(id))
		in->fault = -EPROTO;
}

static void unpack_vg(struct lea_wire_in *in, struct lea_request_vg *job)
{
	uint64_t turn_ms;
	uint32_t bits;

	lea_wire_get_bytes(in, job->name, sizeof(job->name));
	get_id(in, job->vg.id);
	job->vg.seqno = lea_wire_get_u32(in);
	turn_ms = lea_wire_get_u64(in);
	bits = lea_wire_get_u32(in);
	job->vg.pv_count = lea_wire_get_u32(in);
	job->vg.name = job->name;
	/* The name becomes part of a lock file's name and an argument. A PV takes more bytes than
	 * its id. */
	if (!in->fault &&
	    (!memchr(job->name, '\0', sizeof(job->name)) || !lea_name_ok(job->name) ||
	     job->vg.pv_count > in->left / LEA_ID_CHARS || bits / IN_PART >= LEA_INCOMPLETE_MODES))
		in->fault = -EPROTO;
	job->is_tagged = bits & IS_TAGGED;
	job->scanned = (struct lea_scan_vg){
		.vg = &job->vg,
		.has_duplicate = bits & HAS_DUPLICATE,
		.has_conflict = bits & HAS_CONFLICT,
		.watch_only = bits & WATCH_ONLY,
		.refreshes = bits & REFRESHES,
		.has_online = bits & HAS_ONLINE,
		.is_added = bits & IS_ADDED,
		.in_part = bits / IN_PART,
		.turn_ms = turn_ms,
	};
}

static int unpack_pvs(struct lea_wire_in *in, struct lea_request_vg *job)
{
	const size_t count = job->vg.pv_count;

	job->found = calloc(count + 1, sizeof(*job->found));
	job->scanned.pv = calloc(count + 1, sizeof(struct lea_found *));
	if (!job->found || !job->scanned.pv)
		return -ENOMEM;
	for (size_t i = 0; i < count && !in->fault; i++) {
		struct lea_found *found = job->scanned.pv[i] = &job->found[i];

		found->kind = LEA_FOUND_PV;
		get_id(in, found->label.pvid);
		found->device = lea_device_unpack(in);
	}
	return in->fault;
}

LEA_DEFINE_FREEP(struct lea_request_vg, request_vg_freep, lea_request_vg_free);

int lea_request_unpack(struct lea_wire_in *in, struct lea_request_vg **ret_vg)
{
	LEA_AUTO(request_vg_freep) struct lea_request_vg *job = calloc(1, sizeof(*job));
	int r;

	if (!job)
		return -ENOMEM;
	unpack_vg(in, job);
	r = in->fault ? in->fault : unpack_pvs(in, job);
	if (r)
		return r;
	*ret_vg = LEA_TAKE(job);
	return 0;
}

void lea_request_vg_free(struct lea_request_vg *job)
{
	if (!job)
		return;
	for (uint32_t i = 0; job->found && i < job->vg.pv_count; i++)
		lea_device_done(&job->found[i].device);
	free(job->found);
	free(job->scanned.pv);
	free(job);
}
