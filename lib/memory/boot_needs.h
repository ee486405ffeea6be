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
