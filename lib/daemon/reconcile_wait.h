/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reconcile and wait for the result: "lvmevent sweep --wait" and "lvmevent gate open". */
#pragma once

#include "base/err.h"
#include "daemon/reconcile.h"

#include <stdint.h>

/*
 * lea_reconcile_and_wait - reconcile, then wait until what it found is handled
 * @options: the members left and arg are ignored
 * @deadline_ms: of the wait; 0: do not wait, and queue what has no record at once
 * While a boot scan runs, and if there is time to wait, PVs without a record are left to it: it
 * hears of each device that udev finishes, and asks for all devices if it may have missed one. This
 * waits until they are recorded. When the boot scan was idle for 1.5 seconds, the rest is queued
 * for it; when it ends first, everything that no claim covers is queued. Returns 0,
 * LEA_WAIT_TIMED_OUT, or -errno.
 */
LEA_MUST_CHECK int lea_reconcile_and_wait(const struct lea_reconcile_options *options,
					  uint32_t deadline_ms,
					  struct lea_reconcile_result *ret_result);

/* Longest wait for events that found the gate closed: udev kills the worker of an event after this
 * time, its event_timeout, so by then each event that udev had begun has ended. */
#define LEA_GATE_DEADLINE_MS 180000U

/*
 * lea_gate_open_and_reconcile - "lvmevent gate open"
 * Opens the gate, reconciles, calls opened, waits up to LEA_GATE_DEADLINE_MS for events that found
 * the gate closed, and reconciles again. In a shortage, if there is opened, it calls that at once
 * and reconciles until the shortage is over. Logs devices that udev did not finish. Returns 0 or
 * -errno.
 */
LEA_MUST_CHECK int lea_gate_open_and_reconcile(const struct lea_reconcile_options *options);
