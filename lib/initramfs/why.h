/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps an LV that the boot needs from being active. */
#pragma once

#include "conf/conf.h"
#include "scan/scan.h"
#include "world/world.h"

#define LEA_INITRAMFS_WHY_BYTES 320U

/* The LV, as a pass leaves it; all borrowed. */
struct lea_initramfs_lv {
	const struct lea_scan *scan;
	const struct lea_scan_vg *scanned; /* its VG; NULL: not seen */
	const struct lea_lv *found;	   /* in that VG; NULL: none */
	bool is_vg;			   /* all LVs of the VG are meant; found is NULL */
	int outcome;			   /* of the activation of that VG; -errno: a fault */
	const char *why;		   /* the reason that the activation gave; "": none */
};

/* Writes the reason. The one that the activation gave comes first. */
void lea_initramfs_why(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_initramfs_lv *lv,
		       char ret_why[static LEA_INITRAMFS_WHY_BYTES]);
