/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline/timeline_json.h"

#include <string.h>

#include "base/cleanup.h"
#include "cli/json.h"
#include "timeline/timeline_print.h"

#define US_PER_MS 1000

static void put_ms(struct lea_json *json, struct json_object *to, const char *key, uint64_t us)
{
	lea_json_number(json, to, key, us / US_PER_MS);
}

static void put_moment(struct lea_json *json, const char *key, uint64_t us)
{
	if (us)
		put_ms(json, json->top, key, us);
}

static void put_phases(struct lea_json *json, struct json_object *to,
		       const uint64_t took_us[LEA_PHASES])
{
	struct json_object *phases = lea_json_object(json, to, "phases_ms");

	for (size_t i = 0; i < LEA_PHASES; i++)
		put_ms(json, phases, lea_phase_word((enum lea_phase)i), took_us[i]);
}

static void put_turn(struct lea_json *json, struct json_object *list,
		     const struct lea_timeline_view *view, const struct lea_turn *turn)
{
	struct json_object *vg = lea_json_object(json, list, NULL);

	lea_json_text(json, vg, "vg", turn->name);
	lea_json_text(json, vg, "state", lea_turn_word(turn->state));
	lea_json_number(json, vg, "pvs", turn->pvs);
	lea_json_number(json, vg, "nodes", turn->nodes);
	put_ms(json, vg, "start_ms", turn->start_us);
	put_ms(json, vg, "end_ms", turn->end_us);
	put_phases(json, vg, turn->took_us);
	lea_json_text(json, vg, "longest", lea_phase_word(turn->longest));
	lea_json_number(json, vg, "busy_tries", turn->busy_count);
	if (turn->last_disk != LEA_NO_DISK)
		lea_json_text(json, vg, "last_disk", view->disk[turn->last_disk].name);
}

static void put_disk(struct lea_json *json, struct json_object *list,
		     const struct lea_disk_time *disk)
{
	struct json_object *to = lea_json_object(json, list, NULL);

	lea_json_text(json, to, "name", disk->name);
	lea_json_number(json, to, "major", disk->device >> 20);
	lea_json_number(json, to, "minor", disk->device & 0xFFFFFU);
	lea_json_text(json, to, "vg", disk->vg);
	put_ms(json, to, "seen_ms", disk->seen_us);
	put_ms(json, to, "read_took_ms", disk->took_us);
	put_ms(json, to, "recorded_ms", disk->recorded_us);
	lea_json_text(json, to, "fault", disk->code ? strerror(disk->code) : "");
}

int lea_timeline_json(FILE *out, struct lea_timeline_view *view, uint32_t top)
{
	LEA_AUTO(lea_json_done) struct lea_json json;
	LEA_AUTO(lea_freep) const struct lea_turn **list = NULL;
	struct json_object *vgs, *disks;
	int r = lea_timeline_by_time(view, &list);

	lea_json_begin(&json);
	if (r)
		return r;
	lea_json_text(&json, json.top, "boot", view->boot);
	lea_json_number(&json, json.top, "lost_records", view->lost);
	put_moment(&json, "first_ms", view->first_us);
	put_moment(&json, "last_ms", view->last_us);
	put_moment(&json, "gate_closed_ms", view->closed_us);
	put_moment(&json, "caught_up_ms", view->ready_us);
	put_moment(&json, "deadline_ms", view->deadline_us);
	put_moment(&json, "gate_open_ms", view->open_us);
	put_phases(&json, json.top, view->took_us);
	vgs = lea_json_list(&json, json.top, "vgs");
	for (uint32_t i = 0; i < lea_timeline_rows(view->turn_count, top); i++)
		put_turn(&json, vgs, view, list[i]);
	lea_timeline_sort_disks(view);
	disks = lea_json_list(&json, json.top, "disks");
	for (uint32_t i = 0; i < lea_timeline_rows(view->disk_count, top); i++)
		put_disk(&json, disks, &view->disk[i]);
	return lea_json_print(&json, out);
}

int lea_timeline_json_changes(FILE *out, const struct lea_turn_change *change, size_t count,
			      uint32_t top)
{
	LEA_AUTO(lea_json_done) struct lea_json json;
	struct json_object *list;

	lea_json_begin(&json);
	list = lea_json_list(&json, json.top, "changes");
	for (uint32_t i = 0; i < lea_timeline_rows(count, top); i++) {
		const struct lea_turn *before = change[i].before, *after = change[i].after;
		struct json_object *to = lea_json_object(&json, list, NULL);

		lea_json_text(&json, to, "vg", before ? before->name : after->name);
		if (before)
			put_ms(&json, to, "before_ms", lea_turn_us(before));
		if (after)
			put_ms(&json, to, "after_ms", lea_turn_us(after));
		if (before && after)
			lea_json_text(&json, to, "phase", lea_phase_word(change[i].phase));
	}
	return lea_json_print(&json, out);
}
