/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles one VG of a transaction after its lock is taken and its PVs have been read again: access
 * checks, plan, device-mapper.
 */
#pragma once

#include "activate/refresh.h"
#include "activate/transaction.h"
#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_activate_vg {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_activate_options *options;
	struct lea_arena *arena;	   /* for the plan and result->why */
	const struct lea_scan_vg *scanned; /* as read under the lock */
	bool refreshes;			   /* look for LVs that are to be refreshed */
	bool has_read;			   /* out: the checks have read other devices */
	struct lea_refresh refresh;	   /* out: those LVs; in the arena */
	bool announce;			   /* out: print "N logical volume(s)" at the end */
};

/* May the VG be activated, or deactivated, as the options say? Blocks while other devices are read
 * that may have copies or newer metadata. Returns what lea_activation_vg returns, 0: yes. Logs. */
LEA_MUST_CHECK int lea_activate_check(struct lea_activate_vg *vg,
				      struct lea_activate_result *result);
/* Then does it. Returns what lea_activation_vg returns. Logs. */
LEA_MUST_CHECK int lea_activate_scanned(struct lea_activate_vg *vg,
					struct lea_activate_result *result);

/* For a VG whose disks are not what they were when they were read. @why: "a disk of it went"; that
 * happened while another disk was read. Logs. Returns LEA_ACTIVATE_CHANGED, or LEA_ACTIVATE_FAILED
 * for one that the user named. */
LEA_MUST_CHECK int lea_activate_not_as_read(const struct lea_activate_vg *vg, const char *why);

/* A setting or a file that only the real lvm honours, and that leaves the VG to it: static text;
 * NULL: none. */
const char *lea_activate_why_lvm(const struct lea_activate_vg *vg);
