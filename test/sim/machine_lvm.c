/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's commands, as far as others notice them: they take the VG's lock, change metadata and
 * device-mapper, and keep lvm2's files below /run/lvm. A command that stock lvm2 would refuse does
 * nothing: a VG with duplicate PVs is not changed, one that lacks PVs only as vgreduce permits.
 */
#include "sim/machine_private.h"

#include "activate/settings.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "conf/conf.h"
#include "disk/vg.h"
#include "plan/plan.h"
#include "state/lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sim_vg sim_vg[SIM_VGS];
char sim_taken_down[SIM_ACTIVE_MOST][33];
uint32_t sim_taken_down_count;

/* The disks of a VG, as lvm finds them. */
struct found {
	int disk[SIM_DISKS]; /* by PV; -1: missing */
	uint32_t missing;
	bool has_duplicates, is_sick, is_any;
};

/* ---- what lvm sees */

static bool is_seen(const struct sim_unit *unit)
{
	return unit->is_there && !unit->is_rejected;
}

static bool is_sick(const struct sim_unit *unit)
{
	return unit->hangs || unit->fails || unit->is_suspended;
}

/* The VG as its newest metadata on any disk say; found->is_any false: none. */
static struct found find(struct sim_vg *vg)
{
	struct found found = {.missing = 0};
	const char *id = vg->id;
	uint32_t seqno = 0;

	sim_judge();
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		const struct sim_unit *unit = &sim_unit[disk];

		if (!vg->exists || !is_seen(unit) || !unit->on.is_pv || !unit->on.has_vg ||
		    strcmp(unit->on.vg.id, id) != 0)
			continue;
		found.is_any = true;
		found.is_sick = found.is_sick || is_sick(unit);
		if (unit->on.vg.seqno > seqno) {
			seqno = unit->on.vg.seqno;
			*vg = unit->on.vg;
			vg->exists = true;
		}
	}
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		found.disk[i] = -1;
		for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
			const struct sim_unit *unit = &sim_unit[disk];

			if (!is_seen(unit) || !unit->on.is_pv || strcmp(unit->on.pvid, vg->pv[i]))
				continue;
			found.has_duplicates = found.has_duplicates || found.disk[i] >= 0;
			if (found.disk[i] < 0)
				found.disk[i] = (int)disk;
		}
		found.missing += found.disk[i] < 0;
	}
	return found;
}

static void change(uint32_t disk)
{
	sim_disk_write(disk);
	if (sim_unit[disk].is_there)
		sim_udev_event(disk, SIM_CHANGED);
}

/* Writes the metadata to all PVs that are there. */
static void commit(struct sim_vg *vg, const struct found *found)
{
	vg->seqno++;
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		if (found->disk[i] < 0)
			continue;
		sim_unit[found->disk[i]].on.has_vg = true;
		sim_unit[found->disk[i]].on.vg = *vg;
	}
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (found->disk[i] >= 0)
			change((uint32_t)found->disk[i]);
}

static void make_orphan(uint32_t disk)
{
	sim_unit[disk].on.has_vg = false;
	change(disk);
}

static void drop_file(const char *folder, const char *name)
{
	char path[SIM_PATH];

	snprintf(path, sizeof(path), "/run/lvm/%s/%s", folder, name);
	sim_unlink(path);
}

/* ---- activation, by the tables of lib/plan */

static void number(const char *params, const struct lea_plan *plan, char text[static 1024])
{
	size_t used = 0;

	while (*params && used < 1000) {
		const struct sim_node *node;
		char *end;
		unsigned long at;

		if (*params != '@') {
			text[used++] = *params++;
			continue;
		}
		at = strtoul(params + 1, &end, 10);
		params = end;
		node = at < plan->node_count ? sim_dm_node(plan->node[at].node.uuid) : NULL;
		used += (size_t)snprintf(text + used, 1024 - used, "253:%u",
					 node ? node->minor : 999);
	}
	text[used] = '\0';
}

/* Does the LV lie on other disks than it should? lvm reloads its table then. Other targets report their
 * tables in another form. */
