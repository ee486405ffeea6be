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
#define LEA_READ_WHY_BYTES  64U

/* Reads of 4 KiB at places spread over the device, for at most a second. */
#define LEA_READ_MEASURED 32U

/* A struct lea_why whose text is a copy. */
struct lea_read_why {
	char what[LEA_READ_WHY_BYTES];
	uint64_t at;
};

/* Result of reading one metadata area. */
struct lea_read_mda {
	int outcome; /* from lea_mda_parse; LEA_MDA_CORRUPT: see why */
	struct lea_read_why why;
	struct lea_mda_text where;
	char vg_name[LEA_READ_NAME_BYTES]; /* leading bytes of the text, as far as they form a name
					    */
	bool has_text; /* it is in struct lea_read_texts; false with outcome 0: it is cached and
			  was not read */
};

/* Plain bytes, which the reader child sends as they are: no pointers (scripts/check-frames). */
struct lea_read {
	int fault; /* -errno: the device could not be read; 0: it was */
	uint64_t size_bytes;
	struct lea_head_signs signs;
	bool has_tail;	  /* the end of the device was read */
	bool has_md_tail; /* with has_tail: it contains md metadata */
	/* With a label, if requested: from lea_blkid_type. "": not requested, or libblkid cannot
	 * tell */
	char content[LEA_BLKID_TYPE_BYTES];
	int label_outcome;
	struct lea_read_why why;	  /* with LEA_LABEL_CORRUPT */
	struct lea_label label;		  /* with label_outcome 0 */
	uint32_t measured;		  /* reads that were measured; 0: not requested */
	uint64_t measured_us, slowest_us; /* all of them together; the slowest */
	unsigned int mda_count;
	struct lea_read_mda mda[LEA_PV_MDAS];
};

/* The texts of the metadata areas; owned; NULL: none was read. */
struct lea_read_texts {
	char *of_mda[LEA_PV_MDAS];
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
	bool tail;	/* the end of the device, if the PV is in use */
	bool content;	/* libblkid's name for the content */
	bool measure;	/* the time of LEA_READ_MEASURED reads, if it is a PV */
	bool own_texts; /* its texts, even if such texts are cached */
};
/*
 * lea_read_device - read size, head and label of a device, and the metadata of a PV in use
 * @cached: says which texts need not be read; borrowed
 * @read, @texts: zeroed by the caller; the texts are freed by lea_read_texts_done. Faults are in
 * read->fault, also if the device could not be opened.
 * Blocks for as long as the device does; does not log.
 */
void lea_read_device(struct lea_world *world, const struct lea_device *device,
		     const struct lea_read_cached *cached, const struct lea_read_extras *extras,
		     struct lea_read *read, struct lea_read_texts *texts);
void lea_read_texts_done(struct lea_read_texts *texts);

/*
 * lea_read_is_sound - may these bytes be what lea_read_device made?
 * All that uses a struct lea_read relies on it: sizes are within their bounds, texts end and are
 * printable, ids are ids. A reader child has decoded what a hostile disk may hold, so it is trusted
 * no more than the disk.
 */
bool lea_read_is_sound(const struct lea_read *read);
