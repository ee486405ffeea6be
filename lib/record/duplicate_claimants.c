/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_claimants.h"

#include <stdio.h>

#include "world/sysfs.h"
#include "world/udevlinks.h"

/* Has it a note? Not if that is of another instance with the same number. 1: yes, 0: no, or -errno. */
static int has_note(struct lea_world *world, const struct lea_claimants *claimants,
		    struct lea_devno devno)
{
	uint64_t diskseq;
	int r = 0;

	for (int i = 0; !r && i < claimants->noted; i++) {
		const struct lea_devid *id = &claimants->one[i].id;

		if (id->major != devno.major || id->minor != devno.minor)
			continue;
		r = lea_sysfs_diskseq(world, devno, &diskseq);
		r = r ? r : id->diskseq == diskseq;
	}
	return r;
}

int lea_claimants_find(struct lea_world *world, const char *pvid, struct lea_claimants *ret)
{
	struct lea_devno devnos[LEA_DUPLICATES_MOST];
	size_t links = 0;
	int r = lea_udevlinks_pv(world, pvid, devnos, ARRAY_SIZE(devnos), &links);

	if (r)
		return r;
	ret->count = ret->noted = lea_duplicate_list(world, pvid, ret->one);
	for (size_t i = 0; ret->noted >= 0 && i < links; i++) {
		struct lea_duplicate *one = &ret->one[ret->count];

		r = has_note(world, ret, devnos[i]);
		if (r < 0)
			return r;
		if (r)
			continue;
		*one = (struct lea_duplicate){.id = {devnos[i].major, devnos[i].minor, 0}};
		snprintf(one->pvid, sizeof(one->pvid), "%s", pvid);
		ret->count++;
	}
	return ret->noted < 0 ? ret->noted : 0;
}
