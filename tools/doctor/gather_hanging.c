/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can hang: device-mapper's status (a pool that waits for a disk holds the lock that its
 * status needs), files on a server that does not answer, and programs. Children ask what gatherers
 * want to know (world/hanging.h), and what is not there at the deadline is unknown.
 */
#include "doctor/gather_hanging.h"

#include "base/cleanup.h"
#include "doctor/gather_private.h"
#include "world/hanging.h"
#include "world/proc.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 8U
#define DM_JOB_MS    2000U
#define DM_MS	     3000U
#define OTHERS_MS    5000U /* smartctl may wait for its turn */

int lea_doctor_add_job(struct lea_doctor *doctor, const struct lea_doctor_job *job)
{
	struct lea_doctor_jobs *jobs = &doctor->jobs;

	if (lea_make_room(&jobs->job, &jobs->room, jobs->count + 1, sizeof(*jobs->job)))
		return -ENOMEM;
	jobs->job[jobs->count++] = *job;
	return 0;
}

void lea_doctor_jobs_done(struct lea_doctor_jobs *jobs)
{
	lea_proc_unshare(jobs->answers, jobs->answers_bytes);
	free(jobs->job);
}

/* ---- one round of questions */

/* What one call of lea_hanging_run asks. */
struct asking {
	struct lea_doctor *doctor;
	uint32_t *index; /* of its jobs; owned, as are the items */
	struct lea_hanging_item *item;
	uint32_t count;
	unsigned int pass;
};

static struct lea_doctor_job *job_of(const struct asking *asking, uint32_t index)
{
	return &asking->doctor->jobs.job[asking->index[index]];
}

static void do_job(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer)
{
	const struct asking *asking = arg;
	const struct lea_doctor_job *job = job_of(asking, index);

	(void)content;
	(void)answer; /* is in the shared memory */
	job->question->ask(asking->doctor, job, asking->pass);
}

static bool name_job(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct lea_doctor_job *job = job_of(arg, index);
	int len;

	if (job->question->is_of_dm)
		len = snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_NODE, job->object);
	else
		len = snprintf(name, LEA_HUNG_NAME_BYTES, "%s%s", job->question->prefix,
			       job->object);
	return len < (int)LEA_HUNG_NAME_BYTES;
}

static struct lea_hanging_item *item_of(void *arg, uint32_t index)
{
	const struct asking *asking = arg;

	return &asking->item[index];
}

/* What was not asked, for want of a child, is unknown. */
static void run(struct asking *asking, uint64_t until_ms)
{
	struct lea_doctor *doctor = asking->doctor;
	const uint64_t now = lea_doctor_now_ms(doctor), left = until_ms > now ? until_ms - now : 0;
	const bool asks_dm = job_of(asking, 0)->question->is_of_dm;
	const uint32_t most = asks_dm ? DM_MS : OTHERS_MS;
	static const struct lea_hanging_kind kind = {
		.answer_bytes = sizeof(struct lea_hanging_answer),
		.item = item_of,
		.name = name_job,
		.work = do_job,
	};
	struct lea_hanging hanging = {
		.world = doctor->world,
		.kind = &kind,
		.arg = asking,
		.most_threads = asks_dm ? 1 : THREADS_MOST, /* libdevmapper has no more */
		.remembers = true,
		.fd = -1,
	};
	int fault;

	for (uint32_t i = 0; i < asking->count; i++)
		asking->item[i] = (struct lea_hanging_item){
			.is_open = true, .deadline_ms = asks_dm ? DM_JOB_MS : OTHERS_MS};
	fault = lea_hanging_run(&hanging, asking->count, left < most ? (uint32_t)left : most);
	lea_hanging_end(&hanging);
	if (fault)
		lea_log(doctor->world->log, LEA_LOG_WARNING, "%s cannot be asked: %s",
			asks_dm ? "device-mapper" : "files and programs", strerror(-fault));
	for (uint32_t i = 0; i < asking->count; i++) {
		struct lea_doctor_job *job = job_of(asking, i);
		const bool is_half = job->question->is_asked_twice && !asking->pass;

		*(is_half ? &job->has_first : &job->is_done) =
			!asking->item[i].is_lost && !asking->item[i].is_open;
	}
}

static bool is_of_dm(const struct lea_doctor_job *job)
{
	return job->question->is_of_dm;
}

static bool is_other(const struct lea_doctor_job *job)
{
	return !job->question->is_of_dm;
}

static bool has_first(const struct lea_doctor_job *job)
{
	return job->has_first;
}

/* Has a child do those of the jobs that are @wanted. */
static int ask(struct lea_doctor *doctor, bool (*wanted)(const struct lea_doctor_job *job),
	       unsigned int pass, uint64_t until_ms)
{
	const struct lea_doctor_jobs *jobs = &doctor->jobs;
	LEA_AUTO(lea_freep) uint32_t *index = calloc(jobs->count, sizeof(*index));
	LEA_AUTO(lea_freep) struct lea_hanging_item *item = calloc(jobs->count, sizeof(*item));
	struct asking asking = {.doctor = doctor, .index = index, .item = item, .pass = pass};

	if (!index || !item)
		return -ENOMEM;
	for (uint32_t i = 0; i < jobs->count; i++)
		if (wanted(&jobs->job[i]))
			index[asking.count++] = i;
	if (asking.count)
		run(&asking, until_ms);
	return 0;
}

/* ---- all of them */

static size_t answer_bytes(const struct lea_doctor_job *job)
{
	const size_t step = alignof(max_align_t);

	return (job->question->answer_bytes + step - 1) / step * step;
}

static int share_answers(struct lea_doctor_jobs *jobs)
{
	char *at;

	for (size_t i = 0; i < jobs->count; i++)
		jobs->answers_bytes += answer_bytes(&jobs->job[i]);
	at = jobs->answers = lea_proc_share(jobs->answers_bytes);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < jobs->count; i++) {
		jobs->job[i].answer = at;
		at += answer_bytes(&jobs->job[i]);
	}
	return 0;
}

int lea_doctor_ask(struct lea_doctor *doctor, uint64_t until_ms)
{
	int r = doctor->jobs.count ? share_answers(&doctor->jobs) : 0;

	if (r || !doctor->jobs.count)
		return r;
	r = ask(doctor, is_of_dm, 0, until_ms);
	return r ? r : ask(doctor, is_other, 0, until_ms);
}

int lea_doctor_ask_again(struct lea_doctor *doctor, uint64_t until_ms)
{
	const struct lea_doctor_jobs *jobs = &doctor->jobs;
	int r = jobs->count ? ask(doctor, has_first, 1, until_ms) : 0;

	for (size_t i = 0; !r && i < jobs->count; i++)
		jobs->job[i].question->take(doctor, &jobs->job[i]);
	return r;
}
