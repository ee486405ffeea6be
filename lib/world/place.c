/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects chroots and containers. */
#include "world/place.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool look_at(struct lea_world *world, const char *path, struct stat *ret_st)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);

	if (full)
		return stat(full, ret_st) == 0;
	errno = ENOMEM;
	return false;
}

static bool is_chroot(struct lea_world *world)
{
	struct stat first, own;

	if (!look_at(world, "/", &own))
		return false;
	if (look_at(world, "/proc/1/root", &first))
		return first.st_dev != own.st_dev || first.st_ino != own.st_ino;
	/* If /proc hides other processes, it still shows our own. */
	return errno == ENOENT && !look_at(world, "/proc/self", &own) && errno == ENOENT;
}

int lea_place_check(struct lea_world *world)
{
	struct stat st;

	if (is_chroot(world))
		return LEA_PLACE_CHROOT;
	return look_at(world, "/run/systemd/container", &st) ? LEA_PLACE_CONTAINER : 0;
}

bool lea_place_is_machine(struct lea_world *world)
{
	struct stat st;

	return look_at(world, "/proc/1/root", &st) && !lea_place_check(world);
}

const char *lea_place_name(int place)
{
	return place == LEA_PLACE_CONTAINER ? "a container" : "a chroot";
}
