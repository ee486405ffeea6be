/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/failed_unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/unit_name.h"

#define BEFORE "lvmevent-failed@"
#define AFTER  ".service"

static bool is_there(const struct lea_world *world, const char *folder, const char *unit,
		     const char *suffix)
{
	char path[LEA_UNIT_BYTES + 64];
	LEA_AUTO(lea_freep) char *full = NULL;

	snprintf(path, sizeof(path), "%s/%s%s", folder, unit, suffix);
	full = lea_world_path(world, path);
	return full && !access(full, F_OK);
}

/* For all VGs or for this one: a drop-in, which a package may bring, or a unit in place of ours. */
static bool is_filled(const struct lea_world *world, const char *unit)
{
	static const char *const folders[] = {"/etc/systemd/system", "/run/systemd/system"};
	const char *const units[] = {BEFORE AFTER, unit};

	for (size_t u = 0; u < ARRAY_SIZE(units); u++) {
		for (size_t f = 0; f < ARRAY_SIZE(folders); f++)
			if (is_there(world, folders[f], units[u], ".d") ||
			    is_there(world, folders[f], units[u], ""))
				return true;
		if (is_there(world, LEA_UNITDIR, units[u], ".d"))
			return true;
	}
	return false;
}

void lea_failed_units_add(struct lea_failed_units *units, const struct lea_world *world,
			  const char *vg)
{
	char *unit = units->unit[units->count];

	if (!world->manager || !lea_unit_name(BEFORE, vg, AFTER, unit) || !is_filled(world, unit))
		return;
	if (++units->count == ARRAY_SIZE(units->unit))
		lea_failed_units_start(units, world);
}

void lea_failed_units_start(struct lea_failed_units *units, const struct lea_world *world)
{
	const char *unit[ARRAY_SIZE(units->unit)];

	for (size_t i = 0; i < units->count; i++)
		unit[i] = units->unit[i];
	if (units->count)
		world->manager->start(world, unit, units->count);
	units->count = 0;
}
