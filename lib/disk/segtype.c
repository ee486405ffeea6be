/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table, and the names of lvm2's other types for the reason why a VG is handed over. */
#include "disk/segtype.h"

#include <stddef.h>
#include <string.h>

static const struct lea_segtype *const segtypes[] = {
	&lea_segtype_striped,	 &lea_segtype_linear,	  &lea_segtype_error,
	&lea_segtype_zero,	 &lea_segtype_snapshot,	  &lea_segtype_thin_pool,
	&lea_segtype_thin,	 &lea_segtype_cache_pool, &lea_segtype_cache,
	&lea_segtype_writecache, &lea_segtype_mirror,	  &lea_segtype_integrity,
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

const char *lea_segtype_reason(const char *name)
{
	/* The reason outlives the VG, so each is a constant. */
	static const char *const reasons[] = {"segment type vdo-pool", "segment type vdo"};
	const size_t prefix_len = sizeof("segment type ") - 1;

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(name, reasons[i] + prefix_len))
			return reasons[i];
	return "unknown segment type";
}
