/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is this text in LVM's syntax, and tame enough for a recursive parser? For text.c only. Pure. */
#ifndef LEA_BASE_TEXT_CHECK_H
#define LEA_BASE_TEXT_CHECK_H

#include "base/text.h"

/*
 * lea_text_check - walk the text once: tokens, their order, depth, numbers
 * @len: without any NUL inside
 * @ret_has_entries: false for a text of blanks and comments, which libdevmapper would refuse
 * Returns 0 or LEA_TEXT_REFUSED with @why. Linear, no memory, no recursion.
 */
LEA_MUST_CHECK int lea_text_check(const char *bytes, size_t len,
				  const struct lea_text_options *options, struct lea_why *why,
				  bool *ret_has_entries);

#endif