static bool is_elsewhere(struct lea_dm *dm, const struct lea_plan_node *node,
			 const struct lea_table *table)
{
	bool is_same = true;

	for (uint32_t i = 0; i < table->row_count; i++)
		if (strcmp(table->row[i].target, "linear") != 0)
			return false;
	return dm->same_table(dm, node->node.uuid, table, &is_same) == 0 && !is_same;
}

static void do_step(struct lea_dm *dm, const struct lea_plan *plan,
		    const struct lea_plan_step *step, struct lea_arena *arena)
{
	const struct lea_plan_node *node = &plan->node[step->node];
	const struct sim_node *there = sim_dm_node(node->node.uuid);
	struct lea_table table = node->table;
	uint32_t major, minor;
	char params[1024];

	if (step->kind == LEA_STEP_RESUME && there && there->has_inactive &&
	    dm->resume(dm, &node->node) < 0)
		return;
	if (step->kind != LEA_STEP_MAKE)
		return;
	table.row = lea_arena_alloc(arena, table.row_count, sizeof(*table.row));
	for (uint32_t i = 0; table.row && i < table.row_count; i++) {
		number(node->table.row[i].params, plan, params);
		table.row[i] = node->table.row[i];
		table.row[i].params = lea_arena_strdup(arena, params);
	}
	if (there) {
		if (is_elsewhere(dm, node, &table) && dm->suspend(dm, &node->node) == 0 &&
		    dm->load(dm, &node->node, &table) == 0)
			(void)dm->resume(dm, &node->node);
		return;
	}
	if (dm->create(dm, &node->node, &major, &minor) < 0)
		return;
	if (dm->load(dm, &node->node, &table) < 0)
		(void)dm->remove(dm, &node->node, false);
}

static bool activate(const struct sim_vg *vg, const struct found *found, bool automatic)
{
	const struct lea_activate_options options = {.what = automatic ? LEA_ACTIVATE_AUTO
								       : LEA_ACTIVATE};
	struct lea_world *world = sim_world_new("lvm");
	struct lea_arena *arena = lea_arena_new(65536);
	struct lea_plan_pv pvs[SIM_DISKS] = {0};
	const struct lea_conf *conf = NULL;
	struct lea_plan_rules rules;
	struct lea_plan *plan = NULL;
	struct lea_vg *parsed = NULL;
	struct lea_why why = {0};
	char *text = malloc(32768);
	int bytes = text ? sim_disk_text(vg, text, 32768) : -1;

	if (bytes < 0 || lea_vg_parse(arena, text, (size_t)bytes, &why, &parsed) ||
	    lea_conf_read_own(world, &conf)) {
		sim_break("metadata of the machine: %s", why.what ? why.what : "settings");
		return false;
	}
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (found->disk[i] >= 0)
			pvs[i] = (struct lea_plan_pv){
				.is_present = true,
				.major = 8,
				.minor = sim_disk_minor(&sim_unit[found->disk[i]])};
	lea_activate_settings(world, conf, &options, &rules);
	if (lea_plan_vg(arena, parsed, pvs, &rules, &plan))
		return false;
	for (uint32_t i = 0; i < plan->step_count; i++)
		do_step(world->dm, plan, &plan->step[i], arena);
	return world->dm->wait(world->dm, 0, 0) == 0;
}

static bool may_activate(const struct sim_vg *vg, const struct found *found)
{
	return found->is_any && !found->has_duplicates && !found->is_sick && !vg->is_exported &&
	       !vg->is_foreign;
}

/* ---- commands */

static bool is_name_free(const char *name)
{
	for (uint32_t v = 0; v < SIM_VGS; v++)
		if (sim_vg[v].exists && !strcmp(sim_vg[v].name, name))
			return false;
	return true;
}

static void new_name(uint32_t v, char name[static SIM_NAME_BYTES])
{
	uint32_t i = 0;

	snprintf(name, SIM_NAME_BYTES, "vg%u", v);
	while (!is_name_free(name))
		snprintf(name, SIM_NAME_BYTES, "vg%u-%u", v, ++i);
}

/* True: there was none on it. */
static bool make_pv(uint32_t disk)
{
	struct sim_unit *unit = &sim_unit[disk];

	if (unit->on.is_pv)
		return false;
	unit->on = (struct sim_content){.is_pv = true};
	unit->of = -1;
	sim_new_id(unit->on.pvid);
	return true;
}

