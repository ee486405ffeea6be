/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan's nodes as they are before the first is touched.
 */
#include "flow/carry_run.h"

#include <string.h>

/* Under the uuid that the installed lvm2 gives it, or under that of another version. */
static int find_node(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_plan_node *node = &run->plan->node[index];
	struct lea_carry_node *now = &run->node[index];
	int r = run->dm->info(run->dm, node->node.uuid, &now->info);

	now->uuid = node->node.uuid;
	if (r != LEA_DM_ABSENT || !node->other_uuid)
		return r;
	now->uuid = node->other_uuid;
	return run->dm->info(run->dm, node->other_uuid, &now->info);
}

static int look_at(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_dm_node *node = &run->plan->node[index].node;
	struct lea_carry_node *now = &run->node[index];
	int r;

	if (!node->name)
		return 0;
	r = find_node(run, index);
	if (r == LEA_DM_ABSENT)
		return 0;
	if (r)
		return lea_carry_fault(run, index, r, "asking for its state");
	/* Made under the VG's former name: renaming nodes is the real lvm's. */
	if (strcmp(now->info.name, node->name) != 0) {
		run->result->why = "an LV is active under another name";
		return LEA_ACTIVATE_DELEGATE;
	}
	now->is_there = true;
	now->is_live = now->info.live_table && !now->info.inactive_table && !now->info.suspended &&
		       now->info.read_only == node->read_only;
	now->major = now->info.major;
	now->minor = now->info.minor;
	return 0;
}

int lea_carry_look(struct lea_carry_run *run)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < run->plan->node_count; i++)
		r = look_at(run, i);
	return r < 0 ? LEA_ACTIVATE_FAILED : r;
}
