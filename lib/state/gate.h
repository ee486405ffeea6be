/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: closed from the arming before udevd until the boot passes have caught up, so that
 * coldplug's events cost nothing. Two files below /run/lvm: event/gate-armed there and
 * boot-finished not there is closed; everything else is open. A third one, event/not-in-charge,
 * says that no rule of ours is in place: what is then activated by event is not for us to decide.
 * libc only.
 */
#ifndef LEA_STATE_GATE_H
#define LEA_STATE_GATE_H

#include "base/err.h"

#include <stdbool.h>

#define LEA_GATE_ARMED	  "event/gate-armed"
#define LEA_GATE_FINISHED "boot-finished"
#define LEA_GATE_ASIDE	  "event/not-in-charge"

/* An epoch: boot id, hyphen, how often this boot was armed (0: never). */
#define LEA_EPOCH_BYTES 64U

/* @run_fd: /run/lvm. Two system calls, one where nobody has armed. Does not log. */
bool lea_gate_is_closed(int run_fd);
bool lea_gate_is_armed(int run_fd);

/* Is no rule of ours in place? Then nobody of us compares, or activates at boot. */
bool lea_gate_is_aside(int run_fd);
/* Puts that mark, or removes it, and changes nothing else. */
LEA_MUST_CHECK int lea_gate_set_aside(int run_fd, bool is_aside);

enum lea_gate_start {
	LEA_GATE_CLOSED, /* until lea_gate_open */
	LEA_GATE_NONE,	 /* no gate: every event counts at once */
	LEA_GATE_STOCK,	 /* no rule of ours is in place: aside, and no gate in lvm2's way */
};
/*
 * lea_gate_begin - a boot of this root begins
 * @proc_fd: /proc, for the boot id
 * Counts the epoch up first, so that claims of an initramfs or of the time before a soft reboot
 * no longer count, drops those claims, and replaces whatever marks of the gate they left.
 */
LEA_MUST_CHECK int lea_gate_begin(int run_fd, int proc_fd, enum lea_gate_start start);
/* The same with LEA_GATE_CLOSED. */
LEA_MUST_CHECK int lea_gate_arm(int run_fd, int proc_fd);

/* Opens; open already is fine. The caller compares (sweep) after this, never before. */
LEA_MUST_CHECK int lea_gate_open(int run_fd);

/* The epoch now. A missing or foreign event/epoch counts as "never armed". */
LEA_MUST_CHECK int lea_gate_epoch(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES]);

#endif