static bool is_free_disk(uint32_t disk)
{
	const struct sim_unit *unit = &sim_unit[disk];

	if (!is_seen(unit) || is_sick(unit) || unit->on.has_vg || sim_dm_uses(disk))
		return false;
	for (uint32_t other = 0; other < SIM_DISKS; other++)
		if (other != disk && is_seen(&sim_unit[other]) && unit->on.is_pv &&
		    sim_unit[other].on.is_pv && !strcmp(sim_unit[other].on.pvid, unit->on.pvid))
			return false;
	return true;
}

static void create(const struct sim_step *step)
{
	struct sim_vg *vg = &sim_vg[step->v % SIM_VGS];
	struct found found = {.is_any = true};

	if (vg->exists)
		return;
	sim_judge();
	*vg = (struct sim_vg){.type = step->b % SIM_TYPES, .seqno = 1};
	for (uint32_t disk = 0; disk < SIM_DISKS && vg->pv_count < 4; disk++) {
		if (!(step->a >> disk & 1) || !is_free_disk(disk))
			continue;
		if (make_pv(disk) && sim_draw(2))
			change(disk);
		found.disk[vg->pv_count] = (int)disk;
		memcpy(vg->pv[vg->pv_count++], sim_unit[disk].on.pvid, 33);
	}
	if (!vg->pv_count)
		return;
	vg->used_pvs = vg->pv_count;
	new_name(step->v, vg->name);
	sim_new_id(vg->id);
	vg->lv_salt = sim_draw(1000000);
	vg->exists = true;
	commit(vg, &found);
	/* Then lvcreate. */
	sim_sleep("sleep", sim_draw(50));
	found = find(vg);
	if (found.missing || found.is_sick)
		return;
	commit(vg, &found);
	activate(vg, &found, false);
}

static void take_down(struct sim_vg *vg)
{
	if (sim_dm_has_vg(vg->id) && sim_taken_down_count < SIM_ACTIVE_MOST)
		memcpy(sim_taken_down[sim_taken_down_count++], vg->id, 33);
	sim_dm_remove_vg(vg->id);
	drop_file("vgs_online", vg->name);
}

static void remove_vg(const struct sim_step *step)
{
	struct sim_vg *vg = &sim_vg[step->v % SIM_VGS];
	struct found found = find(vg);

	if (!found.is_any || found.missing || found.has_duplicates || found.is_sick ||
	    vg->is_exported || vg->is_foreign)
		return;
	take_down(vg);
	if (step->n == 1) {
		drop_file("pvs_lookup", vg->name);
		for (uint32_t i = 0; i < vg->pv_count; i++)
			drop_file("pvs_online", vg->pv[i]);
	}
	for (uint32_t i = 0; i < vg->pv_count; i++)
		make_orphan((uint32_t)found.disk[i]);
	vg->exists = false;
}

static void extend(struct sim_vg *vg, uint32_t disk)
{
	struct found found = find(vg);

	if (!found.is_any || found.missing || found.has_duplicates || found.is_sick ||
	    vg->is_exported || vg->is_foreign || vg->pv_count == SIM_DISKS || !is_free_disk(disk))
		return;
	make_pv(disk);
	found.disk[vg->pv_count] = (int)disk;
	memcpy(vg->pv[vg->pv_count], sim_unit[disk].on.pvid, 33);
	vg->is_missing[vg->pv_count++] = false;
	commit(vg, &found);
}

static void take_out(struct sim_vg *vg, struct found *found, uint32_t at)
{
	for (uint32_t i = at; i + 1 < vg->pv_count; i++) {
		memcpy(vg->pv[i], vg->pv[i + 1], 33);
		vg->is_missing[i] = vg->is_missing[i + 1];
		found->disk[i] = found->disk[i + 1];
	}
	vg->pv_count--;
}

