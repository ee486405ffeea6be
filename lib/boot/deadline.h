/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A deadline that counts although the process waits for a device or a pool check. */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdint.h>

/*
 * lea_deadline_start - have a thread call @ready(@arg) after @delay_ms
 * @clock, @arg: borrowed until the process ends, since the thread cannot be stopped
 * Returns 0 or -errno. Never blocks.
 */
LEA_MUST_CHECK int lea_deadline_start(struct lea_clock *clock, uint32_t delay_ms,
				      void (*ready)(void *arg), void *arg);
