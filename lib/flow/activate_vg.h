/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One VG of a transaction once its lock is held and its PVs have been read again: judgement, plan,
 * device-mapper. No lock and no device is touched here.
 */
#ifndef LEA_FLOW_ACTIVATE_VG_H
#define LEA_FLOW_ACTIVATE_VG_H

#include "base/arena.h"
#include "base/err.h"
#include "flow/activate.h"
#include "flow/scan.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_activate_vg {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_activate_options *options;
	struct lea_arena *arena;	   /* for the plan and result->why */
	const struct lea_scan_vg *scanned; /* as read under the lock */
	bool announce;			   /* out: "N logical volume(s)" is due at the end */
};

/* As lea_activation_vg. Logs. */
LEA_MUST_CHECK int lea_activate_scanned(struct lea_activate_vg *vg,
					struct lea_activate_result *result);

#endif
