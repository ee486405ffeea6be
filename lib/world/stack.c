/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/stack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/sysfs.h"

#define MOST_LEVELS 16U

struct walk {
	struct lea_world *world;
	int (*visit)(void *arg, struct lea_devno devno, bool is_bottom);
	void *arg;
	unsigned int left; /* devices */
};

/* Opens the list of the devices directly below; *ret_dir NULL: there is none. */
static int list_slaves(struct lea_world *world, struct lea_devno devno, DIR **ret_dir)
{
	char path[64];
	int sys_fd = lea_world_sys(world), r;

	snprintf(path, sizeof(path), "dev/block/%u:%u/slaves", devno.major, devno.minor);
	r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, path, ret_dir);
	return r == -ENOENT ? 0 : r;
}

/* @attribute: names a file with the number of a device. False also if there is no such file. */
static int find_number(struct lea_world *world, struct lea_devno devno, const char *attribute,
		       struct lea_devno *ret_devno, bool *ret_is)
{
	char text[LEA_SYSFS_VALUE_BYTES];
	const int r = lea_sysfs_text(world, devno, attribute, text, sizeof(text));

	*ret_is = !r && lea_devno_parse(text, ret_devno);
	return r < 0 ? r : 0;
}

/* Is this a partition of a device that lies on others? */
static int find_parent(struct lea_world *world, struct lea_devno devno, struct lea_devno *ret_devno,
		       bool *ret_is)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	char text[LEA_SYSFS_VALUE_BYTES];
	int r = lea_sysfs_text(world, devno, "partition", text, sizeof(text));

	*ret_is = false;
	if (r)
		return r < 0 ? r : 0;
	r = find_number(world, devno, "../dev", ret_devno, ret_is);
	if (r || !*ret_is)
		return r;
	r = list_slaves(world, *ret_devno, &dir);
	*ret_is = dir && lea_file_next(dir, &r);
	return r;
}

static int walk(struct walk *state, struct lea_devno devno, unsigned int levels)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct lea_devno below = {0};
	const struct dirent *entry = NULL;
	char attribute[300];
	bool has_parent = false, is;
	int r;

	if (!levels || !state->left--)
		return -E2BIG;
	r = list_slaves(state->world, devno, &dir);
	if (dir)
		entry = lea_file_next(dir, &r);
	if (!r && !entry)
		r = find_parent(state->world, devno, &below, &has_parent);
	r = r ? r : state->visit(state->arg, devno, !entry && !has_parent);
	if (!r && has_parent)
		return walk(state, below, levels - 1);
	for (; !r && entry; entry = lea_file_next(dir, &r)) {
		snprintf(attribute, sizeof(attribute), "slaves/%s/dev", entry->d_name);
		r = find_number(state->world, devno, attribute, &below, &is);
		if (!r && is)
			r = walk(state, below, levels - 1);
	}
	return r;
}

int lea_stack_walk(struct lea_world *world, struct lea_devno devno,
		   int (*visit)(void *arg, struct lea_devno devno, bool is_bottom), void *arg)
{
	struct walk state = {.world = world, .visit = visit, .arg = arg, .left = LEA_STACK_MOST};

	return walk(&state, devno, MOST_LEVELS);
}

static int look_for_lv(void *arg, struct lea_devno devno, bool is_bottom)
{
	char text[LEA_SYSFS_VALUE_BYTES];

	(void)is_bottom;
	return !lea_sysfs_text(arg, devno, "dm/uuid", text, sizeof(text)) &&
	       !strncmp(text, "LVM-", 4);
}

bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno)
{
	return lea_stack_walk(world, devno, look_for_lv, world) > 0;
}
