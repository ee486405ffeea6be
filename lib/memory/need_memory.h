/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What the boot needs, seen through what is remembered of the last boot. Pure. */
#pragma once

#include "base/err.h"
#include "memory/boot_memory.h"
#include "memory/need.h"

#include <stdbool.h>

/*
 * lea_need_remembered - find the LVs of needed file systems, and mark the needed VGs
 * @needs:  gets a word "vg/lv" for each need by UUID or label that an LV of @memory had
 * @memory: gets is_needed in each VG that a need names; a need of a tag: each that was tagged
 * Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_need_remembered(struct lea_needs *needs, struct lea_boot_memory *memory);

/* Does @need of kind WORD name this VG, or an LV in it? */
bool lea_need_names_vg(const struct lea_need *need, const char *vg_name);

/* Is it the file system or the label of an LV of @memory? */
bool lea_need_is_remembered(const struct lea_need *need, const struct lea_boot_memory *memory);
