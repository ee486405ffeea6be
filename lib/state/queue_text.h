/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a queue entry: one field per line, an empty line, then udev's properties as KEY=value
 * lines. Only for lib/state/queue*.c.
 */
#pragma once

#include "state/queue.h"

#define LEA_ENTRY_MAGIC	    "lvmevent-entry 1"
#define LEA_ENTRY_MAX_BYTES (32U * 1024)

/* The words for the kinds in the text. */
extern const char *const lea_entry_kind_names[LEA_ENTRY_KINDS];

/* Returns the length, -E2BIG, or -EINVAL (a line break inside a field). */
LEA_MUST_CHECK int lea_entry_emit(const struct lea_entry *entry, char *text, size_t size);

/*
 * lea_entry_parse - text of the file @key to an entry
 * @text: modified
 * Returns 0 (*ret_entry owns its strings), 1 (malformed; *why says what) or -ENOMEM.
 */
LEA_MUST_CHECK int lea_entry_parse(const char *key, char *text, const char **why,
				   struct lea_entry *ret_entry);
