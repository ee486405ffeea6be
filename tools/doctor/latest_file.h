/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where doctor keeps what its last full examination found, and who asks for it without examining
 * anything: the file event/doctor, of this boot.
 */
#pragma once

#include "base/err.h"
#include "doctor/latest.h"
#include "world/world.h"

/* The timer examines once a week; what is older was not replaced as it should have been. */
#define LEA_LATEST_MOST_DAYS 8U

enum lea_latest_file_outcome {
	LEA_LATEST_NONE = 1, /* no full examination in this boot, or it does not count any more */
	LEA_LATEST_OLD,	     /* it was more than LEA_LATEST_MOST_DAYS ago */
	LEA_LATEST_DAMAGED,  /* the file is not sound */
};

/*
 * lea_latest_keep - replace the file with a full examination that has ended now
 * @latest: boot and at_ms are set here
 * Makes /run/lvm/event if need be. Returns 0 or -errno; does not log.
 */
LEA_MUST_CHECK int lea_latest_keep(struct lea_world *world, struct lea_latest *latest);
/* What was found counts no more, as other findings are accepted now. 0 or -errno; does not log. */
LEA_MUST_CHECK int lea_latest_forget(struct lea_world *world);
/*
 * lea_latest_read - what was found last
 * @ret_age_s: how long ago
 * Returns 0, an outcome, or -errno; does not log. Reads that file and the id of the boot.
 */
LEA_MUST_CHECK int lea_latest_read(struct lea_world *world, struct lea_latest *ret_latest,
				   uint64_t *ret_age_s);
