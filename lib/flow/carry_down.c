/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downwards: all visible LVs are asked whether they are open before the first goes, as lvm2 does:
 * a VG is not left half active because its last LV is mounted.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "flow/carry.h"
#include "flow/follow.h"
#include "world/dm.h"

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
	const struct lea_carry_down *how;
	bool *gone; /* [node_count]: with all that only it used */
};

/* How people know it: a dm name where there is one, else the kernel's. */
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

/* @ret_names: " dm-7 vg-lv", as many as fit. */
static bool has_holders(struct lea_world *world, const struct lea_dm_info *info,
			char ret_names[static HOLDERS_BYTES])
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int sys_fd = lea_world_sys(world);
	char path[64], name[LEA_DM_NAME_BYTES];
	size_t used = 0;

	*ret_names = '\0';
	if (sys_fd < 0)
		return false;
	snprintf(path, sizeof(path), "dev/block/%u:%u/holders", info->major, info->minor);
	if (lea_file_list(sys_fd, path, &dir))
		return false;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || used >= HOLDERS_BYTES)
			continue;
		name_holder(dirfd(dir), entry->d_name, name, sizeof(name));
		used += (size_t)snprintf(ret_names + used, HOLDERS_BYTES - used, " %s", name);
	}
	return used > 0;
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
	const uint32_t tries = down->how->conf->retry_deactivation ? OPEN_TRIES : 1;
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
		r = lea_plan_names(down->how->arena, vg, &vg->lvs[i], LEA_LAYER_NONE, &names);
		if (r == -ENOMEM)
			return r;
		open += !r && is_open(down, &vg->lvs[i], names.uuid);
	}
	*ret_open = open;
	return 0;
}

/* As it is called in the kernel, whichever version of lvm2 made it. */
static int find(const struct down *down, const struct lea_plan_node *node,
		struct lea_dm_info *ret_info)
{
	int r = node->node.uuid ? down->dm->info(down->dm, node->node.uuid, ret_info)
				: LEA_DM_ABSENT;

	if (r == LEA_DM_ABSENT && node->other_uuid)
		r = down->dm->info(down->dm, node->other_uuid, ret_info);
	return r;
}

static int remove_one(const struct down *down, uint32_t index, bool is_part,
		      const struct lea_dm_info *info)
{
	struct lea_dm_node node = down->plan->node[index].node;
	int r;

	/* After a rename it still has the name it was made with. */
	node.name = info->name;
	if (is_part)
		node.udev_flags |= LEA_DM_UDEV_DISABLE_SUBSYSTEM | LEA_DM_UDEV_DISABLE_DISK |
				   LEA_DM_UDEV_DISABLE_OTHER;
	r = down->how->test
		    ? 0
		    : down->dm->remove(down->dm, &node, down->how->conf->retry_deactivation);
	return r == LEA_DM_ABSENT ? 0 : r == LEA_DM_BUSY ? -EBUSY : r;
}

/* The last "@7" before @end, which moves to it. */
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

/* Parts that others use, too, stay for them; the last user takes them along. The order is lvm2's.
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
	struct lea_dm_info info;
	int r;

	if (down->gone[index])
		return 0;
	r = find(down, &down->plan->node[index], &info);
	if (r < 0)
		return r;
	if (!r && is_part && info.open_count)
		return 0;
	if (!r)
		r = remove_one(down, index, is_part, &info);
	if (r < 0)
		return r;
	/* Half an LV may be there: what is below is looked at in any case. */
	down->gone[index] = true;
	return remove_parts(down, index);
}

/* An origin's snapshots have nodes of their own beside it, and so have LVs on one move. */
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

int lea_carry_down(struct lea_world *world, const struct lea_carry_down *how,
		   const struct lea_plan *plan, struct lea_activate_result *result)
{
	struct down down = {world, world->dm, plan, how, NULL};
	uint32_t open;
	int r;

	if (!world->dm)
		return 0;
	down.gone = lea_arena_alloc(how->arena, plan->node_count, sizeof(*down.gone));
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
	if (how->monitor && !how->test)
		lea_follow_end(world, how->conf, plan->vg);
	r = remove_all(&down, result);
	if (r && how->monitor && !how->test)
		lea_follow_again(world, how->conf, plan->vg);
	return r;
}
