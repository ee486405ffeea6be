/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of flow/workers.c: notes whom it was given, and says how it ended. */
#ifndef LEA_TEST_FLOW_FAKE_WORKERS_H
#define LEA_TEST_FLOW_FAKE_WORKERS_H

#include "flow/workers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lea_workers {
	const struct lea_workers_options *options;
	struct lea_workers_options copy;
	char name[4][128], id[4][33];
	size_t count;
};

static char activated[512]; /* names, a blank after each */
static int outcome;
static const char *reason;

static uint32_t workers_made;

int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_workers_options *options, struct lea_workers **ret_workers)
{
	*ret_workers = calloc(1, sizeof(**ret_workers));
	(*ret_workers)->copy = *options;
	workers_made++;
	return 0;
}

void lea_workers_listen(struct lea_workers *workers,
			void (*finished)(void *arg, const struct lea_worker_result *result),
			void *arg)
{
	workers->copy.finished = finished;
	workers->copy.arg = arg;
}

void lea_workers_stop(struct lea_workers *workers)
{
	workers->count = 0;
}

uint32_t lea_workers_started(const struct lea_workers *workers)
{
	return workers->count > 0;
}

int lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *known)
{
	snprintf(workers->name[workers->count], 128, "%s", known->vg->name);
	snprintf(workers->id[workers->count++], 33, "%s", known->vg->id);
	return 0;
}

int lea_workers_drain(struct lea_workers *workers)
{
	for (size_t i = 0; i < workers->count; i++) {
		const struct lea_worker_result result = {.vg_name = workers->name[i],
							 .vg_id = workers->id[i],
							 .outcome = outcome,
							 .active = 1,
							 .reason = reason};

		strcat(strcat(activated, workers->name[i]), " ");
		workers->copy.finished(workers->copy.arg, &result);
	}
	workers->count = 0;
	return 0;
}

int lea_workers_step(struct lea_workers *workers)
{
	return -ENOSYS;
}

int lea_workers_fd(const struct lea_workers *workers)
{
	return -1;
}

int lea_workers_timeout_ms(const struct lea_workers *workers)
{
	return -1;
}

size_t lea_workers_open(const struct lea_workers *workers)
{
	return workers->count;
}

void lea_workers_free(struct lea_workers *workers)
{
	free(workers);
}

void lea_workers_freep(struct lea_workers **workers)
{
	lea_workers_free(*workers);
}

#endif
