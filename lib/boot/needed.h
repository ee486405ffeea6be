/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The needed wave: activates the LVs that the boot needs before the coldplug, while udev is idle.
 * It locks the VGs, reads only the disks that were remembered, and activates a VG only if all of
 * them are what they were. The disks on which needed LVs lie are read again, with all filters and
 * by libblkid, before they are used. It leaves no record and no claim, so that the boot scan
 * activates the rest of the VG.
 */
#pragma once

#include "base/err.h"
#include "daemon/session.h"

/*
 * lea_needed_run - run the wave
 * @session: with settings; its reader is created here
 * @ready:   called when the coldplug may begin: by another thread at needed_deadline_ms, at the
 *           latest; not called by this thread, even at the end. May be called after the return.
 * Does nothing unless the gate is closed, and without a usable memory. Logs one line for each
 * needed VG that is remembered. Blocks for reads, pool checks and udev, even beyond the deadline.
 * Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_needed_run(struct lea_session *session, void (*ready)(void *arg), void *arg);
