/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/lock_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "memory/need_unit.h"
#include "world/mounts.h"

#define PAUSE_MS 20U

/* Where systemd looks for units, by precedence. fstab's are in /run/systemd/generator. */
static const char *const unit_folders[] = {
	"/etc/systemd/system",		 "/run/systemd/system",	    "/run/systemd/generator",
	"/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
};

/* Does systemd know a mount for this path? A unit that is masked is an empty file or /dev/null. */
static bool has_unit(struct lea_world *world, const char *path)
{
	char unit[LEA_NEED_UNIT_BYTES], file[LEA_NEED_UNIT_BYTES + 64];
	struct stat st;

	if (!lea_mount_unit(path, unit))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(unit_folders); i++) {
		LEA_AUTO(lea_freep) char *full = NULL;

		snprintf(file, sizeof(file), "%s/%s", unit_folders[i], unit);
		full = lea_world_path(world, file);
		if (full && stat(full, &st) == 0)
			return S_ISREG(st.st_mode) && st.st_size;
	}
	return false;
}

/* The path without links, as far as it is there: /var/lock is /run/lock. In doubt the path itself.
 */
static void resolve(struct lea_world *world, const char *dir, char ret_path[static PATH_MAX])
{
	char there[PATH_MAX], link[64], real[PATH_MAX];
	size_t chars;
	ssize_t len;

	snprintf(ret_path, PATH_MAX, "%s", dir);
	snprintf(there, sizeof(there), "%s", dir);
	while ((chars = strlen(there)) > 1) {
		LEA_AUTO(lea_freep) char *full = lea_world_path(world, there);
		LEA_AUTO(lea_closep)
		int fd = full ? open(full, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

		snprintf(link, sizeof(link), "self/fd/%d", fd);
		len = fd < 0 ? -1 : readlinkat(lea_world_proc(world), link, real, sizeof(real) - 1);
		if (len > 0 && (size_t)len + strlen(dir + chars) < PATH_MAX) {
			real[len] = '\0';
			memcpy(ret_path, real, (size_t)len);
			strcpy(ret_path + len, dir + chars);
			return;
		}
		if (fd >= 0)
			return;
		*(strrchr(there, '/') ?: there) = '\0';
	}
}

/* Is @dir, or a folder that it is in, still to be mounted? */
static int is_pending(struct lea_world *world, const char *dir, bool *ret_is)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;
	char path[PATH_MAX];
	int r = lea_mounts_read(world, LEA_MOUNTINFO, &mounts);

	*ret_is = false;
	snprintf(path, sizeof(path), "%s", dir);
	while (!r && !*ret_is && path[0] == '/' && path[1]) {
		*ret_is = has_unit(world, path) && !lea_mounts_find_point(&mounts, path);
		*strrchr(path, '/') = '\0';
	}
	return r > 0 ? 0 : r;
}

int lea_lock_folder_wait(struct lea_world *world, const char *dir, uint32_t most_ms)
{
	const uint64_t until_ms = lea_world_now_ms(world) + most_ms;
	char path[PATH_MAX];
	bool is;
	int r;

	resolve(world, dir, path);
	while (!(r = is_pending(world, path, &is)) && is) {
		if (lea_world_now_ms(world) >= until_ms)
			return LEA_LOCK_FOLDER_PENDING;
		world->clock->sleep_ms(world->clock, PAUSE_MS);
	}
	return r;
}
