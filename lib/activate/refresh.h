/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refreshing LVs whose missing PV is back. An LV that was activated without a PV has stand-ins in
 * device-mapper for the areas on it (plan/plan_name.h). Only the real lvm replaces them: a refresh
 * changes the tables of an LV that is in use.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* LVs of one VG, as "vg/lv". */
struct lea_refresh {
	const char **name; /* [count]; in the arena, as the names */
	uint32_t count;
};

/*
 * lea_refresh_find - active LVs with stand-ins for areas on PVs that are there
 * @was_active: [vg->lv_count]: the LVs to examine; NULL: all visible LVs that are active
 * An LV below several others is refreshed with the first of them. Asks device-mapper for each area
 * below these LVs. Returns 0 or a fault.
 */
LEA_MUST_CHECK int lea_refresh_find(struct lea_world *world, struct lea_arena *arena,
				    const struct lea_scan_vg *scanned, const bool *was_active,
				    struct lea_refresh *ret_refresh);

/*
 * lea_refresh_run - "lvm lvchange --refresh" for these LVs
 * @scanned: their VG; PVs of it may still be missing
 * The caller holds no lock of the VG. Blocks until lvm has ended. Logs the result.
 */
void lea_refresh_run(struct lea_world *world, const char *lvm_path,
		     const struct lea_scan_vg *scanned, const struct lea_refresh *refresh);
