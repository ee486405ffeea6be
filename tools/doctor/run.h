/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What makes storage fail slowly: a table of checks, each from facts to findings. Pure. */
#pragma once

#include "base/err.h"
#include "doctor/facts.h"
#include "doctor/finding.h"

#include <stddef.h>
#include <stdint.h>

struct lea_doctor_check {
	const char *id, *title;
	void (*run)(const struct lea_doctor_facts *facts, struct lea_doctor_report *report);
};

/* All checks, in the order of their ids. Static. */
const struct lea_doctor_check *lea_doctor_checks(uint32_t *ret_count);

/* The check with this id, of @bytes characters; NULL: there is none. */
const struct lea_doctor_check *lea_doctor_find_check(const char *word, size_t bytes);

/* @only: bit i for check i. Linear, but for the sorting of disks by kind. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_doctor_run(const struct lea_doctor_facts *facts, uint32_t only,
				  const struct lea_doctor_sink *sink);
