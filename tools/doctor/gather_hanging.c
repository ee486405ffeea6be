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
#define DM_REQUEST_MS 2000U
#define DM_MS	     3000U
#define OTHERS_MS    5000U /* smartctl may wait for its turn */

int lea_doctor_add_request(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	struct lea_doctor_requests *requests = &doctor->requests;

	if (lea_make_room(&requests->request, &requests->room, requests->count + 1,
			  sizeof(*requests->request)))
		return -ENOMEM;
	requests->request[requests->count++] = *request;
	return 0;
}

void lea_doctor_requests_done(struct lea_doctor_requests *requests)
{
	lea_proc_unshare(requests->answers, requests->answers_bytes);
	free(requests->request);
}

/* ---- one round of questions */

/* What one call of lea_hanging_run asks. */
struct asking {
	struct lea_doctor *doctor;
	uint32_t *index; /* of its requests; owned, as are the items */
	struct lea_hanging_item *item;
	uint32_t count;
	unsigned int pass;
};

static struct lea_doctor_request *request_of(const struct asking *asking, uint32_t index)
{
	return &asking->doctor->requests.request[asking->index[index]];
}

static void do_request(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer)
{
	const struct asking *asking = arg;
	const struct lea_doctor_request *request = request_of(asking, index);

	(void)content;
	(void)answer; /* is in the shared memory */
	request->question->ask(asking->doctor, request, asking->pass);
}

static bool name_request(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct lea_doctor_request *request = request_of(arg, index);
	int len;

	if (request->question->is_of_dm)
		len = snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_NODE, request->object);
	else
		len = snprintf(name, LEA_HUNG_NAME_BYTES, "%s%s", request->question->prefix,
			       request->object);
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
	const bool asks_dm = request_of(asking, 0)->question->is_of_dm;
	const uint32_t most = asks_dm ? DM_MS : OTHERS_MS;
	static const struct lea_hanging_kind kind = {
		.answer_bytes = sizeof(struct lea_hanging_answer),
		.item = item_of,
		.name = name_request,
		.work = do_request,
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
			.is_open = true, .deadline_ms = asks_dm ? DM_REQUEST_MS : OTHERS_MS};
	fault = lea_hanging_run(&hanging, asking->count, left < most ? (uint32_t)left : most);
	lea_hanging_end(&hanging);
	if (fault)
		lea_log(doctor->world->log, LEA_LOG_WARNING, "%s cannot be asked: %s",
			asks_dm ? "device-mapper" : "files and programs", strerror(-fault));
	for (uint32_t i = 0; i < asking->count; i++) {
		struct lea_doctor_request *request = request_of(asking, i);
		const bool is_half = request->question->is_asked_twice && !asking->pass;

		*(is_half ? &request->has_first : &request->is_done) =
			!asking->item[i].is_lost && !asking->item[i].is_open;
	}
}

static bool is_of_dm(const struct lea_doctor_request *request)
{
	return request->question->is_of_dm;
}

static bool is_other(const struct lea_doctor_request *request)
{
	return !request->question->is_of_dm;
}

static bool has_first(const struct lea_doctor_request *request)
{
	return request->has_first;
}

/* Has a child do those of the requests that are @wanted. */
static int ask(struct lea_doctor *doctor, bool (*wanted)(const struct lea_doctor_request *request),
	       unsigned int pass, uint64_t until_ms)
{
	const struct lea_doctor_requests *requests = &doctor->requests;
	LEA_AUTO(lea_freep) uint32_t *index = calloc(requests->count, sizeof(*index));
	LEA_AUTO(lea_freep) struct lea_hanging_item *item = calloc(requests->count, sizeof(*item));
	struct asking asking = {.doctor = doctor, .index = index, .item = item, .pass = pass};

	if (!index || !item)
		return -ENOMEM;
	for (uint32_t i = 0; i < requests->count; i++)
		if (wanted(&requests->request[i]))
			index[asking.count++] = i;
	if (asking.count)
		run(&asking, until_ms);
	return 0;
}

/* ---- all of them */

static size_t answer_bytes(const struct lea_doctor_request *request)
{
	const size_t step = alignof(max_align_t);

	return (request->question->answer_bytes + step - 1) / step * step;
}

static int share_answers(struct lea_doctor_requests *requests)
{
	char *at;

	for (size_t i = 0; i < requests->count; i++)
		requests->answers_bytes += answer_bytes(&requests->request[i]);
	at = requests->answers = lea_proc_share(requests->answers_bytes);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < requests->count; i++) {
		requests->request[i].answer = at;
		at += answer_bytes(&requests->request[i]);
	}
	return 0;
}

int lea_doctor_ask(struct lea_doctor *doctor, uint64_t until_ms)
{
	int r = doctor->requests.count ? share_answers(&doctor->requests) : 0;

	if (r || !doctor->requests.count)
		return r;
	r = ask(doctor, is_of_dm, 0, until_ms);
	return r ? r : ask(doctor, is_other, 0, until_ms);
}

int lea_doctor_ask_again(struct lea_doctor *doctor, uint64_t until_ms)
{
	const struct lea_doctor_requests *requests = &doctor->requests;
	int r = requests->count ? ask(doctor, has_first, 1, until_ms) : 0;

	for (size_t i = 0; !r && i < requests->count; i++)
		requests->request[i].question->take(doctor, &requests->request[i]);
	return r;
}
