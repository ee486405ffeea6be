/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inventory for people, and what all forms share. */
#include "inventory/inventory_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/size.h"
#include "cli/columns.h"
#include "plan/access.h"

#define SECTOR_BYTES 512U
#define NAMED_MOST   3U

const char *lea_inventory_state_word(const struct lea_lv_state *state)
{
	if (state->activity == LEA_LV_UNKNOWN)
		return "unknown";
	if (state->activity == LEA_LV_INACTIVE)
		return "inactive";
	return state->suspended ? "suspended" : state->live_table ? "active" : "without table";
}

void lea_inventory_put_percent(uint32_t percent, char ret_text[static 16])
{
	if (percent == LEA_PERCENT_NONE)
		ret_text[0] = '\0';
	else
		snprintf(ret_text, 16, "%u.%02u", percent / 100, percent % 100);
}

uint64_t lea_inventory_free_of_pv(const struct lea_inventory_vg *of, uint32_t pv)
{
	const uint64_t all = of->vg->pvs[pv].pe_count;

	return all > of->used[pv] ? all - of->used[pv] : 0;
}

uint64_t lea_inventory_extents(const struct lea_inventory_vg *of, uint64_t *ret_free)
{
	uint64_t all = 0;

	*ret_free = 0;
	for (uint32_t i = 0; i < of->vg->pv_count; i++) {
		all += of->vg->pvs[i].pe_count;
		*ret_free += lea_inventory_free_of_pv(of, i);
	}
	return all;
}

const char *lea_inventory_area_name(const struct lea_inventory_vg *of,
				    const struct lea_inventory_area *area)
{
	if (area->pv == LEA_NONE)
		return of->vg->lvs[area->lv].name;
	return of->pv[area->pv] ? of->pv[area->pv]->device : "[unknown]";
}

/* ---- tables */

static void put_size(struct lea_columns *table, uint64_t sectors)
{
	char text[LEA_SIZE_BYTES];

	lea_size_format(sectors * SECTOR_BYTES, text);
	lea_columns_cell(table, "%s", text);
}

static void put_vg(struct lea_columns *table, const struct lea_inventory_vg *of)
{
	const struct lea_vg *vg = of->vg;
	char attr[LEA_VG_ATTR_BYTES], missing[32] = "";
	uint64_t unused, all = lea_inventory_extents(of, &unused);
	uint32_t visible = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		visible += lea_lv_is_visible(&vg->lvs[i]) && lea_inventory_is_reported(&vg->lvs[i]);
	lea_inventory_vg_attr(&of->facts, attr);
	if (of->pv_missing)
		snprintf(missing, sizeof(missing), "%u of ", vg->pv_count - of->pv_missing);
	lea_columns_cell(table, "%s", vg->name);
	lea_columns_cell(table, "%s", attr);
	lea_columns_cell(table, "%s%u", missing, vg->pv_count);
	lea_columns_cell(table, "%u", visible);
	put_size(table, all * vg->extent_sectors);
	put_size(table, unused * vg->extent_sectors);
}

static void put_pv(struct lea_columns *table, const struct lea_inventory_vg *of, uint32_t index)
{
	const struct lea_pv *pv = &of->vg->pvs[index];
	char attr[LEA_PV_ATTR_BYTES], id[39];

	lea_inventory_pv_attr(&of->facts, index, attr);
	lea_id_format(pv->id, id);
	lea_columns_cell(table, "%s", of->pv[index] ? of->pv[index]->device : id);
	lea_columns_cell(table, "%s", of->vg->name);
	lea_columns_cell(table, "%s", attr);
	put_size(table, (uint64_t)pv->pe_count * of->vg->extent_sectors);
	put_size(table, lea_inventory_free_of_pv(of, index) * of->vg->extent_sectors);
}

