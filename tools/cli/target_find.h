/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up what a target means on this machine: the device of a path, what fstab mounts at a mount
 * point, and, for a file system that is not there, the LV that had it in the last good boot. Reads
 * no disk, waits for nothing.
 */
#pragma once

#include "cli/target.h"
#include "conf/conf.h"
#include "memory/boot_memory.h"
#include "scan/scan.h"
#include "world/world.h"

/* Zeroed but for world. To be released by lea_target_finder_done. */
struct lea_target_finder {
	struct lea_world *world; /* borrowed */
	/* The rest is read when first needed. */
	struct lea_arena *arena; /* of the memory */
	struct lea_boot_memory memory;
	bool has_memory;
	char *fstab;
	int fstab_fault; /* of its reading */
	bool has_fstab;	 /* it was read, or tried */
};

void lea_target_finder_done(struct lea_target_finder *finder);

/* The memory of the last good boot; NULL: none, and less is said. Borrowed. */
struct lea_boot_memory *lea_target_memory(struct lea_target_finder *finder);
/*
 * lea_target_fstab - the text of fstab, read once
 * NULL: there is none, or it cannot be read: then a warning says so, once, and nothing follows from
 * a line that is not there. Borrowed.
 */
const char *lea_target_fstab(struct lea_target_finder *finder);

/* One word: a word that means nothing here has no meanings. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_target_find(struct lea_target_finder *finder, const char *word,
				   struct lea_target *ret_target);
/* Says of the first word that means nothing on this machine, and which devices gave no answer: it may
 * be there. False: all are met. @scan: of the machine */
bool lea_targets_tell_unmet(struct lea_world *world, const struct lea_targets *targets,
			    const struct lea_scan *scan);

/* All words. 0, or -errno with none. */
LEA_MUST_CHECK int lea_targets_find(struct lea_target_finder *finder, const struct lea_list *words,
				    struct lea_targets *ret_targets);
