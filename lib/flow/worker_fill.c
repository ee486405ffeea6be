/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which VGs one worker gets at a time. */
#include "flow/worker.h"

#include "base/cleanup.h"

#define LEAST_VGS   8U /* a process for fewer costs more than it gives */
#define BATCH_BYTES (16U * 1024U * 1024U) /* from here on no further VG is added to a batch */

/* What takes its time has a worker of its own: others need not wait for it, nor it for them. So has
 * a VG whose worker died. */
static bool goes_alone(const struct lea_worker *worker, const struct lea_job *next)
{
	const struct lea_job *last = worker->job_count ? worker->job[worker->job_count - 1] : NULL;

	return last && (next->deaths || last->deaths || next->is_left != last->is_left ||
			(!worker->delegated && (next->takes_time || last->takes_time)));
}

/* Its part of the native queue. The parts grow smaller, so that all end at about the same time. The
 * real lvm starts best once, with all. */
static uint32_t part_of(const struct lea_worker *worker, const struct lea_jobs *queue,
			uint32_t workers)
{
	size_t part = queue->count / workers;

	if (part < LEAST_VGS)
		part = LEAST_VGS;
	return worker->delegated || part > worker->job_room ? worker->job_room : (uint32_t)part;
}

void lea_worker_fill(struct lea_worker *worker, struct lea_jobs *queue,
		     const struct lea_worker_share *share)
{
	const uint32_t most = part_of(worker, queue, share->workers);
	const uint32_t even = share->lvs / share->workers + 1;
	uint32_t room = share->lvs - share->running_lvs;

	if (room > even)
		room = even;
	while (queue->count && worker->job_count < most && worker->packed_bytes < BATCH_BYTES) {
		if (!worker->delegated && worker->job_count &&
		    worker->lv_count + queue->first->lv_count > room)
			break;
		if (goes_alone(worker, queue->first))
			break;
		lea_worker_take(worker, lea_jobs_get(queue));
	}
}

void lea_worker_give_back(struct lea_worker *worker, struct lea_jobs *queue)
{
	for (uint32_t i = worker->job_count; i > 0; i--)
		lea_jobs_put_first(queue, LEA_TAKE(worker->job[i - 1]));
	lea_worker_clear(worker);
}
