/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG on its way to a worker: what activation must know of it before the lock, copied out of the
 * scan that found it, in the form in which it travels.
 */
#ifndef LEA_FLOW_JOB_H
#define LEA_FLOW_JOB_H

#include "base/err.h"
#include "base/wire.h"
#include "flow/scan.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_worker_result;

/* Why a VG is not done when nobody waits for it any more. */
enum lea_left_why {
	LEA_LEFT_OTHER,	 /* not known */
	LEA_LEFT_DISK,	 /* a disk does not answer */
	LEA_LEFT_LOCK,	 /* another command has the VG's lock */
	LEA_LEFT_UDEV,	 /* udev does not finish with its LVs, or with others of the same worker */
	LEA_LEFT_LVM,	 /* the real lvm has it */
	LEA_LEFT_BESIDE, /* its LVs are set up; the same worker hangs with another VG */
};

struct lea_job {
	struct lea_job *next; /* for the lists of whoever owns the job; NULL after lea_job_new */
	char vg_name[128], vg_id[LEA_ID_CHARS + 1];
	bool takes_time;   /* a tool looks at its pools first */
	uint32_t lv_count; /* upper bound of the LVs that may become active */
	uint32_t deaths;   /* workers that died with it in hand */
	bool is_left;	   /* by a worker that hangs: is its lock free? */
	enum lea_left_why left_why;
	char left_by[128]; /* name of the VG that the worker hangs with; "": this one */
	/* who is told how it ended; set by the owner */
	void (*finished)(void *arg, const struct lea_worker_result *result);
	void *arg;
	struct lea_wire_out packed; /* lea_job_pack */
};

/* Copies what it needs of @known. -ENOMEM. Freed by lea_job_free, which takes NULL. */
LEA_MUST_CHECK int lea_job_new(const struct lea_scan_vg *known, struct lea_job **ret_job);
void lea_job_free(struct lea_job *job);
void lea_job_freep(struct lea_job **job);

/* First in, first out; its jobs are owned. @end: at @first when it is empty. */
struct lea_jobs {
	struct lea_job *first, **end;
	size_t count;
};

void lea_jobs_put(struct lea_jobs *jobs, struct lea_job *job);
void lea_jobs_put_first(struct lea_jobs *jobs, struct lea_job *job);
/* The first one, which is the caller's then. There must be one. */
struct lea_job *lea_jobs_get(struct lea_jobs *jobs);

#endif
