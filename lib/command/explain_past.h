/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains an earlier boot: from its timeline, and from what was remembered of that boot or of
 * another good one. Pure but for the call of tell.
 */
#pragma once

#include "command/explain.h"
#include "policy/boot_memory.h"
#include "policy/timeline.h"

struct lea_explain_past {
	const struct lea_timeline_view *view; /* borrowed, as all others */
	const struct lea_boot_memory *then;   /* of that boot; NULL: it was not a good one */
	const struct lea_boot_memory *other;  /* of another good boot; NULL: none */
	void (*tell)(void *arg, const struct lea_answer *answer);
	void *arg;
};

/*
 * lea_explain_past - what became of a VG, or of all
 * @target: "VG", "VG/LV", or NULL: everything that was not as it should be
 * Returns 0, LEA_EXPLAIN_UNKNOWN or -ENOMEM.
 */
LEA_MUST_CHECK int lea_explain_past(const struct lea_explain_past *past, const char *target);
