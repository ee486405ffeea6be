/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of segment types. */
#include "disk/segtype.h"

#include <string.h>

static const struct lea_segtype *const segtypes[] = {
	&lea_segtype_striped,	 &lea_segtype_linear,	  &lea_segtype_error,
	&lea_segtype_zero,	 &lea_segtype_snapshot,	  &lea_segtype_thin_pool,
	&lea_segtype_thin,	 &lea_segtype_cache_pool, &lea_segtype_cache,
	&lea_segtype_writecache, &lea_segtype_mirror,	  &lea_segtype_integrity,
	&lea_segtype_vdo_pool,	 &lea_segtype_vdo,
};

const struct lea_segtype *lea_segtype_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(segtypes); i++)
		if (!strcmp(segtypes[i]->name, name))
			return segtypes[i];
	for (size_t i = 0; i < LEA_RAID_TYPES; i++)
		if (!strcmp(lea_segtype_raid[i].name, name))
			return &lea_segtype_raid[i];
	return NULL;
}

uint32_t lea_seg_lv_below(const struct lea_lv_seg *seg, uint32_t i)
{
	if (i < seg->area_count)
		return seg->area[i].lv;
	if (!seg->segtype || !seg->segtype->part)
		return LEA_NONE;
	return seg->segtype->part(seg, i - seg->area_count);
}
