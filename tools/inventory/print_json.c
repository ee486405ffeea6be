/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inventory/inventory_print.h"

#include <errno.h>
#include <stdio.h>
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

static void fill_lv(struct view *view, struct json_object *to, const struct lea_inventory_vg *of,
		    uint32_t index)
{
	struct lea_json *json = &view->json;
	const struct lea_vg *vg = of->vg;
	const struct lea_lv *lv = &vg->lvs[index];
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
	lea_json_text(json, to, "lost_disk", lea_inventory_lost_disk(&of->facts.state[index]));
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

static void fill_member(struct view *view, struct json_object *to,
			const struct lea_inventory_vg *of, uint32_t index)
{
	struct lea_json *json = &view->json;
	const struct lea_pv *pv = &of->vg->pvs[index];
	const uint64_t extent_bytes = (uint64_t)of->vg->extent_sectors * SECTOR_BYTES;
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
}

/* A PV of no VG, or one that its VG does not list. */
static void fill_lone_pv(struct view *view, struct json_object *to,
			 const struct lea_inventory_pv *pv)
{
	static const struct lea_strings none;
	struct lea_json *json = &view->json;

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

/* Without its lists. */
static void fill_vg(struct view *view, struct json_object *to, const struct lea_inventory_vg *of)
{
	struct lea_json *json = &view->json;
	char attr[LEA_VG_ATTR_BYTES];

	lea_json_text(json, to, "name", of->name);
	lea_json_text(json, to, "problem", of->problem);
	lea_json_bool(json, to, "readable", of->vg != NULL);
	if (!of->vg)
		return;
	lea_inventory_vg_attr(&of->facts, attr);
	put_id(json, to, "uuid", of->vg->id);
	lea_json_text(json, to, "attr", attr);
	lea_json_text(json, to, "system_id", of->vg->system_id ? of->vg->system_id : "");
	lea_json_text(json, to, "lock_type", of->vg->lock_type ? of->vg->lock_type : "");
	put_numbers(view, to, of);
	put_tags(json, to, &of->vg->tags);
}

static bool is_listed(const struct lea_inventory_vg *of, uint32_t lv)
{
	return of->chosen_lv[lv] && lea_inventory_is_reported(&of->vg->lvs[lv]);
}

static void put_vg(struct view *view, struct json_object *list, const struct lea_inventory_vg *of)
{
	struct lea_json *json = &view->json;
	struct json_object *to = lea_json_object(json, list, NULL);

	fill_vg(view, to, of);
	if (!of->vg)
		return;
	list = lea_json_list(json, to, "pvs");
	for (uint32_t i = 0; i < of->vg->pv_count; i++) {
		fill_member(view, lea_json_object(json, list, NULL), of, i);
		lea_json_fold(json, list);
	}
	list = lea_json_list(json, to, "lvs");
	for (uint32_t i = 0; i < of->vg->lv_count; i++)
		if (is_listed(of, i)) {
			fill_lv(view, lea_json_object(json, list, NULL), of, i);
			lea_json_fold(json, list);
		}
}

/* What belongs to no VG, and to no PV. */
static void put_rest(struct view *view, struct json_object *to)
{
	const struct lea_inventory *inventory = view->inventory;
	struct json_object *list = lea_json_list(&view->json, to, "problems");

	for (size_t i = 0; inventory->is_whole && i < inventory->problem_count; i++)
		lea_json_text(&view->json, list, NULL, inventory->problem[i]);
	lea_json_bool(&view->json, to, "dm_answered", !inventory->is_dm_silent);
}

int lea_inventory_print_json(FILE *out, const struct lea_inventory *inventory, const char *event)
{
	struct view view = {.inventory = inventory};
	struct lea_json *json = &view.json;
	struct json_object *list;
	int r;

	lea_json_begin(json);
	if (event)
		lea_json_text(json, json->top, "event", event);
	lea_json_text(json, json->top, "generation", inventory->generation);
	list = lea_json_list(json, json->top, "vgs");
	for (size_t i = 0; i < inventory->vg_count; i++)
		if (inventory->vg[i].is_chosen)
			put_vg(&view, list, &inventory->vg[i]);
	list = lea_json_list(json, json->top, "pvs");
	for (size_t i = 0; i < inventory->pv_count; i++)
		if (inventory->pv[i].is_chosen)
			fill_lone_pv(&view, lea_json_object(json, list, NULL), &inventory->pv[i]);
	put_rest(&view, json->top);
	r = lea_json_print(json, out);
	lea_json_done(json);
	return r;
}

/* ---- one object at a time */

struct walk {
	struct view view;
	int (*tell)(void *arg, const struct lea_inventory_object *object, struct lea_json *json,
		    const char *state);
	void *arg;
	int r; /* so far */
};

/* The object to be filled; NULL: out of memory, or nothing is to be told any more. */
static struct json_object *begin(struct walk *walk)
{
	struct lea_json *json = &walk->view.json;

	*json = (struct lea_json){0};
	if (!walk->r)
		lea_json_begin(json);
	return walk->r ? NULL : lea_json_object(json, json->top, "state");
}

static void tell(struct walk *walk, const struct lea_inventory_object *object,
		 struct json_object *filled)
{
	struct lea_json *json = &walk->view.json;
	const char *state = json->has_failed ? NULL : lea_json_text_of(filled);

	if (!walk->r)
		walk->r = state ? walk->tell(walk->arg, object, json, state) : -ENOMEM;
	lea_json_done(json);
}

/* @vg_id: "": none */
static struct lea_inventory_object object_of(const char *type, const char *vg, const char *vg_id,
					     const char *name, const char *id)
{
	struct lea_inventory_object object = {.type = type, .vg = vg, .name = name};

	snprintf(object.key, sizeof(object.key), "%s %.64s %.32s", type, vg_id, id);
	if (id[0])
		lea_id_format(id, object.uuid);
	return object;
}

static void walk_pv(struct walk *walk, const struct lea_inventory_vg *of, uint32_t index)
{
	const char *device = of->pv[index] ? of->pv[index]->device : "";
	const struct lea_inventory_object object =
		object_of("pv", of->name, of->vg->id, device, of->vg->pvs[index].id);
	struct json_object *to = begin(walk);

	fill_member(&walk->view, to, of, index);
	tell(walk, &object, to);
}

static void walk_lv(struct walk *walk, const struct lea_inventory_vg *of, uint32_t index)
{
	const struct lea_lv *lv = &of->vg->lvs[index];
	const struct lea_inventory_object object =
		object_of("lv", of->name, of->vg->id, lv->name, lv->id);
	struct json_object *to = begin(walk);

	fill_lv(&walk->view, to, of, index);
	tell(walk, &object, to);
}

static void walk_vg(struct walk *walk, const struct lea_inventory_vg *of)
{
	const char *id = of->vg ? of->vg->id : "";
	const struct lea_inventory_object object =
		object_of("vg", of->name, of->vg ? "" : of->name, of->name, id);
	struct json_object *to = begin(walk);

	fill_vg(&walk->view, to, of);
	tell(walk, &object, to);
	for (uint32_t i = 0; of->vg && i < of->vg->pv_count; i++)
		walk_pv(walk, of, i);
	for (uint32_t i = 0; of->vg && i < of->vg->lv_count; i++)
		if (is_listed(of, i))
			walk_lv(walk, of, i);
}

static void walk_lone_pv(struct walk *walk, const struct lea_inventory_pv *pv)
{
	const struct lea_inventory_object object = object_of("pv", "", "", pv->device, pv->pvid);
	struct json_object *to = begin(walk);

	fill_lone_pv(&walk->view, to, pv);
	tell(walk, &object, to);
}

int lea_inventory_each_json(const struct lea_inventory *inventory,
			    int (*tell_one)(void *arg, const struct lea_inventory_object *object,
					    struct lea_json *json, const char *state),
			    void *arg)
{
	const struct lea_inventory_object rest = object_of("machine", "", "", "", "");
	struct walk walk = {.view = {.inventory = inventory}, .tell = tell_one, .arg = arg};
	struct json_object *to;

	for (size_t i = 0; i < inventory->vg_count; i++)
		walk_vg(&walk, &inventory->vg[i]);
	for (size_t i = 0; i < inventory->pv_count; i++)
		if (inventory->pv[i].is_chosen)
			walk_lone_pv(&walk, &inventory->pv[i]);
	to = begin(&walk);
	put_rest(&walk.view, to);
	tell(&walk, &rest, to);
	return walk.r;
}
