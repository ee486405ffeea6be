/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Broadcasts of udevd from a monitor's socket, and nobody else's. */
#ifndef LEA_WORLD_UDEVSOCK_H
#define LEA_WORLD_UDEVSOCK_H

#include "base/err.h"

#include <stddef.h>

enum lea_udevsock_outcome {
	LEA_UDEVSOCK_NONE = 1, /* nothing (more) there */
	LEA_UDEVSOCK_LOST,     /* some were lost, or one that @size_bytes does not hold */
};

/*
 * lea_udevsock_read - the next broadcast; never blocks
 * @fd: of udev_monitor_get_fd, enabled: it asks for senders. What is not sent to udev's group by a
 * process of root is passed over. Returns 0 with *ret_len_bytes, an outcome, or -errno.
 */
LEA_MUST_CHECK int lea_udevsock_read(int fd, char *bytes, size_t size_bytes, size_t *ret_len_bytes);

#endif
