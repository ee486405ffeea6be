/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file with what an administrator has accepted: lvmevent-doctor.accepted beside lvmevent.conf.
 * Only root writes it; a file that others may write, that is damaged, or that is of another
 * version, is not used, and not replaced either.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "doctor/accepted.h"
#include "world/world.h"

enum lea_accepted_file_outcome {
	LEA_ACCEPTED_FILE_BAD = 1, /* logged; nothing is accepted */
};

/*
 * lea_accepted_read - all acceptances; no file: none
 * @level: of the line about a file that is not used
 * @ret_accepted: to be released, whatever it returns; empty unless it returns 0
 * Returns 0, LEA_ACCEPTED_FILE_BAD or -ENOMEM.
 */
LEA_MUST_CHECK int lea_accepted_read(struct lea_world *world, const struct lea_conf *conf,
				     enum lea_log_level level, struct lea_accepted *ret_accepted);

/*
 * lea_accepted_change - read the file, change what it has, and replace it
 * @change: returns how many acceptances it added, replaced or removed, or -errno; with 0 nothing is
 * written. No other change comes between. Blocks until the file is on the disk.
 * Returns 0, LEA_ACCEPTED_FILE_BAD or -errno.
 */
LEA_MUST_CHECK int lea_accepted_change(struct lea_world *world, const struct lea_conf *conf,
				       int (*change)(void *arg, struct lea_accepted *accepted),
				       void *arg);
