/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runner's part in batch/partial.h: it knows whether udev is idle, and what the last boot had.
 */
#pragma once

#include "batch/partial.h"

/* Zeroed at first; lea_partial_wait_done frees what it holds. */
struct lea_partial_wait {
	bool is_begun, is_read;
	struct lea_arena *arena;       /* of memory; owned */
	struct lea_boot_memory memory; /* of the last boot; read when the first VG waits */
};

/* To be called when nothing is pending and the gate is open. With options->partial NULL it does
 * nothing. Returns as lea_partial_step. */
LEA_MUST_CHECK int lea_partial_wait_step(struct lea_partial_wait *wait,
					 const struct lea_batch_options *options, int *ret_wait_ms);
void lea_partial_wait_done(struct lea_partial_wait *wait);
