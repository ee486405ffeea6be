/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inventory for people, and what all forms share. */
#include "inventory/inventory_print.h"

#include <inttypes.h>
#include <string.h>

#include "base/id.h"
#include "plan/access.h"

#define SECTORS_PER_MIB 2048U

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

/* ---- lines */

static void put_size(FILE *out, uint64_t sectors)
{
	fprintf(out, "%" PRIu64 ".%02u MiB", sectors / SECTORS_PER_MIB,
		(unsigned int)(sectors % SECTORS_PER_MIB * 100 / SECTORS_PER_MIB));
}

static void print_lv(FILE *out, const struct lea_inventory_vg *of, uint32_t index)
{
	const struct lea_lv *lv = &of->vg->lvs[index];
	char attr[LEA_LV_ATTR_BYTES], text[16];
	struct lea_inventory_use use;

	if (!of->chosen_lv[index] || !lea_lv_is_visible(lv) || !lea_inventory_is_reported(lv))
		return;
	lea_inventory_lv_attr(&of->facts, index, attr);
	lea_inventory_find_use(&of->facts, index, &use);
	fprintf(out, "  LV %s %s: %s, %s, ", lv->name, attr,
		lv->seg_count ? lea_inventory_segtype(&lv->seg[0]) : "no segments",
		lea_inventory_state_word(&of->facts.state[index]));
	put_size(out, (uint64_t)lv->extent_count * of->vg->extent_sectors);
	lea_inventory_put_percent(use.data, text);
	if (text[0])
		fprintf(out, ", data %s %%", text);
	lea_inventory_put_percent(use.metadata, text);
	if (text[0])
		fprintf(out, ", metadata %s %%", text);
	lea_inventory_put_percent(use.sync, text);
	if (text[0])
		fprintf(out, ", in sync %s %%", text);
	fputc('\n', out);
}

static void print_pv(FILE *out, const struct lea_inventory_vg *of, uint32_t index)
{
	char attr[LEA_PV_ATTR_BYTES], id[39];

	lea_inventory_pv_attr(&of->facts, index, attr);
	lea_id_format(of->vg->pvs[index].id, id);
	fprintf(out, "  PV %s %s: ", of->pv[index] ? of->pv[index]->device : id, attr);
	if (!of->pv[index])
		fprintf(out, "missing, ");
	put_size(out, (uint64_t)of->vg->pvs[index].pe_count * of->vg->extent_sectors);
	fprintf(out, ", free ");
	put_size(out, lea_inventory_free_of_pv(of, index) * of->vg->extent_sectors);
	fputc('\n', out);
}

static void print_vg(FILE *out, const struct lea_inventory_vg *of)
{
	char attr[LEA_VG_ATTR_BYTES], problem[256];
	uint64_t unused, all;

	lea_access_plain(of->problem, problem, sizeof(problem));
	if (!of->vg) {
		fprintf(out, "VG %s: not readable: %s\n", of->name, problem);
		return;
	}
	all = lea_inventory_extents(of, &unused);
	lea_inventory_vg_attr(&of->facts, attr);
	fprintf(out, "VG %s %s: %u of %u PVs, ", of->name, attr, of->vg->pv_count - of->pv_missing,
		of->vg->pv_count);
	put_size(out, all * of->vg->extent_sectors);
	fprintf(out, ", free ");
	put_size(out, unused * of->vg->extent_sectors);
	fprintf(out, "%s%s\n", problem[0] ? ", problem: " : "", problem);
	for (uint32_t i = 0; i < of->vg->pv_count; i++)
		print_pv(out, of, i);
	for (uint32_t i = 0; i < of->vg->lv_count; i++)
		print_lv(out, of, i);
}

void lea_inventory_print_text(FILE *out, const struct lea_inventory *inventory)
{
	char plain[320];

	for (size_t i = 0; i < inventory->vg_count; i++)
		if (inventory->vg[i].is_chosen)
			print_vg(out, &inventory->vg[i]);
	for (size_t i = 0; i < inventory->pv_count; i++) {
		const struct lea_inventory_pv *pv = &inventory->pv[i];

		if (!pv->is_chosen)
			continue;
		lea_access_plain(pv->problem, plain, sizeof(plain));
		fprintf(out, "PV %s: of no VG that is readable%s%s\n", pv->device,
			plain[0] ? ", problem: " : "", plain);
	}
	for (size_t i = 0; inventory->is_whole && i < inventory->problem_count; i++) {
		lea_access_plain(inventory->problem[i], plain, sizeof(plain));
		fprintf(out, "%s\n", plain);
	}
	if (inventory->is_dm_silent)
		fprintf(out, "device-mapper did not answer for all LVs: their state is unknown\n");
}
