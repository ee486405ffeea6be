/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activates what the root file system needs, and no more, in an initramfs. There udev's rule starts
 * no process: it tags PVs, and a boot script calls this until the root device is there.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

struct lea_initramfs_options {
	const char *root;      /* as root= gives it; NULL: none */
	const char *resume;    /* as resume= gives it; NULL: none */
	const char *needs;     /* path of the needs file (memory/image_needs.h); NULL: none */
	const char *const *lv; /* named LVs, "VG/LV" or as root= names one; borrowed */
	const char *const *vg; /* VGs whose LVs are wanted; borrowed */
	size_t lv_count, vg_count;
	bool all_needs;	       /* each LV of the needs file is wanted */
	bool is_explicit;      /* -ay: what keeps a wanted LV from autoactivation does not count */
	uint32_t pass, passes; /* as of lea_root_step */
};

enum lea_initramfs_outcome {
	LEA_INITRAMFS_NOT_YET = 1, /* some wanted LV is not active; logged if anything is new */
	LEA_INITRAMFS_LVM,	   /* only the real lvm can activate it, or we failed; logged */
};

/*
 * lea_initramfs - one pass
 * Reads the devices that udev has tagged "lvmevent" and activates the wanted LVs. If nothing has
 * changed since the last pass, it reads one folder and one file and returns the same as then.
 * Writes nothing to /run/lvm; locks apart. Logs; blocks until devices answer or time out, and until
 * udev is done with the LVs. Returns 0 (all wanted LVs are active, or none is wanted), an outcome,
 * or -errno.
 */
LEA_MUST_CHECK int lea_initramfs(struct lea_world *world, const struct lea_conf *conf,
				 const struct lea_initramfs_options *options);