static void reduce(struct sim_vg *vg, uint32_t disk, uint32_t is_new)
{
	struct found found = find(vg);

	if (!found.is_any || found.missing || found.has_duplicates || found.is_sick ||
	    vg->is_exported || vg->is_foreign)
		return;
	for (uint32_t i = vg->used_pvs; i < vg->pv_count; i++) {
		if (found.disk[i] != (int)disk)
			continue;
		take_out(vg, &found, i);
		commit(vg, &found);
		make_orphan(disk);
		(void)is_new;
		return;
	}
}

static void reduce_missing(struct sim_vg *vg)
{
	struct found found = find(vg);

	if (!found.is_any || !found.missing || found.has_duplicates || found.is_sick ||
	    vg->is_exported || vg->is_foreign)
		return;
	for (uint32_t i = vg->pv_count; i-- > 0;) {
		if (found.disk[i] >= 0)
			continue;
		if (i >= vg->used_pvs)
			take_out(vg, &found, i);
		else
			vg->is_missing[i] = true;
	}
	commit(vg, &found);
}

static void rename_vg(struct sim_vg *vg, const char *name)
{
	struct found found = find(vg);
	char old[SIM_NAME_BYTES];

	if (!found.is_any || found.missing || found.has_duplicates || found.is_sick ||
	    vg->is_exported || vg->is_foreign)
		return;
	memcpy(old, vg->name, sizeof(old));
	snprintf(vg->name, sizeof(vg->name), "%s", name);
	commit(vg, &found);
	sim_dm_rename_vg(vg->id, old, name);
}

/* Another host writes: udev here does not notice. */
static void write_elsewhere(struct sim_vg *vg, uint32_t mask)
{
	vg->seqno++;
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		struct sim_unit *unit = &sim_unit[disk];
		bool is_member = false;

		for (uint32_t i = 0; i < vg->pv_count; i++)
			is_member =
				is_member || (unit->on.is_pv && !strcmp(unit->on.pvid, vg->pv[i]));
		if (!(mask >> disk & 1) || !is_member || !unit->on.has_vg || unit->of >= 0 ||
		    strcmp(unit->on.vg.id, vg->id) != 0)
			continue;
		unit->on.vg = *vg;
		sim_disk_write(disk);
	}
}

/* All PVs of the VG that the disk is a copy of must have copies, and of one time: with one that the
 * others have done without since, lvm2 does not activate the new VG. */
static void clone(const struct sim_step *step)
{
	const struct sim_unit *first = &sim_unit[step->a];
	struct found found = {.is_any = true};
	struct sim_vg vg, *to = NULL;

	sim_judge();
	if (!is_seen(first) || first->of < 0 || !first->on.has_vg)
		return;
	vg = first->on.vg;
	for (uint32_t v = 0; v < SIM_VGS && !to; v++)
		to = sim_vg[v].exists ? NULL : &sim_vg[v];
	for (uint32_t i = 0; i < vg.pv_count; i++) {
		found.disk[i] = -1;
		for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
			const struct sim_unit *unit = &sim_unit[disk];

			if (is_seen(unit) && !is_sick(unit) && unit->of >= 0 && unit->on.has_vg &&
			    unit->on.vg.seqno == vg.seqno && !strcmp(unit->on.pvid, vg.pv[i]) &&
			    (disk == step->a || strcmp(unit->on.pvid, first->on.pvid) != 0))
				found.disk[i] = (int)disk;
		}
		if (found.disk[i] < 0)
			return;
	}
	if (!to)
		return;
	new_name((uint32_t)(to - sim_vg), vg.name);
	sim_new_id(vg.id);
	vg.exists = true;
	vg.is_exported = vg.is_foreign = false;
	for (uint32_t i = 0; i < vg.pv_count; i++) {
		sim_new_id(vg.pv[i]);
		memcpy(sim_unit[found.disk[i]].on.pvid, vg.pv[i], 33);
		sim_unit[found.disk[i]].of = -1;
	}
	*to = vg;
	commit(to, &found);
}

