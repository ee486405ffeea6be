/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device-mapper: nodes and tables that outlive the processes, and what sysfs shows of them. A
 * table keeps the instance of each disk that it names, as the kernel does.
 */
#include "sim/machine_private.h"

#include "base/cleanup.h"
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANNED 32U

struct sim_node sim_node[SIM_NODES];

static uint32_t next_minor;
/* Of the metadata that a VG's plan was last made from. */
static struct {
	char vg_id[33];
	uint32_t seqno;
} planned[PLANNED];

/* Of one process's view: what it did since its last wait. */
struct own_dm {
	struct lea_dm dm;
	uint32_t unwaited;
};

int __real_lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg,
		       const struct lea_plan_pv *pvs, const struct lea_plan_rules *rules,
		       struct lea_plan **ret_plan);
int __wrap_lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg,
		       const struct lea_plan_pv *pvs, const struct lea_plan_rules *rules,
		       struct lea_plan **ret_plan);
int __wrap_lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg,
		       const struct lea_plan_pv *pvs, const struct lea_plan_rules *rules,
		       struct lea_plan **ret_plan)
{
	uint32_t at = 0;

	while (at + 1 < PLANNED && planned[at].vg_id[0] && strcmp(planned[at].vg_id, vg->id) != 0)
		at++;
	snprintf(planned[at].vg_id, sizeof(planned[at].vg_id), "%s", vg->id);
	planned[at].seqno = vg->seqno;
	return __real_lea_plan_vg(arena, vg, pvs, rules, ret_plan);
}

static uint32_t seqno_of(const char *uuid)
{
	for (uint32_t i = 0; i < PLANNED; i++)
		if (planned[i].vg_id[0] && !strncmp(uuid + 4, planned[i].vg_id, 32))
			return planned[i].seqno;
	return 0;
}

struct sim_node *sim_dm_node(const char *uuid)
{
	for (uint32_t i = 0; i < SIM_NODES; i++)
		if (sim_node[i].exists && !strcmp(sim_node[i].uuid, uuid))
			return &sim_node[i];
	return NULL;
}

static struct sim_node *by_name(const char *name)
{
	for (uint32_t i = 0; i < SIM_NODES; i++)
		if (sim_node[i].exists && !strcmp(sim_node[i].name, name))
			return &sim_node[i];
	return NULL;
}

/* Calls @see with each number in a table's rows; its true ends the walk. */
static bool each_number(const char *rows, bool (*see)(void *arg, uint32_t major, uint32_t minor),
			void *arg)
{
	for (const char *at = rows; (at = strchr(at, ':')); at++) {
		const char *from = at;
		unsigned int major, minor;

		while (from > rows && from[-1] >= '0' && from[-1] <= '9')
			from--;
		if (from < at && sscanf(from, "%u:%u", &major, &minor) == 2 &&
		    see(arg, major, minor))
			return true;
	}
	return false;
}

static bool is_minor(void *arg, uint32_t major, uint32_t minor)
{
	return major == 253 && minor == *(uint32_t *)arg;
}

static uint32_t open_count(struct sim_node *node)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SIM_NODES; i++)
		if (sim_node[i].exists && &sim_node[i] != node)
			count += each_number(sim_node[i].table, is_minor, &node->minor) ||
				 (sim_node[i].has_inactive &&
				  each_number(sim_node[i].inactive, is_minor, &node->minor));
	return count;
}

static void print_rows(const struct lea_table *table, char text[static 1024])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < table->row_count && used < 1024; i++) {
		const struct lea_row *row = &table->row[i];

		used += (size_t)snprintf(text + used, 1024 - used,
					 "%" PRIu64 " %" PRIu64 " %s %s\n", row->start_sectors,
					 row->length_sectors, row->target, row->params);
	}
}

/* ---- sysfs */

struct show {
	const struct sim_node *node;
	bool appears;
};

static bool show_ref(void *arg, uint32_t major, uint32_t minor)
{
	const struct show *show = arg;
	char path[128], target[64];

	if (major == 8 && sim_disk_at(minor) < 0)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders/dm-%u", major, minor,
		 show->node->minor);
	snprintf(target, sizeof(target), "../../253:%u", show->node->minor);
	if (show->appears)
		sim_link(path, target);
	else
		sim_unlink(path);
	return false;
}

static void show_refs(const struct sim_node *node, bool appears)
{
	struct show show = {node, appears};

	each_number(node->table, show_ref, &show);
}