/* A PV of no VG. */
static void put_lone_pv(struct lea_columns *table, const struct lea_inventory_pv *pv)
{
	lea_columns_cell(table, "%s", pv->device);
	lea_columns_cell(table, "%s", "");
	lea_columns_cell(table, "%s", "---");
	put_size(table, pv->label_bytes / SECTOR_BYTES);
	put_size(table, pv->is_orphan ? pv->label_bytes / SECTOR_BYTES : 0);
}

static void put_name(struct lea_columns *table, const struct lea_vg *vg, uint32_t lv)
{
	lea_columns_cell(table, "%s", lv == LEA_NONE ? "" : vg->lvs[lv].name);
}

static void put_percent(struct lea_columns *table, uint32_t percent)
{
	char text[16];

	lea_inventory_put_percent(percent, text);
	lea_columns_cell(table, "%s", text);
}

/* The first ones of all segments: a table has no room for hundreds. */
static void put_devices(struct lea_columns *table, const struct lea_inventory_vg *of,
			const struct lea_lv *lv)
{
	char text[LEA_COLUMNS_CELL_BYTES];
	struct lea_inventory_area area;
	uint32_t count = 0;

	text[0] = '\0';
	for (uint32_t s = 0; s < lv->seg_count; s++)
		for (uint32_t i = 0; lea_inventory_area(&lv->seg[s], i, &area); i++)
			if (count++ < NAMED_MOST)
				lea_append(text, sizeof(text), "%s%s(%llu)", text[0] ? "," : "",
					   lea_inventory_area_name(of, &area),
					   (unsigned long long)area.extent);
	if (count > NAMED_MOST)
		lea_append(text, sizeof(text), " and %u more", count - NAMED_MOST);
	lea_columns_cell(table, "%s", text);
}

static void put_lv(struct lea_columns *table, const struct lea_inventory_vg *of, uint32_t index)
{
	const struct lea_lv *lv = &of->vg->lvs[index];
	char attr[LEA_LV_ATTR_BYTES];
	struct lea_inventory_use use;

	lea_inventory_lv_attr(&of->facts, index, attr);
	lea_inventory_find_use(&of->facts, index, &use);
	lea_columns_cell(table, "%s", lv->name);
	lea_columns_cell(table, "%s", of->vg->name);
	lea_columns_cell(table, "%s", attr);
	put_size(table, (uint64_t)lv->extent_count * of->vg->extent_sectors);
	put_name(table, of->vg, lea_inventory_pool(of->vg, index));
	put_name(table, of->vg, lea_inventory_origin(of->vg, index));
	put_percent(table, use.data);
	put_percent(table, use.metadata);
	put_percent(table, use.sync);
	put_devices(table, of, lv);
}

static int compare_lvs(const void *a, const void *b, void *arg)
{
	const struct lea_vg *vg = arg;

	return strcmp(vg->lvs[*(const uint32_t *)a].name, vg->lvs[*(const uint32_t *)b].name);
}

/* By name; without memory for that, as in the metadata. */
static void put_lvs(struct lea_columns *table, const struct lea_inventory_vg *of)
{
	const struct lea_vg *vg = of->vg;
	LEA_AUTO(lea_freep) uint32_t *order = calloc(vg->lv_count + 1U, sizeof(*order));

	for (uint32_t i = 0; order && i < vg->lv_count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, vg->lv_count, sizeof(*order), compare_lvs,
			(void *)(uintptr_t)vg);
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const uint32_t index = order ? order[i] : i;
		const struct lea_lv *lv = &vg->lvs[index];

		if (of->chosen_lv[index] && lea_lv_is_visible(lv) && lea_inventory_is_reported(lv))
			put_lv(table, of, index);
	}
}

/* ---- what a table has no place for */

static void print_problem(FILE *out, const char *type, const char *name, const char *what,
			  const char *problem)
{
	char plain[320];

	if (!problem[0])
		return;
	lea_access_plain(problem, plain, sizeof(plain));
	fprintf(out, "%s %s: %s: %s\n", type, name, what, plain);
}

