/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs that were found incomplete, until somebody has time to say so. While their disks come, they
 * are only noted; when nothing comes any more there is one line for each that still waits, and
 * another one only when other PVs are missing by then.
 */
#ifndef LEA_FLOW_WAITING_H
#define LEA_FLOW_WAITING_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_waiting;

/* VGs that are remembered; what is beyond is not told. */
#define LEA_WAITING_MOST 4096U
/* Between two lines of one VG, in ms. */
#define LEA_WAITING_PAUSE_MS 60000U

/* Owned; lea_waiting_free takes NULL. */
LEA_MUST_CHECK int lea_waiting_new(struct lea_waiting **ret_waiting);
void lea_waiting_free(struct lea_waiting *waiting);

/* A PV of this VG came, and others are missing or not (@is_complete). @waiting NULL: nobody will
 * ask. Looks at nothing; without memory nothing is noted. */
void lea_waiting_note(struct lea_waiting *waiting, const char *vg, bool is_complete);

/*
 * lea_waiting_tell - logs a line for each VG noted since the last call that waits for PVs now
 * Looks only at the members of these. Returns the ms after which it is to be called again, since
 * some had a line a moment ago; -1: no need.
 */
int lea_waiting_tell(struct lea_waiting *waiting, struct lea_world *world);

#endif
