/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much is done at the same time, where lvmevent.conf leaves that open. */
#ifndef LEA_POLICY_BOUNDS_H
#define LEA_POLICY_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* @set: the setting; 0: worked out. @cpus: those that are on line. The result is never 0. */

/* Processes that activate VGs: two for each CPU, at most 10. */
uint32_t lea_bound_workers(uint32_t set, uint32_t cpus);

/*
 * LVs whose udev events are waited for.
 * @is_alone: the machine boots: 512. Otherwise four for each CPU, eight at least: udev is as good
 * as never out of work then, and what else is run finds a CPU.
 */
uint32_t lea_bound_lvs(uint32_t set, uint32_t cpus, bool is_alone);

#endif