static void show_node(const struct sim_node *node)
{
	char path[128], target[64];

	snprintf(path, sizeof(path), "/sys/dev/block/253:%u", node->minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dm", node->minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/holders", node->minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dm/uuid", node->minor);
	sim_put(path, "%s\n", node->uuid);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dm/name", node->minor);
	sim_put(path, "%s\n", node->name);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dm/suspended", node->minor);
	sim_put(path, "0\n");
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dev", node->minor);
	sim_put(path, "253:%u\n", node->minor);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/size", node->minor);
	sim_put(path, "16384\n");
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/uevent", node->minor);
	sim_put(path, "MAJOR=253\nMINOR=%u\nDEVNAME=dm-%u\nDEVTYPE=disk\n", node->minor,
		node->minor);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%u", node->minor);
	snprintf(target, sizeof(target), "../../dev/block/253:%u", node->minor);
	sim_link(path, target);
	snprintf(path, sizeof(path), "/dev/dm-%u", node->minor);
	sim_put(path, "%s", "");
	/* udev finishes with it at once. */
	snprintf(path, sizeof(path), "/run/udev/data/b253:%u", node->minor);
	sim_put(path, "I:1\nE:DM_UUID=%s\nE:DM_NAME=%s\nE:DM_UDEV_PRIMARY_SOURCE_FLAG=1\n",
		node->uuid, node->name);
}

static void hide_node(struct sim_node *node)
{
	char path[128];

	show_refs(node, false);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%u", node->minor);
	sim_unlink(path);
	snprintf(path, sizeof(path), "/dev/dm-%u", node->minor);
	sim_unlink(path);
	snprintf(path, sizeof(path), "/run/udev/data/b253:%u", node->minor);
	sim_unlink(path);
	snprintf(path, sizeof(path), "/sys/dev/block/253:%u", node->minor);
	sim_clear(path);
	sim_unlink(path);
	node->exists = false;
}

/* ---- requests */

static struct own_dm *own(struct lea_dm *dm)
{
	return container_of(dm, struct own_dm, dm);
}

static int begin(const char *what)
{
	sim_point(what, NULL);
	return 0;
}

static int dm_list(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	struct lea_dm_listed *nodes = calloc(SIM_NODES, sizeof(*nodes));
	size_t count = 0;

	(void)dm;
	begin("dm-list");
	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < SIM_NODES; i++) {
		if (!sim_node[i].exists)
			continue;
		strcpy(nodes[count].name, sim_node[i].name);
		strcpy(nodes[count++].uuid, sim_node[i].uuid);
	}
	*ret_nodes = nodes;
	*ret_count = count;
	return 0;
}

static int dm_info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	struct sim_node *node = sim_dm_node(uuid);

	(void)dm;
	begin("dm-info");
	if (!node)
		return LEA_DM_ABSENT;
	*ret_info = (struct lea_dm_info){.major = 253,
					 .minor = node->minor,
					 .open_count = open_count(node),
					 .live_table = node->has_table,
					 .inactive_table = node->has_inactive,
					 .suspended = node->is_suspended,
					 .read_only = node->is_read_only};
	strcpy(ret_info->name, node->name);
	return 0;
}

static int dm_uuid_of(struct lea_dm *dm, const char *name, char ret_uuid[static LEA_DM_UUID_BYTES])
{
	const struct sim_node *node = by_name(name);

	(void)dm;
	begin("dm-info");
	if (!node)
		return LEA_DM_ABSENT;
	memcpy(ret_uuid, node->uuid, LEA_DM_UUID_BYTES);
	return 0;
}

static int dm_same_table(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			 bool *ret_same)
{
	const struct sim_node *node = sim_dm_node(uuid);
	char rows[1024];

	(void)dm;
	begin("dm-table");
	if (!node)
		return -ENXIO;
	print_rows(table, rows);
	*ret_same = !strcmp(rows, node->table);
	return 0;
}

static int dm_has_row(struct lea_dm *dm, const char *uuid, bool (*is_one)(const char *target),
		      bool *ret_has)
{
	const struct sim_node *node = sim_dm_node(uuid);
	const char *row = node ? node->table : "";
	char target[32];

	(void)dm;
	*ret_has = false;
	for (; *row; row += strcspn(row, "\n") + 1)
		if (sscanf(row, "%*u %*u %31s", target) == 1)
			*ret_has = *ret_has || is_one(target);
	return 0;
}

