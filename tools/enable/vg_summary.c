/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enable/vg_summary.h"

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_CHARS 60 /* of a failure; status has all of it */

static void add(char *text, size_t bytes, const char *format, ...) LEA_PRINTF(3, 4);

/* What does not fit is left out whole. */
static void add(char *text, size_t bytes, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;
	int chars;

	va_start(args, format);
	chars = vsnprintf(text + used, bytes - used, format, args);
	va_end(args);
	if (chars < 0 || (size_t)chars >= bytes - used)
		text[used] = '\0';
}

void lea_vg_summary_add_claim(struct lea_vg_summary *summary, const struct lea_active_vgs *active,
			      const char *vg_id, const struct lea_claim *claim)
{
	const bool is_done = claim->state == LEA_CLAIM_DONE;
	const bool is_active = is_done && lea_active_vgs_has(active, vg_id);

	/* A VG that is active in part is counted as incomplete. */
	if (claim->is_orphaned || (is_done && claim->in_part[0]))
		return;
	summary->active += is_active;
	summary->inactive += is_done && !is_active;
	summary->activating += claim->state == LEA_CLAIM_CLAIMED;
	if (claim->state != LEA_CLAIM_FAILED)
		return;
	add(summary->failed_text, sizeof(summary->failed_text), "%s%s: %.*s",
	    summary->failed_text[0] ? "; " : "", claim->vg_name, REASON_CHARS, claim->reason);
	summary->failed++;
}

static void add_incomplete(struct lea_vg_summary *summary, const char *name, uint32_t pvs,
			   uint32_t missing)
{
	add(summary->incomplete_text, sizeof(summary->incomplete_text), "%s%s %u/%u",
	    summary->incomplete_text[0] ? ", " : "", name, pvs - missing, pvs);
	summary->incomplete++;
}

void lea_vg_summary_add_missing(struct lea_vg_summary *summary, const struct lea_missing *missing)
{
	add_incomplete(summary, missing->vg, missing->all_count, missing->count);
}

void lea_vg_summary_add_other(struct lea_vg_summary *summary, const char *name, uint32_t pvs,
			      uint32_t missing, bool is_active)
{
	if (missing)
		add_incomplete(summary, name, pvs, missing);
	else if (is_active)
		summary->active++;
	else
		summary->inactive++;
}

void lea_vg_summary_describe(const struct lea_vg_summary *summary,
			     char text[static LEA_VG_SUMMARY_BYTES])
{
	const struct {
		uint32_t count;
		bool is_optional; /* not written if there are none */
		const char *word, *names;
	} rows[] = {
		{summary->activating, false, "activating", ""},
		{summary->incomplete, false, "incomplete", summary->incomplete_text},
		{summary->failed, false, "failed", summary->failed_text},
		{summary->inactive, true, "with no active LV", ""},
	};
	uint32_t all = summary->active;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		all += rows[i].count;
	snprintf(text, LEA_VG_SUMMARY_BYTES, "%u VG%s: %u active", all, all == 1 ? "" : "s",
		 summary->active);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].count || !rows[i].is_optional)
			add(text, LEA_VG_SUMMARY_BYTES, ", %u %s%s%s%s", rows[i].count,
			    rows[i].word, rows[i].names[0] ? " (" : "", rows[i].names,
			    rows[i].names[0] ? ")" : "");
}

struct reading {
	struct lea_vg_summary summary;
	struct lea_active_vgs active;
};

static int take_claim(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct reading *reading = arg;

	lea_vg_summary_add_claim(&reading->summary, &reading->active, vg_id, claim);
	return 0;
}

static int take_missing(void *arg, const struct lea_missing *missing)
{
	struct reading *reading = arg;

	lea_vg_summary_add_missing(&reading->summary, missing);
	return 0;
}

int lea_vg_summary_read(struct lea_world *world, struct lea_vg_summary *ret_summary)
{
	const int run_fd = lea_world_run(world);
	struct reading reading = {0};
	struct lea_claims_now now = {0};
	struct lea_claims claims;
	int r = run_fd < 0 ? run_fd : lea_claims_init(&claims, world, &now);

	r = r ? r : lea_active_vgs_read(world, &reading.active);
	r = r ? r : lea_claim_each(&claims, take_claim, &reading);
	r = r ? r : lea_missing_each(run_fd, take_missing, &reading);
	lea_active_vgs_done(&reading.active);
	if (!r)
		*ret_summary = reading.summary;
	return r;
}
