/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/boot_memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/order.h"
#include "world/mounts.h"

#define FOLDER	    "lvmevent"
#define NAME	    "boot"
#define MACHINE_HEX 32U

/* The first one that can be written counts. */
static const struct place {
	const char *parent, *folder, *path;
} places[] = {
	{"/etc/lvm", "/etc/lvm/" FOLDER, "/etc/lvm/" FOLDER "/" NAME},
	{"/var/lib", "/var/lib/" FOLDER, "/var/lib/" FOLDER "/" NAME},
};

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

/* Is the open folder on the root file system? 0; -EXDEV: no; or another -errno. */
static int check_root(const struct lea_world *world, int fd, struct stat *ret_st)
{
	LEA_AUTO(lea_closep) int root_fd = lea_world_folder(world, "/");
	struct stat root;

	if (root_fd < 0)
		return root_fd;
	if (fstat(root_fd, &root) < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	return root.st_dev == ret_st->st_dev ? 0 : -EXDEV;
}

/* ---- reading */

/* The newest file, as it was found. */
struct found {
	const struct place *place; /* NULL: none */
	int folder_fd;		   /* owned; -1 */
	struct timespec written;
};

static int refuse(const struct lea_world *world, const struct place *place, const char *what,
		  const char **ret_why)
{
	lea_log(world->log, LEA_LOG_VERBOSE, "%s is not used: %s", place->path, what);
	*ret_why = what;
	return LEA_BOOT_MEMORY_ABSENT;
}

/* Early in the boot the mount point is still empty of what is mounted there, and may have files of
 * the time when it was none. 1: it is one, 0: it is none, or a shortage: not known. */
static int ask_hidden(struct lea_world *world, const char *path)
{
	struct lea_mounts mounts = {0};
	const struct lea_mount *mount;
	bool is_hidden;
	int r = lea_mounts_read(world, LEA_FSTAB, &mounts);

	if (r)
		return lea_shortage_of(r);
	mount = lea_mounts_find_path(&mounts, path);
	is_hidden = mount && strcmp(mount->point, "/") != 0;
	lea_mounts_done(&mounts);
	return is_hidden;
}

/* Why is a file in this folder not to be used? *ret_why: NULL: it may be. 0 or a shortage. */
static int find_why_not(struct lea_world *world, const struct place *place, int folder_fd,
			const char **ret_why)
{
	struct stat st;
	int r = lea_file_check_private(folder_fd);

	*ret_why = NULL;
	r = r ? r : check_root(world, folder_fd, &st);
	if (r && !lea_is_shortage(r))
		*ret_why = r == -EXDEV ? "it is not on the root file system" : strerror(-r);
	if (r)
		return *ret_why ? 0 : r;
	r = ask_hidden(world, place->folder);
	if (r > 0)
		*ret_why = "it is below a mount point of fstab";
	return r < 0 ? r : 0;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* 0, also if it is not there or not to be used; or a shortage. */
static int consider(struct lea_world *world, const struct place *place, struct found *found,
		    const char **ret_why)
{
	LEA_AUTO(lea_closep) int folder_fd = lea_world_folder(world, place->folder);
	const char *why;
	struct stat st;
	int r = folder_fd < 0 ? folder_fd : 0;

	if (!r && fstatat(folder_fd, NAME, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	if (r)
		return lea_shortage_of(r);
	if (found->place && !is_later(&st.st_mtim, &found->written))
		return 0;
	r = find_why_not(world, place, folder_fd, &why);
	if (why)
		refuse(world, place, why, ret_why);
	if (r || why)
		return r;
	lea_closep(&found->folder_fd);
	*found = (struct found){place, LEA_TAKE_FD(folder_fd), st.st_mtim};
	return 0;
}

/* Is there a place where the memory can be? */
static bool can_be_written(struct lea_world *world)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		LEA_AUTO(lea_closep) int fd = lea_world_folder(world, places[i].parent);

		if (fd >= 0 && !check_root(world, fd, &st) && !faccessat(fd, ".", W_OK, 0))
			return true;
	}
	return false;
}

static int read_found(struct lea_world *world, struct lea_arena *arena, const struct found *found,
		      const char *machine, struct lea_boot_memory *ret_memory, const char **ret_why)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_boot_memory memory = {0};
	struct lea_why why = {0};
	size_t bytes = 0;
	struct stat st;
	int r = lea_file_read(found->folder_fd, NAME, LEA_BOOT_MEMORY_MAX_BYTES, &text, &bytes);

	if (!r && fstat(found->folder_fd, &st) < 0)
		r = -errno;
	if (r)
		return r > 0 || lea_is_shortage(r)
			       ? r
			       : refuse(world, found->place, strerror(-r), ret_why);
	r = lea_boot_memory_parse(arena, text, bytes, machine, &why, &memory);
	if (r > 0) {
		refuse(world, found->place, why.what, ret_why);
		*ret_why = "its file is damaged, or of another machine or version";
	}
	if (r)
		return r;
	if (memory.folder && memory.folder != st.st_ino)
		return refuse(world, found->place, "it was copied from another folder", ret_why);
	memory.written_s = (uint64_t)found->written.tv_sec;
	if (memory.vg_count)
		qsort(memory.vg, memory.vg_count, sizeof(*memory.vg), lea_compare_text);
	*ret_memory = memory;
	return 0;
}

int lea_boot_memory_find(struct lea_world *world, struct lea_arena *arena,
			 struct lea_boot_memory *ret_memory, const char **ret_why)
{
	char machine[LEA_BOOT_MEMORY_ID_BYTES];
	struct found found = {.folder_fd = -1};
	const char *why = NULL;
	int r = lea_boot_memory_machine(world, machine);

	if (r)
		return r;
	for (size_t i = 0; !r && i < ARRAY_SIZE(places); i++)
		r = consider(world, &places[i], &found, &why);
	/* After a shortage: the place that could not be read may have the newest one. */
	if (!r && !machine[0])
		r = refuse(world, &places[0], "this machine has no /etc/machine-id", &why);
	else if (!r && found.place)
		r = read_found(world, arena, &found, machine, ret_memory, &why);
	else if (!r)
		r = LEA_BOOT_MEMORY_ABSENT;
	lea_closep(&found.folder_fd);
	if (r > 0)
		*ret_why = why			   ? why
			   : can_be_written(world) ? "no boot has been remembered yet"
						   : "/etc/lvm cannot be written, nor can /var/lib "
						     "as a part of the root file system";
	return r;
}

int lea_boot_memory_read(struct lea_world *world, struct lea_arena *arena,
			 struct lea_boot_memory *ret_memory)
{
	const char *why;

	return lea_boot_memory_find(world, arena, ret_memory, &why);
}

void lea_boot_memory_when(const struct lea_boot_memory *memory, const struct lea_boot_vg *vg,
			  char text[static LEA_BOOT_MEMORY_WHEN_BYTES])
{
	const time_t when = (time_t)(vg && vg->seen_s ? vg->seen_s : memory->written_s);
	struct tm tm;

	text[0] = '\0';
	if (when && localtime_r(&when, &tm))
		strftime(text, LEA_BOOT_MEMORY_WHEN_BYTES, "%Y-%m-%d %H:%M", &tm);
}

/* ---- writing */

int lea_boot_memory_folder(struct lea_world *world, const char *parent)
{
	LEA_AUTO(lea_closep) int parent_fd = lea_world_folder(world, parent);
	int fd, r;

	if (parent_fd < 0)
		return parent_fd;
	fd = lea_file_open_folder(parent_fd, FOLDER);
	r = fd < 0 ? fd : lea_file_check_private(fd);
	if (r < 0 && fd >= 0)
		close(fd);
	if (r >= 0)
		lea_file_tidy(fd, ".");
	return r < 0 ? r : fd;
}

static int write_to(struct lea_world *world, const struct place *place,
		    const struct lea_boot_memory *memory)
{
	LEA_AUTO(lea_closep) int parent_fd = lea_world_folder(world, place->parent);
	LEA_AUTO(lea_closep) int folder_fd = -1;
	LEA_AUTO(lea_freep) char *text = NULL, *before = NULL;
	struct lea_boot_memory placed = *memory;
	size_t bytes, bytes_before = 0;
	struct stat st;
	int r = parent_fd < 0 ? parent_fd : check_root(world, parent_fd, &st);

	if (r)
		return r;
	folder_fd = lea_boot_memory_folder(world, place->parent);
	r = folder_fd < 0 ? folder_fd : check_root(world, folder_fd, &st);
	if (r)
		return r;
	placed.folder = st.st_ino;
	r = lea_boot_memory_format(&placed, &text, &bytes);
	if (r)
		return r;
	r = lea_file_read(folder_fd, NAME, LEA_BOOT_MEMORY_MAX_BYTES, &before, &bytes_before);
	if (!r && bytes == bytes_before && !memcmp(text, before, bytes))
		return LEA_BOOT_MEMORY_SAME;
	return lea_file_replace_durably(folder_fd, NAME, text, bytes);
}

/* Of an earlier version, or of the time when the first place could not be written. A version that
 * kept the memories of older boots as well may have run here. */
static void remove_from(struct lea_world *world, const struct place *place)
{
	static const char *const names[] = {NAME, NAME ".1", NAME ".2", NAME ".3", NAME ".4"};
	LEA_AUTO(lea_closep) int folder_fd = lea_world_folder(world, place->folder);

	for (size_t i = 0; folder_fd >= 0 && i < ARRAY_SIZE(names); i++)
		unlinkat(folder_fd, names[i], 0);
}

int lea_boot_memory_write(struct lea_world *world, const struct lea_boot_memory *memory)
{
	int r = -ENOENT, first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		r = write_to(world, &places[i], memory);
		first = i ? first : r;
		/* Where there is no room now, there will be some. */
		if (lea_is_shortage(r) && r != -EROFS)
			return r;
		for (size_t j = 0; r >= 0 && j < ARRAY_SIZE(places); j++)
			if (j != i)
				remove_from(world, &places[j]);
		if (r >= 0)
			return r;
	}
	return first;
}
