/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libblkid's answer to the question what is on a device. The only user of libblkid. */
#pragma once

#include "base/err.h"

#define LEA_BLKID_TYPE_BYTES 32

/*
 * lea_blkid_type - what udev's probe would call the content of a device
 * @fd: device or file, open for reading, with O_DIRECT or without; stays open, its offset moves
 * @ret_type: as in ID_FS_TYPE, "LVM2_member"; "": libblkid knows nothing of it, or several
 * signatures that contradict each other
 * Reads the first and last parts of the device, so it blocks as long as the device does. Any number
 * of threads may call it, each with its own descriptor. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_blkid_type(int fd, char ret_type[static LEA_BLKID_TYPE_BYTES]);
