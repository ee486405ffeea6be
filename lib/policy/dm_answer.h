/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvm2's udev rules ask dmsetup for at each event of an LV, as texts: the flags in a cookie
 * and the parts of an LV's dm name. Pure. The words are those that dmsetup prints, because rules of
 * other packages read the properties made of them.
 */
#ifndef LEA_POLICY_DM_ANSWER_H
#define LEA_POLICY_DM_ANSWER_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define LEA_DM_ANSWER_BYTES 1024U /* enough for any answer */

/* The flags in the upper 16 bits of @cookie, one line each: NAME='1'. "" with none. */
void lea_dm_answer_flags(uint32_t cookie, char answer[static LEA_DM_ANSWER_BYTES]);

/*
 * lea_dm_answer_split - DM_VG_NAME, DM_LV_NAME and DM_LV_LAYER of a dm name
 * @name: at most 127 characters, nothing in it that libdevmapper would have escaped: else -EINVAL,
 *        and the real dmsetup must be asked
 */
LEA_MUST_CHECK int lea_dm_answer_split(const char *name, char answer[static LEA_DM_ANSWER_BYTES]);

#endif
