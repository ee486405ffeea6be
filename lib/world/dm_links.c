/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Same as lvm2: a folder with mode 0755 and a link to DEV/mapper/NAME; the folder is removed with
 * its last link.
 */
#include "world/dm_links.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct lea_dm_link {
	struct lea_dm_link *next;
	char *vg, *lv, *name;
	bool wanted;
};

static void free_link(struct lea_dm_link *link)
{
	free(link->vg);
	free(link->lv);
	free(link->name);
	free(link);
}

void lea_dm_links_init(struct lea_dm_links *links, const char *dev_dir, struct lea_log *log,
		       bool verify)
{
	*links = (struct lea_dm_links){
		.end = &links->first, .dev_dir = dev_dir, .log = log, .verify = verify};
}

int lea_dm_links_add(struct lea_dm_links *links, const struct lea_dm_node *node, bool wanted)
{
	struct lea_dm_link *link;

	if (!node->link_vg || !node->link_lv)
		return 0;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->vg = strdup(node->link_vg);
	link->lv = strdup(node->link_lv);
	link->name = strdup(node->name);
	link->wanted = wanted;
	if (!link->vg || !link->lv || !link->name) {
		free_link(link);
		return -ENOMEM;
	}
	*links->end = link;
	links->end = &link->next;
	return 0;
}

/* Does the link lead to this device? */
static bool leads_to(int folder_fd, const char *lv, const char *target)
{
	struct stat there, wanted;

	return !fstatat(folder_fd, lv, &there, 0) && !stat(target, &wanted) &&
	       S_ISBLK(there.st_mode) && there.st_rdev == wanted.st_rdev;
}

static int make_link(const struct lea_dm_links *links, const struct lea_dm_link *link,
		     const char *folder)
{
	LEA_AUTO(lea_freep) char *target = NULL;
	LEA_AUTO(lea_closep) int fd = -1;

	if (asprintf(&target, "%s/mapper/%s", links->dev_dir, link->name) < 0) {
		target = NULL;
		return -ENOMEM;
	}
	if (mkdir(folder, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (leads_to(fd, link->lv, target))
		return 0;
	if (links->verify)
		lea_log(links->log, LEA_LOG_WARNING,
			"The link %s/%s should have been created by udev but it was not found. "
			"Falling back to direct link creation.",
			folder, link->lv);
	if (symlinkat(target, fd, link->lv) < 0 && errno != EEXIST)
		return -errno;
	if (leads_to(fd, link->lv, target))
		return 0;
	/* An old link of this name leads elsewhere. */
	if (unlinkat(fd, link->lv, 0) < 0 || symlinkat(target, fd, link->lv) < 0)
		return -errno;
	return 0;
}

static int drop_link(const struct lea_dm_link *link, const char *folder)
{
	LEA_AUTO(lea_closep)
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat there;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!fstatat(fd, link->lv, &there, AT_SYMLINK_NOFOLLOW) && S_ISLNK(there.st_mode) &&
	    unlinkat(fd, link->lv, 0) < 0 && errno != ENOENT)
		return -errno;
	rmdir(folder); /* fails if the folder has other links */
	return 0;
}

static int settle_one(const struct lea_dm_links *links, const struct lea_dm_link *link)
{
	LEA_AUTO(lea_freep) char *folder = NULL;

	if (asprintf(&folder, "%s/%s", links->dev_dir, link->vg) < 0) {
		folder = NULL;
		return -ENOMEM;
	}
	return link->wanted ? make_link(links, link, folder) : drop_link(link, folder);
}

int lea_dm_links_settle(struct lea_dm_links *links)
{
	int r, fault = 0;

	for (const struct lea_dm_link *link = links->first; link; link = link->next) {
		r = settle_one(links, link);
		fault = fault ? fault : r;
	}
	lea_dm_links_done(links);
	return fault;
}

void lea_dm_links_done(struct lea_dm_links *links)
{
	struct lea_dm_link *next;

	for (struct lea_dm_link *link = links->first; link; link = next) {
		next = link->next;
		free_link(link);
	}
	links->first = NULL;
	links->end = &links->first;
}
