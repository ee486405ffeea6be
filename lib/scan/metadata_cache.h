/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsed metadata texts, found by checksum, size and VG name, so that the text that all PVs of a VG
 * share is parsed once: in one scan, or in all scans of a process that keeps a pass cache
 * (batch/pass_cache.h).
 *
 * Who writes a disk can give another text the same three. So a text counts only for the PVs that it
 * lists, and another PV with these three has a text of its own beside it.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "disk/mda.h"
#include "disk/vg.h"
#include "scan/read.h"

/* Bound on the memory of a VG: a multiple of the size of its text, plus a little for small
 * texts. What lvm2 writes needs less than three times its size; a text that exceeds the bound is
 * refused. */
#define LEA_SCAN_VG_TIMES	8U
#define LEA_SCAN_VG_LEAST_BYTES 65536U
#define LEA_SCAN_VG_MAX_BYTES	(LEA_SCAN_VG_LEAST_BYTES + LEA_SCAN_VG_TIMES * LEA_TEXT_MAX_BYTES)

struct lea_scan_text {
	uint32_t crc, total_bytes;
	char vg_name[LEA_READ_NAME_BYTES];
	char pvid[LEA_PVID_CHARS + 1]; /* whose text it is; "": of all that it lists */
	struct lea_arena *arena;       /* owned; holds vg */
	struct lea_vg *vg; /* NULL: refused, see why; or not parsed (lea_scan_texts_note) */
	struct lea_why why;
};

struct lea_scan_texts {
	void *root;	 /* a balanced tree */
	uint64_t number; /* by which reader and child identify this set; 0: none yet */
	size_t bytes;	 /* memory of all parsed VGs */
	size_t most;	 /* memory of the largest of them */
};

/* The entry of this text of the PV @pvid, borrowed until lea_scan_texts_done; NULL: not seen yet. A
 * text that was refused lists nothing, and counts for all. */
const struct lea_scan_text *lea_scan_texts_find(const struct lea_scan_texts *texts,
						const struct lea_mda_text *where,
						const char *vg_name, const char *pvid);
/* Parses @text, which was read on the PV @pvid, and remembers the result, even a refusal. Returns 0
 * with the entry (borrowed until lea_scan_texts_done), or -ENOMEM. */
LEA_MUST_CHECK int lea_scan_texts_parse(struct lea_scan_texts *texts,
					const struct lea_mda_text *where, const char *vg_name,
					const char *pvid, const char *text,
					const struct lea_scan_text **ret_text);
/* Remembers that this text was seen, without parsing it. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_scan_texts_note(struct lea_scan_texts *texts,
				       const struct lea_mda_text *where, const char *vg_name);
/* For lea_read_cached: is the text, of whatever PV, in @arg, a struct lea_scan_texts? */
bool lea_scan_text_is_cached(void *arg, const struct lea_mda_text *where, const char *vg_name);
/* Frees all entries and resets the number; @texts is empty and may be used again. */
void lea_scan_texts_done(struct lea_scan_texts *texts);
