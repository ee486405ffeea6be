/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/boot_memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define NAME	    "boot"
#define MACHINE_HEX 32U

int lea_boot_memory_machine(struct lea_world *world,
			    char ret_machine[static LEA_BOOT_MEMORY_ID_BYTES])
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/etc/machine-id"), *text = NULL;
	int r = path ? lea_file_read_config(path, LEA_BOOT_MEMORY_ID_BYTES - 1, &text, NULL)
		     : -ENOMEM;

	ret_machine[0] = '\0';
	if (r)
		return r < 0 && r != -EFBIG ? r : 0;
	/* Before the first boot it is "uninitialized" or empty. */
	if (strspn(text, "0123456789abcdef") == MACHINE_HEX &&
	    (!text[MACHINE_HEX] || text[MACHINE_HEX] == '\n'))
		snprintf(ret_machine, LEA_BOOT_MEMORY_ID_BYTES, "%.32s", text);
	return 0;
}

static int refuse(const struct lea_world *world, const char *what)
{
	lea_log(world->log, LEA_LOG_VERBOSE, "%s/" NAME " is not used: %s", LEA_BOOT_MEMORY_FOLDER,
		what);
	return LEA_BOOT_MEMORY_ABSENT;
}

int lea_boot_memory_read(struct lea_world *world, struct lea_arena *arena,
			 struct lea_boot_memory *ret_memory)
{
	LEA_AUTO(lea_closep) int folder_fd = lea_world_folder(world, LEA_BOOT_MEMORY_FOLDER);
	LEA_AUTO(lea_freep) char *text = NULL;
	char machine[LEA_BOOT_MEMORY_ID_BYTES];
	struct lea_why why = {0};
	size_t bytes = 0;
	int r = folder_fd;

	if (r == -ENOENT || r == -ENOTDIR)
		return LEA_BOOT_MEMORY_ABSENT;
	r = r < 0 ? r : lea_file_check_private(folder_fd);
	r = r < 0 ? r : lea_file_read(folder_fd, NAME, LEA_BOOT_MEMORY_MAX_BYTES, &text, &bytes);
	if (r == LEA_FILE_ABSENT)
		return LEA_BOOT_MEMORY_ABSENT;
	if (r < 0)
		return lea_is_shortage(r) ? r : refuse(world, strerror(-r));
	r = lea_boot_memory_machine(world, machine);
	if (r)
		return r;
	if (!machine[0])
		return refuse(world, "this machine has no id");
	r = lea_boot_memory_parse(arena, text, bytes, machine, &why, ret_memory);
	return r > 0 ? refuse(world, why.what) : r;
}

int lea_boot_memory_folder(struct lea_world *world)
{
	LEA_AUTO(lea_closep) int lib_fd = lea_world_folder(world, "/var/lib");
	int fd, r;

	if (lib_fd < 0)
		return lib_fd;
	fd = lea_file_open_folder(lib_fd, strrchr(LEA_BOOT_MEMORY_FOLDER, '/') + 1);
	r = fd < 0 ? fd : lea_file_check_private(fd);
	if (r < 0 && fd >= 0)
		close(fd);
	if (r >= 0)
		lea_file_tidy(fd, ".");
	return r < 0 ? r : fd;
}

/* A version that kept the memories of older boots as well may have run here. */
static void remove_older(int folder_fd)
{
	static const char *const names[] = {NAME ".1", NAME ".2", NAME ".3", NAME ".4"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(folder_fd, names[i], 0);
}

int lea_boot_memory_write(struct lea_world *world, const struct lea_boot_memory *memory)
{
	LEA_AUTO(lea_closep) int folder_fd = lea_boot_memory_folder(world);
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	int r = folder_fd < 0 ? folder_fd : lea_boot_memory_format(memory, &text, &bytes);

	if (r < 0)
		return r;
	remove_older(folder_fd);
	return lea_file_replace_durably(folder_fd, NAME, text, bytes);
}
