/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: closed from the arming before udevd until the boot passes have caught up, so that
 * coldplug's events cost nothing. Two files below /run/lvm: event/gate-armed there and
 * boot-finished not there is closed; everything else is open. libc only.
 */
#ifndef LEA_STATE_GATE_H
#define LEA_STATE_GATE_H

#include "base/err.h"

#include <stdbool.h>

#define LEA_GATE_ARMED	  "event/gate-armed"
#define LEA_GATE_FINISHED "boot-finished"

/* An epoch: boot id, hyphen, how often this boot was armed (0: never). */
#define LEA_EPOCH_BYTES 64U

/* @run_fd: /run/lvm. Two system calls, one where nobody has armed. Does not log. */
bool lea_gate_is_closed(int run_fd);
bool lea_gate_is_armed(int run_fd);

/*
 * lea_gate_arm - close the gate for this boot of this root
 * @proc_fd: /proc, for the boot id
 * Counts the epoch up first, so that claims of an initramfs or of the time before a soft reboot
 * no longer count, drops those claims, and removes a boot-finished that they left.
 */
LEA_MUST_CHECK int lea_gate_arm(int run_fd, int proc_fd);

/* Opens; open already is fine. The caller compares (sweep) after this, never before. */
LEA_MUST_CHECK int lea_gate_open(int run_fd);

/* The epoch now. A missing or foreign event/epoch counts as "never armed". */
LEA_MUST_CHECK int lea_gate_epoch(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES]);

#endif
