/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the facts that the checks of doctor/run.h need. Reads only: never writes to a
 * device, takes no lock, and every read that can hang is made by a child that is not waited for
 * after its deadline. The whole takes LEA_DOCTOR_WHOLE_MS at most.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "doctor/facts.h"
#include "scan/scan.h"
#include "world/world.h"

#define LEA_DOCTOR_WHOLE_MS 15000U

struct lea_doctor_options {
	uint32_t only;			      /* bit i: check i */
	uint32_t sample_ms;		      /* between the two readings of counters */
	bool measure;			      /* measure reads of each PV */
	const struct lea_boot_memory *memory; /* borrowed; NULL: none */
	const char *why_no_memory;	      /* static */
};

struct lea_doctor_gathering;

/*
 * @conf: borrowed
 * Blocks for the sample, and longer if disks do not answer or tasks are blocked. Returns 0, an
 * outcome of lea_scan_new, or -errno. Logs nothing but bad filters.
 */
LEA_MUST_CHECK int lea_doctor_gather(struct lea_world *world, const struct lea_conf *conf,
				     const struct lea_doctor_options *options,
				     struct lea_doctor_gathering **ret_gathering);
void lea_doctor_gathering_free(struct lea_doctor_gathering *gathering);
/* Borrowed. */
const struct lea_doctor_facts *lea_doctor_gathered(const struct lea_doctor_gathering *gathering);
const struct lea_scan *lea_doctor_scanned(const struct lea_doctor_gathering *gathering);