static int dm_create(struct lea_dm *dm, const struct lea_dm_node *wanted, uint32_t *ret_major,
		     uint32_t *ret_minor)
{
	(void)dm;
	begin("dm-create");
	if (by_name(wanted->name) || sim_dm_node(wanted->uuid))
		return -EBUSY;
	for (uint32_t i = 0; i < SIM_NODES; i++) {
		struct sim_node *node = &sim_node[i];

		if (node->exists)
			continue;
		*node = (struct sim_node){
			.exists = true, .is_suspended = true, .minor = next_minor++};
		snprintf(node->name, sizeof(node->name), "%s", wanted->name);
		snprintf(node->uuid, sizeof(node->uuid), "%s", wanted->uuid);
		show_node(node);
		*ret_major = 253;
		*ret_minor = node->minor;
		return 0;
	}
	sim_break("too many device-mapper nodes");
	return -ENOMEM;
}

struct load {
	struct sim_node *node;
	bool lacks;
};

static bool note_ref(void *arg, uint32_t major, uint32_t minor)
{
	struct load *load = arg;
	struct sim_node *node = load->node;
	int disk;

	if (major == 253) {
		load->lacks = true;
		for (uint32_t i = 0; i < SIM_NODES; i++)
			if (sim_node[i].exists && sim_node[i].minor == minor)
				load->lacks = false;
		return load->lacks;
	}
	disk = major == 8 ? sim_disk_at(minor) : -1;
	if (disk < 0) {
		load->lacks = true;
		return true;
	}
	if (node->inactive_ref_count < sizeof(node->inactive_ref) / sizeof(node->inactive_ref[0]))
		node->inactive_ref[node->inactive_ref_count++] =
			(struct sim_ref){(uint32_t)disk, sim_unit[disk].instance};
	return false;
}

static int dm_load(struct lea_dm *dm, const struct lea_dm_node *wanted,
		   const struct lea_table *table)
{
	struct sim_node *node;
	struct load load;

	(void)dm;
	begin("dm-load");
	node = by_name(wanted->name);
	if (!node)
		return -ENXIO;
	load = (struct load){node, false};
	print_rows(table, node->inactive);
	node->inactive_ref_count = 0;
	each_number(node->inactive, note_ref, &load);
	if (load.lacks) {
		node->has_inactive = false;
		return -ENXIO;
	}
	node->inactive_read_only = wanted->read_only;
	node->inactive_seqno = seqno_of(node->uuid);
	node->has_inactive = true;
	return 0;
}

static int dm_suspend(struct lea_dm *dm, const struct lea_dm_node *wanted)
{
	struct sim_node *node = by_name(wanted->name);

	(void)dm;
	begin("dm-suspend");
	if (!node)
		return -ENXIO;
	node->is_suspended = true;
	return 0;
}

static int dm_status(struct lea_dm *dm, const struct lea_dm_node *wanted, char **ret_text)
{
	const struct sim_node *node = by_name(wanted->name);
	const char *text = "";

	(void)dm;
	begin("dm-status");
	if (!node)
		return -ENXIO;
	if (strstr(node->table, " thin-pool "))
		text = "1 1/1024 0/128 - rw discard_passdown queue_if_no_space - 1024";
	else if (strstr(node->table, " raid "))
		text = "raid1 2 AA 16384/16384 idle 0 0 -";
	else if (strstr(node->table, " snapshot "))
		text = "16/8192 16";
	*ret_text = strdup(text);
	return *ret_text ? 0 : -ENOMEM;
}

static int dm_has_target(struct lea_dm *dm, const char *target)
{
	(void)dm;
	(void)target;
	return 0;
}

static int dm_resume(struct lea_dm *dm, const struct lea_dm_node *wanted)
{
	struct sim_node *node;

	begin("dm-resume");
	node = by_name(wanted->name);
	if (!node)
		return -ENXIO;
	if (node->has_inactive) {
		show_refs(node, false);
		memcpy(node->table, node->inactive, sizeof(node->table));
		memcpy(node->ref, node->inactive_ref, sizeof(node->ref));
		node->ref_count = node->inactive_ref_count;
		node->seqno = node->inactive_seqno;
		node->is_read_only = node->inactive_read_only;
		node->has_inactive = false;
		node->has_table = true;
		node->is_by_us = sim.now && strcmp(sim.now->main->role, "lvm") != 0;
		node->at_ms = sim.now_ms;
		show_refs(node, true);
	}
	node->is_suspended = false;
	own(dm)->unwaited++;
	return 0;
}

