/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/udevd.h"

#include <string.h>

#include "base/file.h"

#define EVENTS "system.slice/systemd-udevd.service/cgroup.events"

bool lea_udevd_runs(struct lea_world *world)
{
	/* where the hierarchy is mounted, alone or beside the older ones */
	static const char *const files[] = {"fs/cgroup/" EVENTS, "fs/cgroup/unified/" EVENTS};
	const int sys_fd = lea_world_sys(world);
	char text[256];

	for (size_t i = 0; sys_fd >= 0 && i < ARRAY_SIZE(files); i++)
		if (!lea_file_read_into(sys_fd, files[i], text, sizeof(text)) &&
		    strstr(text, "populated 1"))
			return true;
	return false;
}
