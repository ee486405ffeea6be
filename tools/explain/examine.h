/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine as lvmevent explain sees it: one scan of all devices, in a child with deadlines, and
 * the memory of the last good boot. Waits for no lock, changes nothing.
 */
#pragma once

#include "cli/target_find.h"
#include "explain/answer.h"

/* Zeroed at first. All owned but world and conf. */
struct lea_examine {
	struct lea_world *world;
	const struct lea_conf *conf;
	uint32_t read_limit_ms; /* in: the longest read of a device; 0: as configured */
	struct lea_reader *reader;
	struct lea_filter *filter;
	struct lea_scan *scan;
	struct lea_target_finder finder; /* has the memory and fstab */
	struct lea_needs *needs;	 /* of the boot */
	struct lea_explainer *explainer;
	/* Of what settings exclude, once somebody asks for a VG that is not known. */
	bool has_looked;
	struct lea_conf open_conf; /* without these settings; borrows from conf */
	struct lea_reader *open_reader;
	struct lea_scan *open_scan;
};

/*
 * lea_examine_begin - scan the machine
 * @options: tell, arg and is_plan; the rest is set here
 * Returns 0 or an exit code (logged). Call lea_examine_done in every case.
 */
LEA_MUST_CHECK int lea_examine_begin(struct lea_examine *examine, struct lea_world *world,
				     const struct lea_conf *conf,
				     const struct lea_explain_options *options);
void lea_examine_done(struct lea_examine *examine);

/*
 * lea_examine_excluded - explain the PVs of a VG that settings exclude, or that gave no answer
 * A setting forbids to use a device, not to read whose it is. The first call reads the labels and
 * metadata of these devices, in a child with deadlines. Returns 0, LEA_EXPLAIN_UNKNOWN (none of
 * them is of this VG) or -errno.
 */
LEA_MUST_CHECK int lea_examine_excluded(struct lea_examine *examine, const char *vg);

/* Explains what a word means, see cli/target.h. Returns 0, LEA_EXPLAIN_UNKNOWN, LEA_EXPLAIN_NO_LV or
 * -errno. */
LEA_MUST_CHECK int lea_examine_target(struct lea_examine *examine, const char *word);
