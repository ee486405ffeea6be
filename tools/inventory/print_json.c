/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inventory/inventory_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "cli/json.h"
#include "plan/plan_name.h"

#define SECTOR_BYTES 512U

struct view {
	struct lea_json json;
	const struct lea_inventory *inventory;
};

static void put_id(struct lea_json *json, struct json_object *to, const char *key, const char *id)
{
	char text[39];

	lea_id_format(id, text);
	lea_json_text(json, to, key, text);
}

static void put_tags(struct lea_json *json, struct json_object *to, const struct lea_strings *tags)
{
	struct json_object *list = lea_json_list(json, to, "tags");

	for (uint32_t i = 0; i < tags->count; i++)
		lea_json_text(json, list, NULL, tags->item[i]);
}

/* ---- LVs */

static void put_devices(struct view *view, struct json_object *to,
			const struct lea_inventory_vg *of, const struct lea_lv_seg *seg)
{
	struct json_object *list = lea_json_list(&view->json, to, "devices");
	struct lea_inventory_area area;
	char text[300];
	uint32_t i = 0;

	for (; lea_inventory_area(seg, i, &area); i++) {
		snprintf(text, sizeof(text), "%s(%llu)", lea_inventory_area_name(of, &area),
			 (unsigned long long)area.extent);
		lea_json_text(&view->json, list, NULL, text);
	}
	lea_json_number(&view->json, to, "stripes", i);
}

static void put_segments(struct view *view, struct json_object *to,
			 const struct lea_inventory_vg *of, const struct lea_lv *lv)
{
	const uint64_t extent_bytes = (uint64_t)of->vg->extent_sectors * SECTOR_BYTES;
	struct json_object *list = lea_json_list(&view->json, to, "segments");

	for (uint32_t i = 0; i < lv->seg_count; i++) {
		struct json_object *seg = lea_json_object(&view->json, list, NULL);

		lea_json_text(&view->json, seg, "segtype", lea_inventory_segtype(&lv->seg[i]));
		lea_json_number(&view->json, seg, "start_bytes",
				lv->seg[i].start_extent * extent_bytes);
		lea_json_number(&view->json, seg, "size_bytes",
				lv->seg[i].extent_count * extent_bytes);
		put_devices(view, seg, of, &lv->seg[i]);
	}
}

static void put_lv_name(struct lea_json *json, struct json_object *to, const char *key,
			const struct lea_vg *vg, uint32_t lv)
{
	lea_json_text(json, to, key, lv == LEA_NONE ? "" : vg->lvs[lv].name);
}

static void put_use(struct lea_json *json, struct json_object *to,
		    const struct lea_inventory_use *use)
{
	const struct {
		const char *key;
		uint32_t percent;
	} rows[] = {
		{"data_percent", use->data},
		{"metadata_percent", use->metadata},
		{"sync_percent", use->sync},
	};
	char text[16];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		lea_inventory_put_percent(rows[i].percent, text);
		lea_json_text(json, to, rows[i].key, text);
	}
}

/* Where a program opens it; of its number lvs(8) says -1, too, if there is none. */
static void put_node(struct view *view, struct json_object *to, const struct lea_inventory_vg *of,
		     uint32_t index)
{
	const struct lea_lv *lv = &of->vg->lvs[index];
	const struct lea_lv_state *state = &of->facts.state[index];
	const bool is_active = state->activity == LEA_LV_ACTIVE;
	struct lea_plan_names names;
	char path[300] = "";

	if (lea_inventory_has_link(lv))
		snprintf(path, sizeof(path), "/dev/%s/%s", of->vg->name, lv->name);
	lea_json_text(&view->json, to, "path", path);
	path[0] = '\0';
	if (!lea_plan_names(view->inventory->arena, of->vg, lv, LEA_LAYER_NONE, &names))
		snprintf(path, sizeof(path), "/dev/mapper/%s", names.name);
	lea_json_text(&view->json, to, "dm_path", path);
	lea_json_signed(&view->json, to, "major", is_active ? (int64_t)state->major : -1);
	lea_json_signed(&view->json, to, "minor", is_active ? (int64_t)state->minor : -1);
}

