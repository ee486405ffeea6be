/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What a check of lvmevent doctor has found, in words, and how it tells. */
#pragma once

#include "base/err.h"
#include "base/next.h"
#include "base/size.h"
#include "doctor/facts.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_DOCTOR_OBJECT_BYTES	  320U
#define LEA_DOCTOR_EVIDENCE_BYTES 768U
#define LEA_DOCTOR_ADVICE_BYTES	  512U

struct lea_doctor_finding {
	const char *check;		      /* "D4" */
	const char *title;		      /* of the check */
	unsigned int severity;		      /* 1, or 2: data or the boot are at risk */
	const char *vg, *lv, *device, *pvid;  /* "": none; pvid: 32 characters */
	char object[LEA_DOCTOR_OBJECT_BYTES]; /* "/dev/sda (PV of vg0)" */
	char evidence[LEA_DOCTOR_EVIDENCE_BYTES];
	const char *why; /* it matters */
	struct lea_next next;
	/* What mends it, in words, where that wants a decision; "": the next step does. */
	char advice[LEA_DOCTOR_ADVICE_BYTES];
};

struct lea_doctor_sink {
	void (*find)(void *arg, const struct lea_doctor_finding *finding);
	void (*not_known)(void *arg, const char *check, const char *why);
	void *arg;
};

struct lea_doctor_judged;

struct lea_doctor_report {
	const char *check, *title; /* of the check that runs */
	const struct lea_doctor_sink *sink;
	const struct lea_doctor_judged *judged; /* of each disk of the facts */
	unsigned int *findings;			/* told so far */
	bool names_waiting;			/* D1 or D3 has named what others wait for */
};

/* What a finding is about. */
struct lea_doctor_about {
	const struct lea_doctor_disk *disk;
	const struct lea_vg *vg;
	const struct lea_lv *lv;
	const char *text; /* the object, if it is none of these */
};

/* Fills in everything but evidence, next (by lea_next_set) and advice, which the caller adds before
 * lea_doctor_tell. */
void lea_doctor_begin(const struct lea_doctor_report *report, const struct lea_doctor_facts *facts,
		      unsigned int severity, const struct lea_doctor_about *about,
		      struct lea_doctor_finding *ret_finding);
void lea_doctor_tell(const struct lea_doctor_report *report,
		     const struct lea_doctor_finding *finding);
void lea_doctor_not_known(const struct lea_doctor_report *report, const char *format, ...)
	LEA_PRINTF(2, 3);

#define lea_doctor_evidence(finding, ...)                                                          \
	lea_append((finding)->evidence, LEA_DOCTOR_EVIDENCE_BYTES, __VA_ARGS__)
#define lea_doctor_advice(finding, ...)                                                            \
	lea_append((finding)->advice, LEA_DOCTOR_ADVICE_BYTES, __VA_ARGS__)

/* "84 ms", "0.4 ms" */
void lea_doctor_time(uint64_t us, char ret_text[static LEA_SIZE_BYTES]);
