/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies files by device, inode, size and mtime. */
#include "world/stamps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define SELF_EXE      "/proc/self/exe"
#define DELETED	      " (deleted)" /* suffix of a removed file's path in /proc */
#define MAPS_MAX      (1024U * 1024U)
#define MOST_PROGRAMS 64U
#define MOST_SETTINGS 4U

struct stamp {
	char *path;	/* owned; below the world's root */
	struct stat st; /* zeroed: the file did not exist */
};

struct lea_stamps {
	struct stamp program[MOST_PROGRAMS]; /* [0]: our own; then libraries */
	struct stamp settings[MOST_SETTINGS];
	size_t program_count, settings_count;
	bool names_host;     /* the system ID is the host name */
	struct utsname host; /* when the stamps were made */
};

static struct stat look_at(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st : (struct stat){0};
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool has_changed(const struct stamp *stamp)
{
	const struct stat now = look_at(stamp->path);

	return !is_same(&now, &stamp->st);
}

static void cut_deleted(char *path)
{
	const size_t bytes = strlen(path), end = strlen(DELETED);

	if (bytes > end && !strcmp(path + bytes - end, DELETED))
		path[bytes - end] = '\0';
}

/* 0 with the path, "" if there is none, or -errno. */
static int read_own_path(struct lea_world *world, char path[static PATH_MAX])
{
	int proc_fd = lea_world_proc(world);
	ssize_t bytes = proc_fd < 0 ? -1 : readlinkat(proc_fd, "self/exe", path, PATH_MAX - 1);

	path[bytes > 0 ? bytes : 0] = '\0';
	cut_deleted(path);
	return proc_fd < 0 ? proc_fd : 0;
}

void lea_stamps_own_path(struct lea_world *world, char ret_path[static PATH_MAX])
{
	struct stat st;

	if (read_own_path(world, ret_path) || stat(ret_path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    access(ret_path, X_OK) < 0)
		strcpy(ret_path, SELF_EXE);
}

/* Stamps the running program itself, not the file at its path, which may be a new one already. */
static int add_own(struct lea_stamps *stamps, struct lea_world *world)
{
	struct stamp *own = &stamps->program[0];
	char path[PATH_MAX];
	int r = read_own_path(world, path);

	if (r || !path[0])
		return r;
	own->path = strdup(path);
	if (!own->path)
		return -ENOMEM;
	stamps->program_count = 1;
	return fstatat(lea_world_proc(world), "self/exe", &own->st, 0) < 0 ? -errno : 0;
}

/* A library that was replaced after it was mapped gets a zeroed stamp. */
static int add_library(struct lea_stamps *stamps, struct lea_world *world, char *path)
{
	struct stamp *stamp = &stamps->program[stamps->program_count];
	const bool is_old = strstr(path, DELETED) != NULL;

	cut_deleted(path);
	stamp->path = lea_world_path(world, path);
	if (!stamp->path)
		return -ENOMEM;
	stamp->st = is_old ? (struct stat){0} : look_at(stamp->path);
	stamps->program_count++;
	return 0;
}

static bool is_known(const struct lea_stamps *stamps, const char *path)
{
	const struct stamp *last = &stamps->program[stamps->program_count - 1];

	return !strcmp(path, stamps->program[0].path) || !strcmp(path, last->path);
}

/* Lines are "FROM-TO r-xp OFFSET DEVICE INODE  PATH"; the parts of one file are adjacent. */
static int add_libraries(struct lea_stamps *stamps, struct lea_world *world, char *maps)
{
	char *save = NULL, *path, bits[8];
	int r = 0;

	for (char *line = strtok_r(maps, "\n", &save); line && !r;
	     line = strtok_r(NULL, "\n", &save)) {
		path = strchr(line, '/');
		if (!path || sscanf(line, "%*s %7s", bits) != 1 || !strchr(bits, 'x'))
			continue;
		if (stamps->program_count < MOST_PROGRAMS && !is_known(stamps, path))
			r = add_library(stamps, world, path);
	}
	return r;
}

static int add_programs(struct lea_stamps *stamps, struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *maps = NULL;
	int r = add_own(stamps, world);

	if (r || !stamps->program_count)
		return r;
	r = lea_file_read(lea_world_proc(world), "self/maps", MAPS_MAX, &maps, NULL);
	return r ? r < 0 ? r : 0 : add_libraries(stamps, world, maps);
}

/* Takes ownership of @path. */
static int add_setting(struct lea_stamps *stamps, char *path)
{
	struct stamp *stamp = &stamps->settings[stamps->settings_count];

	if (!path)
		return -ENOMEM;
	stamp->path = path;
	stamp->st = look_at(path);
	stamps->settings_count++;
	return 0;
}

static bool is_behind_link(const char *folder, const char *path)
{
	LEA_AUTO(lea_freep) char *real = realpath(folder, NULL);
	struct stat st;

	return (real && strcmp(real, folder) != 0) ||
	       (lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
}

static int add_settings(struct lea_stamps *stamps, struct lea_world *world,
			const struct lea_conf *conf)
{
	static const char *const names[] = {"lvm.conf", "lvmlocal.conf", "lvmevent.conf"};
	LEA_AUTO(lea_freep) char *folder = lea_world_path(world, conf->system_dir);
	int r = folder ? 0 : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !r; i++) {
		char *path;

		if (asprintf(&path, "%s/%s", folder, names[i]) < 0)
			return -ENOMEM;
		if (is_behind_link(folder, path))
			r = add_setting(stamps, path);
		else
			free(path);
	}
	if (!r && conf->system_id_path)
		r = add_setting(stamps, lea_world_path(world, conf->system_id_path));
	stamps->names_host = conf->system_id_is_host_name && uname(&stamps->host) == 0;
	return r;
}

int lea_stamps_new(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_stamps **ret_stamps)
{
	struct lea_stamps *stamps = calloc(1, sizeof(*stamps));
	int r = stamps ? add_programs(stamps, world) : -ENOMEM;

	r = r ? r : add_settings(stamps, world, conf);
	if (r)
		lea_stamps_free(stamps);
	else
		*ret_stamps = stamps;
	return r;
}

void lea_stamps_free(struct lea_stamps *stamps)
{
	if (!stamps)
		return;
	for (size_t i = 0; i < stamps->program_count; i++)
		free(stamps->program[i].path);
	for (size_t i = 0; i < stamps->settings_count; i++)
		free(stamps->settings[i].path);
	free(stamps);
}

bool lea_stamps_program_changed(const struct lea_stamps *stamps)
{
	for (size_t i = 0; i < stamps->program_count; i++)
		if (has_changed(&stamps->program[i]) &&
		    (i || access(stamps->program[i].path, X_OK) == 0))
			return true;
	return false;
}

bool lea_stamps_settings_changed(const struct lea_stamps *stamps)
{
	struct utsname host;

	for (size_t i = 0; i < stamps->settings_count; i++)
		if (has_changed(&stamps->settings[i]))
			return true;
	return stamps->names_host && uname(&host) == 0 &&
	       strcmp(host.nodename, stamps->host.nodename) != 0;
}
