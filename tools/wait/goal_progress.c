/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait/goal_progress.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "plan/access.h"
#include "state/missing.h"
#include "state/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 3U /* items */

static const struct lea_boot_vg *find_vg(const struct lea_boot_memory *memory, const char *name)
{
	for (uint32_t v = 0; memory && v < memory->vg_count; v++)
		if (!strcmp(memory->vg[v].name, name))
			return &memory->vg[v];
	return NULL;
}

static const struct lea_boot_pv *find_pv(const struct lea_boot_memory *memory, const char *pvid)
{
	for (uint32_t v = 0; memory && v < memory->vg_count; v++)
		for (uint32_t p = 0; p < memory->vg[v].pv_count; p++)
			if (!strcmp(memory->vg[v].pv[p].pvid, pvid))
				return &memory->vg[v].pv[p];
	return NULL;
}

/* None of its PVs has named the others in this boot: the last one did. */
static void read_remembered(int run_fd, const struct lea_boot_vg *vg, struct lea_missing *missing)
{
	missing->pvid = calloc(vg->pv_count + 1U, sizeof(*missing->pvid));
	if (!missing->pvid)
		return;
	missing->all_count = vg->pv_count;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (lea_online_look(run_fd, vg->pv[i].pvid) == LEA_ONLINE_ABSENT)
			memcpy(missing->pvid[missing->count++], vg->pv[i].pvid,
			       sizeof(vg->pv[i].pvid));
}

static void add_known(const char *what, const char *value, const char **before, char *line)
{
	char plain[96];

	if (!value[0])
		return;
	lea_access_plain(value, plain, sizeof(plain));
	lea_append(line, LEA_GOAL_PROGRESS_BYTES, "%s%s %s", *before, what, plain);
	*before = ", ";
}

/* @start: goes before it, if there is something to tell */
static void add_missing(struct lea_target_finder *finder, const char *name, const char *start,
			char *line)
{
	const struct lea_boot_memory *memory = lea_target_memory(finder);
	const struct lea_boot_vg *vg = find_vg(memory, name);
	const int run_fd = lea_world_run(finder->world);
	LEA_AUTO(lea_missing_done) struct lea_missing missing = {0};
	char text[LEA_MISSING_TEXT_BYTES];
	const struct lea_boot_pv *pv;
	const char *before = " (";

	if (run_fd < 0 || lea_missing_read(run_fd, name, &missing))
		return;
	if (!missing.all_count && vg) {
		lea_missing_done(&missing);
		read_remembered(run_fd, vg, &missing);
	}
	if (!missing.count)
		return;
	lea_missing_describe(&missing, text);
	lea_append(line, LEA_GOAL_PROGRESS_BYTES, "%s: %s", start, text);
	pv = missing.count == 1 ? find_pv(memory, missing.pvid[0]) : NULL;
	if (!pv)
		return;
	add_known("serial", pv->serial, &before, line);
	add_known("wwid", pv->wwid, &before, line);
	add_known("at", pv->address, &before, line);
	lea_append(line, LEA_GOAL_PROGRESS_BYTES, "%s", before[0] == ',' ? ")" : "");
}

void lea_goal_progress(const struct lea_goals *goals, struct lea_target_finder *finder,
			 char ret_line[static LEA_GOAL_PROGRESS_BYTES])
{
	const char *vg = NULL;
	char start[160];
	size_t there = 0, named = 0;

	for (size_t i = 0; i < goals->count; i++)
		there += goals->item[i].state == LEA_GOAL_THERE;
	snprintf(ret_line, LEA_GOAL_PROGRESS_BYTES, "%zu of %zu there; waiting for ", there,
		 goals->count);
	for (size_t i = 0; i < goals->count; i++) {
		const struct lea_goal_item *item = &goals->item[i];

		if (item->state == LEA_GOAL_THERE)
			continue;
		if (named++ < NAMED_MOST)
			lea_append(ret_line, LEA_GOAL_PROGRESS_BYTES, "%s%.80s", named > 1 ? ", " : "",
				   item->word);
		vg = vg || !item->vg[0] ? vg : item->vg;
	}
	if (named > NAMED_MOST)
		lea_append(ret_line, LEA_GOAL_PROGRESS_BYTES, " and %zu more", named - NAMED_MOST);
	snprintf(start, sizeof(start), "; %s", vg ? vg : "");
	if (vg)
		add_missing(finder, vg, named > 1 ? start : "", ret_line);
}
