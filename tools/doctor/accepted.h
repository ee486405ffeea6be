/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Findings of lvmevent doctor that an administrator has accepted, as text: a row for each, and a
 * last row which shows that the text is whole.
 *
 *	lvmevent-accepted 1
 *	D4 1 2026-11-28 pv I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA /dev/sda (PV of vg0)
 *	D8 1 2026-11-28 name vg0/snap
 *	end
 *
 * A PV is accepted by its UUID, because another disk may have its name after the next boot. Pure.
 */
#pragma once

#include "base/err.h"
#include "doctor/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_ACCEPTED_MAX_BYTES	(256U * 1024U)
#define LEA_ACCEPTED_DATE_BYTES 11U

struct lea_acceptance {
	char check[8];			      /* "D4" */
	unsigned int severity;		      /* a worse finding is not accepted */
	char date[LEA_ACCEPTED_DATE_BYTES];   /* "2026-11-28" */
	bool is_pv;			      /* object is a PV's UUID, with hyphens */
	char object[LEA_DOCTOR_OBJECT_BYTES]; /* else what the finding is about */
	char was[LEA_DOCTOR_OBJECT_BYTES];    /* the finding's object when it was accepted */
};

struct lea_accepted {
	struct lea_acceptance *item; /* [count]; owned */
	size_t room;
	uint32_t count;
};

enum lea_accepted_outcome {
	LEA_ACCEPTED_REFUSED = 1, /* parse: *why says it; format: it would be too large */
};

void lea_accepted_done(struct lea_accepted *accepted);

/* Returns 0, LEA_ACCEPTED_REFUSED or -ENOMEM. @ret_accepted: to be released, whatever it returns.
 */
LEA_MUST_CHECK int lea_accepted_parse(const char *bytes, size_t len_bytes, struct lea_why *why,
				      struct lea_accepted *ret_accepted);
/* @ret_text: owned by the caller. Returns 0, LEA_ACCEPTED_REFUSED or -ENOMEM. */
LEA_MUST_CHECK int lea_accepted_format(const struct lea_accepted *accepted, char **ret_text,
				       size_t *ret_bytes);

/* Why can this not be accepted, for people? NULL: it can. */
const char *lea_accepted_why_not(const struct lea_doctor_finding *finding);
/* The acceptance of this finding; NULL: it is not accepted. Borrowed. */
const struct lea_acceptance *lea_accepted_find(const struct lea_accepted *accepted,
					       const struct lea_doctor_finding *finding);
/* Adds it, unless it is accepted; a worse finding replaces an acceptance. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_accepted_add(struct lea_accepted *accepted,
				    const struct lea_doctor_finding *finding, const char *date);
/* Does this word of an administrator's name the acceptance? By its object, or as the object was
 * called then, with or without what stood in parentheses. */
bool lea_acceptance_is(const struct lea_acceptance *acceptance, const char *check,
		       const char *word);

/* "D4" of "D4:/dev/sda", as the table of checks has it, and *ret_object in @word; NULL: there is no
 * such check, or no object. */
const char *lea_accepted_split(const char *word, const char **ret_object);
