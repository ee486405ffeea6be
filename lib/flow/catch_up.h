/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compare, and wait for what comes of it: "lvmevent sweep --wait" and "lvmevent gate open". */
#ifndef LEA_FLOW_CATCH_UP_H
#define LEA_FLOW_CATCH_UP_H

#include "base/err.h"
#include "flow/sweep.h"

#include <stdint.h>

/*
 * lea_catch_up - a comparison, and the wait until what it found is done
 * @deadline_ms: of the wait; 0: nothing is waited for, and what has no record is queued at once
 * While a boot pass lives all is left to it, if there is time to wait, for it hears of each device
 * that udev finishes, and asks for all when it may have missed one. What it has not recorded yet is
 * waited for until it has. When it has had nothing to do for 1.5 seconds the rest is queued for it;
 * when it dies first, all that no claim covers. 0, LEA_WAIT_LATE, or -errno. @how: left and arg are
 * its own.
 */
LEA_MUST_CHECK int lea_catch_up(const struct lea_sweep_how *how, uint32_t deadline_ms,
				struct lea_sweep_result *ret_result);

/*
 * lea_gate_open_and_sweep - what "lvmevent gate open" does
 * Opens, compares, tells, waits (bounded by gate_deadline_ms) for the events that saw the gate
 * closed, compares again. Logs what udev did not finish.
 */
LEA_MUST_CHECK int lea_gate_open_and_sweep(const struct lea_sweep_how *how);

#endif
