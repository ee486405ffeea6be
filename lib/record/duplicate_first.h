/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which devices may carry a PV, and which of them goes first when none has its record. Reads
 * event/duplicates, udev's links and sysfs; lea_duplicates_first also devices.
 */
#pragma once

#include "base/err.h"
#include "record/duplicate_note.h"
#include "scan/scan.h"

struct lea_claimants {
	/* Those with a note come first. udev's links name only numbers, which other disks may get.
	 */
	struct lea_duplicate one[2 * LEA_DUPLICATES_MOST];
	int noted, count;
};

/* By the notes and by udev's links: a few system calls if no other device claims the PV. 0 or
 * -errno. */
LEA_MUST_CHECK int lea_claimants_find(struct lea_world *world, const char *pvid,
				      struct lea_claimants *ret);

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
