/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table, and the names of lvm2's other types for the reason why a VG is handed over. */
#include "disk/segtype.h"

#include <stddef.h>
#include <string.h>

static const struct lea_segtype *const segtypes[] = {
	&lea_segtype_striped,  &lea_segtype_linear,	&lea_segtype_error, &lea_segtype_zero,
	&lea_segtype_snapshot, &lea_segtype_thin_pool,	&lea_segtype_thin,  &lea_segtype_cache_pool,
	&lea_segtype_cache,    &lea_segtype_writecache,
};

const struct lea_segtype *lea_segtype_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(segtypes); i++)
		if (!strcmp(segtypes[i]->name, name))
			return segtypes[i];
	return NULL;
}

const char *lea_segtype_reason(const char *name)
{
	/* The reason outlives the VG, so each is a constant; longer names of a family come first.
	 */
	static const char *const reasons[] = {
		"segment type mirror", "segment type raid10",	 "segment type raid0",
		"segment type raid1",  "segment type raid4",	 "segment type raid5",
		"segment type raid6",  "segment type integrity", "segment type vdo-pool",
		"segment type vdo",
	};
	const size_t prefix_len = sizeof("segment type ") - 1;

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		const char *known = reasons[i] + prefix_len;

		if (!strcmp(name, known) ||
		    (!strncmp(known, "raid", 4) && !strncmp(name, known, strlen(known))))
			return reasons[i];
	}
	return "unknown segment type";
}