static void print_lost_disks(FILE *out, const struct lea_inventory_vg *of)
{
	char name[300], problem[128];

	for (uint32_t i = 0; of->vg && i < of->vg->lv_count; i++) {
		const char *disk = lea_inventory_lost_disk(&of->facts.state[i]);

		if (!disk[0] || !lea_lv_is_visible(&of->vg->lvs[i]))
			continue;
		snprintf(name, sizeof(name), "%s/%s", of->name, of->vg->lvs[i].name);
		snprintf(problem, sizeof(problem), "it is active on a disk that has gone: %s",
			 disk);
		print_problem(out, "LV", name, "problem", problem);
	}
}

static void print_problems(FILE *out, const struct lea_inventory *inventory)
{
	char plain[320];

	for (size_t i = 0; i < inventory->vg_count; i++)
		if (inventory->vg[i].is_chosen)
			print_problem(out, "VG", inventory->vg[i].name,
				      inventory->vg[i].vg ? "problem" : "not readable",
				      inventory->vg[i].problem);
	for (size_t i = 0; i < inventory->vg_count; i++)
		print_lost_disks(out, &inventory->vg[i]);
	for (size_t i = 0; i < inventory->pv_count; i++)
		if (inventory->pv[i].is_chosen)
			print_problem(out, "PV", inventory->pv[i].device, "problem",
				      inventory->pv[i].problem);
	for (size_t i = 0; inventory->is_whole && i < inventory->problem_count; i++) {
		lea_access_plain(inventory->problem[i], plain, sizeof(plain));
		fprintf(out, "%s\n", plain);
	}
}

/* ---- all */

/* The VGs that were asked for, one after the other; NULL: no more. */
static const struct lea_inventory_vg *next_vg(const struct lea_inventory *inventory, size_t *at)
{
	while (*at < inventory->vg_count) {
		const struct lea_inventory_vg *vg = &inventory->vg[(*at)++];

		if (vg->is_chosen && vg->vg)
			return vg;
	}
	return NULL;
}

static bool print_vgs(FILE *out, const struct lea_inventory *inventory)
{
	static const char *const titles[] = {"VG", "Attr", "PVs", "LVs", "Size", "Free"};
	const struct lea_inventory_vg *vg;
	struct lea_columns table;

	for (lea_columns_begin(&table, out, "llrrrr"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, false);
		for (size_t at = 0; (vg = next_vg(inventory, &at));)
			put_vg(&table, vg);
	}
	return lea_columns_has_rows(&table);
}

static void print_pvs(FILE *out, const struct lea_inventory *inventory, bool is_below)
{
	static const char *const titles[] = {"PV", "VG", "Attr", "Size", "Free"};
	const struct lea_inventory_vg *vg;
	struct lea_columns table;

	for (lea_columns_begin(&table, out, "lllrr"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, is_below);
		for (size_t at = 0; (vg = next_vg(inventory, &at));)
			for (uint32_t i = 0; i < vg->vg->pv_count; i++)
				put_pv(&table, vg, i);
		for (size_t i = 0; i < inventory->pv_count; i++)
			if (inventory->pv[i].is_chosen)
				put_lone_pv(&table, &inventory->pv[i]);
	}
}

static void print_lvs(FILE *out, const struct lea_inventory *inventory)
{
	static const char *const titles[] = {"LV",     "VG",	"Attr",	 "Size",  "Pool",
					     "Origin", "Data%", "Meta%", "Sync%", "Devices"};
	const struct lea_inventory_vg *vg;
	struct lea_columns table;

	for (lea_columns_begin(&table, out, "lllrllrrrl"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, true);
		for (size_t at = 0; (vg = next_vg(inventory, &at));)
			put_lvs(&table, vg);
	}
}

void lea_inventory_print_text(FILE *out, const struct lea_inventory *inventory)
{
	print_pvs(out, inventory, print_vgs(out, inventory));
	print_lvs(out, inventory);
	print_problems(out, inventory);
	if (inventory->is_dm_silent)
		fprintf(out, "device-mapper did not answer for all LVs: their state is unknown\n");
}
