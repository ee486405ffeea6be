/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device-mapper rules of the machine with dmsetup's place taken by a smaller program. Nothing
 * else in them is touched, so that what a distribution or a version does stays as it is. Pure.
 */
#ifndef LEA_POLICY_DM_RULES_H
#define LEA_POLICY_DM_RULES_H

#include "base/err.h"

#include <stddef.h>

/*
 * lea_dm_rules_rewrite - a rules file that calls @program
 * @rules:     the text, NUL-terminated
 * @header:    goes ahead of it: whole lines
 * @program:   absolute path; takes the place of an absolute path that ends in "/dmsetup" wherever a
 *             value begins with it and goes on with udevflags, splitname or udevcomplete
 * @ret_text:  owned by the caller (free)
 * @ret_count: places changed; with 0 there is nothing to gain from the text
 * Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_dm_rules_rewrite(const char *rules, const char *header, const char *program,
					char **ret_text, unsigned int *ret_count);

#endif
