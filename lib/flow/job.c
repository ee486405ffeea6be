/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packed at once: the scan may be gone when a worker is free. */
#include "flow/job.h"

#include "base/cleanup.h"
#include "flow/job_wire.h"
#include "policy/follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int lea_job_new(const struct lea_scan_vg *known, struct lea_job **ret_job)
{
	LEA_AUTO(lea_job_freep) struct lea_job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	snprintf(job->vg_name, sizeof(job->vg_name), "%s", known->vg->name);
	snprintf(job->vg_id, sizeof(job->vg_id), "%s", known->vg->id);
	job->lv_count = known->vg->lv_count;
	job->takes_time = lea_follow_takes_time(known->vg);
	lea_job_pack(&job->packed, known);
	if (job->packed.fault)
		return job->packed.fault;
	lea_wire_out_fit(&job->packed);
	*ret_job = LEA_TAKE(job);
	return 0;
}

void lea_job_free(struct lea_job *job)
{
	if (!job)
		return;
	lea_wire_out_done(&job->packed);
	free(job);
}

void lea_job_freep(struct lea_job **job)
{
	lea_job_free(*job);
}

void lea_jobs_put(struct lea_jobs *jobs, struct lea_job *job)
{
	job->next = NULL;
	*jobs->end = job;
	jobs->end = &job->next;
	jobs->count++;
}

void lea_jobs_put_first(struct lea_jobs *jobs, struct lea_job *job)
{
	job->next = jobs->first;
	if (!jobs->first)
		jobs->end = &job->next;
	jobs->first = job;
	jobs->count++;
}

struct lea_job *lea_jobs_get(struct lea_jobs *jobs)
{
	struct lea_job *job = jobs->first;

	jobs->first = job->next;
	if (!jobs->first)
		jobs->end = &jobs->first;
	jobs->count--;
	job->next = NULL;
	return job;
}
