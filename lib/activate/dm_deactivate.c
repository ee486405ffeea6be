/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deactivation. Like lvm2, it checks whether any visible LV is open before it removes the first, so
 * that a VG is not left half active because its last LV is mounted.
 */
#include "activate/activate_private.h"
#include "activate/monitor.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "world/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define OPEN_TRIES    25U
#define OPEN_PAUSE_MS 200U
#define HOLDERS_BYTES 512U

struct down {
	struct lea_world *world;
	struct lea_dm *dm;
	const struct lea_plan *plan;
	const struct lea_dm_deactivate *options;
	bool *gone; /* [node_count]: removed, together with the nodes that only it used */
};

/* Writes the holder's dm name, or the kernel's name if it has none. */
static void name_holder(int holders_fd, const char *entry, char *to, size_t to_bytes)
{
	char path[NAME_MAX + 16];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/dm/name", entry);
	fd = openat(holders_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, to, to_bytes - 1);
		close(fd);
	}
	if (len > 0) {
		to[len] = '\0';
		to[strcspn(to, "\n")] = '\0';
	} else {
		snprintf(to, to_bytes, "%.100s", entry);
	}
}

/* @ret_names: the holders that fit, each after a space: " dm-7 vg-lv" */
static bool has_holders(struct lea_world *world, const struct lea_dm_info *info,
			char ret_names[static HOLDERS_BYTES])
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int sys_fd = lea_world_sys(world);
	char path[64], name[LEA_DM_NAME_BYTES];
	size_t used = 0;
	int r;

	*ret_names = '\0';
	if (sys_fd < 0)
		return false;
	snprintf(path, sizeof(path), "dev/block/%u:%u/holders", info->major, info->minor);
	r = lea_file_list(sys_fd, path, &dir);
	while ((entry = lea_file_next(dir, &r))) {
		if (used >= HOLDERS_BYTES)
			continue;
		name_holder(dirfd(dir), entry->d_name, name, sizeof(name));
		used += (size_t)snprintf(ret_names + used, HOLDERS_BYTES - used, " %s", name);
	}
	return used > 0;
}

static bool is_mounted(struct lea_world *world, const struct lea_dm_info *info)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts mounts;

	return !lea_mounts_read(world, LEA_MOUNTINFO, &mounts) &&
	       lea_mounts_find_device(&mounts, info->major, info->minor);
}

/* Logs what uses an open LV. Without holder and mount, a program that handles a uevent may have it
 * open for a moment: then try again. */
static bool is_open(const struct down *down, const struct lea_lv *lv, const char *uuid)
{
	const uint32_t tries = down->options->conf->retry_deactivation ? OPEN_TRIES : 1;
	struct lea_log *log = down->world->log;
	char holders[HOLDERS_BYTES];
	struct lea_dm_info info;

	for (uint32_t i = 0;; i++) {
		if (down->dm->info(down->dm, uuid, &info) || !info.open_count)
			return false;
		if (has_holders(down->world, &info, holders)) {
			lea_log(log, LEA_LOG_ERROR,
				"Logical volume %s/%s is used by another device.",
				down->plan->vg->name, lv->name);
			lea_log(log, LEA_LOG_WARNING, "%s/%s is held by%s.", down->plan->vg->name,
				lv->name, holders);
			return true;
		}
		if (is_mounted(down->world, &info)) {
			lea_log(log, LEA_LOG_ERROR,
				"Logical volume %s/%s contains a filesystem in use.",
				down->plan->vg->name, lv->name);
			return true;
		}
		if (i + 1 == tries)
			break;
		if (down->world->clock)
			down->world->clock->sleep_ms(down->world->clock, OPEN_PAUSE_MS);
	}
	lea_log(log, LEA_LOG_ERROR, "Logical volume %s/%s in use.", down->plan->vg->name, lv->name);
	return true;
}

static int count_open(const struct down *down, uint32_t *ret_open)
{
	const struct lea_vg *vg = down->plan->vg;
	struct lea_plan_names names;
	uint32_t open = 0;
	int r;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		if (!lea_lv_is_visible(&vg->lvs[i]))
			continue;
		r = lea_plan_names(down->options->arena, vg, &vg->lvs[i], LEA_LAYER_NONE, &names);
		if (lea_is_shortage(r))
			return r;
		open += !r && is_open(down, &vg->lvs[i], names.uuid);
	}
	*ret_open = open;
	return 0;
}

