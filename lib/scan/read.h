/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the bytes of one device that matter, each once: head, metadata headers, texts. It checks
 * only what it needs to know where to read next. For lib/scan.
 */
#pragma once

#include "base/err.h"
#include "disk/label.h"
#include "disk/mda.h"
#include "filter/filter.h"
#include "world/blkid.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The label, and nearly always the first metadata header. */
#define LEA_READ_HEAD_BYTES LEA_FILTER_HEAD_BYTES
#define LEA_READ_NAME_BYTES 128U

/* Reads of 4 KiB at places spread over the device, for at most a second. */
#define LEA_READ_MEASURED 32U

/* Result of reading one metadata area. */
struct lea_read_mda {
	int outcome; /* from lea_mda_parse; LEA_MDA_CORRUPT: see why */
	struct lea_why why;
	struct lea_mda_text where;
	char vg_name[LEA_READ_NAME_BYTES]; /* leading bytes of the text, as far as they form a name
					    */
	char *text; /* owned; NULL with outcome 0: the text is cached and was not read */
};

struct lea_read {
	int fault; /* -errno: the device could not be read; 0: it was */
	uint64_t size_bytes;
	size_t head_bytes; /* less than the full head only on tiny devices */
	uint8_t head[LEA_READ_HEAD_BYTES];
	bool has_tail;	  /* the end of the device was read */
	bool has_md_tail; /* with has_tail: it contains md metadata */
	/* With a label, if requested: from lea_blkid_type. "": not requested, or libblkid cannot
	 * tell */
	char content[LEA_BLKID_TYPE_BYTES];
	int label_outcome;
	struct lea_why why;	/* with LEA_LABEL_CORRUPT */
	struct lea_label label; /* with label_outcome 0 */
	uint32_t measured;		   /* reads that were measured; 0: not requested */
	uint64_t measured_us, slowest_us; /* all of them together; the slowest */
	unsigned int mda_count;
	struct lea_read_mda mda[LEA_PV_MDAS];
};

/* Is this text cached, so that it need not be read? */
struct lea_read_cached {
	bool (*is_known)(void *arg, const struct lea_mda_text *where, const char *vg_name);
	void *arg;
};

/* Does the label say that the PV belongs to no VG? Its metadata areas are then not read. */
bool lea_read_is_orphan(const struct lea_read *read);
/* What to read of a PV in addition. */
struct lea_read_extras {
	bool tail;    /* the end of the device, if the PV is in use */
	bool content; /* libblkid's name for the content */
	bool measure; /* the time of LEA_READ_MEASURED reads, if it is a PV */
};
/*
 * lea_read_device - read size, head and label of a device, and the metadata of a PV in use
 * @cached: says which texts need not be read; borrowed
 * @read: zeroed by the caller; freed by lea_read_done. Faults are in read->fault, also if the
 * device could not be opened.
 * Blocks for as long as the device does; does not log.
 */
void lea_read_device(struct lea_world *world, const struct lea_device *device,
		     const struct lea_read_cached *cached, const struct lea_read_extras *extras,
		     struct lea_read *read);
/* Frees the texts in @read. */
void lea_read_done(struct lea_read *read);
