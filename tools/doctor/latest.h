/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What the last full examination of lvmevent doctor found, as a short text for who must not
 * examine: the worst finding, and how many there were.
 *
 *	lvmevent-doctor 1
 *	boot 11111111-2222-3333-4444-555555555555
 *	at 123456
 *	findings 3 1
 *	worst 2 D12 containers
 *	evidence 1 of its 2 PVs is not there
 *	end
 *
 * The numbers: milliseconds of the monotonic clock; findings that are not accepted, and things that
 * are not known. Without findings the lines "worst" and "evidence" are absent.
 */
#pragma once

#include "base/err.h"
#include "doctor/finding.h"

#include <stddef.h>
#include <stdint.h>

#define LEA_LATEST_MAX_BYTES  2048U
#define LEA_LATEST_BOOT_BYTES 64U

struct lea_latest {
	char boot[LEA_LATEST_BOOT_BYTES];
	uint64_t at_ms;
	uint32_t findings, unknown;
	/* Of the worst finding; severity 0: there was none. */
	unsigned int severity;
	char check[8];
	char object[LEA_DOCTOR_OBJECT_BYTES], evidence[LEA_DOCTOR_EVIDENCE_BYTES];
};

enum lea_latest_outcome {
	LEA_LATEST_REFUSED = 1, /* the text is not sound */
};

/* Copies the finding; control characters become "?". */
void lea_latest_set_worst(struct lea_latest *latest, const struct lea_doctor_finding *worst);
/* Returns the length. */
size_t lea_latest_format(const struct lea_latest *latest,
			 char ret_text[static LEA_LATEST_MAX_BYTES]);
/* @bytes: hostile. Returns 0 or LEA_LATEST_REFUSED, with nothing set, or -ENOMEM. */
LEA_MUST_CHECK int lea_latest_parse(const char *bytes, size_t len_bytes,
				    struct lea_latest *ret_latest);