static int remove_one(const struct down *down, uint32_t index, bool is_part,
		      const struct lea_dm_info *info)
{
	struct lea_dm_node node = down->plan->node[index].node;
	int r;

	/* After a rename of the LV the node may still have its old name. */
	node.name = info->name;
	if (is_part)
		node.udev_flags |= LEA_DM_UDEV_DISABLE_SUBSYSTEM | LEA_DM_UDEV_DISABLE_DISK |
				   LEA_DM_UDEV_DISABLE_OTHER;
	r = down->options->test
		    ? 0
		    : down->dm->remove(down->dm, &node, down->options->conf->retry_deactivation);
	return r == LEA_DM_ABSENT ? 0 : r == LEA_DM_BUSY ? -EBUSY : r;
}

/* Finds the last reference ("@7") before *@end and moves *@end to it. */
static bool last_ref(const char *params, size_t *end, uint32_t *ret_ref)
{
	while (*end > 0) {
		if (params[--*end] != '@')
			continue;
		*ret_ref = (uint32_t)strtoul(params + *end + 1, NULL, 10);
		return true;
	}
	return false;
}

static int remove_tree(const struct down *down, uint32_t index, bool is_part);

/* A part that other nodes still use stays; it is removed with its last user. The order is lvm2's.
 */
static int remove_parts(const struct down *down, uint32_t index)
{
	const struct lea_table *table = &down->plan->node[index].table;
	uint32_t ref;
	int r = 0;

	for (uint32_t row = table->row_count; !r && row > 0; row--) {
		const char *params = table->row[row - 1].params;

		for (size_t end = strlen(params); !r && last_ref(params, &end, &ref);)
			r = remove_tree(down, ref, true);
	}
	return r;
}

static int remove_tree(const struct down *down, uint32_t index, bool is_part)
{
	const struct lea_plan_node *node = &down->plan->node[index];
	struct lea_dm_info info;
	const char *uuid;
	int r;

	if (down->gone[index])
		return 0;
	r = lea_dm_find(down->dm, node->node.uuid, node->other_uuid, &info, &uuid);
	if (r < 0)
		return r;
	if (!r && is_part && info.open_count)
		return 0;
	r = r ? r : remove_one(down, index, is_part, &info);
	if (r < 0)
		return r;
	/* The LV may be only partly active: remove the parts even where this node is absent. */
	down->gone[index] = true;
	return remove_parts(down, index);
}

/* Besides their own top node, an LV's steps contain those of its snapshots and, for the first LV on
 * a pvmove, those of the other LVs on it. */
static bool is_top(const struct down *down, uint32_t index)
{
	const struct lea_plan_node *node = &down->plan->node[index];

	return index == down->plan->lv[node->lv].top ||
	       (node->layer == LEA_LAYER_NONE && down->plan->vg->lvs[node->lv].cow);
}

static int remove_lv(const struct down *down, const struct lea_plan_lv *lv)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < lv->step_count; i++) {
		const struct lea_plan_step *step = &down->plan->step[lv->first_step + i];

		if (step->kind == LEA_STEP_MAKE && is_top(down, step->node))
			r = remove_tree(down, step->node, false);
	}
	return r;
}

static int remove_all(const struct down *down, struct lea_activate_result *result)
{
	const struct lea_vg *vg = down->plan->vg;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		int r = remove_lv(down, &down->plan->lv[i]);

		if (!r)
			continue;
		lea_log_fault(down->world->log, r, "LV %s/%s: removing its device", vg->name,
			      vg->lvs[i].name);
		result->failed++;
	}
	return result->failed ? LEA_ACTIVATE_FAILED : 0;
}

int lea_dm_deactivate(struct lea_world *world, const struct lea_dm_deactivate *options,
		      const struct lea_plan *plan, struct lea_activate_result *result)
{
	struct down down = {world, world->dm, plan, options, NULL};
	uint32_t open;
	int r;

	if (!world->dm)
		return 0;
	down.gone = lea_arena_alloc(options->arena, plan->node_count, sizeof(*down.gone));
	if (plan->node_count && !down.gone)
		return -ENOMEM;
	r = count_open(&down, &open);
	if (r)
		return r;
	if (open) {
		lea_log(world->log, LEA_LOG_ERROR,
			"Can't deactivate volume group \"%s\" with %u open logical volume(s)",
			plan->vg->name, open);
		result->failed += open;
		return LEA_ACTIVATE_FAILED;
	}
	if (options->monitor && !options->test)
		lea_monitor_end(world, options->conf, plan->vg);
	r = remove_all(&down, result);
	if (r && options->monitor && !options->test)
		lea_monitor_again(world, options->conf, plan->vg);
	return r;
}
