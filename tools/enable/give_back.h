/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives pending devices back to lvm2: we received their uevents, and lvm2's rule would see no
 * other.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stddef.h>

/*
 * lea_give_back - have the kernel send an add uevent for each pending or quarantined device
 * @event_fd:  /run/lvm/event; no runner may work on it any more
 * @ret_count: devices announced
 * Call when lvm2's rule is in force again. Also drops the vgs_online record of each VG that we did
 * not finish: lvm2 would take the VG for active. Not announced, since lvm2 would activate: changes,
 * and devices of settled VGs that only a reconcile queued.
 * Returns 0, LEA_QUEUE_RUNNING (another process has the queue's lock) or -errno. Logs.
 */
LEA_MUST_CHECK int lea_give_back(struct lea_world *world, int event_fd, size_t *ret_count);
