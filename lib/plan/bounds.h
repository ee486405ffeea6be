/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on parallel work; two of them can be set in lvmevent.conf. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* VGs in one transaction of a worker or command. Boots with 1, 8, 64 and 256 take equally long;
 * 64 bounds the memory of a batch, and the number of VG locks that a process holds. */
#define LEA_BOUND_VGS 64U

/* @set: the configured limit; 0: compute it. @cpus: number of online CPUs. The result is never
 * 0. */

/* Worker processes that activate VGs: two per CPU, at most 10. */
uint32_t lea_bound_workers(uint32_t set, uint32_t cpus);

/*
 * LVs whose udev events may be outstanding.
 * @is_alone: the machine is booting: 512. Otherwise four per CPU, at least eight: this keeps udev
 *            busy and leaves CPU time to other programs.
 */
uint32_t lea_bound_lvs(uint32_t set, uint32_t cpus, bool is_alone);
