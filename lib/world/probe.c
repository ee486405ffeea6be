/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libblkid's low-level probing, asked like udev asks it.
 */
#include "world/probe.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"

static void probe_freep(blkid_probe *probe)
{
	if (*probe)
		blkid_free_probe(*probe);
}

static void take_value(blkid_probe probe, const char *name, char value[static 32])
{
	const char *text = NULL;

	if (!blkid_probe_lookup_value(probe, name, &text, NULL) && text)
		snprintf(value, 32, "%s", text);
}

int lea_probe_fd(int fd, struct lea_probe *ret_probe)
{
	LEA_AUTO(probe_freep) blkid_probe probe = blkid_new_probe();
	struct lea_probe found = {.type = ""};
	int r;

	if (!probe)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(probe, fd, 0, 0))
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE);
	blkid_probe_enable_partitions(probe, 1);
	errno = 0;
	r = blkid_do_safeprobe(probe);
	if (r == -1)
		return errno ? -errno : -EIO;
	found.is_ambivalent = r == -2;
	if (!r) {
		take_value(probe, "TYPE", found.type);
		take_value(probe, "PTTYPE", found.table);
	}
	*ret_probe = found;
	return 0;
}
