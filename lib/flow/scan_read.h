/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of one device that matter, read once: head, metadata headers, texts. Nothing is
 * judged here beyond what is needed to know where to read next. For lib/flow/scan*.c and probe.c.
 */
#ifndef LEA_FLOW_SCAN_READ_H
#define LEA_FLOW_SCAN_READ_H

#include "base/err.h"
#include "disk/label.h"
#include "disk/mda.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_READ_HEAD_BYTES 8192U /* label, and nearly always the first metadata header */
#define LEA_READ_NAME_BYTES 128U

/* What one metadata area gave. */
struct lea_read_mda {
	int outcome; /* of lea_mda_parse; LEA_MDA_CORRUPT: see why */
	struct lea_why why;
	struct lea_mda_text where;
	char vg_name[LEA_READ_NAME_BYTES]; /* first bytes of the text, as far as they are a name */
	char *text;			   /* owned; NULL with outcome 0: known already, not read */
};

struct lea_read {
	int fault; /* -errno: the device could not be read */
	uint64_t size_bytes;
	size_t head_bytes; /* less than the full head on tiny devices only */
	uint8_t head[LEA_READ_HEAD_BYTES];
	bool has_tail;	  /* the device's end was read ... */
	bool has_md_tail; /* ... and there is md metadata in it */
	int label_outcome;
	struct lea_why why;	/* with LEA_LABEL_CORRUPT */
	struct lea_label label; /* with label_outcome 0 */
	unsigned int mda_count;
	struct lea_read_mda mda[LEA_PV_MDAS];
};

/* Has this text been seen: is there no need to read it? */
struct lea_read_known {
	bool (*is_known)(void *arg, const struct lea_mda_text *where, const char *vg_name);
	void *arg;
};

/* Size, head and label; the fault is in @read. */
void lea_read_head(int fd, struct lea_read *read);
/* md metadata at the end of a PV; the fault is in @read. */
void lea_read_tail(int fd, struct lea_read *read);
/* Metadata of a PV in use. A text with a wrong checksum is read once more, header and all, since it
 * may have been rewritten between the two reads. */
void lea_read_mdas(int fd, const struct lea_read_known *known, struct lea_read *read);
/* Does the label say that no VG has this PV? Then its areas are not looked at. */
bool lea_read_is_orphan(const struct lea_read *read);
/* All of the above, as far as it goes. @wants_tail: of a PV in use the device's end, too. */
void lea_read_device(int fd, const struct lea_read_known *known, bool wants_tail,
		     struct lea_read *read);
/* Frees texts. */
void lea_read_done(struct lea_read *read);

#endif
