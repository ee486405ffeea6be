/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Shared by the checks of tools/doctor/check_*.c. */
#pragma once

#include "doctor/facts.h"
#include "doctor/finding.h"

/* Below these times a disk is fast, however much slower it is than others or than it was. */
#define LEA_DOCTOR_SOLID_FLOOR_US      1000U
#define LEA_DOCTOR_ROTATIONAL_FLOOR_US 20000U

/* What a judgement of all disks found, as bits. */
enum lea_doctor_fault {
	LEA_DOCTOR_FAULT_LATE = 1U << 0,       /* does not answer in time */
	LEA_DOCTOR_FAULT_SLOW = 1U << 1,       /* D1 */
	LEA_DOCTOR_FAULT_FAILING = 1U << 2,    /* D5 */
	LEA_DOCTOR_FAULT_ROTATIONAL = 1U << 3, /* no fault by itself */
};

struct lea_doctor_judged {
	unsigned int faults; /* enum lea_doctor_fault */
	uint64_t read_us, write_us; /* on average; LEA_DOCTOR_UNKNOWN: too few requests */
	uint64_t await_us;	    /* the longer one */
	bool await_is_write;
	uint64_t median_us;	/* of the busy disks of its kind; 0: too few of them */
	uint64_t slow_above_us; /* what takes longer than this is slow */
	uint64_t stuck; /* requests that waited through the whole sample, in which none was done */
};

/* @ret_judged: [disks->count] */
void lea_doctor_judge_disks(const struct lea_doctor_disks *disks,
			    struct lea_doctor_judged *ret_judged);

/* @disk: one of the facts. */
static inline const struct lea_doctor_judged *
lea_doctor_judgement(const struct lea_doctor_report *report, const struct lea_doctor_facts *facts,
		     const struct lea_doctor_disk *disk)
{
	return &report->judged[disk - facts->disks.disk];
}

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
void lea_doctor_lies_on(const struct lea_doctor_report *report,
			const struct lea_doctor_facts *facts, const struct lea_doctor_vg *vg,
			const struct lea_lv *lv, struct lea_doctor_lies *ret_lies);

/* The PV of the VG that is fit for metadata: solid state before rotational, without fault, with so
 * many free extents; NULL: none. */
const struct lea_doctor_disk *lea_doctor_fast_pv(const struct lea_doctor_report *report,
						 const struct lea_doctor_facts *facts,
						 const struct lea_doctor_vg *vg, uint32_t extents);

static inline uint64_t lea_doctor_lv_bytes(const struct lea_vg *vg, const struct lea_lv *lv)
{
	return (uint64_t)lv->extent_count * vg->extent_sectors * 512;
}

/* What to do about a disk that is slow or fails: it is a PV, or below one. */
void lea_doctor_advise_move(struct lea_doctor_finding *finding, const struct lea_doctor_disk *disk);

typedef void lea_doctor_run_check(const struct lea_doctor_facts *facts,
				  struct lea_doctor_report *report);
lea_doctor_run_check lea_doctor_check_slow, lea_doctor_check_hot_spots, lea_doctor_check_tasks,
	lea_doctor_check_caches, lea_doctor_check_failing, lea_doctor_check_files,
	lea_doctor_check_leftovers, lea_doctor_check_snapshots, lea_doctor_check_pools,
	lea_doctor_check_metadata, lea_doctor_check_media, lea_doctor_check_drift,
	lea_doctor_check_semaphores, lea_doctor_check_names, lea_doctor_check_pressure,
	lea_doctor_check_drbd;
