/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmeventd/limits.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "memory/boot_memory_file.h"
#include "memory/device_limit.h"
#include "memory/need_memory.h"
#include "memory/need_unit.h"
#include "world/manager.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define CONF_BYTES (1024U * 1024U)
#define CONF	   ".conf"

/* @path is below the root. What cannot be read systemd does not read either; what only we cannot may
 * name any limit. */
static uint32_t longer(struct lea_world *world, const char *path, uint32_t most_ms,
		       uint32_t (*largest)(uint32_t most_ms, const char *text))
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path), *text = NULL;
	const int r = full ? lea_file_read_config(full, CONF_BYTES, &text, NULL) : -ENOMEM;

	if (lea_is_shortage(r))
		return UINT32_MAX;
	return r ? most_ms : largest(most_ms, text);
}

static bool is_conf(const char *name)
{
	const size_t chars = strlen(name);

	return chars > strlen(CONF) && !strcmp(name + chars - strlen(CONF), CONF);
}

/* The drop-ins for system.conf in this folder. */
static uint32_t longer_in(struct lea_world *world, const char *folder, uint32_t most_ms)
{
	LEA_AUTO(lea_closep) int fd = lea_world_folder(world, folder);
	const struct dirent *entry;
	char path[512];
	DIR *dir;
	int r = fd < 0 ? fd : lea_file_list(fd, ".", &dir);

	if (r)
		return lea_is_shortage(r) ? UINT32_MAX : most_ms;
	while ((entry = lea_file_next(dir, &r))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (is_conf(entry->d_name))
			most_ms = longer(world, path, most_ms, lea_device_limit_of_conf);
	}
	closedir(dir);
	return lea_is_shortage(r) ? UINT32_MAX : most_ms;
}

/* The longest of all limits that somebody has set for all devices, whichever of them counts. */
static uint32_t find_most(struct lea_world *world)
{
	static const char *const folders[] = {"/etc/systemd", "/run/systemd",
					      "/usr/local/lib/systemd", "/usr/lib/systemd"};
	uint32_t most_ms =
		longer(world, "/proc/cmdline", LEA_DEVICE_LIMIT_MS, lea_device_limit_of_cmdline);
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/system.conf", folders[i]);
		most_ms = longer(world, path, most_ms, lea_device_limit_of_conf);
		snprintf(path, sizeof(path), "%s/system.conf.d", folders[i]);
		most_ms = longer_in(world, path, most_ms);
	}
	return most_ms;
}

static void format(uint32_t most_ms, char text[static 256])
{
	char limit[40] = "infinity";

	if (most_ms != UINT32_MAX)
		snprintf(limit, sizeof(limit), "%us %uus", most_ms / 1000 + !!(most_ms % 1000),
			 LEA_MANAGER_ODD_US);
	snprintf(text, 256,
		 "# Made by lvmevent-generator: lvmevent ends the wait when nothing makes "
		 "progress any more\n"
		 "[Unit]\nJobRunningTimeoutSec=%s\n",
		 limit);
}

/* systemd-fstab-generator's name, and that of systemd-cryptsetup-generator sorts before it. */
static const char *name_of(const struct lea_need *need)
{
	return lea_device_limit_is_taken(need) ? "50-device-timeout.conf" LEA_GENERATOR_DROP_IN
					       : LEA_GENERATOR_DROP_IN;
}

int lea_limits_write(struct lea_world *world, struct lea_needs *needs, int folder_fd,
		     int (*write)(int folder_fd, const char *unit, const char *name,
				  const char *text))
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory = {0};
	char unit[LEA_NEED_UNIT_BYTES], text[256];
	const int found = arena ? lea_boot_memory_read(world, arena, &memory) : -ENOMEM;
	int r = found ? 0 : lea_need_remembered(needs, &memory);

	format(find_most(world), text);
	for (uint32_t i = 0; !r && i < needs->count; i++) {
		const struct lea_need *need = &needs->need[i];

		if (!lea_device_limit_applies(need, found ? NULL : &memory))
			continue;
		if (lea_need_unit(need, unit))
			r = write(folder_fd, unit, name_of(need), text);
		for (unsigned int which = 0; !r && which < LEA_NEED_OTHER_UNITS; which++)
			if (lea_need_other_unit(need, which, unit))
				r = write(folder_fd, unit, name_of(need), text);
	}
	return r;
}
