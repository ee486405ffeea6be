/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upwards: every node is looked at before the first is touched, so that handing the VG over is
 * still possible; then create, load, resume.
 */
#include "flow/carry.h"

#include "world/dm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct carry {
	struct lea_world *world;
	struct lea_dm *dm;
	struct lea_plan *plan;
	struct lea_activate_result *result;
};

static const char *lv_name(const struct carry *carry, const struct lea_plan_node *node)
{
	return carry->plan->vg->lvs[node->lv].name;
}

static int fault_of(const struct carry *carry, const struct lea_plan_node *node, int fault,
		    const char *doing)
{
	return lea_log_fault(carry->world->log, fault, "LV %s/%s: %s", carry->plan->vg->name,
			     lv_name(carry, node), doing);
}

static void print_node(const struct carry *carry, const struct lea_plan_node *node)
{
	struct lea_log *log = carry->world->log;

	for (uint32_t i = 0; i < node->table.row_count; i++) {
		const struct lea_row *row = &node->table.row[i];

		lea_log(log, LEA_LOG_VERBOSE, "%s%s: %" PRIu64 " %" PRIu64 " %s %s",
			node->node.name, node->node.read_only ? " (read-only)" : "",
			row->start_sectors, row->length_sectors, row->target, row->params);
	}
}

/* What was made here goes again; the cookie of the transaction covers it. */
static int take_back(const struct carry *carry, const struct lea_plan_node *node, int fault)
{
	int r = carry->dm->remove(carry->dm, &node->node, false);

	if (r && r != LEA_DM_ABSENT)
		lea_log(carry->world->log, LEA_LOG_ERROR, "LV %s/%s: %s is left behind.",
			carry->plan->vg->name, lv_name(carry, node), node->node.name);
	return fault;
}

static int load_and_resume(const struct carry *carry, const struct lea_plan_node *node)
{
	int r = carry->dm->load(carry->dm, &node->node, &node->table);

	if (r)
		return fault_of(carry, node, r, "loading its table");
	r = carry->dm->resume(carry->dm, &node->node);
	if (r)
		return fault_of(carry, node, r, "resuming");
	carry->result->resumed++;
	return 0;
}

/* Its number was set by a person, who counts on it: no other one will do. */
static int wrong_number(const struct carry *carry, const struct lea_plan_node *node, int fault,
			const char *what)
{
	lea_log(carry->world->log, LEA_LOG_ERROR,
		"LV %s/%s has the fixed minor number %" PRIu32 ", %s.", carry->plan->vg->name,
		lv_name(carry, node), node->node.minor, what);
	return fault;
}

static int make_node(const struct carry *carry, struct lea_plan_node *node)
{
	char holder[LEA_DM_UUID_BYTES];
	uint32_t major, minor;
	int r = carry->dm->create(carry->dm, &node->node, &major, &minor);

	if (r == -EBUSY && node->node.fixed_minor &&
	    carry->dm->uuid_of(carry->dm, node->node.name, holder) == LEA_DM_ABSENT)
		return wrong_number(carry, node, r, "which another device has");
	if (r)
		return fault_of(carry, node, r, "creating its device");
	r = load_and_resume(carry, node);
	if (r)
		return take_back(carry, node, r);
	node->is_made = true;
	return 0;
}

/* A node is there: active as it should be, left half-way by a program that died, or to be changed.
 */
static int mend_node(const struct carry *carry, const struct lea_plan_node *node,
		     const struct lea_dm_info *info)
{
	bool is_same = false;
	int r;

	if (info->live_table && !info->inactive_table && info->read_only == node->node.read_only) {
		if (!info->suspended)
			return 0;
		r = carry->dm->same_table(carry->dm, node->node.uuid, &node->table, &is_same);
		if (r)
			return fault_of(carry, node, r, "reading its table");
	}
	if (node->node.fixed_minor && info->minor != node->node.minor)
		return wrong_number(carry, node, -EEXIST, "and a node with another one");
	if (!is_same)
		return load_and_resume(carry, node);
	r = carry->dm->resume(carry->dm, &node->node);
	if (r)
		return fault_of(carry, node, r, "resuming");
	carry->result->resumed++;
	return 0;
}

