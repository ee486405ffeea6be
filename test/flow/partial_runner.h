/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runner with a rule for incomplete VGs. The clock stands still unless a test moves it. Include it
 * once.
 */
#pragma once

#include "batch/partial.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

#define WAIT_MS 30000

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

/* The settings, as the file has them. */
static void configure(const char *text)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_settings();
	lea_partial_free(LEA_TAKE(partial));
	ck_assert_int_eq(lea_partial_new(machine.world, conf, &partial), 0);
	batch_options.partial = partial;
	fflush(machine.err_file);
}