static void put_lv(struct view *view, struct json_object *list, const struct lea_inventory_vg *of,
		   uint32_t index)
{
	struct lea_json *json = &view->json;
	const struct lea_vg *vg = of->vg;
	const struct lea_lv *lv = &vg->lvs[index];
	struct json_object *to = lea_json_object(json, list, NULL);
	const uint64_t extent = (uint64_t)vg->extent_sectors * SECTOR_BYTES;
	char attr[LEA_LV_ATTR_BYTES];
	struct lea_inventory_use use;

	lea_inventory_lv_attr(&of->facts, index, attr);
	lea_inventory_find_use(&of->facts, index, &use);
	lea_json_text(json, to, "name", lv->name);
	put_id(json, to, "uuid", lv->id);
	lea_json_text(json, to, "attr", attr);
	lea_json_bool(json, to, "visible", lea_lv_is_visible(lv));
	lea_json_text(json, to, "state", lea_inventory_state_word(&of->facts.state[index]));
	lea_json_bool(json, to, "partial", of->facts.is_partial[index]);
	lea_json_number(json, to, "size_bytes", lv->extent_count * extent);
	lea_json_text(json, to, "segtype",
		      lv->seg_count ? lea_inventory_segtype(&lv->seg[0]) : "");
	put_node(view, to, of, index);
	put_lv_name(json, to, "origin", vg, lea_inventory_origin(vg, index));
	lea_json_number(json, to, "origin_bytes", lea_inventory_origin_extents(vg, index) * extent);
	put_lv_name(json, to, "pool", vg, lea_inventory_pool(vg, index));
	lea_json_number(json, to, "chunk_bytes",
			(uint64_t)lea_inventory_chunk_sectors(vg, index) * SECTOR_BYTES);
	lea_json_number(json, to, "metadata_bytes",
			lea_inventory_metadata_sectors(vg, index) * SECTOR_BYTES);
	lea_json_text(json, to, "when_full", lea_inventory_when_full(lv));
	put_use(json, to, &use);
	put_tags(json, to, &lv->tags);
	put_segments(view, to, of, lv);
	lea_json_fold(json, list);
}

/* ---- PVs */

static void put_missing_pv(struct view *view, struct json_object *to, const struct lea_pv *pv)
{
	lea_json_text(&view->json, to, "device", "");
	put_id(&view->json, to, "uuid", pv->id);
	lea_json_bool(&view->json, to, "present", false);
	lea_json_number(&view->json, to, "device_bytes", 0);
	lea_json_text(&view->json, to, "problem", "");
}

static void put_present_pv(struct view *view, struct json_object *to,
			   const struct lea_inventory_pv *pv)
{
	lea_json_text(&view->json, to, "device", pv->device);
	put_id(&view->json, to, "uuid", pv->pvid);
	lea_json_bool(&view->json, to, "present", true);
	lea_json_number(&view->json, to, "device_bytes", pv->size_bytes);
	lea_json_text(&view->json, to, "problem", pv->problem);
}

static void put_member(struct view *view, struct json_object *list,
		       const struct lea_inventory_vg *of, uint32_t index)
{
	struct lea_json *json = &view->json;
	const struct lea_pv *pv = &of->vg->pvs[index];
	const uint64_t extent_bytes = (uint64_t)of->vg->extent_sectors * SECTOR_BYTES;
	struct json_object *to = lea_json_object(json, list, NULL);
	char attr[LEA_PV_ATTR_BYTES];

	lea_inventory_pv_attr(&of->facts, index, attr);
	if (of->pv[index])
		put_present_pv(view, to, of->pv[index]);
	else
		put_missing_pv(view, to, pv);
	lea_json_text(json, to, "attr", attr);
	lea_json_number(json, to, "size_bytes", pv->pe_count * extent_bytes);
	lea_json_number(json, to, "free_bytes", lea_inventory_free_of_pv(of, index) * extent_bytes);
	lea_json_number(json, to, "used_bytes", of->used[index] * extent_bytes);
	put_tags(json, to, &pv->tags);
	lea_json_fold(json, list);
}

