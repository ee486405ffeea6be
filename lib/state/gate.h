/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: closed from lvmeventd arm, before udevd starts, until the boot scan has caught up, so
 * that coldplug events cost nothing. It is closed if /run/lvm/event/gate-armed exists and
 * /run/lvm/boot-finished does not; otherwise open. A third file, event/not-in-charge, means that
 * our udev rules are not in place; then event activation belongs to lvm2. libc only.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

#define LEA_GATE_ARMED	  "event/gate-armed"
#define LEA_GATE_FINISHED "boot-finished"
#define LEA_GATE_ASIDE	  "event/not-in-charge"

/* @run_fd: /run/lvm. Two system calls, one if the gate was never armed. Does not log. */
bool lea_gate_is_closed(int run_fd);
bool lea_gate_is_armed(int run_fd);

/* Are our udev rules not in place? Then we neither reconcile nor activate at boot. */
bool lea_gate_is_aside(int run_fd);
/* Sets or removes only event/not-in-charge. 0 or -errno. */
LEA_MUST_CHECK int lea_gate_set_aside(int run_fd, bool is_aside);

enum lea_gate_start {
	LEA_GATE_CLOSED, /* until lea_gate_open */
	LEA_GATE_NONE,	 /* no gate: all events are processed at once */
	LEA_GATE_STOCK,	 /* our udev rules are not in place: not-in-charge is set, and no gate */
};
/*
 * lea_gate_begin - begin a boot of this root file system
 * @proc_fd: /proc, for the boot id
 * First increments the epoch, which invalidates claims of an initramfs or from before a soft
 * reboot; then removes those claims and replaces their gate files. 0 or -errno.
 */
LEA_MUST_CHECK int lea_gate_begin(int run_fd, int proc_fd, enum lea_gate_start start);
/* Another start of the epoch that has just begun. 0 or -errno. */
LEA_MUST_CHECK int lea_gate_start(int run_fd, enum lea_gate_start start);

/* Opens the gate; fine if open. The caller reconciles after this, never before. 0 or -errno. */
LEA_MUST_CHECK int lea_gate_open(int run_fd);
