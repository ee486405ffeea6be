/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One entry a VG name in a search tree. It stays when its line was said, so that the same line is
 * not said again, and goes when the VG is complete.
 */
#include "flow/waiting.h"

#include "state/missing.h"
#include "state/online.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vg {
	char name[128];
	bool is_noted;	  /* since it was looked at last */
	struct vg *next;  /* of those that are noted */
	uint64_t told;	  /* what its line said, as a sum; 0: it had none */
	uint64_t told_ms; /* when */
};

struct lea_waiting {
	void *tree; /* of struct vg, owned */
	struct vg *noted;
	uint32_t count;
};

int lea_waiting_new(struct lea_waiting **ret_waiting)
{
	struct lea_waiting *waiting = calloc(1, sizeof(*waiting));

	if (!waiting)
		return -ENOMEM;
	*ret_waiting = waiting;
	return 0;
}

void lea_waiting_free(struct lea_waiting *waiting)
{
	if (!waiting)
		return;
	tdestroy(waiting->tree, free);
	free(waiting);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct vg *)a)->name, ((const struct vg *)b)->name);
}

static struct vg *find(const struct lea_waiting *waiting, const char *name)
{
	struct vg key, **node;

	snprintf(key.name, sizeof(key.name), "%s", name);
	node = tfind(&key, &waiting->tree, by_name);
	return node ? *node : NULL;
}

static struct vg *add(struct lea_waiting *waiting, const char *name)
{
	struct vg *vg = waiting->count < LEA_WAITING_MOST ? calloc(1, sizeof(*vg)) : NULL;

	if (!vg)
		return NULL;
	snprintf(vg->name, sizeof(vg->name), "%s", name);
	if (!tsearch(vg, &waiting->tree, by_name)) {
		free(vg);
		return NULL;
	}
	waiting->count++;
	return vg;
}

static void note(struct lea_waiting *waiting, struct vg *vg)
{
	if (vg->is_noted)
		return;
	vg->is_noted = true;
	vg->next = waiting->noted;
	waiting->noted = vg;
}

void lea_waiting_note(struct lea_waiting *waiting, const char *name, bool is_complete)
{
	struct vg *vg = waiting && name[0] ? find(waiting, name) : NULL;

	/* One that was told of is looked at once more, and forgotten. */
	if (waiting && name[0] && !vg && !is_complete)
		vg = add(waiting, name);
	if (vg)
		note(waiting, vg);
}

/* FNV-1a over the ids that are missing, in the order of the lookup file; never 0. */
static uint64_t sum_of(const struct lea_missing *missing)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (uint32_t i = 0; i < missing->count; i++)
		for (const char *at = missing->pvid[i]; *at; at++)
			sum = (sum ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return sum ? sum : 1;
}

/* One that an event has activated is used without the PV by somebody: no advice for that. */
static void tell(struct lea_world *world, int run_fd, const struct lea_missing *missing)
{
	char text[LEA_MISSING_TEXT_BYTES];

	lea_missing_describe(missing, text);
	if (lea_vg_online_exists(run_fd, missing->vg))
		lea_log(world->log, LEA_LOG_WARNING, "VG %s: incomplete: %s", missing->vg, text);
	else
		lea_log(world->log, LEA_LOG_WARNING,
			"VG %s: not activated, incomplete: %s; an event activates it when the rest "
			"is there; to activate it now: vgchange -ay --activationmode partial %s",
			missing->vg, text, missing->vg);
}

/* How long the VG's line has to wait, in ms; 0: it was told, or there is nothing to be told. */
static uint32_t tell_or_wait(struct vg *vg, struct lea_world *world, int run_fd)
{
	const uint64_t now = world->clock->now_ms(world->clock);
	struct lea_missing missing = {0};
	uint32_t wait_ms = 0;
	uint64_t sum;

	if (lea_missing_read(run_fd, vg->name, &missing) < 0 || !missing.count) {
		vg->told = 0;
		lea_missing_done(&missing);
		return 0;
	}
	sum = sum_of(&missing);
	if (vg->told != sum && vg->told && now - vg->told_ms < LEA_WAITING_PAUSE_MS) {
		wait_ms = (uint32_t)(LEA_WAITING_PAUSE_MS - (now - vg->told_ms));
	} else if (vg->told != sum) {
		tell(world, run_fd, &missing);
		vg->told = sum;
		vg->told_ms = now;
	}
	lea_missing_done(&missing);
	return wait_ms;
}

static void forget(struct lea_waiting *waiting, struct vg *vg)
{
	tdelete(vg, &waiting->tree, by_name);
	waiting->count--;
	free(vg);
}

int lea_waiting_tell(struct lea_waiting *waiting, struct lea_world *world)
{
	struct vg *vg, *next;
	const int run_fd = lea_world_run(world);
	uint32_t least_ms = 0;

	if (!waiting || run_fd < 0)
		return -1;
	vg = waiting->noted;
	waiting->noted = NULL;
	for (; vg; vg = next) {
		const uint32_t wait_ms = tell_or_wait(vg, world, run_fd);

		next = vg->next;
		vg->is_noted = false;
		if (wait_ms)
			note(waiting, vg);
		else if (!vg->told)
			forget(waiting, vg);
		if (wait_ms && (!least_ms || wait_ms < least_ms))
			least_ms = wait_ms;
	}
	return least_ms ? (int)least_ms : -1;
}
