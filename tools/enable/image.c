/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initramfs image: is it to have our part, and how it is rebuilt. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "enable/image.h"
#include "initramfs/list.h"
#include "memory/device_spec.h"
#include "memory/image_needs.h"
#include "world/mounts.h"
#include "world/place.h"
#include "world/proc.h"

#define PACKAGE	     "lvm2-event-activation"
#define CHOICE_BYTES 64U

/* How a generator makes the images of all kernels. */
struct generator {
	const char *argv[5];	/* the first is its absolute path */
	const char *command;	/* the same as a user types it */
	const char *trigger[3]; /* in a script of a package it leaves that to the end; NULL: no */
	const char *images; /* files of /boot that it makes or, with status 0, does not; NULL: no */
	const char *condition; /* what the administrator has to write for it; NULL: nothing */
};

static const struct generator generators[] = {
	{{"/usr/sbin/update-initramfs", "-u", "-k", "all", NULL},
	 "update-initramfs -u -k all",
	 {"/usr/sbin/update-initramfs", "-u", NULL},
	 "initrd.img-",
	 NULL},
	{{"/usr/bin/dracut", "--force", "--regenerate-all", NULL},
	 "dracut --force --regenerate-all",
	 {NULL},
	 NULL,
	 NULL},
	{{"/usr/bin/mkinitcpio", "--allpresets", NULL},
	 "mkinitcpio --allpresets",
	 {NULL},
	 NULL,
	 "mkinitcpio puts our part into an image only where lvmevent comes after lvm2 in HOOKS of "
	 "mkinitcpio.conf."},
};

enum on_lv {
	ELSEWHERE, /* nothing that boots lies on an LV */
	IN_DOUBT,
	ON_LV, /* it does, or what is mounted may */
};

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

/* What does this line of fstab say of an LV that the boot needs? */
static enum on_lv judge_line(const struct lea_mount *mount, bool *has_root)
{
	struct lea_spec spec;

	if (!*mount->type || !lea_initramfs_lists(mount))
		return ELSEWHERE;
	*has_root |= !strcmp(mount->point, "/");
	lea_spec_parse(mount->source, &spec);
	switch (spec.kind) {
	case LEA_SPEC_LV:
	case LEA_SPEC_IDS:
		return ON_LV;
	case LEA_SPEC_ELSEWHERE:
	case LEA_SPEC_PARTUUID: /* of a partition, which an LV has only as an exception */
	case LEA_SPEC_PARTLABEL:
		return ELSEWHERE;
	case LEA_SPEC_UUID:
	case LEA_SPEC_LABEL:
	case LEA_SPEC_DOUBT:
	default:
		return IN_DOUBT;
	}
}

/* Of a system that does not run, or was mounted elsewhere, the name is all we know. */
static enum on_lv judge_fstab(struct lea_world *world, const char *root)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab = {0};
	enum on_lv answer = ELSEWHERE;
	struct lea_world there;
	bool has_root = false;
	int r;

	lea_world_init(&there, root, world->log, world->environ_);
	r = lea_mounts_read(&there, LEA_FSTAB, &fstab);
	lea_world_done(&there);
	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s/etc/fstab: %s; the root file system is assumed to be on an LV.",
			root, strerror(-r));
	for (size_t i = 0; !r && i < fstab.count; i++) {
		const enum on_lv line = judge_line(&fstab.mount[i], &has_root);

		answer = line > answer ? line : answer;
	}
	return answer == ELSEWHERE && !has_root ? IN_DOUBT : answer;
}

/* As the hook does. */
static enum on_lv judge_running(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *needs = NULL, *nodes = NULL;
	struct lea_need_line line;
	const char *at;

	if (lea_initramfs_list(world, NULL, NULL, &needs, &nodes))
		return IN_DOUBT;
	at = needs;
	while (lea_needs_next(&at, &line))
		if (!line.is_elsewhere)
			return ON_LV;
	return *needs ? ELSEWHERE : IN_DOUBT;
}

static enum on_lv judge(struct lea_world *world, const char *root)
{
	const enum on_lv answer = judge_fstab(world, root);

	return answer == ON_LV || *root || lea_place_check(world) ? answer : judge_running(world);
}

static const char *const choices[] = {
	[LEA_IMAGE_YES] = "initramfs\n",
	[LEA_IMAGE_NO] = "no-initramfs\n",
};

static int read_choice(int folder_fd, enum lea_image_wish *ret_wish)
{
	char text[CHOICE_BYTES];
	const int r = folder_fd < 0
			      ? LEA_FILE_ABSENT
			      : lea_file_read_into(folder_fd, LEA_IMAGE_CHOICE, text, sizeof(text));

	*ret_wish = LEA_IMAGE_ASK;
	if (r)
		return r < 0 ? r : 0;
	for (int wish = LEA_IMAGE_YES; wish <= LEA_IMAGE_NO; wish++)
		if (!strcmp(text, choices[wish]))
			*ret_wish = wish;
	return 0;
}

