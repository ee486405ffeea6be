/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps an LV that the boot needs from being active. */
#pragma once

#include "conf/conf.h"
#include "scan/scan.h"
#include "world/world.h"

#define LEA_INITRAMFS_WHY_BYTES 320U

struct lea_want;

/* Writes the reason, after a pass. The one that the activation gave comes first. */
void lea_initramfs_why(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_scan *scan, const struct lea_want *want,
		       char ret_why[static LEA_INITRAMFS_WHY_BYTES]);
