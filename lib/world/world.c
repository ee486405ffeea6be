/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the basic folders when they are first needed. */
#include "world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/ring.h"
#include "world/dm.h"
#include "world/proc.h"

#define FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

void lea_world_init(struct lea_world *world, const char *root, struct lea_log *log,
		    char *const *environ_)
{
	*world = (struct lea_world){
		.root = root,
		.run_dir = "/run/lvm",
		.dev_dir = "/dev",
		.run_fd = -1,
		.dev_fd = -1,
		.sys_fd = -1,
		.proc_fd = -1,
		.log = log,
		.environ_ = environ_,
	};
}

void lea_world_done(struct lea_world *world)
{
	lea_closep(&world->run_fd);
	lea_closep(&world->dev_fd);
	lea_closep(&world->sys_fd);
	lea_closep(&world->proc_fd);
	if (world->timeline)
		munmap(world->timeline, sizeof(*world->timeline));
	world->timeline = NULL;
	if (world->dm)
		world->dm->free(world->dm);
	world->run_fd = world->dev_fd = world->sys_fd = world->proc_fd = -1;
	world->dm = NULL;
}

void lea_world_detach(struct lea_world *world, int keep_fd)
{
	/* This closes the journal's socket as well: no line may be sent to it. */
	lea_proc_detach(keep_fd);
	if (world->log)
		world->log->fields = NULL;
	world->run_fd = world->dev_fd = world->sys_fd = world->proc_fd = -1;
}

void lea_world_keep(const struct lea_world *world, int keep_fd)
{
	const int keep[] = {keep_fd, world->run_fd, world->dev_fd, world->sys_fd, world->proc_fd};

	lea_proc_keep(keep, ARRAY_SIZE(keep));
}

char *lea_world_path(const struct lea_world *world, const char *path)
{
	size_t root_bytes = strlen(world->root), path_bytes = strlen(path);
	bool slash = root_bytes && path[0] != '/';
	char *joined = malloc(root_bytes + slash + path_bytes + 1);

	if (!joined)
		return NULL;
	memcpy(joined, world->root, root_bytes);
	if (slash)
		joined[root_bytes] = '/';
	memcpy(joined + root_bytes + slash, path, path_bytes + 1);
	return joined;
}

static int open_folder(const struct lea_world *world, const char *path, int *fd)
{
	LEA_AUTO(lea_freep) char *full = NULL;

	if (*fd >= 0)
		return *fd;
	full = lea_world_path(world, path);
	if (!full)
		return -ENOMEM;
	*fd = open(full, FOLDER);
	return *fd < 0 ? -errno : *fd;
}

/* Creates missing parts of @path; the last one with mode 0700, because it holds our records. */
static int make_path(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int lea_world_run(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *full = NULL;
	int r;

	if (world->run_fd >= 0)
		return world->run_fd;
	full = lea_world_path(world, world->run_dir);
	if (!full)
		return -ENOMEM;
	world->run_fd = open(full, FOLDER | O_NOFOLLOW);
	if (world->run_fd < 0 && errno == ENOENT) {
		r = make_path(full);
		if (r)
			return r;
		world->run_fd = open(full, FOLDER | O_NOFOLLOW);
	}
	if (world->run_fd < 0)
		return -errno;
	r = lea_file_check_private(world->run_fd);
	if (!r)
		return world->run_fd;
	lea_closep(&world->run_fd);
	world->run_fd = -1;
	lea_log(world->log, LEA_LOG_ERROR,
		"%s: users other than root can write there, so its contents cannot be "
		"trusted; try: chmod go-w %s",
		full, full);
	return r;
}

int lea_world_dev(struct lea_world *world)
{
	return open_folder(world, world->dev_dir, &world->dev_fd);
}

int lea_world_sys(struct lea_world *world)
{
	return open_folder(world, "/sys", &world->sys_fd);
}

int lea_world_proc(struct lea_world *world)
{
	return open_folder(world, "/proc", &world->proc_fd);
}

int lea_world_folder(const struct lea_world *world, const char *path)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);
	int fd = full ? open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -ENOMEM;

	return full && fd < 0 ? -errno : fd;
}

int lea_world_boot_id(struct lea_world *world, char ret_boot[static LEA_BOOT_ID_BYTES])
{
	const int proc_fd = lea_world_proc(world);
	int r = proc_fd < 0 ? proc_fd
			    : lea_file_read_into(proc_fd, "sys/kernel/random/boot_id", ret_boot,
						 LEA_BOOT_ID_BYTES);

	if (!r)
		ret_boot[strcspn(ret_boot, "\n")] = '\0';
	return r > 0 ? -ENOENT : r;
}

const char *lea_world_env(const struct lea_world *world, const char *name)
{
	size_t bytes = strlen(name);

	for (char *const *entry = world->environ_; entry && *entry; entry++)
		if (!strncmp(*entry, name, bytes) && (*entry)[bytes] == '=')
			return *entry + bytes + 1;
	return NULL;
}
