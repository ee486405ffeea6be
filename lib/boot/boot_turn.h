/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot scan, begun again: with new settings when they change, and after a fault if a process that
 * starts afresh would do harm.
 */
#pragma once

#include "base/err.h"
#include "daemon/device_queue.h"
#include "daemon/session.h"

#include <stdint.h>

/* Kept from turn to turn. Zeroed at first, but for ready and arg. */
struct lea_boot_turns {
	/* Once the scan has caught up with udev, as lea_boot_scan_options says; also when a turn ends
	 * the scan, and while no device can be read because of a filter. */
	void (*ready)(void *arg);
	void *arg;
	struct lea_device_queue done; /* owned: what the turns have scanned; the caller ends it */
	uint32_t pause_ms;	      /* the last pause, if no turn has ended well since */
};

enum lea_boot_turn {
	LEA_BOOT_TURN_DONE,
	LEA_BOOT_TURN_AGAIN,  /* take another turn, with a new session */
	LEA_BOOT_TURN_FAILED, /* logged */
};

/*
 * lea_boot_turn - run the boot scan once
 * @begun: what lea_session_begin has returned for @session, which the caller ends after the turn
 * After a fault, also of lea_session_begin, it says AGAIN while the gate is closed, if anything has
 * been done: the next process would not know that, and take what a person has taken down since for
 * what is still to be activated. Before that it blocks for a pause that grows.
 * Does nothing if the gate was opened before.
 * Blocks until the gate is open and each VG is active or has failed, or the settings may have changed.
 */
LEA_MUST_CHECK enum lea_boot_turn lea_boot_turn(struct lea_session *session, int begun,
						struct lea_boot_turns *turns);
