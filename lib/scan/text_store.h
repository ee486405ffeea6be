/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metadata texts with their VGs, found by checksum and size, and kept in /run between commands, so
 * that a text is read from a disk once. What is kept is believed only after its checksum and a parse,
 * as if it came from a disk.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "disk/mda.h"
#include "disk/vg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_TEXT_STORE_FILE	 "inventory" /* below /run/lvm/event */
#define LEA_TEXT_STORE_MAX_BYTES (32U * 1024U * 1024U)

struct lea_stored_text {
	uint32_t crc, total_bytes;
	char *text;		 /* owned; total_bytes */
	struct lea_arena *arena; /* owned; holds vg */
	struct lea_vg *vg;	 /* NULL: refused, see why */
	struct lea_why why;
	bool is_used;		      /* set by the user of the store: to be kept */
	struct lea_stored_text *next; /* of the same checksum and size */
};

struct lea_text_store {
	void *root; /* a balanced tree */
	struct lea_stored_text **item;
	size_t count, room;
	size_t loaded; /* from the file */
};

/* The text of this checksum and size whose VG lists the PV. NULL: none. Borrowed. */
struct lea_stored_text *lea_text_store_find(const struct lea_text_store *store, uint32_t crc,
					    uint32_t total_bytes, const char *pvid);
/* The text itself; with @text NULL any of this checksum and size. */
struct lea_stored_text *lea_text_store_find_text(const struct lea_text_store *store, uint32_t crc,
						 uint32_t total_bytes, const char *text);
/* Copies and parses a text whose checksum is right, unless the store has it. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_text_store_add(struct lea_text_store *store, uint32_t crc,
				      const char *text, uint32_t total_bytes);

/* Adds the texts of a file's content; stops at the first one that is damaged. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_text_store_parse(struct lea_text_store *store, const char *bytes,
					size_t len);
/* The same from /run. @event_fd: /run/lvm/event. 0 (also without a file) or -errno. */
LEA_MUST_CHECK int lea_text_store_load(struct lea_text_store *store, int event_fd);
/* Keeps the used texts, as far as the limit allows, if that changes anything. 0 or -errno. */
LEA_MUST_CHECK int lea_text_store_save(const struct lea_text_store *store, int event_fd);
void lea_text_store_done(struct lea_text_store *store);