/* A PV of no VG, or one that its VG does not list. */
static void put_lone_pv(struct view *view, struct json_object *list,
			const struct lea_inventory_pv *pv)
{
	static const struct lea_strings none;
	struct lea_json *json = &view->json;
	struct json_object *to = lea_json_object(json, list, NULL);

	put_present_pv(view, to, pv);
	lea_json_text(json, to, "attr", "---");
	lea_json_number(json, to, "size_bytes", pv->label_bytes);
	lea_json_number(json, to, "free_bytes", pv->label_bytes);
	lea_json_number(json, to, "used_bytes", 0);
	put_tags(json, to, &none);
}

/* ---- VGs */

static void put_numbers(struct view *view, struct json_object *to,
			const struct lea_inventory_vg *of)
{
	struct lea_json *json = &view->json;
	const uint64_t extent_bytes = (uint64_t)of->vg->extent_sectors * SECTOR_BYTES;
	uint64_t unused, all = lea_inventory_extents(of, &unused);
	uint32_t visible = 0, snapshots = 0;

	for (uint32_t i = 0; i < of->vg->lv_count; i++) {
		visible += lea_lv_is_visible(&of->vg->lvs[i]);
		snapshots += of->vg->lvs[i].role == LEA_ROLE_COW;
	}
	lea_json_number(json, to, "seqno", of->vg->seqno);
	lea_json_number(json, to, "extent_bytes", extent_bytes);
	lea_json_number(json, to, "size_bytes", all * extent_bytes);
	lea_json_number(json, to, "free_bytes", unused * extent_bytes);
	lea_json_number(json, to, "pv_count", of->vg->pv_count);
	lea_json_number(json, to, "pv_missing", of->pv_missing);
	lea_json_number(json, to, "lv_count", visible);
	lea_json_number(json, to, "snapshot_count", snapshots);
}

static void put_content(struct view *view, struct json_object *to,
			const struct lea_inventory_vg *of)
{
	struct lea_json *json = &view->json;
	struct json_object *list;
	char attr[LEA_VG_ATTR_BYTES];

	lea_inventory_vg_attr(&of->facts, attr);
	put_id(json, to, "uuid", of->vg->id);
	lea_json_text(json, to, "attr", attr);
	lea_json_text(json, to, "system_id", of->vg->system_id ? of->vg->system_id : "");
	lea_json_text(json, to, "lock_type", of->vg->lock_type ? of->vg->lock_type : "");
	put_numbers(view, to, of);
	put_tags(json, to, &of->vg->tags);
	list = lea_json_list(json, to, "pvs");
	for (uint32_t i = 0; i < of->vg->pv_count; i++)
		put_member(view, list, of, i);
	list = lea_json_list(json, to, "lvs");
	for (uint32_t i = 0; i < of->vg->lv_count; i++)
		if (of->chosen_lv[i] && lea_inventory_is_reported(&of->vg->lvs[i]))
			put_lv(view, list, of, i);
}

static void put_vg(struct view *view, struct json_object *list, const struct lea_inventory_vg *of)
{
	struct json_object *to = lea_json_object(&view->json, list, NULL);

	lea_json_text(&view->json, to, "name", of->name);
	lea_json_text(&view->json, to, "problem", of->problem);
	lea_json_bool(&view->json, to, "readable", of->vg != NULL);
	if (of->vg)
		put_content(view, to, of);
}

int lea_inventory_print_json(FILE *out, const struct lea_inventory *inventory)
{
	struct view view = {.inventory = inventory};
	struct lea_json *json = &view.json;
	struct json_object *list;
	int r;

	lea_json_begin(json);
	lea_json_text(json, json->top, "generation", inventory->generation);
	list = lea_json_list(json, json->top, "vgs");
	for (size_t i = 0; i < inventory->vg_count; i++)
		if (inventory->vg[i].is_chosen)
			put_vg(&view, list, &inventory->vg[i]);
	list = lea_json_list(json, json->top, "pvs");
	for (size_t i = 0; i < inventory->pv_count; i++)
		if (inventory->pv[i].is_chosen)
			put_lone_pv(&view, list, &inventory->pv[i]);
	list = lea_json_list(json, json->top, "problems");
	for (size_t i = 0; inventory->is_whole && i < inventory->problem_count; i++)
		lea_json_text(json, list, NULL, inventory->problem[i]);
	lea_json_bool(json, json->top, "dm_answered", !inventory->is_dm_silent);
	r = lea_json_print(json, out);
	lea_json_done(json);
	return r;
}
