/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests are in lvm2's order, because users see the first reason that applies. */
#include "plan/select.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <string.h>

static bool is_tagged(const struct lea_vg *vg, const struct lea_lv *lv, const char *tag)
{
	return lea_strings_have(&lv->tags, tag) || lea_strings_have(&vg->tags, tag);
}

static bool has_host_tag(const struct lea_vg *vg, const struct lea_lv *lv,
			 const struct lea_select_rules *rules)
{
	for (uint32_t i = 0; i < rules->host_tags.count; i++)
		if (is_tagged(vg, lv, rules->host_tags.item[i]))
			return true;
	return false;
}

/* Compares "vg" or "vg/lv"; "vg/" and "vg/lv/x" match no LV. */
static bool is_named(const struct lea_vg *vg, const struct lea_lv *lv, const char *item)
{
	size_t vg_chars = strlen(vg->name);

	if (strncmp(item, vg->name, vg_chars) != 0)
		return false;
	if (!item[vg_chars])
		return true;
	return item[vg_chars] == '/' && !strcmp(item + vg_chars + 1, lv->name);
}

static bool matches(const struct lea_vg *vg, const struct lea_lv *lv,
		    const struct lea_select_rules *rules, const struct lea_volume_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const char *item = list->item[i];
		bool hit;

		if (!strcmp(item, "@*"))
			hit = has_host_tag(vg, lv, rules);
		else if (*item == '@')
			hit = item[1] && is_tagged(vg, lv, item + 1);
		else
			hit = is_named(vg, lv, item);
		if (hit)
			return true;
	}
	return false;
}

bool lea_select_is_listed(const struct lea_volume_list *list, const struct lea_vg *vg,
			  const struct lea_lv *lv)
{
	const struct lea_select_rules rules = {0};

	return matches(vg, lv, &rules, list);
}

/* Without a list, a host with tags activates only what carries one of its tags. */
static bool passes_volume_list(const struct lea_vg *vg, const struct lea_lv *lv,
			       const struct lea_select_rules *rules)
{
	if (rules->volume_list.defined)
		return matches(vg, lv, rules, &rules->volume_list);
	return !rules->host_tags.count || has_host_tag(vg, lv, rules);
}

/* Cache pools have no node. VDO pools are activated with their LVs; only lvchange activates one
 * alone. */
static bool is_never_meant(const struct lea_lv *lv, const struct lea_select_rules *rules)
{
	return lea_lv_family(lv) == LEA_FAMILY_CACHE_POOL ||
	       (lea_lv_family(lv) == LEA_FAMILY_VDO_POOL && !rules->everything);
}

/* An origin brings its snapshots. A virtual origin is not visible, yet it is what gets
 * activated. */
static bool comes_by_itself(const struct lea_lv *lv, const struct lea_select_rules *rules)
{
	if (lv->role == LEA_ROLE_COW || is_never_meant(lv, rules))
		return false;
	return lea_lv_is_visible(lv) || (lv->snapshots && lv->role == LEA_ROLE_NONE);
}

/* Does the list name this LV, or a snapshot that it brings? */
static bool matches_group(const struct lea_vg *vg, const struct lea_lv *lv,
			  const struct lea_select_rules *rules, const struct lea_volume_list *list)
{
	if (matches(vg, lv, rules, list))
		return true;
	for (const struct lea_seg_snapshot *s = lv->snapshots; s; s = s->next)
		if (matches(vg, &vg->lvs[s->cow], rules, list))
			return true;
	return false;
}

enum lea_selected lea_select_lv(const struct lea_vg *vg, const struct lea_lv *lv,
				const struct lea_select_rules *rules)
{
	if (!comes_by_itself(lv, rules))
		return LEA_SELECT_HIDDEN;
	if (rules->everything)
		return LEA_SELECTED;
	if (rules->only.defined && !matches_group(vg, lv, rules, &rules->only))
		return LEA_SELECT_NOT_WANTED;
	if (lv->flags & LEA_FLAG_ACTIVATION_SKIP && !rules->ignore_skip)
		return LEA_SELECT_SKIP_FLAG;
	if (rules->automatic && rules->auto_list.defined &&
	    !matches(vg, lv, rules, &rules->auto_list))
		return LEA_SELECT_NOT_IN_AUTO;
	if (rules->automatic && lv->flags & LEA_FLAG_NOAUTOACTIVATE)
		return LEA_SELECT_NOT_AUTO;
	if (!passes_volume_list(vg, lv, rules))
		return LEA_SELECT_FILTERED;
	return LEA_SELECTED;
}

bool lea_select_first(const struct lea_vg *vg, const struct lea_lv *lv,
		      const struct lea_select_rules *rules)
{
	return rules->first.count && matches_group(vg, lv, rules, &rules->first);
}

bool lea_select_read_only(const struct lea_vg *vg, const struct lea_lv *lv,
			  const struct lea_select_rules *rules)
{
	return rules->read_only_list.defined && matches(vg, lv, rules, &rules->read_only_list);
}

const char *lea_select_reason(enum lea_selected selected)
{
	static const char *const reasons[] = {
		[LEA_SELECTED] = NULL,
		[LEA_SELECT_HIDDEN] = "part of another LV",
		[LEA_SELECT_SKIP_FLAG] = "its activation skip flag is set",
		[LEA_SELECT_NOT_IN_AUTO] = "not in activation/auto_activation_volume_list",
		[LEA_SELECT_NOT_AUTO] = "its autoactivation property is off",
		[LEA_SELECT_FILTERED] = "not in activation/volume_list",
		[LEA_SELECT_NOT_WANTED] = "only other LVs are wanted now",
		[LEA_SELECT_LACKS_PV] = "a PV that it needs is missing",
	};

	return reasons[selected];
}
