/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that were parsed, by checksum, size and VG name, so that the members of one VG are parsed
 * once: in a scan, or in all scans of a process that keeps them (known.h). For lib/flow/scan*.c,
 * probe.c and known.c.
 */
#ifndef LEA_FLOW_SCAN_TEXT_H
#define LEA_FLOW_SCAN_TEXT_H

#include "base/arena.h"
#include "base/err.h"
#include "disk/mda.h"
#include "disk/vg.h"
#include "flow/scan_read.h"

/* The VG of one text in memory: so many times the text's size, and a little for small ones. What
 * lvm2 writes needs less than three times; a text that needs more than this is refused. */
#define LEA_SCAN_VG_TIMES	8U
#define LEA_SCAN_VG_LEAST_BYTES 65536U
#define LEA_SCAN_VG_MAX_BYTES	(LEA_SCAN_VG_LEAST_BYTES + LEA_SCAN_VG_TIMES * LEA_TEXT_MAX_BYTES)

struct lea_scan_text {
	uint32_t crc, total_bytes;
	char vg_name[LEA_READ_NAME_BYTES];
	struct lea_arena *arena; /* owned: holds vg */
	struct lea_vg *vg;	 /* NULL: refused, see why; or not parsed (lea_scan_texts_note) */
	struct lea_why why;
};

struct lea_scan_texts {
	void *root;	 /* a balanced tree */
	uint64_t number; /* the prober's name for them; 0: none yet */
	size_t bytes;	 /* memory of all that were parsed */
	size_t most;	 /* of the largest one */
};

const struct lea_scan_text *lea_scan_texts_find(const struct lea_scan_texts *texts,
						const struct lea_mda_text *where,
						const char *vg_name);
/* Parses @text and remembers the result, refusals too. 0 with the entry (borrowed), or -ENOMEM. */
LEA_MUST_CHECK int lea_scan_texts_parse(struct lea_scan_texts *texts,
					const struct lea_mda_text *where, const char *vg_name,
					const char *text, const struct lea_scan_text **ret_text);
/* Remembers that this text was seen, without parsing. */
LEA_MUST_CHECK int lea_scan_texts_note(struct lea_scan_texts *texts,
				       const struct lea_mda_text *where, const char *vg_name);
/* They are gone, their number, too. */
void lea_scan_texts_done(struct lea_scan_texts *texts);

#endif
