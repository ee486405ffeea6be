/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "activate/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "world/blockdev.h"
#include "world/sysfs.h"

/* So many descriptors are free in any case: the limit is 1,024 by default. */
#define SURELY_FREE 256U
/* For what else a worker has open. */
#define OTHERS	    128U

/* Root of a container may not be allowed to raise the hard limit. */
static bool make_room(uint32_t count)
{
	const rlim_t wanted = (rlim_t)count + OTHERS;
	struct rlimit limit;

	if (count <= SURELY_FREE || getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	    limit.rlim_cur >= wanted)
		return true;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Asked after it was opened: before, its number could change hands. */
static int check(struct lea_world *world, const struct lea_device *device, int fd)
{
	uint64_t now = 0;
	int r = device->diskseq ? lea_blockdev_diskseq(fd, &now) : 0;

	if (r == -ENOTTY) /* an older kernel's, or a file in a test */
		r = lea_sysfs_diskseq(world, lea_device_devno(device), &now);
	return r ? r : now != device->diskseq ? LEA_HOLD_NOT_AS_READ : 0;
}

/* That of a disk that is being removed is ENXIO. */
static bool has_gone(int fault)
{
	return fault == -ENODEV || fault == -ENXIO || fault == -ENOENT;
}

int lea_hold_pvs(struct lea_world *world, const struct lea_scan_vg *scanned, const bool *uses_pv,
		 struct lea_hold *hold)
{
	int r = 0;

	if (!make_room(scanned->vg->pv_count))
		return LEA_HOLD_TOO_MANY;
	hold->fd = calloc(scanned->vg->pv_count, sizeof(*hold->fd));
	if (!hold->fd)
		return -ENOMEM;
	for (uint32_t i = 0; i < scanned->vg->pv_count && !r; i++) {
		const struct lea_device *device = scanned->pv[i] ? &scanned->pv[i]->device : NULL;
		int fd;

		if (!device || !uses_pv[i])
			continue;
		fd = lea_blockdev_open(world, device->name, device->major, device->minor);
		if (fd < 0)
			return has_gone(fd) ? LEA_HOLD_NOT_AS_READ : fd;
		hold->fd[hold->count++] = fd;
		r = check(world, device, fd);
	}
	return r;
}

void lea_hold_done(const struct lea_hold *hold)
{
	for (uint32_t i = 0; i < hold->count; i++)
		close(hold->fd[i]);
	free(hold->fd);
}
