/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/stack.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/sysfs.h"

#define MOST_LEVELS 16U

static bool lies_on_lv(struct lea_world *world, struct lea_devno devno, unsigned int levels);

/* @attribute: names a file with the number of a device below */
static bool is_below(struct lea_world *world, struct lea_devno devno, const char *attribute,
		     unsigned int levels)
{
	char text[LEA_SYSFS_VALUE_BYTES];
	struct lea_devno below;

	return !lea_sysfs_text(world, devno, attribute, text, sizeof(text)) &&
	       lea_devno_parse(text, &below) && lies_on_lv(world, below, levels - 1);
}

static bool has_lv_among_slaves(struct lea_world *world, struct lea_devno devno,
				unsigned int levels)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[64], attribute[300];
	int sys_fd = lea_world_sys(world), r;

	snprintf(path, sizeof(path), "dev/block/%u:%u/slaves", devno.major, devno.minor);
	r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, path, &dir);
	while ((entry = lea_file_next(dir, &r))) {
		snprintf(attribute, sizeof(attribute), "slaves/%s/dev", entry->d_name);
		if (is_below(world, devno, attribute, levels))
			return true;
	}
	return false;
}

static bool lies_on_lv(struct lea_world *world, struct lea_devno devno, unsigned int levels)
{
	char text[LEA_SYSFS_VALUE_BYTES];

	if (!levels)
		return false;
	if (!lea_sysfs_text(world, devno, "dm/uuid", text, sizeof(text)) &&
	    !strncmp(text, "LVM-", 4))
		return true;
	if (has_lv_among_slaves(world, devno, levels))
		return true;
	return !lea_sysfs_text(world, devno, "partition", text, sizeof(text)) &&
	       is_below(world, devno, "../dev", levels);
}

bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno)
{
	return lies_on_lv(world, devno, MOST_LEVELS);
}