static int bring_up(const struct carry *carry, struct lea_plan_node *node)
{
	struct lea_dm_info info;
	int r = carry->dm->info(carry->dm, node->node.uuid, &info);

	if (r == LEA_DM_ABSENT)
		return make_node(carry, node);
	if (r)
		return fault_of(carry, node, r, "asking for its state");
	return mend_node(carry, node, &info);
}

/* The nodes of one LV; those made here before one that failed are taken back, the last first. */
static int bring_up_lv(const struct carry *carry, const struct lea_plan_lv *lv)
{
	struct lea_plan_node *node = carry->plan->node + lv->first_node;
	uint32_t done = 0;
	int r = 0;

	while (!r && done < lv->node_count)
		r = bring_up(carry, &node[done++]);
	if (!r)
		return 0;
	for (done--; done > 0; done--) {
		if (!node[done - 1].is_made)
			continue;
		take_back(carry, &node[done - 1], r);
		node[done - 1].is_made = false;
		carry->result->resumed--;
	}
	return r;
}

/* Made under the VG's former name: renaming nodes is the real lvm's. */
static int check_names(const struct carry *carry)
{
	struct lea_dm_info info;

	for (uint32_t i = 0; i < carry->plan->node_count; i++) {
		const struct lea_plan_node *node = &carry->plan->node[i];
		int r = carry->dm->info(carry->dm, node->node.uuid, &info);

		if (r < 0)
			return fault_of(carry, node, r, "asking for its state");
		if (!r && strcmp(info.name, node->node.name) != 0) {
			carry->result->why = "an LV is active under another name";
			return LEA_ACTIVATE_DELEGATE;
		}
	}
	return 0;
}

static void explain(const struct carry *carry, uint32_t index)
{
	const struct lea_plan_lv *lv = &carry->plan->lv[index];
	const char *reason = lea_select_reason(lv->selected);

	if (reason && lv->selected != LEA_SELECT_HIDDEN)
		lea_log(carry->world->log, LEA_LOG_VERBOSE, "LV %s/%s is left out: %s.",
			carry->plan->vg->name, carry->plan->vg->lvs[index].name, reason);
}

static int do_lv(const struct carry *carry, uint32_t index, bool test)
{
	const struct lea_plan_lv *lv = &carry->plan->lv[index];

	if (lv->refusal) {
		lea_log(carry->world->log, LEA_LOG_ERROR, "%s", lv->refusal);
		return -EINVAL;
	}
	explain(carry, index);
	for (uint32_t i = 0; i < lv->node_count; i++)
		print_node(carry, &carry->plan->node[lv->first_node + i]);
	return test ? 0 : bring_up_lv(carry, lv);
}

int lea_carry_plan(struct lea_world *world, struct lea_plan *plan, bool test,
		   struct lea_activate_result *result)
{
	const struct carry carry = {world, world->dm, plan, result};
	bool is_idle = test || !world->dm;
	int r = is_idle ? 0 : check_names(&carry);

	if (r == LEA_ACTIVATE_DELEGATE)
		return r;
	if (r)
		return LEA_ACTIVATE_FAILED;
	for (uint32_t i = 0; i < plan->vg->lv_count; i++) {
		r = do_lv(&carry, i, is_idle);
		result->failed += r != 0;
		if (lea_is_shortage(r) && !result->shortage)
			result->shortage = r;
	}
	return result->failed ? LEA_ACTIVATE_FAILED : 0;
}

int lea_carry_count(struct lea_world *world, struct lea_arena *arena, const struct lea_vg *vg,
		    uint32_t *ret_count)
{
	struct lea_dm_info info;
	struct lea_dm_node node;
	uint32_t count = 0;
	int r;

	for (uint32_t i = 0; world->dm && i < vg->lv_count; i++) {
		if (!lea_lv_is_visible(&vg->lvs[i]))
			continue;
		r = lea_plan_names(arena, vg, &vg->lvs[i], &node);
		if (r == -ENAMETOOLONG)
			continue;
		if (!r)
			r = world->dm->info(world->dm, node.uuid, &info);
		if (r < 0)
			return r;
		count += !r && info.live_table;
	}
	*ret_count = count;
	return 0;
}
