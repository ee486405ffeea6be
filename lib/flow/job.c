/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The copy holds the VG's name, ids and devices. LVs are not copied: they are read again under
 * the VG's lock, and nobody may decide on them before.
 */
#include "flow/job.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An id and a few words per PV; names of at most 127 bytes. */
#define BYTES_PER_PV (sizeof(struct lea_pv) + 512)

static char *copy_text(const char *text, int *fault)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*fault = -ENOMEM;
	return copy;
}

static int copy_found(const struct lea_found *from, struct lea_found *to)
{
	int fault = 0;

	*to = *from;
	to->vg = NULL;
	to->device.name = copy_text(from->device.name, &fault);
	to->device.devlinks = copy_text(from->device.devlinks, &fault);
	to->device.properties = copy_text(from->device.properties, &fault);
	return fault;
}

static int copy_vg(struct lea_arena *arena, const struct lea_vg *from, struct lea_vg **ret_vg)
{
	struct lea_vg *vg = lea_arena_alloc(arena, 1, sizeof(*vg));
	struct lea_pv *pvs = lea_arena_alloc(arena, from->pv_count, sizeof(*pvs));
	uint32_t *by_id = lea_arena_alloc(arena, from->pv_count, sizeof(*by_id));

	if (!vg || !pvs || !by_id)
		return -ENOMEM;
	*vg = (struct lea_vg){
		.name = lea_arena_strdup(arena, from->name),
		.seqno = from->seqno,
		.flags = from->flags,
		.extent_sectors = from->extent_sectors,
		.pv_count = from->pv_count,
		.pvs = pvs,
		.pvs_by_id = by_id,
	};
	if (!vg->name)
		return -ENOMEM;
	memcpy(vg->id, from->id, sizeof(vg->id));
	if (from->pv_count)
		memcpy(by_id, from->pvs_by_id, from->pv_count * sizeof(*by_id));
	for (uint32_t i = 0; i < from->pv_count; i++) {
		pvs[i].name = "";
		memcpy(pvs[i].id, from->pvs[i].id, sizeof(pvs[i].id));
		pvs[i].dev_sectors = from->pvs[i].dev_sectors;
	}
	if (from->delegate_reason) {
		vg->delegate_reason = lea_arena_strdup(arena, from->delegate_reason);
		if (!vg->delegate_reason)
			return -ENOMEM;
	}
	*ret_vg = vg;
	return 0;
}

int lea_job_new(const struct lea_scan_vg *known, struct lea_job **ret_job)
{
	LEA_AUTO(lea_job_freep) struct lea_job *job = calloc(1, sizeof(*job));
	const uint32_t count = known->vg->pv_count;
	int r;

	if (!job)
		return -ENOMEM;
	job->lv_count = known->vg->lv_count;
	job->known.has_duplicate = known->has_duplicate;
	job->known.has_conflict = known->has_conflict;
	job->arena = lea_arena_new(4096 + (size_t)count * BYTES_PER_PV);
	job->found = calloc(count ? count : 1, sizeof(*job->found));
	job->known.pv = calloc(count ? count : 1, sizeof(struct lea_found *));
	if (!job->arena || !job->found || !job->known.pv)
		return -ENOMEM;
	r = copy_vg(job->arena, known->vg, &job->known.vg);
	for (uint32_t i = 0; !r && i < count; i++) {
		if (!known->pv[i])
			continue;
		job->known.pv[i] = &job->found[i];
		r = copy_found(known->pv[i], &job->found[i]);
	}
	if (r)
		return r;
	*ret_job = LEA_TAKE(job);
	return 0;
}

void lea_job_free(struct lea_job *job)
{
	if (!job)
		return;
	for (uint32_t i = 0; job->known.vg && i < job->known.vg->pv_count; i++)
		if (job->known.pv[i])
			lea_device_done(&job->found[i].device);
	lea_arena_free(job->arena);
	free(job->found);
	free(job->known.pv);
	free(job);
}

void lea_job_freep(struct lea_job **job)
{
	lea_job_free(*job);
}
