/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libblkid's low-level probing, asked as udev asks it. libblkid reads at any offset and into any
 * buffer, which direct I/O refuses: meanwhile the descriptor goes through the page cache.
 */
#include "world/blkid.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"

static void probe_freep(blkid_probe *probe)
{
	if (*probe)
		blkid_free_probe(*probe);
}

static int probe_fd(int fd, char type[static LEA_BLKID_TYPE_BYTES])
{
	LEA_AUTO(probe_freep) blkid_probe probe = blkid_new_probe();
	const char *text = NULL;
	int r;

	if (!probe)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(probe, fd, 0, 0))
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	errno = 0;
	r = blkid_do_safeprobe(probe);
	/* libblkid 2.41 also says so when signatures contradict each other, but without an errno. */
	if (r == -1 && errno)
		return -errno;
	if (r || blkid_probe_lookup_value(probe, "TYPE", &text, NULL) || !text)
		text = "";
	snprintf(type, LEA_BLKID_TYPE_BYTES, "%s", text);
	return 0;
}

int lea_blkid_type(int fd, char ret_type[static LEA_BLKID_TYPE_BYTES])
{
	const int flags = fcntl(fd, F_GETFL);
	int r;

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	r = probe_fd(fd, ret_type);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && !r)
		r = -errno;
	return r;
}
