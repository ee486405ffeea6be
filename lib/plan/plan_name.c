/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names are VG-LV-LAYER, with hyphens inside a part doubled; uuids are LVM-VGIDLVID-SUFFIX. */
#include "plan/plan_name.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <errno.h>
#include <string.h>

#define DM_NAME_CHARS	127U
#define DM_UUID_CHARS	128U
#define MAX_LAYER_CHARS 32U /* "missing_4294967295_4294967295" */

static const char *const layer_names[] = {
	[LEA_LAYER_REAL] = "real",   [LEA_LAYER_COW] = "cow",	  [LEA_LAYER_TPOOL] = "tpool",
	[LEA_LAYER_VPOOL] = "vpool", [LEA_LAYER_CDATA] = "cdata", [LEA_LAYER_CMETA] = "cmeta",
};

static const char *const role_suffixes[] = {
	[LEA_ROLE_NONE] = NULL,
	[LEA_ROLE_THIN_DATA] = "tdata",
	[LEA_ROLE_THIN_METADATA] = "tmeta",
	[LEA_ROLE_CACHE_DATA] = "cdata",
	[LEA_ROLE_CACHE_METADATA] = "cmeta",
	[LEA_ROLE_CACHE_VOLUME] = "cvol",
	[LEA_ROLE_CACHE_ORIGIN] = "real",
	[LEA_ROLE_VDO_DATA] = "vdata",
};

enum lea_layer lea_plan_pool_layer(const struct lea_lv *lv)
{
	const enum lea_family family = lea_lv_family(lv);

	if (family == LEA_FAMILY_VDO_POOL)
		return LEA_LAYER_VPOOL;
	return family == LEA_FAMILY_THIN_POOL && lv->seg[0].own.thin_pool->transaction_id
		       ? LEA_LAYER_TPOOL
		       : LEA_LAYER_NONE;
}

static const char *suffix_of(const struct lea_lv *lv, enum lea_layer layer)
{
	if (layer != LEA_LAYER_NONE)
		return layer_names[layer];
	if (lv->role < ARRAY_SIZE(role_suffixes) && role_suffixes[lv->role])
		return role_suffixes[lv->role];
	if (lea_plan_pool_layer(lv) != LEA_LAYER_NONE)
		return "pool";
	return lea_lv_family(lv) == LEA_FAMILY_THIN_POOL ? "tpool" : NULL;
}

/* Parts of raid, mirror and the like, whose uuid has a suffix only in newer versions. */
static bool is_suffixed_by_some(const struct lea_lv *lv, enum lea_layer layer)
{
	if (layer != LEA_LAYER_NONE || lea_lv_is_visible(lv))
		return false;
	return lv->flags & LEA_FLAG_PVMOVE ||
	       (lv->role >= LEA_ROLE_RAID_IMAGE && lv->role <= LEA_ROLE_INTEGRITY_METADATA);
}

/* Copies a part of a name and doubles its hyphens. Returns the end of the copy. */
static char *put_doubled(char *to, const char *from)
{
	for (; *from; from++) {
		if (*from == '-')
			*to++ = '-';
		*to++ = *from;
	}
	return to;
}

static int put_names(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_lv *lv,
		     const char *layer, const char *suffix, struct lea_plan_names *ret_names)
{
	const size_t room = 2 * (strlen(vg->name) + strlen(lv->name) + MAX_LAYER_CHARS) + 3;
	char *name = lea_arena_alloc(arena, room, 1);
	char *uuid = lea_arena_printf(arena, "LVM-%s%s%s%s", vg->id, lv->id, suffix ? "-" : "",
				      suffix ? suffix : "");
	char *end;

	if (!name || !uuid)
		return -ENOMEM;
	end = put_doubled(name, vg->name);
	*end++ = '-';
	end = put_doubled(end, lv->name);
	if (layer) {
		*end++ = '-';
		end = put_doubled(end, layer);
	}
	if ((size_t)(end - name) > DM_NAME_CHARS || strlen(uuid) > DM_UUID_CHARS)
		return -ENAMETOOLONG;
	*ret_names = (struct lea_plan_names){.name = name, .uuid = uuid};
	return 0;
}

int lea_plan_names(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_lv *lv,
		   enum lea_layer layer, struct lea_plan_names *ret_names)
{
	int r = put_names(arena, vg, lv, layer == LEA_LAYER_NONE ? NULL : layer_names[layer],
			  suffix_of(lv, layer), ret_names);

	if (r || !is_suffixed_by_some(lv, layer))
		return r;
	ret_names->other_uuid = lea_arena_printf(arena, "%s-real", ret_names->uuid);
	return ret_names->other_uuid ? 0 : -ENOMEM;
}

void lea_plan_names_follow(const struct lea_compat *compat, struct lea_plan_names *names)
{
	const char *uuid = names->uuid;

	if (!names->other_uuid || !compat->parts_are_real)
		return;
	names->uuid = names->other_uuid;
	names->other_uuid = uuid;
}

int lea_plan_missing_names(struct lea_arena *arena, const struct lea_vg *vg,
			   const struct lea_lv *lv, const uint32_t at[static 2],
			   struct lea_plan_names *ret_names)
{
	const char *layer = lea_arena_printf(arena, "missing_%u_%u", at[0], at[1]);

	return layer ? put_names(arena, vg, lv, layer, layer, ret_names) : -ENOMEM;
}
