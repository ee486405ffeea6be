/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A runner with a rule for incomplete VGs, and VGs that a test makes as it wants them. Include it once. */
#pragma once

#include "flow/made_vg.h"
#include "flow/partial_runner.h"

#define RULE "event { incomplete = \"degraded\" }"

/* A runner that has nothing to do, and what it queues. Returns the VGs that workers got. */
static const char *rest(void)
{
	int wait_ms, r;

	activated[0] = '\0';
	while ((r = lea_partial_step(partial, &batch_options, true, &wait_ms)) ==
	       LEA_PARTIAL_QUEUED)
		ck_assert_int_eq(run_queue(), 0);
	ck_assert_int_eq(r, 0);
	lea_incomplete_log(batch_options.waiting, machine.world);
	fflush(machine.err_file);
	fflush(machine.out_file);
	return activated;
}

static inline const char *wait_long(void)
{
	rest();
	now += WAIT_MS;
	return rest();
}

static inline unsigned int count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}
