/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we ask process 1: which devices it waits for, to wait no longer, and to start a unit. A table
 * of functions for lea_world: systemd's, or those of a test. Source: org.freedesktop.systemd1(5).
 */
#pragma once

#include "base/err.h"
#include "base/unit_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_MANAGER_UNIT_BYTES LEA_UNIT_BYTES
#define LEA_MANAGER_UNITS_MOST 64U

/*
 * The limit that lvmevent-generator gives to a device ends with one odd microsecond: that
 * marks it, since one that an administrator has set is never shortened.
 */
#define LEA_MANAGER_ODD_US 1U

struct lea_world;

/* A start of a device that has not come. */
struct lea_manager_wait {
	char unit[LEA_MANAGER_UNIT_BYTES];
	uint32_t job_id;
	bool is_due;  /* set by the caller: end it */
	bool is_over; /* set by end */
};

struct lea_manager_waits {
	struct lea_manager_wait *wait; /* [count]; owned */
	uint32_t count;
	uint64_t limit_ms;   /* systemd's own limit for devices; UINT64_MAX: none */
	uint64_t boot_ms;    /* when it began to start units, by lea_world_now_ms */
	bool is_starting_up; /* and has not finished */
};

struct lea_manager {
	/* All starts of devices that are waited for: 0 with *ret_waits (lea_manager_waits_done), or
	 * -errno. Blocks for two seconds at most. Does not log. */
	int (*look)(struct lea_manager_waits *ret_waits);
	/*
	 * Ends those that are due if their limit is ours: then what depends on them fails as after
	 * the limit. One that has ended by itself is over as well. 0, or -errno with the rest left.
	 * Blocks for two seconds at most, for each that it ends. Does not log.
	 */
	int (*end)(struct lea_manager_waits *waits);
	/* Starts at most LEA_MANAGER_UNITS_MOST units, and waits for nothing: systemctl may take
	 * long to answer, so one process, which is init's, calls it for all. False: no systemd.
	 * Does not log. */
	bool (*start)(const struct lea_world *world, const char *const *units, size_t count);
};
extern const struct lea_manager lea_manager_real;

void lea_manager_waits_done(struct lea_manager_waits *waits);
