/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the order of packing: VG, then for each PV its id, its place in the order of ids, its size and
 * its device.
 */
#include "flow/job_wire.h"

#include "base/cleanup.h"
#include "disk/name.h"
#include "world/device_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this the links and properties of devices stay behind: filters ask udev for them. */
#define WHOLE_BYTES (16U * 1024U * 1024U)
/* The least that a PV takes: so many can't be announced without being there. */
#define PV_BYTES    (LEA_ID_CHARS + 4 + 8 + 4)

enum vg_bit {
	HAS_DUPLICATE = 1,
	HAS_CONFLICT = 2,
	WATCH_ONLY = 4,
};

static void pack_device(struct lea_wire_out *out, const struct lea_found *found)
{
	struct lea_device device;

	lea_wire_put_u32(out, found != NULL);
	if (!found)
		return;
	device = found->device;
	if (out->len > WHOLE_BYTES)
		device.devlinks = device.properties = NULL;
	lea_device_pack(out, &device);
	lea_wire_put_u64(out, found->size_sectors);
}

void lea_job_pack(struct lea_wire_out *out, const struct lea_scan_vg *known)
{
	const struct lea_vg *vg = known->vg;

	lea_wire_put_text(out, vg->name);
	lea_wire_put_bytes(out, vg->id, LEA_ID_CHARS);
	lea_wire_put_u32(out, vg->seqno);
	lea_wire_put_u32(out, vg->flags);
	lea_wire_put_u32(out, vg->extent_sectors);
	lea_wire_put_text(out, vg->delegate_reason);
	lea_wire_put_u32(out, (known->has_duplicate ? HAS_DUPLICATE : 0) |
				      (known->has_conflict ? HAS_CONFLICT : 0) |
				      (known->watch_only ? WATCH_ONLY : 0));
	lea_wire_put_u32(out, vg->pv_count);
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		lea_wire_put_bytes(out, vg->pvs[i].id, LEA_ID_CHARS);
		lea_wire_put_u32(out, vg->pvs_by_id[i]);
		lea_wire_put_u64(out, vg->pvs[i].dev_sectors);
		pack_device(out, known->pv[i]);
	}
}

static void get_id(struct lea_wire_in *in, char id[static LEA_ID_CHARS + 1])
{
	lea_wire_get_bytes(in, id, LEA_ID_CHARS);
	id[LEA_ID_CHARS] = '\0';
	if (!in->fault && !lea_id_ok(id))
		in->fault = -EPROTO;
}

/* A text that lives in the arena; NULL for NULL. */
static const char *get_text(struct lea_wire_in *in, struct lea_arena *arena)
{
	LEA_AUTO(lea_freep) char *text = lea_wire_get_text(in);
	const char *copy = text ? lea_arena_strdup(arena, text) : NULL;

	if (text && !copy)
		in->fault = -ENOMEM;
	return copy;
}

static void unpack_device(struct lea_wire_in *in, struct lea_job_vg *job, uint32_t index)
{
	struct lea_found *found = &job->found[index];

	if (!lea_wire_get_u32(in))
		return;
	job->known.pv[index] = found;
	found->kind = LEA_FOUND_PV;
	memcpy(found->label.pvid, job->known.vg->pvs[index].id, sizeof(found->label.pvid));
	found->device = lea_device_unpack(in);
	found->size_sectors = lea_wire_get_u64(in);
}

static int unpack_pvs(struct lea_wire_in *in, struct lea_job_vg *job)
{
	struct lea_vg *vg = job->known.vg;
	const uint32_t count = vg->pv_count;
	uint32_t *by_id = lea_arena_alloc(job->arena, count, sizeof(*by_id));

	vg->pvs = lea_arena_alloc(job->arena, count, sizeof(*vg->pvs));
	vg->pvs_by_id = by_id;
	job->found = calloc(count ? count : 1, sizeof(*job->found));
	job->known.pv = calloc(count ? count : 1, sizeof(struct lea_found *));
	if (!by_id || !vg->pvs || !job->found || !job->known.pv)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !in->fault; i++) {
		vg->pvs[i].name = "";
		get_id(in, vg->pvs[i].id);
		by_id[i] = lea_wire_get_u32(in);
		if (by_id[i] >= count)
			in->fault = -EPROTO;
		vg->pvs[i].dev_sectors = lea_wire_get_u64(in);
		unpack_device(in, job, i);
	}
	return in->fault;
}

static int unpack_vg(struct lea_wire_in *in, struct lea_job_vg *job)
{
	struct lea_vg *vg = lea_arena_alloc(job->arena, 1, sizeof(*vg));
	uint32_t bits;

	if (!vg)
		return -ENOMEM;
	vg->name = get_text(in, job->arena);
	get_id(in, vg->id);
	vg->seqno = lea_wire_get_u32(in);
	vg->flags = lea_wire_get_u32(in);
	vg->extent_sectors = lea_wire_get_u32(in);
	vg->delegate_reason = get_text(in, job->arena);
	bits = lea_wire_get_u32(in);
	vg->pv_count = lea_wire_get_u32(in);
	if (in->fault)
		return in->fault;
	/* The name goes into the name of a lock file and into an argument. */
	if (!vg->name || !lea_name_ok(vg->name) || vg->pv_count > in->left / PV_BYTES)
		return -EPROTO;
	job->known.has_duplicate = bits & HAS_DUPLICATE;
	job->known.has_conflict = bits & HAS_CONFLICT;
	job->known.watch_only = bits & WATCH_ONLY;
	job->known.vg = vg;
	return unpack_pvs(in, job);
}

int lea_job_unpack(struct lea_wire_in *in, struct lea_job_vg **ret_vg)
{
	LEA_AUTO(lea_job_vg_freep) struct lea_job_vg *job = calloc(1, sizeof(*job));
	int r;

	if (!job)
		return -ENOMEM;
	/* What is made of it is of the size of what has come, but for a few words a PV. */
	job->arena =
		lea_arena_new(4096 + in->left + in->left / PV_BYTES * 2 * sizeof(struct lea_pv));
	if (!job->arena)
		return -ENOMEM;
	r = unpack_vg(in, job);
	if (r)
		return r;
	*ret_vg = LEA_TAKE(job);
	return 0;
}

void lea_job_vg_free(struct lea_job_vg *job)
{
	if (!job)
		return;
	for (uint32_t i = 0; job->found && i < job->known.vg->pv_count; i++)
		lea_device_done(&job->found[i].device);
	lea_arena_free(job->arena);
	free(job->found);
	free(job->known.pv);
	free(job);
}

void lea_job_vg_freep(struct lea_job_vg **job)
{
	lea_job_vg_free(*job);
}
