/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is on a device, by libblkid: asked when udev, which would know, has nothing. The only user
 * of libblkid. Reads the device, so it can block as long as the device does.
 */
#ifndef LEA_WORLD_PROBE_H
#define LEA_WORLD_PROBE_H

#include "base/err.h"

#include <stdbool.h>

struct lea_probe {
	char type[32];	    /* as in ID_FS_TYPE, "LVM2_member"; "": nothing known to libblkid */
	char table[32];	    /* as in ID_PART_TABLE_TYPE; "": none */
	bool is_ambivalent; /* several signatures that contradict each other; type is "" then */
};

/* @fd: device or file, open for reading; stays open. 0 or -errno. */
LEA_MUST_CHECK int lea_probe_fd(int fd, struct lea_probe *ret_probe);

#endif
