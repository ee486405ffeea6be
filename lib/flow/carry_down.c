/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downwards: all visible LVs are asked whether they are open before the first goes, as lvm2 does:
 * a VG is not left half active because its last LV is mounted.
 */
#include "base/cleanup.h"
#include "flow/carry.h"
#include "world/dm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define OPEN_TRIES    25U
#define OPEN_PAUSE_MS 200U

struct down {
	struct lea_world *world;
	struct lea_dm *dm;
	const struct lea_vg *vg;
	const struct lea_carry_down *how;
};

static bool has_holders(struct lea_world *world, const struct lea_dm_info *info)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int sys_fd = lea_world_sys(world), fd;
	char path[64];

	if (sys_fd < 0)
		return false;
	snprintf(path, sizeof(path), "dev/block/%u:%u/holders", info->major, info->minor);
	fd = openat(sys_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return false;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			return true;
	return false;
}

static bool is_mounted(struct lea_world *world, const struct lea_dm_info *info)
{
	LEA_AUTO(lea_fclosep) FILE *file = NULL;
	LEA_AUTO(lea_freep) char *line = NULL;
	int proc_fd = lea_world_proc(world), fd;
	unsigned int major, minor;
	size_t bytes = 0;

	if (proc_fd < 0)
		return false;
	fd = openat(proc_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return false;
	}
	while (getline(&line, &bytes, file) > 0)
		if (sscanf(line, "%*d %*d %u:%u ", &major, &minor) == 2 && major == info->major &&
		    minor == info->minor)
			return true;
	return false;
}

/* Says why; what only an event's program holds for a moment is waited for. */
static bool is_open(const struct down *down, const struct lea_lv *lv, const char *uuid)
{
	const uint32_t tries = down->how->retry ? OPEN_TRIES : 1;
	struct lea_log *log = down->world->log;
	struct lea_dm_info info;

	for (uint32_t i = 0;; i++) {
		if (down->dm->info(down->dm, uuid, &info) || !info.open_count)
			return false;
		if (has_holders(down->world, &info)) {
			lea_log(log, LEA_LOG_ERROR,
				"Logical volume %s/%s is used by another device.", down->vg->name,
				lv->name);
			return true;
		}
		if (is_mounted(down->world, &info)) {
			lea_log(log, LEA_LOG_ERROR,
				"Logical volume %s/%s contains a filesystem in use.",
				down->vg->name, lv->name);
			return true;
		}
		if (i + 1 == tries)
			break;
		if (down->world->clock)
			down->world->clock->sleep_ms(down->world->clock, OPEN_PAUSE_MS);
	}
	lea_log(log, LEA_LOG_ERROR, "Logical volume %s/%s in use.", down->vg->name, lv->name);
	return true;
}

static int count_open(const struct down *down, uint32_t *ret_open)
{
	struct lea_dm_node node;
	uint32_t open = 0;
	int r;

	for (uint32_t i = 0; i < down->vg->lv_count; i++) {
		const struct lea_lv *lv = &down->vg->lvs[i];

		if (!lea_lv_is_visible(lv))
			continue;
		r = lea_plan_names(down->how->arena, down->vg, lv, &node);
		if (r == -ENOMEM)
			return r;
		open += !r && is_open(down, lv, node.uuid);
	}
	*ret_open = open;
	return 0;
}

static int remove_lv(const struct down *down, const struct lea_lv *lv)
{
	struct lea_dm_node node = {.udev_flags = lea_plan_udev_flags(lv, down->how->rules)};
	struct lea_dm_info info;
	int r = lea_plan_names(down->how->arena, down->vg, lv, &node);

	if (r == -ENAMETOOLONG)
		return 0;
	if (!r)
		r = down->dm->info(down->dm, node.uuid, &info);
	if (r == LEA_DM_ABSENT)
		return 0;
	if (r)
		return r;
	/* After a rename it still has the name it was made with. */
	node.name = info.name;
	node.link_vg = down->vg->name;
	node.link_lv = lv->name;
	if (down->how->test)
		return 0;
	r = down->dm->remove(down->dm, &node, down->how->retry);
	return r == LEA_DM_ABSENT ? 0 : r == LEA_DM_BUSY ? -EBUSY : r;
}

static int remove_all(const struct down *down, struct lea_activate_result *result)
{
	for (uint32_t i = 0; i < down->vg->lv_count; i++) {
		const struct lea_lv *lv = &down->vg->lvs[i];
		int r = remove_lv(down, lv);

		if (!r)
			continue;
		lea_log_fault(down->world->log, r, "LV %s/%s: removing its device", down->vg->name,
			      lv->name);
		result->failed++;
	}
	return result->failed ? LEA_ACTIVATE_FAILED : 0;
}

int lea_carry_down(struct lea_world *world, const struct lea_vg *vg,
		   const struct lea_carry_down *how, struct lea_activate_result *result)
{
	const struct down down = {world, world->dm, vg, how};
	uint32_t open;
	int r;

	if (!world->dm)
		return 0;
	r = count_open(&down, &open);
	if (r)
		return r;
	if (open) {
		lea_log(world->log, LEA_LOG_ERROR,
			"Can't deactivate volume group \"%s\" with %u open logical volume(s)",
			vg->name, open);
		result->failed += open;
		return LEA_ACTIVATE_FAILED;
	}
	return remove_all(&down, result);
}
