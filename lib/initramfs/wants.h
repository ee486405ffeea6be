/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pass in the initramfs is to activate, as far as it is known before a disk is read. */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "initramfs/pass.h"
#include "initramfs/why.h"
#include "memory/image_needs.h"
#include "memory/need.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* More of them cannot be told apart: all VGs are wanted then. */
#define LEA_WANTS_MOST 256U

/* An LV that the boot needs. */
struct lea_want {
	/* Of kind IDS: the ids say which it is, the names may be unknown. Of kind LV: the names do;
	 * vg_id, if it is known, tells VGs of one name apart; without lv all LVs of the VG. */
	struct lea_spec lv;
	char item[260];			   /* "VG" or "VG/LV", once it is found */
	const struct lea_scan_vg *scanned; /* its VG; NULL: not seen */
	const struct lea_lv *found;	   /* in that VG; NULL: none */
	int outcome;			   /* of the activation of that VG; -errno: a fault */
	char why[LEA_INITRAMFS_WHY_BYTES]; /* what the activation gave as its reason; "": none */
	bool is_held;			   /* its VG may be half on a copy */
	bool is_active;
};

struct lea_wants {
	char *needs;		 /* owned: the needs file; "": no such file */
	struct lea_needs *words; /* owned: of the command line and lvmevent.conf */
	struct lea_want *want;	 /* owned: [LEA_WANTS_MOST] */
	size_t count;
	const char *doubt; /* what root= or resume= names, if nobody knows which LV; NULL: none */
	bool all;	   /* all VGs are wanted now */
	bool has_tags;	   /* words has "@tag" */
	bool may_widen;	   /* they may be later */
	enum lea_root_step step;
};

/*
 * lea_wants_list - by the options, the needs file, the image's crypttab, the kernel's command line
 * and event/needed of lvmevent.conf A device that is in doubt wants what the image was built for,
 * and from a third of the wait on all VGs. Logs. Returns 0 with wants to release by lea_wants_done,
 * also on -ENOMEM.
 */
LEA_MUST_CHECK int lea_wants_list(struct lea_world *world, const struct lea_conf *conf,
				  const struct lea_initramfs_options *options,
				  struct lea_wants *wants);
void lea_wants_done(struct lea_wants *wants);

/* Looks for each of them in these VGs, and for what has a wanted tag. */
void lea_wants_find(struct lea_world *world, const struct lea_conf *conf, struct lea_wants *wants,
		    const struct lea_scan_vg *vgs, size_t count);

static inline bool lea_want_is_vg(const struct lea_want *want)
{
	return want->lv.kind == LEA_SPEC_LV && !want->lv.lv[0];
}

static inline bool lea_want_is_there(const struct lea_want *want)
{
	return want->found || (lea_want_is_vg(want) && want->scanned);
}
