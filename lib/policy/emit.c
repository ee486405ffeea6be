/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of families, and what they share.
 */
#include "policy/emit.h"

#include <errno.h>
#include <string.h>

static const struct lea_emitter *const emitters[] = {
	&lea_emit_striped,
	&lea_emit_linear,
};

const struct lea_emitter *lea_emitter_find(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(emitters); i++)
		if (!strcmp(emitters[i]->type, type))
			return emitters[i];
	return NULL;
}

int lea_emit_area_sector(const struct lea_emit *emit, const struct lea_area *area,
			 uint64_t *ret_sector)
{
	const uint64_t into = (uint64_t)area->extent * emit->vg->extent_sectors;

	if (__builtin_add_overflow(emit->vg->pvs[area->pv].pe_start_sectors, into, ret_sector))
		return -ERANGE;
	return 0;
}
