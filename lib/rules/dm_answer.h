/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * The answers that lvm2's udev rules expect from dmsetup for each event of an LV: the flags in a
 * cookie, and the parts of a dm name. Pure. The words are those of dmsetup, because rules of other
 * packages read the resulting properties.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

#define LEA_DM_ANSWER_BYTES 1024U /* enough for any answer */

/* The flags in the upper 16 bits of @cookie, one line each: NAME='1'. "" without flags. */
void lea_dm_answer_flags(uint32_t cookie, char answer[static LEA_DM_ANSWER_BYTES]);

/*
 * lea_dm_answer_split - DM_VG_NAME, DM_LV_NAME and DM_LV_LAYER of a dm name
 * @name: at most 127 characters, none that libdevmapper would escape
 * Returns 0, or -EINVAL for other names: then the caller runs the real dmsetup.
 */
LEA_MUST_CHECK int lea_dm_answer_split(const char *name, char answer[static LEA_DM_ANSWER_BYTES]);