static void new_id(const struct sim_step *step)
{
	for (uint32_t v = 0; v < SIM_VGS; v++) {
		struct sim_vg *vg = &sim_vg[v];
		struct found found = find(vg);

		if (!found.is_any || found.missing || found.has_duplicates || found.is_sick ||
		    vg->is_exported || vg->is_foreign || sim_dm_has_vg(vg->id))
			continue;
		for (uint32_t i = 0; i < vg->pv_count; i++)
			if (found.disk[i] == (int)step->a) {
				sim_new_id(vg->pv[i]);
				memcpy(sim_unit[step->a].on.pvid, vg->pv[i], 33);
				commit(vg, &found);
				return;
			}
	}
}

static bool is_changeable(struct sim_vg *vg, struct found *ret_found)
{
	*ret_found = find(vg);
	return ret_found->is_any && !ret_found->missing && !ret_found->has_duplicates &&
	       !ret_found->is_sick && !vg->is_foreign;
}

static void scan(uint32_t disk)
{
	const struct sim_unit *unit = &sim_unit[disk];
	char path[SIM_PATH];

	sim_judge();
	if (!is_seen(unit) || is_sick(unit) || !unit->on.has_vg || unit->on.vg.is_exported ||
	    unit->on.vg.is_foreign)
		return;
	snprintf(path, sizeof(path), "/run/lvm/pvs_online/%s", unit->on.pvid);
	if (sim_exists(path))
		return;
	sim_mkdir("/run/lvm/pvs_online");
	sim_put(path, "8:%u\nvg:%s\ndev:/dev/%s\n", sim_disk_minor(unit), unit->on.vg.name,
		sim_disk_name(unit));
}

static void do_command(const struct sim_step *step)
{
	struct sim_vg *vg = &sim_vg[step->v % SIM_VGS];
	char name[SIM_NAME_BYTES];
	struct found found;

	switch ((int)step->op) {
	case SIM_CREATE:
		create(step);
		break;
	case SIM_REMOVE:
		remove_vg(step);
		break;
	case SIM_DOWN:
		if (vg->exists && find(vg).is_any)
			take_down(vg);
		break;
	case SIM_UP:
		found = find(vg);
		if (may_activate(vg, &found))
			activate(vg, &found, false);
		break;
	case SIM_EXTEND:
		extend(vg, step->a);
		break;
	case SIM_REDUCE:
		reduce(vg, step->a, step->n);
		break;
	case SIM_REDUCE_MISSING:
		reduce_missing(vg);
		break;
	case SIM_EXPORT:
	case SIM_IMPORT:
		if (is_changeable(vg, &found) && !sim_dm_has_vg(vg->id) &&
		    vg->is_exported != (step->op == SIM_EXPORT)) {
			vg->is_exported = step->op == SIM_EXPORT;
			commit(vg, &found);
		}
		break;
	case SIM_RENAME:
		new_name(step->v, name);
		rename_vg(vg, name);
		break;
	case SIM_NEW_ID:
		new_id(step);
		break;
	case SIM_CLONE:
		clone(step);
		break;
	case SIM_TOUCH:
		if (is_changeable(vg, &found) && !vg->is_exported)
			commit(vg, &found);
		break;
	default:
		break;
	}
}

/* vgimportclone locks the VG as the disks name it as well as @locked. */
static int lock_original(const struct lea_lock_options *options, const struct sim_step *step,
			 const char *locked, struct lea_lock **ret_lock)
{
	const struct sim_unit *unit = &sim_unit[step->a];
	char name[SIM_NAME_BYTES + 8];

	if (step->op != SIM_CLONE || !unit->on.has_vg)
		return 0;
	snprintf(name, sizeof(name), "V_%s", unit->on.vg.name);
	return strcmp(name, locked) ? lea_lock_take(options, name, ret_lock) : 0;
}

