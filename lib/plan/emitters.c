/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of segment families. */
#include "plan/emit.h"

#include <string.h>

/* A snapshot segment belongs to an LV without a node: emit_tree.c plans origins and snapshots. */
static const struct lea_emitter snapshot = {.type = "snapshot", .target = "snapshot"};

static const struct lea_emitter *const emitters[] = {
	&lea_emit_striped,  &lea_emit_linear,	  &lea_emit_error,  &lea_emit_zero,
	&snapshot,	    &lea_emit_thin_pool,  &lea_emit_thin,   &lea_emit_cache_pool,
	&lea_emit_cache,    &lea_emit_writecache, &lea_emit_mirror, &lea_emit_integrity,
	&lea_emit_vdo_pool, &lea_emit_vdo,
};

const struct lea_emitter *lea_emitter_find(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(emitters); i++)
		if (!strcmp(emitters[i]->type, type))
			return emitters[i];
	/* One emitter for all levels. */
	return !strncmp(type, "raid", 4) ? &lea_emit_raid : NULL;
}
