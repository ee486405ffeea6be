/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that is slow to answer. Include it once, after batch_scratch.h. */
#pragma once

#include "flow/machine.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SLOW "/slow"

/* The name of the disk, which answers when the file SLOW is gone, or after half a minute. */
static const char *slow_disk = "sdb";

/* For world->open_device: in the reader child. */
static inline int open_slow(struct lea_world *world, const char *path, uint32_t major,
			    uint32_t minor)
{
	char full[256];
	int fd;

	(void)world;
	(void)major;
	(void)minor;
	for (int i = 0; strstr(path, slow_disk) && i < 3000 && machine_has(SLOW); i++)
		usleep(10000);
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
