/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the claim of a VG says about the devices of a PV, and what of it ends with a copy. None of
 * these functions logs; they block as the claim's do. */
#pragma once

#include "base/err.h"
#include "disk/vg.h"
#include "state/claim.h"
#include "world/device.h"
#include "world/world.h"

/* Questions: > 0 is yes, 0 no, and -errno no answer. */

/* Has the VG a claim, which is in this state? @vg_id "": no. */
LEA_MUST_CHECK int lea_duplicate_has_claim(struct lea_world *world, const char *vg_id,
					   enum lea_claim_state state);

/* Is all done with this instance of the PV that events do? @vg: NULL: of no VG. */
LEA_MUST_CHECK int lea_duplicate_is_dealt_with(struct lea_world *world, const struct lea_vg *vg,
					       const char *pvid, const struct lea_device *recorded);
/* Has the VG been activated with it, or is it being? A reason says why it was left as it is. */
LEA_MUST_CHECK int lea_duplicate_is_used(struct lea_world *world, const struct lea_vg *vg,
					 const char *pvid, const struct lea_device *recorded);

/* Drops the VG's claim if the activation failed, so that the VG is tried again. 0 or -errno. */
LEA_MUST_CHECK int lea_duplicate_forget_refusal(struct lea_world *world, const char *vg_id);
/*
 * lea_duplicate_settle_refusal - a copy of the VG's PV has shown that it is one
 * If the VG had failed for now, as no copy gave an answer, it has failed. Its add did not come
 * after a change of the copy: one from now on is a person's, who need not want the VG up. 0 or
 * -errno.
 */
LEA_MUST_CHECK int lea_duplicate_settle_refusal(struct lea_world *world, const char *vg_id);
