/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains why a VG, an LV or a device is not as it should be now, or what a boot would do with it:
 * from one scan, sysfs and the run files.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "cli/target.h"
#include "explain/cause.h"
#include "filter/filter.h"
#include "memory/boot_memory.h"
#include "memory/need.h"
#include "scan/scan.h"

#include <time.h>

/* One answer, borrowed during the call. */
struct lea_answer {
	const char *type; /* "vg", "lv", "pv" or "mount" */
	/* "data", "data/home", "/dev/sdb", the PVID of an absent PV, or a mount point */
	const char *name;
	const char *uuid;		 /* with hyphens; "": unknown */
	const char *vg;			 /* of an LV or a PV; "": none, or unknown */
	const char *state;		 /* a word of lvmevent-explain(8) */
	const struct lea_reason *reason; /* NULL: it is as it should be */
	bool is_told;			 /* set by lea_subject_tell */
	bool is_beside;			 /* not asked for by itself, as a PV of the VG that was */
	/* Of a plan: whose it is, bits of enum lea_answer_mark, and when the boot activates it. */
	uint32_t marks;
	enum lea_need_class when;
	const struct lea_scan_vg *scanned; /* a VG of a plan, with its devices; else NULL */
};

enum lea_answer_mark {
	LEA_MARK_GUEST = 1,   /* a PV lies on an LV or in an image, as those of guests do */
	LEA_MARK_CLUSTER = 2, /* clustered, shared, or guarded by a persistent reservation */
	LEA_MARK_HOST = 4,    /* another host's, or exported */
};

struct lea_explain_options {
	enum lea_charge charge;
	const struct lea_boot_memory *memory; /* of the last good boot; borrowed; NULL: none */
	struct lea_scan *scan;		      /* of the whole machine; borrowed */
	const struct lea_filter *filter;      /* of that scan; borrowed */
	void (*tell)(void *arg, const struct lea_answer *answer);
	void *arg;
	/* For lea_explainer_plan: neither run files nor what is active count. */
	bool is_plan;
	struct lea_targets *targets;   /* of the plan; NULL or none: everything; borrowed */
	const struct lea_needs *needs; /* of the boot; borrowed */
};

enum lea_explain_outcome {
	LEA_EXPLAIN_UNKNOWN = 1, /* no VG, LV or PV has this name */
	LEA_EXPLAIN_NO_LV,	 /* the VG is there, and has no such LV */
};

struct lea_explainer;
/* Gathers what all answers need. Reads no disk, takes no lock, logs nothing. 0 or -errno. */
LEA_MUST_CHECK int lea_explainer_new(struct lea_world *world, const struct lea_conf *conf,
				     const struct lea_explain_options *options,
				     struct lea_explainer **ret_explainer);
void lea_explainer_free(struct lea_explainer *explainer);
LEA_DEFINE_FREEP(struct lea_explainer, lea_explainer_freep, lea_explainer_free);

/* Each calls options->tell for each answer, and returns 0, an outcome or -ENOMEM. */
/* Everything that is not as it should be, but for what an administrator has configured so and the
 * boot does not need. */
LEA_MUST_CHECK int lea_explainer_tell_all(struct lea_explainer *explainer);
/* What a word means: a VG, its LVs that are not as they should be, and its PVs; an LV, behind its
 * VG; a PV; a device. */
LEA_MUST_CHECK int lea_explainer_tell(struct lea_explainer *explainer,
				      const struct lea_meaning *meaning);
/* PVs that an administrator has excluded, and that no answer has told yet. */
void lea_explainer_tell_excluded(struct lea_explainer *explainer);
/* What another scan has found behind the settings that exclude a device of this one: whose PV it
 * is. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_explainer_learn(struct lea_explainer *explainer,
				       const struct lea_found *behind);
/* PVs of this VG that an administrator has excluded, or that gave no answer. Returns 0 or LEA_EXPLAIN_UNKNOWN. */
LEA_MUST_CHECK int lea_explainer_tell_excluded_of(struct lea_explainer *explainer, const char *vg);
/* Has the scan found a VG of this name, or has the memory one? */
bool lea_explainer_knows_vg(const struct lea_explainer *explainer, const char *vg);
/* Is this LV active? */
bool lea_explainer_is_active(const struct lea_explainer *explainer, const char *vg, const char *lv);
/*
 * lea_explainer_plan - what a boot would do: every VG, visible LV, and PV that is not used; or those
 * that are meant, a PV with its VG
 * @when: only VGs of this class; PVs, and VGs that are missing, come with LEA_CLASS_LAST
 * States are "activated", "handed to lvm" and "left alone", or those of PVs and of missing VGs. For
 * an explainer with is_plan. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_explainer_plan(struct lea_explainer *explainer, enum lea_need_class when);
