/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/ask_password.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

bool lea_password_is_asked(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/run/systemd/ask-password");
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = path ? lea_file_list(AT_FDCWD, path, &dir) : -1;

	while ((entry = lea_file_next(dir, &r)))
		if (!strncmp(entry->d_name, "ask.", 4))
			return true;
	return false;
}
