/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runner with a rule for incomplete VGs, which a test makes as it wants them. The clock stands still
 * unless a test moves it. Include it once.
 */
#pragma once

#include "batch/partial.h"
#include "flow/batch_scratch.h"
#include "flow/made_vg.h"
#include "unit/suite.h"

#define WAIT_MS 30000
#define RULE	"event { incomplete = \"degraded\" }"

static uint64_t now;
static struct lea_partial *partial;

static uint64_t get_now(struct lea_clock *clock)
{
	(void)clock;
	return now;
}

static struct lea_clock set_clock = {.now_ms = get_now};

static void begin(void)
{
	setup();
	now = 5000;
	machine.world->clock = &set_clock;
}

static void end(void)
{
	lea_partial_free(partial);
	teardown();
}

const struct fixture fixture = {begin, end};

static void configure(const char *text)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_settings();
	lea_partial_free(LEA_TAKE(partial));
	ck_assert_int_eq(lea_partial_new(machine.world, conf, &partial), 0);
	batch_options.partial = partial;
}

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