static int lvm_child(void *arg)
{
	const struct sim_step *step = arg;
	struct lea_lock_options options = {.mode = LEA_LOCK_EXCLUSIVE, .wait = true};
	struct lea_lock *lock = NULL, *original = NULL;
	char dir[128], name[SIM_NAME_BYTES + 8];

	snprintf(dir, sizeof(dir), "%s/run/lock/lvm", sim.root);
	options.dir = dir;
	if (step->op == SIM_LOCK_LIST)
		snprintf(name, sizeof(name), "D_system.devices");
	else if (sim_vg[step->v % SIM_VGS].exists)
		snprintf(name, sizeof(name), "V_%s", sim_vg[step->v % SIM_VGS].name);
	else {
		memcpy(name, "V_", 3);
		new_name(step->v % SIM_VGS, name + 2);
	}
	if (lock_original(&options, step, name, &original))
		return 5;
	if (lea_lock_take(&options, name, &lock)) {
		lea_lock_release(original);
		return 5;
	}
	if (step->op == SIM_LOCK_VG || step->op == SIM_LOCK_LIST) {
		sim_sleep("sleep", step->n);
	} else {
		sim_sleep("sleep", sim_draw(100));
		do_command(step);
		sim_sleep("sleep", sim_draw(sim_draw(10) ? 30 : 3000));
	}
	lea_lock_release(lock);
	lea_lock_release(original);
	return 0;
}

static void forget(struct sim_proc *proc)
{
	free(proc->arg);
}

pid_t sim_lvm_step(const struct sim_step *step)
{
	struct sim_vg *vg = &sim_vg[step->v % SIM_VGS];
	struct sim_step *copy;
	struct sim_proc *proc;

	if (step->a >= SIM_DISKS && (step->op == SIM_EXTEND || step->op == SIM_REDUCE ||
				     step->op == SIM_NEW_ID || step->op == SIM_CLONE))
		return 0;
	switch ((int)step->op) {
	case SIM_SAME_NAME:
		if (vg->exists && step->a < SIM_VGS && step->a != step->v &&
		    sim_vg[step->a].exists && !sim_dm_has_vg(vg->id) && find(vg).is_any) {
			memmove(vg->name, sim_vg[step->a].name, sizeof(vg->name));
			write_elsewhere(vg, 0xff);
		}
		return 0;
	case SIM_ACT_ELSEWHERE:
		if (vg->exists)
			write_elsewhere(vg, step->a);
		return 0;
	case SIM_FOREIGN:
		if (vg->exists && !sim_dm_has_vg(vg->id)) {
			find(vg);
			vg->is_foreign = step->n != 0;
			write_elsewhere(vg, 0xff);
		}
		return 0;
	case SIM_REJECT:
	case SIM_ACCEPT:
		if (step->a < SIM_DISKS && sim_unit[step->a].instance)
			sim_settings_reject(sim_unit[step->a].index, step->op == SIM_REJECT);
		return 0;
	case SIM_LIST:
		sim_settings_list(step->a, step->n);
		return 0;
	case SIM_PVSCAN:
		if (step->a < SIM_DISKS)
			scan(step->a);
		return 0;
	default:
		break;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		return 0;
	*copy = *step;
	proc = sim_start("lvm", lvm_child, copy, forget);
	if (!proc)
		free(copy);
	return proc && step->op != SIM_LOCK_VG && step->op != SIM_LOCK_LIST ? proc->pid : 0;
}

/* Of several VGs with one name, lvm2 skips all. */
static bool activate_named(const char *name)
{
	struct found found = {.missing = 0};
	struct sim_vg *vg = NULL;

	for (uint32_t v = 0; v < SIM_VGS; v++) {
		const struct found here =
			sim_vg[v].exists ? find(&sim_vg[v]) : (struct found){.missing = 0};

		if (!here.is_any || strcmp(sim_vg[v].name, name) != 0)
			continue;
		if (vg)
			return false;
		vg = &sim_vg[v];
		found = here;
	}
	return !vg || (may_activate(vg, &found) && activate(vg, &found, true));
}

int sim_lvm_run(const char *const argv[])
{
	struct sim_proc *caller = sim.now->main;
	struct lea_world *world = caller->world;
	struct lea_log *log = caller->log;
	bool done = true;

	sim_sleep("lvm", 20 + sim_draw(200));
	caller->runs_lvm = true;
	for (size_t i = 0; argv[i]; i++)
		done = activate_named(argv[i]) && done;
	/* lvm is a process of its own: the caller's children have the caller's world. */
	caller->runs_lvm = false;
	caller->world = world;
	caller->log = log;
	return done ? 0 : 5;
}

void sim_lvm_reset(void)
{
	memset(sim_vg, 0, sizeof(sim_vg));
	sim_taken_down_count = 0;
	sim_settings_reset();
}
