/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a VG that a worker is done with. The runner asks for each report, and a worker
 * that is no longer waited for asks itself.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum lea_verdict {
	LEA_VERDICT_DONE,	    /* active, or not to be activated by events */
	LEA_VERDICT_IN_PART,	    /* active without the PVs that it lacks */
	LEA_VERDICT_FAILED,	    /* until a PV of it is added */
	LEA_VERDICT_FAILED_FOR_NOW, /* another try may end better */
	LEA_VERDICT_AGAIN,	    /* it is not as it was read: to be read once more */
	LEA_VERDICT_OPEN,	    /* the worker has done nothing: another one must */
};

/* A VG in part may have failed as a whole for lack of its PVs: a cache whose metadata reads as
 * errors, for one. @outcome, @shortage, @active: as in struct lea_worker_report. */
enum lea_verdict lea_verdict_on(int outcome, int shortage, uint32_t active, bool in_part);

/* For good, or for now. */
bool lea_verdict_is_failure(enum lea_verdict verdict);

/* Why it failed, from the worker's reason if it has one. Static text or @reason. */
const char *lea_verdict_reason(int outcome, const char *reason);
