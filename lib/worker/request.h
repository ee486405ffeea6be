/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG on its way to a worker: what activation must know before it takes the lock, copied out of
 * the scan and packed for sending.
 */
#pragma once

#include "base/err.h"
#include "base/wire.h"
#include "memory/need.h"
#include "scan/scan.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_worker_result;

/* Why a VG is not done although it is no longer waited for. */
enum lea_detached_why {
	LEA_DETACHED_OTHER, /* unknown */
	LEA_DETACHED_DISK,  /* a disk does not answer */
	LEA_DETACHED_LOCK,  /* another command holds the VG's lock */
	LEA_DETACHED_UDEV,  /* udev has not finished with its LVs, or with others of the same worker
			     */
	LEA_DETACHED_LVM,   /* the real lvm works on it */
	LEA_DETACHED_BESIDE, /* its LVs are set up; its worker hangs in another VG */
	LEA_DETACHED_CHECK,  /* a tool checks one of its pools */
};

struct lea_request {
	struct lea_request *next; /* for the owner's lists; NULL after lea_request_new */
	char vg_name[128], vg_id[LEA_ID_CHARS + 1];
	enum lea_need_class class; /* NORMAL after lea_request_new; the owner may set it */
	bool takes_time;	   /* a tool checks its pools first */
	bool has_copies;	   /* what may be copies of its PVs is read first */
	bool in_part;		   /* PVs are missing: lvm needs other words for it */
	uint32_t lv_count;	   /* upper bound of the LVs that may become active */
	uint32_t deaths;	   /* workers that died while they had it */
	bool is_detached;	   /* a worker that hung had it, and may still hold its lock */
	enum lea_detached_why detached_why;
	char detached_by[128]; /* name of the VG in which the worker hangs; "": this one */
	uint32_t detached_s;   /* with CHECK: how long it had taken by then, in seconds */
	/* called when the VG ended; set by the owner */
	void (*finished)(void *arg, const struct lea_worker_result *result);
	void *arg;
	struct lea_wire_out packed; /* the message to the worker */
};

/*
 * Copies what it needs of @scanned. @is_tagged: for its claim, since the worker gets no tags.
 * Returns 0 or -ENOMEM. The caller frees *ret_job by lea_request_free, which accepts NULL.
 */
LEA_MUST_CHECK int lea_request_new(const struct lea_scan_vg *scanned, bool is_tagged,
				   struct lea_request **ret_job);
void lea_request_free(struct lea_request *job);

/* A queue, empty when zeroed; owns its requests. Classes come in their order; within a class the
 * requests come in the order in which they were put. */
struct lea_requests {
	struct lea_request *first;
	struct lea_request *last[LEA_CLASSES]; /* of each class; NULL: it has none */
	size_t count;
};

/* Behind, or before, all others of its class. */
void lea_requests_put(struct lea_requests *jobs, struct lea_request *job);
void lea_requests_put_first(struct lea_requests *jobs, struct lea_request *job);
/* Removes the first request, of which there must be one, and gives it to the caller. */
struct lea_request *lea_requests_get(struct lea_requests *jobs);

/*
 * A VG as the worker receives it: name, id, seqno, and the devices of the PVs that were found. The
 * rest is read again under the VG's lock, and nothing may be decided by it before.
 */
struct lea_request_vg {
	struct lea_scan_vg scanned; /* of vg, without LVs; its PVs are those that were found */
	struct lea_vg vg;	    /* name, id, seqno and pv_count; the rest is zero */
	char name[128];
	bool is_tagged;		 /* as of lea_request_new */
	struct lea_found *found; /* [vg.pv_count], what scanned.pv points to: devices and ids */
};

/* Returns 0, -ENOMEM, or -EPROTO if the message is not a VG. The caller frees *ret_vg by
 * lea_request_vg_free, which accepts NULL. */
LEA_MUST_CHECK int lea_request_unpack(struct lea_wire_in *in, struct lea_request_vg **ret_vg);
void lea_request_vg_free(struct lea_request_vg *vg);