static int dm_remove(struct lea_dm *dm, const struct lea_dm_node *wanted, bool retry)
{
	struct sim_node *node;

	(void)retry;
	begin("dm-remove");
	node = by_name(wanted->name);
	if (!node)
		return LEA_DM_ABSENT;
	if (open_count(node))
		return LEA_DM_BUSY;
	hide_node(node);
	own(dm)->unwaited++;
	return 0;
}

static int dm_wait(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	uint32_t ms = own(dm)->unwaited ? 2 + sim_draw(sim_draw(20) ? 60 : 5000) : 0;

	(void)still_ms;
	own(dm)->unwaited = 0;
	sim_sleep("udev", ms);
	return limit_ms && ms > limit_ms ? -ETIMEDOUT : 0;
}

static void dm_free(struct lea_dm *dm)
{
	free(own(dm));
}

struct lea_dm *sim_dm_new(void)
{
	struct own_dm *dm = calloc(1, sizeof(*dm));

	if (!dm)
		return NULL;
	dm->dm = (struct lea_dm){.list = dm_list,
				 .info = dm_info,
				 .uuid_of = dm_uuid_of,
				 .same_table = dm_same_table,
				 .has_row = dm_has_row,
				 .create = dm_create,
				 .load = dm_load,
				 .suspend = dm_suspend,
				 .status = dm_status,
				 .has_target = dm_has_target,
				 .resume = dm_resume,
				 .remove = dm_remove,
				 .wait = dm_wait,
				 .free = dm_free,
				 .release = 185,
				 .udev_rules = true};
	return &dm->dm;
}

/* No process opens the kernel's. */
int __wrap_lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm);
int __wrap_lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm)
{
	(void)options;
	*ret_dm = sim_dm_new();
	return *ret_dm ? 0 : -ENOMEM;
}

/* ---- for lvm2's commands */

static bool is_of_vg(const struct sim_node *node, const char *vg_id)
{
	return node->exists && !strncmp(node->uuid, "LVM-", 4) &&
	       !strncmp(node->uuid + 4, vg_id, 32);
}

bool sim_dm_has_vg(const char *vg_id)
{
	for (uint32_t i = 0; i < SIM_NODES; i++)
		if (is_of_vg(&sim_node[i], vg_id))
			return true;
	return false;
}

uint32_t sim_dm_remove_vg(const char *vg_id)
{
	uint32_t left = 0;
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < SIM_NODES; i++)
			if (is_of_vg(&sim_node[i], vg_id) && !open_count(&sim_node[i])) {
				hide_node(&sim_node[i]);
				any = true;
			}
	}
	for (uint32_t i = 0; i < SIM_NODES; i++)
		left += is_of_vg(&sim_node[i], vg_id);
	return left;
}

bool sim_dm_holds(uint32_t minor)
{
	char number[24];

	snprintf(number, sizeof(number), " 8:%" PRIu32 " ", minor);
	for (uint32_t i = 0; i < SIM_NODES; i++) {
		const struct sim_node *node = &sim_node[i];

		if (node->exists && ((node->has_table && strstr(node->table, number)) ||
				     (node->has_inactive && strstr(node->inactive, number))))
			return true;
	}
	return false;
}

bool sim_dm_uses(uint32_t disk)
{
	for (uint32_t i = 0; i < SIM_NODES; i++) {
		const struct sim_node *node = &sim_node[i];

		for (uint32_t k = 0; node->exists && node->has_table && k < node->ref_count; k++)
			if (node->ref[k].disk == disk &&
			    node->ref[k].instance == sim_unit[disk].instance)
				return true;
	}
	return false;
}

void sim_dm_rename_vg(const char *vg_id, const char *from, const char *to)
{
	char rest[LEA_DM_NAME_BYTES], path[128];

	for (uint32_t i = 0; i < SIM_NODES; i++) {
		struct sim_node *node = &sim_node[i];

		if (!is_of_vg(node, vg_id) || strncmp(node->name, from, strlen(from)) != 0)
			continue;
		snprintf(rest, sizeof(rest), "%s", node->name + strlen(from));
		snprintf(node->name, sizeof(node->name), "%s%.90s", to, rest);
		snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dm/name", node->minor);
		sim_put(path, "%s\n", node->name);
	}
}

void sim_dm_reset(void)
{
	memset(sim_node, 0, sizeof(sim_node));
	memset(planned, 0, sizeof(planned));
	next_minor = 0;
}
