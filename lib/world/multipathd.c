/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/multipathd.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"

bool lea_has_multipathd(const struct lea_world *world)
{
	static const char *const links[] = {
		"/etc/systemd/system/sysinit.target.wants/multipathd.service",
		"/etc/systemd/system/multi-user.target.wants/multipathd.service",
		"/etc/systemd/system/sockets.target.wants/multipathd.socket",
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		LEA_AUTO(lea_freep) char *path = lea_world_path(world, links[i]);

		if (!path || !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
			return true;
	}
	return false;
}
