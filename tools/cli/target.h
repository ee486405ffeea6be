/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What people name to explain, plan, wait, inventory and doctor: the one grammar of all of them.
 * A word may have several meanings: 32 letters are an id or a name, and a file system may be on
 * several devices. Pure; what has to be looked up is found by cli/target_find.h.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"
#include "disk/vg.h"

#include <stdbool.h>
#include <stdint.h>

enum lea_target_kind {
	LEA_TARGET_VG,	   /* data */
	LEA_TARGET_LV,	   /* data/home, /dev/data/home, /dev/mapper/data-home */
	LEA_TARGET_TAG,	   /* @tag, of VGs and LVs */
	LEA_TARGET_ID,	   /* the UUID of a VG, an LV or a PV, with hyphens or without */
	LEA_TARGET_DEVICE, /* a device that is there */
};

#define LEA_TARGET_PATH_BYTES 512U

struct lea_meaning {
	enum lea_target_kind kind;
	char vg[128], lv[128];		  /* VG and LV */
	char id[33];			  /* ID; DEVICE: the VG of the LV that it is; else "" */
	char lv_id[33];			  /* DEVICE: if it is an LV; else "" */
	const char *tag;		  /* TAG, without the @; borrowed from the word */
	struct lea_devno number;	  /* DEVICE */
	char path[LEA_TARGET_PATH_BYTES]; /* DEVICE */
};

#define LEA_TARGET_MEANINGS 6U

struct lea_target {
	const char *word; /* borrowed */
	struct lea_meaning meaning[LEA_TARGET_MEANINGS]; /* the likeliest first */
	uint32_t count;
	bool is_met; /* something that it means was asked for by lea_targets_have_... */
};

enum lea_target_outcome {
	LEA_TARGET_SOURCE = 1, /* a path, or a file system as in fstab: it has to be looked up */
	LEA_TARGET_BAD,	       /* none of all these */
};

/* What the text alone says. Returns 0 or an outcome. A path may already have a meaning. */
LEA_MUST_CHECK int lea_target_parse(const char *word, struct lea_target *ret_target);

/* Does it mean the whole VG; this LV by itself; this PV? */
bool lea_meaning_is_vg(const struct lea_meaning *meaning, const struct lea_vg *vg);
bool lea_meaning_is_lv(const struct lea_meaning *meaning, const struct lea_vg *vg, uint32_t lv);
bool lea_meaning_is_pv(const struct lea_meaning *meaning, const char *pvid,
		       struct lea_devno number, const char *path);

/* All words of a command. None, or NULL: everything is meant. */
struct lea_targets {
	struct lea_target *target; /* [count]; owned */
	uint32_t count;
};

void lea_targets_done(struct lea_targets *targets);
/* Is it meant? Each target that means it is met. @name: a VG of which nothing else is known. */
bool lea_targets_have_name(struct lea_targets *targets, const char *name);
bool lea_targets_have_vg(struct lea_targets *targets, const struct lea_vg *vg);
bool lea_targets_have_lv(struct lea_targets *targets, const struct lea_vg *vg, uint32_t lv);
bool lea_targets_have_pv(struct lea_targets *targets, const char *pvid, struct lea_devno number,
			 const char *path);
/* The first word of which nothing was met; NULL: none. */
const char *lea_targets_unmet(const struct lea_targets *targets);
