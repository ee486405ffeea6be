/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Giving pending devices back to lvm2: their uevents came to us, and lvm2's rule would never see
 * another one.
 */
#ifndef LEA_FLOW_GIVE_BACK_H
#define LEA_FLOW_GIVE_BACK_H

#include "base/err.h"
#include "world/world.h"

#include <stddef.h>

/*
 * lea_give_back - has the kernel announce as added what waits for an activation, or was put aside
 * @event_fd: /run/lvm/event; no runner works on it any more
 * lvm2's rule is in force already. lvm2 takes a VG that has a record in vgs_online for active, so
 * that of a VG which we did not finish goes. Changes, and what only a comparison found of VGs that
 * are settled, are not announced: lvm2 would activate. *ret_count: devices announced.
 * Returns 0, LEA_QUEUE_RUNNING: somebody still has the lock, or -errno.
 */
LEA_MUST_CHECK int lea_give_back(struct lea_world *world, int event_fd, size_t *ret_count);

#endif
