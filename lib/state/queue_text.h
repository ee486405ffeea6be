/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a queue entry: a line a field, an empty line, then udev's properties as KEY=value
 * lines. Shared by the two halves of the queue; nobody else needs it.
 */
#ifndef LEA_STATE_QUEUE_TEXT_H
#define LEA_STATE_QUEUE_TEXT_H

#include "state/queue.h"

#define LEA_ENTRY_MAGIC	    "lvmevent-entry 1"
#define LEA_ENTRY_MAX_BYTES (32U * 1024)

/* As they are written. */
extern const char *const lea_entry_kind_names[LEA_ENTRY_KINDS];

/* Length, or -E2BIG, -EINVAL (a line end where none may be). */
LEA_MUST_CHECK int lea_entry_emit(const struct lea_entry *entry, char *text, size_t size);

/*
 * lea_entry_parse - text of the file @key to an entry
 * @text: changed. Returns 0 (*ret_entry owns strings), 1: malformed, @why says what; -ENOMEM.
 */
LEA_MUST_CHECK int lea_entry_parse(const char *key, char *text, const char **why,
				   struct lea_entry *ret_entry);

#endif
