/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device of a PV goes first when none has its record. */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "scan/scan.h"

enum lea_duplicates_first {
	LEA_DUPLICATES_NO_OTHER = 1,
};

/*
 * lea_duplicates_first - does another device go first, of a PV on @found that has no record?
 * One that an LV uses, as lvm2 chooses it; or one that had the record until others removed it, as
 * vgremove does; or one that was a duplicate before @found came. By the notes and by udev's links;
 * a few system calls if no other device claims the PV. The other device is queued for its record:
 * a copy as a change, another path as what brought @found.
 * @options: to read it with.
 * @ret_any_note: does any device of the PV have a note? Set unless -errno is returned.
 * Returns 0 with *ret_device, LEA_DUPLICATES_NO_OTHER or -errno. *ret_device is the caller's in any
 * case.
 */
LEA_MUST_CHECK int lea_duplicates_first(struct lea_world *world, const struct lea_conf *conf,
					const struct lea_scan_options *options,
					const struct lea_found *found,
					struct lea_device *ret_device, bool *ret_any_note);
