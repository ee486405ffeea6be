/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a scan share: scan.c, scan_found.c, scan_group.c, probe.c. */
#ifndef LEA_FLOW_SCAN_PARTS_H
#define LEA_FLOW_SCAN_PARTS_H

#include "flow/filter.h"
#include "flow/prober.h"
#include "flow/scan.h"
#include "flow/scan_read.h"
#include "flow/scan_text.h"

struct lea_scan {
	struct lea_world *world;     /* borrowed */
	const struct lea_conf *conf; /* borrowed */
	struct lea_filter *filter;   /* borrowed, or own_filter */
	struct lea_filter *own_filter;
	bool out_of_process;
	struct lea_prober *prober;     /* borrowed; NULL: made with the first device to be read */
	struct lea_prober *own_prober; /* owned */
	struct lea_scan_texts *texts;  /* borrowed, or own_texts */
	struct lea_scan_texts own_texts;
	struct lea_found **found; /* owned, and each of them */
	size_t found_count, found_room;
	struct lea_scan_vg *vgs; /* owned; made by lea_scan_vgs */
	size_t vg_count;
};

/* A device of this scan that passed the filters that need no data, on its way. */
struct lea_scan_job {
	struct lea_found *found;
	struct lea_filter_verdict verdict;
	bool is_open;	      /* still to be read */
	bool wants_tail;      /* its end, too */
	uint32_t deaths;      /* children that died with it in hand */
	uint32_t deadline_ms; /* how long it may take, from when it is taken up */
};

/* What was read of it: the last filters, then what it is. */
LEA_MUST_CHECK int lea_scan_judge(struct lea_scan *scan, struct lea_scan_job *job,
				  struct lea_read *read);
/* Could not be read. */
void lea_scan_judge_fault(struct lea_scan *scan, struct lea_found *found, int fault);

/* Reads all open jobs in a child with deadlines; judges each as its answer comes. */
LEA_MUST_CHECK int lea_probe_jobs(struct lea_scan *scan, struct lea_scan_job *jobs, size_t count);

/* For lea_read_known: has this scan (or the one it was forked from) the text? @arg: texts. */
bool lea_scan_text_is_known(void *arg, const struct lea_mda_text *where, const char *vg_name);

#endif
