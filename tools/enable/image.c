/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initramfs image: is our part of use in it, and how it is rebuilt. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "enable/image.h"
#include "base/cleanup.h"
#include "base/devname.h"
#include "memory/root_spec.h"
#include "world/mounts.h"
#include "world/place.h"
#include "world/proc.h"
#include "world/stack.h"

/* How a generator makes the images of all kernels. */
struct generator {
	const char *argv[5]; /* the first is its absolute path */
	const char *command; /* the same as a user types it */
};

static const struct generator generators[] = {
	{{"/usr/sbin/update-initramfs", "-u", "-k", "all", NULL}, "update-initramfs -u -k all"},
	{{"/usr/bin/dracut", "--force", "--regenerate-all", NULL},
	 "dracut --force --regenerate-all"},
};

/* A file system without a device of its own (btrfs) may lie on an LV: then, as of all that cannot
 * be read, the hook decides. */
static bool may_lie_on_lv(struct lea_world *world, const char *path, bool is_device)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);
	struct stat st;
	dev_t dev;

	if (!full || stat(full, &st) < 0)
		return !full || errno != ENOENT;
	dev = is_device ? st.st_rdev : st.st_dev;
	return !major(dev) || lea_lies_on_lv(world, (struct lea_devno){major(dev), minor(dev)});
}

static bool swap_may_lie_on_lv(struct lea_world *world)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts swaps;

	if (lea_mounts_read(world, LEA_SWAPS, &swaps) < 0)
		return true;
	for (size_t i = 0; i < swaps.count; i++)
		if (lea_devname_below(swaps.mount[i].source) &&
		    may_lie_on_lv(world, swaps.mount[i].source, true))
			return true;
	return false;
}

/* The first that is installed in @root; NULL: none. */
static const struct generator *find_generator(const char *root)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(generators); i++) {
		snprintf(path, sizeof(path), "%s%s", root, generators[i].argv[0]);
		if (stat(path, &st) == 0)
			return &generators[i];
	}
	return NULL;
}

bool lea_image_has_generator(const char *root)
{
	return find_generator(root) != NULL;
}

/* Is this line of fstab one of an LV that the boot needs? */
static bool is_needed_lv(const struct lea_mount *mount)
{
	struct lea_root_spec spec;

	if (!*mount->type || (strcmp(mount->point, "/") != 0 && strcmp(mount->point, "/usr") != 0 &&
			      strcmp(mount->type, "swap") != 0))
		return false;
	lea_root_parse(mount->source, &spec);
	return spec.kind == LEA_ROOT_LV;
}

/* Of a system that does not run, or was mounted elsewhere, the name is all we know. */
static bool fstab_may_name_lv(struct lea_world *world, const char *root)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab;
	struct lea_world there;
	int r;

	lea_world_init(&there, root, world->log, world->environ_);
	r = lea_mounts_read(&there, LEA_FSTAB, &fstab);
	lea_world_done(&there);
	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s/etc/fstab: %s; the root file system is assumed to be on an LV.",
			root, strerror(-r));
	if (r < 0)
		return true;
	for (size_t i = 0; i < fstab.count; i++)
		if (is_needed_lv(&fstab.mount[i]))
			return true;
	return false;
}

bool lea_image_is_useful(struct lea_world *world, const char *root)
{
	if (!lea_image_has_generator(root))
		return false;
	if (fstab_may_name_lv(world, root))
		return true;
	return !*root && !lea_place_check(world) &&
	       (may_lie_on_lv(world, "/", false) || may_lie_on_lv(world, "/usr", false) ||
		swap_may_lie_on_lv(world));
}

void lea_image_rebuild(struct lea_world *world, const char *root)
{
	const struct generator *generator = find_generator(root);
	const char *package = lea_world_env(world, "DPKG_MAINTSCRIPT_PACKAGE");
	int code = 0, r;

	if (!generator)
		return;
	if (package && *package) {
		printf("The package manager rebuilds the initramfs.\n");
		return;
	}
	if (*root || lea_place_check(world)) {
		printf("Rebuild the initramfs of that system: %s%s%s%s\n", *root ? "chroot " : "",
		       root, *root ? " " : "", generator->command);
		return;
	}
	printf("Rebuilding the initramfs of each kernel: %s\n", generator->command);
	fflush(stdout);
	r = lea_proc_run(generator->argv, &code);
	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING,
			"%s: %s; the images that are there still boot. Run it again when it works.",
			generator->command, r ? strerror(-r) : "failed");
}
