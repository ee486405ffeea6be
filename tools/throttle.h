/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by throttle.c, throttle_list.c and throttle_discard.c. */
#pragma once

#include "lvmevent.h"

/* All classes with what runs and waits; @is_json: for scripts. Returns an exit code. */
int lea_throttle_list(struct lea_world *world, bool is_json);
/* Waiters whose label, or ticket ("42" or "change/42"), this is give up. Returns an exit code. */
int lea_throttle_cancel_word(struct lea_world *world, const char *word);
/* No command begins any more; waits until none runs. @limit_ms: 0: for ever. Returns an exit code.
 */
int lea_throttle_drain(struct lea_world *world, uint64_t limit_ms);
/* Discards an LV in pieces. @chunk and @rate: as given, or NULL. Returns an exit code. */
int lea_throttle_discard(struct lea_world *world, const char *lv, const char *chunk,
			 const char *rate);
