/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread and not a timer: a pass blocks for up to probe_deadline_ms in a hung device, and for
 * minutes in the check of a thin pool. The boot must continue at the deadline all the same.
 */
#include "boot/deadline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "world/proc.h"

struct deadline {
	struct lea_clock *clock;
	uint32_t delay_ms;
	void (*ready)(void *arg);
	void *arg;
};

/* Owns the deadline: the thread may outlive its caller's work. */
static void *wait_for_it(void *arg)
{
	LEA_AUTO(lea_freep) struct deadline *deadline = arg;

	deadline->clock->sleep_ms(deadline->clock, deadline->delay_ms);
	deadline->ready(deadline->arg);
	return NULL;
}

int lea_deadline_start(struct lea_clock *clock, uint32_t delay_ms, void (*ready)(void *arg),
		       void *arg)
{
	LEA_AUTO(lea_freep) struct deadline *deadline = malloc(sizeof(*deadline));
	int r;

	if (!deadline)
		return -ENOMEM;
	*deadline = (struct deadline){clock, delay_ms, ready, arg};
	r = lea_proc_threads(1, wait_for_it, deadline);
	if (r < 0)
		return r;
	(void)LEA_TAKE(deadline);
	return 0;
}
