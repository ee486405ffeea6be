/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the checks of lib/policy/doctor_*.c. */
#pragma once

#include "policy/doctor.h"

/* Below these times a disk is fast, however much slower it is than others or than it was. */
#define LEA_DOCTOR_SOLID_FLOOR_US      1000U
#define LEA_DOCTOR_ROTATIONAL_FLOOR_US 20000U

struct lea_doctor_report {
	const struct lea_doctor_check *check; /* that runs */
	const struct lea_doctor_sink *sink;
	unsigned int *findings; /* told so far */
	bool names_waiting;	/* D1 or D3 has named what others wait for */
};

/* What a finding is about; what is not set is none. */
struct lea_doctor_about {
	const struct lea_doctor_disk *disk;
	const struct lea_vg *vg;
	const struct lea_lv *lv;
	const char *text; /* the object, if it is none of these */
};

/* Fills in everything but evidence and next, which the caller adds before lea_doctor_tell. */
void lea_doctor_begin(const struct lea_doctor_report *report, const struct lea_doctor_facts *facts,
		      unsigned int severity, const struct lea_doctor_about *about,
		      struct lea_doctor_finding *ret_finding);
void lea_doctor_tell(const struct lea_doctor_report *report,
		     const struct lea_doctor_finding *finding);
/* The name as a word of a shell, in @ret_quoted if it has to be quoted; a name that does not fit is
 * cut. */
#define LEA_DOCTOR_QUOTED_BYTES 300U
const char *lea_doctor_quote(const char *name, char ret_quoted[static LEA_DOCTOR_QUOTED_BYTES]);
void lea_doctor_not_known(const struct lea_doctor_report *report, const char *format, ...)
	LEA_PRINTF(2, 3);

#define lea_doctor_evidence(finding, ...)                                                          \
	lea_append((finding)->evidence, LEA_DOCTOR_EVIDENCE_BYTES, __VA_ARGS__)
#define lea_doctor_next(finding, ...)                                                              \
	lea_append((finding)->next, LEA_DOCTOR_NEXT_BYTES, __VA_ARGS__)

/*
 * lea_doctor_each_pv - call @seen for each area of an LV on a PV, through the LVs below it
 * @pv: index into vg->pvs. The LVs below the areas of a segment, but not its own parts (pools, logs
 * and so on), are followed, 8 levels at most.
 */
void lea_doctor_each_pv(const struct lea_vg *vg, const struct lea_lv *lv,
			void (*seen)(void *arg, uint32_t pv, uint32_t extents), void *arg);

/* The disks of an LV: how many areas lie on disks with this fault; the first such disk. */
struct lea_doctor_lies {
	uint32_t areas, with[4]; /* by bit of enum lea_doctor_fault */
	uint32_t solid;		 /* areas on disks that are known to be solid state */
	const struct lea_doctor_disk *first[4], *any;
};
void lea_doctor_lies_on(const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			const struct lea_lv *lv, struct lea_doctor_lies *ret_lies);

/* The PV of the VG that is fit for metadata: solid state before rotational, without fault, with so
 * many free extents; NULL: none. */
const struct lea_doctor_disk *lea_doctor_fast_pv(const struct lea_doctor_facts *facts,
						 const struct lea_doctor_vg *vg, uint32_t extents);

static inline uint64_t lea_doctor_lv_bytes(const struct lea_vg *vg, const struct lea_lv *lv)
{
	return (uint64_t)lv->extent_count * vg->extent_sectors * 512;
}

/* "84 ms", "0.4 ms" */
void lea_doctor_time(uint64_t us, char ret_text[static LEA_DOCTOR_SIZE_BYTES]);

typedef void lea_doctor_run_check(const struct lea_doctor_facts *facts,
				  struct lea_doctor_report *report);
lea_doctor_run_check lea_doctor_check_slow, lea_doctor_check_hot_spots, lea_doctor_check_tasks,
	lea_doctor_check_caches, lea_doctor_check_failing, lea_doctor_check_files,
	lea_doctor_check_leftovers, lea_doctor_check_snapshots, lea_doctor_check_pools,
	lea_doctor_check_metadata, lea_doctor_check_media, lea_doctor_check_drift,
	lea_doctor_check_semaphores, lea_doctor_check_names, lea_doctor_check_pressure,
	lea_doctor_check_drbd;
