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
		return r == -ENOMEM ? r : refuse(world, strerror(-r));
	r = lea_boot_memory_machine(world, machine);
	if (r)
		return r;
	if (!machine[0])
		return refuse(world, "this machine has no id");
	r = lea_boot_memory_parse(arena, text, bytes, machine, &why, ret_memory);
	return r > 0 ? refuse(world, why.what) : r;
}

static int make_folder(struct lea_world *world)
{
	LEA_AUTO(lea_closep) int lib_fd = lea_world_folder(world, "/var/lib");
	int fd, r;

	if (lib_fd < 0)
		return lib_fd;
	fd = lea_file_open_folder(lib_fd, strrchr(LEA_BOOT_MEMORY_FOLDER, '/') + 1);
	r = fd < 0 ? fd : lea_file_check_private(fd);
	if (r < 0 && fd >= 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Renames each kept file to the next older name. The newest keeps its name as well, until the new
 * one replaces it. What does not work is lost for people, and nothing else. */
static void keep_older(int folder_fd, const char *name)
{
	char from[32], to[32];

	for (unsigned int i = LEA_BOOT_MEMORY_KEPT - 1; i > 1; i--) {
		snprintf(from, sizeof(from), "%s.%u", name, i - 1);
		snprintf(to, sizeof(to), "%s.%u", name, i);
		if (renameat(folder_fd, from, folder_fd, to) < 0 && errno != ENOENT)
			return;
	}
	snprintf(to, sizeof(to), "%s.1", name);
	if (linkat(folder_fd, name, folder_fd, to, 0) < 0)
		return;
}

int lea_boot_memory_put(struct lea_world *world, const char *name, const void *bytes, size_t len)
{
	LEA_AUTO(lea_closep) int folder_fd = make_folder(world);

	if (folder_fd < 0)
		return folder_fd;
	lea_file_tidy(folder_fd, ".");
	keep_older(folder_fd, name);
	return lea_file_replace_durably(folder_fd, name, bytes, len);
}

int lea_boot_memory_write(struct lea_world *world, const struct lea_boot_memory *memory)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	int r = lea_boot_memory_format(memory, &text, &bytes);

	return r < 0 ? r : lea_boot_memory_put(world, NAME, text, bytes);
}