static bool take_without_choice(struct lea_world *world, const char *root)
{
	const enum on_lv answer = judge(world, root);

	if (answer == IN_DOUBT)
		printf("Whether this system boots from an LV cannot be told here: the initramfs gets "
		       "our part, unless its hook knows better. enable on the running system decides "
		       "anew.\n");
	return answer != ELSEWHERE;
}

int lea_image_choose(struct lea_world *world, const char *root, int folder_fd,
		     enum lea_image_wish wish, bool *ret_takes)
{
	const struct generator *generator = find_generator(root);
	const bool is_asked = wish != LEA_IMAGE_ASK;
	int r = is_asked ? lea_file_replace_durably(folder_fd, LEA_IMAGE_CHOICE, choices[wish],
						    strlen(choices[wish]))
			 : read_choice(folder_fd, &wish);

	if (r)
		return r;
	*ret_takes = wish != LEA_IMAGE_NO && generator;
	if (wish == LEA_IMAGE_YES && !*ret_takes)
		lea_log(world->log, LEA_LOG_WARNING,
			"--initramfs: there is neither update-initramfs nor dracut nor mkinitcpio, "
			"so the initramfs stays stock");
	if (wish == LEA_IMAGE_ASK && *ret_takes)
		*ret_takes = take_without_choice(world, root);
	if (*ret_takes && generator->condition)
		printf("%s\n", generator->condition);
	return 0;
}

/* The time of the newest image in /boot; 0: there is none. */
static struct timespec newest_image(struct lea_world *world, const char *prefix)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/boot");
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct timespec newest = {0};
	const struct dirent *entry;
	struct stat st;
	int r = path ? lea_file_list(AT_FDCWD, path, &dir) : -ENOMEM;

	while (!r && (entry = lea_file_next(dir, &r)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)) &&
		    !fstatat(dirfd(dir), entry->d_name, &st, 0) &&
		    (st.st_mtim.tv_sec > newest.tv_sec ||
		     (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec)))
			newest = st.st_mtim;
	return newest;
}

/* update-initramfs ends with 0 also if it refuses. */
static void check_images(struct lea_world *world, const struct generator *generator,
			 const struct timespec *before)
{
	const struct timespec now = newest_image(world, generator->images);

	if (now.tv_sec && now.tv_sec == before->tv_sec && now.tv_nsec == before->tv_nsec)
		lea_log(world->log, LEA_LOG_WARNING,
			"%s: no image in /boot was rebuilt: is /boot read-only, or does "
			"update-initramfs.conf have update_initramfs=no? The images that are there "
			"still boot.",
			generator->command);
}

static void run_generator(struct lea_world *world, const struct generator *generator)
{
	struct timespec before = {0};
	int code = 0, r;

	printf("Rebuilding the initramfs of each kernel: %s\n", generator->command);
	fflush(stdout);
	if (generator->images)
		before = newest_image(world, generator->images);
	r = lea_proc_run(generator->argv, &code);
	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING,
			"%s: %s; the images that are there still boot. Run it again when it works.",
			generator->command, r ? strerror(-r) : "failed");
	else if (generator->images)
		check_images(world, generator, &before);
}

/* The package manager rebuilds the image of one kernel when it has all packages in place: by our
 * own package's trigger, or by the one that the generator activates for another package. */
static void leave_to_package(struct lea_world *world, const struct generator *generator,
			     bool is_ours)
{
	int code = 0, r;

	printf("The package manager rebuilds the initramfs of the newest kernel. For the others: %s\n",
	       generator->command);
	fflush(stdout);
	r = is_ours ? 0 : lea_proc_run(generator->trigger, &code);
	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING, "%s %s: %s", generator->trigger[0],
			generator->trigger[1], r ? strerror(-r) : "failed");
}

void lea_image_rebuild(struct lea_world *world, const char *root)
{
	const struct generator *generator = find_generator(root);
	const char *package = lea_world_env(world, "DPKG_MAINTSCRIPT_PACKAGE");
	const bool is_ours = package && !strcmp(package, PACKAGE);

	if (!generator)
		return;
	if (is_ours || (package && *package && !*root && generator->trigger[0]))
		leave_to_package(world, generator, is_ours);
	else if (*root || lea_place_check(world))
		printf("Rebuild the initramfs of that system: %s%s%s%s\n", *root ? "chroot " : "",
		       root, *root ? " " : "", generator->command);
	else
		run_generator(world, generator);
}
