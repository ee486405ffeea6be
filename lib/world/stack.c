/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/stack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "world/sysfs.h"

#define MOST_LEVELS 16U

struct walk {
	struct lea_world *world;
	int (*visit)(void *arg, const struct lea_stack_device *device);
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

static int walk(struct walk *state, struct lea_devno devno, const struct lea_stack_device *above,
		unsigned int levels)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct lea_stack_device device = {.devno = devno, .above = above};
	struct lea_devno below = {0};
	const struct dirent *entry = NULL;
	char attribute[300];
	bool has_parent = false, is;
	int r;

	if (!levels || !state->left--)
		return -E2BIG;
	r = lea_sysfs_text(state->world, devno, "dm/uuid", device.uuid, sizeof(device.uuid));
	if (r)
		device.uuid[0] = '\0';
	r = r < 0 ? r : list_slaves(state->world, devno, &dir);
	if (dir)
		entry = lea_file_next(dir, &r);
	if (!r && !entry)
		r = find_parent(state->world, devno, &below, &has_parent);
	device.is_bottom = !entry && !has_parent;
	r = r ? r : state->visit(state->arg, &device);
	if (!r && has_parent)
		return walk(state, below, &device, levels - 1);
	for (; !r && entry; entry = lea_file_next(dir, &r)) {
		snprintf(attribute, sizeof(attribute), "slaves/%s/dev", entry->d_name);
		r = find_number(state->world, devno, attribute, &below, &is);
		if (!r && is)
			r = walk(state, below, &device, levels - 1);
	}
	return r;
}

int lea_stack_walk(struct lea_world *world, struct lea_devno devno,
		   int (*visit)(void *arg, const struct lea_stack_device *device), void *arg)
{
	struct walk state = {.world = world, .visit = visit, .arg = arg, .left = LEA_STACK_MOST};

	return walk(&state, devno, NULL, MOST_LEVELS);
}

bool lea_stack_is_lv(const struct lea_stack_device *device)
{
	return lea_after(device->uuid, "LVM-") != NULL;
}

static int visit_lv(void *arg, const struct lea_stack_device *device)
{
	(void)arg;
	return lea_stack_is_lv(device);
}

bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno)
{
	return lea_stack_walk(world, devno, visit_lv, NULL) > 0;
}
