/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/mounts.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

int lea_mounts_read_text(struct lea_world *world, enum lea_mount_text form, char **ret_text)
{
	static const struct {
		const char *name; /* below /proc, or absolute: configuration, perhaps a link */
		size_t max_bytes;
	} files[] = {
		[LEA_MOUNTINFO] = {LEA_MOUNTINFO_FILE, (size_t)16 * 1024 * 1024},
		[LEA_SWAPS] = {"swaps", (size_t)1024 * 1024},
		[LEA_FSTAB] = {"/etc/fstab", (size_t)1024 * 1024},
		[LEA_CRYPTTAB] = {"/etc/crypttab", (size_t)1024 * 1024},
	};
	LEA_AUTO(lea_freep) char *path = NULL;
	int proc_fd;

	if (files[form].name[0] == '/') {
		path = lea_world_path(world, files[form].name);
		return path ? lea_file_read_config(path, files[form].max_bytes, ret_text, NULL)
			    : -ENOMEM;
	}
	proc_fd = lea_world_proc(world);
	return proc_fd < 0 ? proc_fd
			   : lea_file_read(proc_fd, files[form].name, files[form].max_bytes,
					   ret_text, NULL);
}

int lea_mounts_read(struct lea_world *world, enum lea_mount_text form,
		    struct lea_mounts *ret_mounts)
{
	char *text = NULL;
	int r = lea_mounts_read_text(world, form, &text);

	memset(ret_mounts, 0, sizeof(*ret_mounts));
	return r ? r : lea_mounts_parse(text, form, ret_mounts);
}
