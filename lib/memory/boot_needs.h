/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this boot needs, and what the last boot knew of it. */
#pragma once

#include "memory/boot_memory.h"
#include "memory/needs_read.h"

/*
 * lea_boot_needs_read - the needs of this boot, those by UUID or label included
 * As lea_needs_read; in addition, a need of a file system gets the word "vg/lv" of the LV that had
 * it at the last boot. Reads the memory of boots only if there is such a need. Returns 0 with needs
 * (lea_needs_free) or -ENOMEM.
 */
LEA_MUST_CHECK int lea_boot_needs_read(struct lea_world *world, const struct lea_conf *conf,
				       struct lea_needs **ret_needs);

#define LEA_LAST_SEEN_BYTES (LEA_BOOT_MEMORY_VALUE_BYTES + 40U)
/*
 * lea_boot_last_seen - what carried this PV at the last boot
 * @pvid: 32 characters, without hyphens
 * @text: "disk naa.6001405ab": its kind, and the best id that is remembered; "": nothing is
 * Reads the memory of boots.
 */
void lea_boot_last_seen(struct lea_world *world, const char *pvid,
			char text[static LEA_LAST_SEEN_BYTES]);
