/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Replaces dmsetup in the machine's device-mapper rules by a smaller program. All else stays, so
 * that changes by a distribution or a version remain in effect. Pure.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

#define LEA_DM_CALL_BYTES 120 /* more than any known call has */
/* Where distributions install dmsetup. Some have one folder for all programs. */
#define LEA_DMSETUP_PLACES "/usr/sbin/dmsetup", "/sbin/dmsetup", "/usr/bin/dmsetup", "/bin/dmsetup"

/* A call of dmsetup that has none of the known forms. */
struct lea_dm_call {
	unsigned int line;	      /* from 1 */
	char text[LEA_DM_CALL_BYTES]; /* cut off there; without control characters */
};

enum lea_dm_rules_outcome {
	LEA_DM_RULES_UNKNOWN = 1, /* a call has none of the known forms */
};

/*
 * lea_dm_rules_check - has every call of dmsetup in a rules file one of the known forms?
 * @rules: the text, NUL-terminated
 * @ret_call: set for LEA_DM_RULES_UNKNOWN only: the first such call
 * A known form is a whole value of a rule. Everything else outside of comments that mentions
 * dmsetup is unknown. Returns 0 or an outcome. Source: the rules of Debian 11, 12, 13 and sid.
 */
LEA_MUST_CHECK int lea_dm_rules_check(const char *rules, struct lea_dm_call *ret_call);

/*
 * lea_dm_rules_rewrite - a rules file that calls @program, or dmsetup as before if there is no such
 * program at the event
 * @rules: the text, NUL-terminated
 * @header: whole lines to put in front of it
 * @program: absolute path; replaces an absolute path that ends in "/dmsetup" at the start of a
 *           value, if udevflags, splitname or udevcomplete follows
 * @ret_text: owned by the caller (free)
 * @ret_count: number of replacements; with 0 the text is of no use
 * Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_dm_rules_rewrite(const char *rules, const char *header, const char *program,
					char **ret_text, unsigned int *ret_count);
