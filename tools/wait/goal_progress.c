/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait/goal_progress.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "explain/cause_text.h"
#include "plan/access.h"
#include "state/missing.h"
#include "state/online.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAMED_MOST 3U /* items */

void lea_goal_progress_done(struct lea_goal_progress *progress)
{
	lea_target_finder_done(&progress->finder);
}

static const struct lea_boot_vg *remembered_vg(struct lea_goal_progress *progress, const char *name)
{
	const struct lea_boot_memory *memory;

	if (!strcmp(progress->vg_name, name))
		return progress->vg;
	memory = lea_target_memory(&progress->finder);
	progress->vg = memory ? lea_boot_memory_vg_named(memory, name) : NULL;
	snprintf(progress->vg_name, sizeof(progress->vg_name), "%s", name);
	return progress->vg;
}

static const struct lea_boot_pv *remembered_pv(struct lea_goal_progress *progress, const char *pvid)
{
	const struct lea_boot_memory *memory;

	if (!strcmp(progress->pvid, pvid))
		return progress->pv;
	memory = lea_target_memory(&progress->finder);
	progress->pv = memory ? lea_boot_memory_pv(memory, pvid) : NULL;
	snprintf(progress->pvid, sizeof(progress->pvid), "%s", pvid);
	return progress->pv;
}

/* None of its PVs has named the others in this boot: the last one did. 0 or -errno. */
static int read_remembered(int run_fd, const struct lea_boot_vg *vg, struct lea_missing *missing)
{
	int r = 0;

	missing->pvid = calloc(vg->pv_count + 1U, sizeof(*missing->pvid));
	if (!missing->pvid)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < vg->pv_count; i++)
		r = lea_missing_add(run_fd, vg->pv[i].pvid, missing);
	return r;
}

/* ", last came sdb 4 s ago". Returns whether the age is said: if somebody has set the clock since,
 * it is not known. */
static bool describe_last(struct lea_world *world, const struct lea_missing *missing, bool with_age,
			  char came[static LEA_CAUSE_EVIDENCE_BYTES])
{
	const int64_t age_s = (int64_t)time(NULL) - missing->came.tv_sec;
	const bool is_sane = age_s >= 0 && (uint64_t)age_s <= lea_world_now_ms(world) / 1000;
	struct lea_online online;
	const char *name;
	char plain[64];

	came[0] = '\0';
	if (!missing->came_last[0] ||
	    lea_online_read(lea_world_run(world), missing->came_last, &online))
		return false;
	name = lea_after(online.device, "/dev/");
	lea_access_plain(name ? name : online.device, plain, sizeof(plain));
	if (!plain[0])
		snprintf(plain, sizeof(plain), "%u:%u", online.major, online.minor);
	lea_append(came, LEA_CAUSE_EVIDENCE_BYTES, ", last came %s", plain);
	if (!with_age || !is_sane)
		return false;
	lea_append(came, LEA_CAUSE_EVIDENCE_BYTES, " ");
	lea_cause_say_age(came, (uint32_t)age_s);
	lea_append(came, LEA_CAUSE_EVIDENCE_BYTES, " ago");
	return true;
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

static void add_disk(struct lea_goal_progress *progress, const char *pvid, char *line)
{
	const struct lea_boot_pv *pv = remembered_pv(progress, pvid);
	const char *before = " (";

	if (!pv)
		return;
	add_known("serial", pv->serial, &before, line);
	add_known("wwid", pv->wwid, &before, line);
	add_known("at", pv->address, &before, line);
	lea_append(line, LEA_GOAL_PROGRESS_BYTES, "%s", before[0] == ',' ? ")" : "");
}

/* @start: goes before it, if there is something to tell. Returns whether there is an age. */
static bool add_missing(struct lea_goal_progress *progress, const char *name, const char *start,
			bool with_age, char *line)
{
	struct lea_world *world = progress->finder.world;
	const int run_fd = lea_world_run(world);
	LEA_AUTO(lea_missing_done) struct lea_missing missing = {0};
	char text[LEA_MISSING_TEXT_BYTES], came[LEA_CAUSE_EVIDENCE_BYTES];
	const struct lea_boot_vg *vg;
	bool has_age;
	int r = run_fd < 0 ? run_fd : lea_missing_read(run_fd, name, &missing);

	vg = r || missing.all_count ? NULL : remembered_vg(progress, name);
	if (vg) {
		lea_missing_done(&missing);
		r = read_remembered(run_fd, vg, &missing);
	}
	if (r || !missing.count)
		return false;
	has_age = describe_last(world, &missing, with_age, came);
	lea_missing_describe_with(&missing, came, text);
	lea_append(line, LEA_GOAL_PROGRESS_BYTES, "%s: %s", start, text);
	if (missing.count == 1)
		add_disk(progress, missing.pvid[0], line);
	return has_age;
}

bool lea_goal_progress(struct lea_goal_progress *progress, const struct lea_goals *goals,
		       bool with_age, char ret_line[static LEA_GOAL_PROGRESS_BYTES])
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
	return vg && add_missing(progress, vg, named > 1 ? start : "", with_age, ret_line);
}
