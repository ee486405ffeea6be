/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of lib/scan. */
#pragma once

#include "filter/filter.h"
#include "scan/metadata_cache.h"
#include "scan/read.h"
#include "scan/reader.h"
#include "scan/scan.h"
#include "world/hanging.h"

struct lea_scan {
	struct lea_world *world;     /* borrowed */
	const struct lea_conf *conf; /* borrowed */
	struct lea_filter *filter;   /* borrowed, or own_filter */
	struct lea_filter *own_filter;
	bool out_of_process, measure, no_probe, is_patient;
	struct lea_scan *within; /* borrowed, as is within_of */
	const struct lea_found *within_of;
	struct lea_reader *reader;     /* borrowed; NULL: created for the first device to read */
	struct lea_reader *own_reader; /* owned */
	struct lea_scan_texts *texts;  /* borrowed, or own_texts */
	struct lea_scan_texts own_texts;
	struct lea_found **found; /* owned, as is each element */
	size_t found_count, found_room;
	struct lea_scan_vg *vgs; /* owned; filled by lea_scan_vgs */
	size_t vg_count;
};

/* A device of this scan on its way from the filters that need no data to its result. */
struct lea_read_request {
	struct lea_found *found;
	struct lea_filter_verdict verdict;
	bool was_pv;
	struct lea_hanging_item item; /* is_open: still to be read */
	struct lea_read_extras extras;
};

/* Forgets how the PVs were grouped: more are read. */
void lea_scan_forget_vgs(struct lea_scan *scan);
/* Applies the remaining filters to what was read, then classifies the device. May open
 * request->item again to ask for one more read. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_scan_judge(struct lea_scan *scan, struct lea_read_request *request,
				  const struct lea_read *read, const struct lea_read_texts *texts);
/* Records that @found could not be read, or that it is gone. */
void lea_scan_note_fault(struct lea_scan *scan, struct lea_found *found, int fault);

/* Reads all open requests in a reader child with deadlines, and classifies each as its answer
 * arrives. Blocks until every device answered or timed out. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_reader_read(struct lea_scan *scan, struct lea_read_request *requests,
				   size_t count);
