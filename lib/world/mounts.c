/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/mounts.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A line with a NUL byte is not of its form, but those behind it may be: a control character, which
 * no name has, takes its place. */
static void replace_nul(char *text, size_t bytes)
{
	for (char *at = text; (at = memchr(at, '\0', bytes - (size_t)(at - text)));)
		*at = '\1';
}

static const struct {
	const char *name; /* below /proc, or absolute: configuration, perhaps a link */
	size_t max_bytes;
} files[] = {
	[LEA_MOUNTINFO] = {LEA_MOUNTINFO_FILE, (size_t)16 * 1024 * 1024},
	[LEA_SWAPS] = {"swaps", (size_t)1024 * 1024},
	[LEA_FSTAB] = {"/etc/fstab", (size_t)1024 * 1024},
	[LEA_CRYPTTAB] = {"/etc/crypttab", (size_t)1024 * 1024},
};

int lea_mounts_read_text(struct lea_world *world, enum lea_mount_text form, char **ret_text)
{
	const bool is_config = files[form].name[0] == '/';
	LEA_AUTO(lea_freep)
	char *path = is_config ? lea_world_path(world, files[form].name) : NULL;
	const int proc_fd = is_config ? -1 : lea_world_proc(world);
	size_t bytes;
	int r;

	if (is_config)
		r = path ? lea_file_read_config(path, files[form].max_bytes, ret_text, &bytes)
			 : -ENOMEM;
	else
		r = proc_fd < 0 ? proc_fd
				: lea_file_read(proc_fd, files[form].name, files[form].max_bytes,
						ret_text, &bytes);
	if (!r)
		replace_nul(*ret_text, bytes);
	return r;
}

struct timespec lea_mounts_written(const struct lea_world *world, enum lea_mount_text form)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, files[form].name);
	struct stat st;

	return path && !stat(path, &st) ? st.st_mtim : (struct timespec){0};
}

int lea_mounts_read(struct lea_world *world, enum lea_mount_text form,
		    struct lea_mounts *ret_mounts)
{
	char *text = NULL;
	int r = lea_mounts_read_text(world, form, &text);

	memset(ret_mounts, 0, sizeof(*ret_mounts));
	return r ? r : lea_mounts_parse(text, form, ret_mounts);
}
