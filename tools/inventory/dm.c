/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What device-mapper says about the chosen LVs. Its requests can wait for a disk, so a child makes
 * them: one list, then one request for each active LV, and one more for the status of those of
 * which a field depends on it.
 */
#include "inventory/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/lvm2_compat.h"
#include "plan/plan_name.h"
#include "world/dm.h"
#include "world/jobs.h"
#include "world/proc.h"

#define DEADLINE_MS  2000U
#define LIMIT_MS     6000U
#define STATUS_BYTES 384U

/* One LV of the inventory, and what is to be asked. */
struct question {
	struct lea_lv_state *state;		   /* of the LV; in the arena */
	const char *uuid, *other_uuid, *real_uuid; /* NULL: none */
	bool wants_status;
	uint32_t status, real_status; /* where the texts go, if they are asked for */
};

/* In shared memory, as are the texts: most LVs need none. */
struct reply {
	bool exists, suspended, live_table, inactive_table, read_only, is_open;
	bool has_status, has_real_status;
};
struct text {
	char bytes[STATUS_BYTES];
};

struct asking {
	struct lea_world *world;
	struct question *question; /* owned */
	size_t count, room;
	struct reply *reply; /* shared */
	struct text *text;   /* shared */
	uint32_t text_count;
	struct lea_dm_listed *node; /* in the child: all nodes, sorted by uuid */
	size_t node_count;
	bool is_listed; /* in the child: node has all uuids */
};

/* ---- in the child */

static int by_uuid(const void *a, const void *b)
{
	const struct lea_dm_listed *x = a, *y = b;

	return strcmp(x->uuid, y->uuid);
}

static int list_nodes(void *arg)
{
	struct asking *asking = arg;
	struct lea_dm *dm = asking->world->dm;
	int r = dm->list(dm, &asking->node, &asking->node_count);

	if (r < 0)
		return r;
	asking->is_listed = !r;
	if (asking->node_count)
		qsort(asking->node, asking->node_count, sizeof(*asking->node), by_uuid);
	return 0;
}

static bool is_there(const struct asking *asking, const char *uuid)
{
	struct lea_dm_listed key;

	if (!asking->is_listed)
		return true;
	snprintf(key.uuid, sizeof(key.uuid), "%s", uuid);
	return asking->node_count &&
	       bsearch(&key, asking->node, asking->node_count, sizeof(*asking->node), by_uuid);
}

static bool get_info(const struct asking *asking, const char *uuid, struct lea_dm_info *info)
{
	struct lea_dm *dm = asking->world->dm;

	return uuid && is_there(asking, uuid) && !dm->info(dm, uuid, info);
}

static bool get_status(const struct asking *asking, const char *name, uint32_t to)
{
	const struct lea_dm_node node = {.name = name};
	struct lea_dm *dm = asking->world->dm;
	LEA_AUTO(lea_freep) char *text = NULL;

	if (dm->status(dm, &node, &text))
		return false;
	snprintf(asking->text[to].bytes, STATUS_BYTES, "%s", text);
	return true;
}

static void ask(void *arg, uint32_t index)
{
	const struct asking *asking = arg;
	const struct question *question = &asking->question[index];
	struct reply *reply = &asking->reply[index];
	struct lea_dm_info info;

	if (!get_info(asking, question->uuid, &info) &&
	    !get_info(asking, question->other_uuid, &info))
		return;
	reply->exists = true;
	reply->suspended = info.suspended;
	reply->live_table = info.live_table;
	reply->inactive_table = info.inactive_table;
	reply->read_only = info.read_only;
	reply->is_open = info.open_count > 0;
	if (question->wants_status && info.live_table)
		reply->has_status = get_status(asking, info.name, question->status);
	if (get_info(asking, question->real_uuid, &info))
		reply->has_real_status = get_status(asking, info.name, question->real_status);
}

/* ---- in the parent */

static bool name_node(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct asking *asking = arg;

	snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_NODE, asking->question[index].uuid);
	return true;
}

static int add_question(struct asking *asking, const struct lea_inventory *inventory,
			const struct lea_inventory_vg *of, uint32_t lv)
{
	const struct lea_vg *vg = of->vg;
	struct lea_plan_names names, real = {0};
	enum lea_layer layer;
	const uint32_t node = lea_inventory_node_lv(vg, lv, &layer);
	struct question *question;
	int r;

	if (node == LEA_NONE)
		return 0;
	r = lea_plan_names(inventory->arena, vg, &vg->lvs[node], layer, &names);
	if (!r && lea_inventory_wants_real_status(vg, lv))
		r = lea_plan_names(inventory->arena, vg, &vg->lvs[lv], LEA_LAYER_REAL, &real);
	if (r == -ENAMETOOLONG)
		return 0; /* device-mapper cannot have such a node */
	if (r || lea_make_room(&asking->question, &asking->room, asking->count + 1,
			       sizeof(*asking->question)))
		return -ENOMEM;
	question = &asking->question[asking->count++];
	*question = (struct question){
		.state = (struct lea_lv_state *)(uintptr_t)&of->facts.state[lv],
		.uuid = names.uuid,
		.other_uuid = names.other_uuid,
		.real_uuid = real.uuid,
		.wants_status = lea_inventory_wants_status(vg, lv),
	};
	if (question->wants_status)
		question->status = asking->text_count++;
	if (question->real_uuid)
		question->real_status = asking->text_count++;
	return 0;
}

/* The parts of LVs, too, and the LVs whose parts were chosen: a part's attributes need them. */
static int add_questions(struct asking *asking, struct lea_inventory *inventory)
{
	int r = 0;

	for (size_t i = 0; !r && i < inventory->vg_count; i++) {
		const struct lea_inventory_vg *of = &inventory->vg[i];

		for (uint32_t lv = 0; of->vg && of->is_chosen && !r && lv < of->vg->lv_count; lv++)
			r = add_question(asking, inventory, of, lv);
	}
	return r;
}

static const char *keep(struct lea_inventory *inventory, const struct asking *asking, uint32_t text,
			bool is_there_)
{
	return is_there_ ? lea_arena_printf(inventory->arena, "%.*s", (int)STATUS_BYTES - 1,
					    asking->text[text].bytes)
			 : NULL;
}

static void take_reply(struct lea_inventory *inventory, const struct asking *asking, size_t index)
{
	const struct question *question = &asking->question[index];
	const struct reply *reply = &asking->reply[index];

	*question->state = (struct lea_lv_state){
		.activity = reply->exists ? LEA_LV_ACTIVE : LEA_LV_INACTIVE,
		.suspended = reply->suspended,
		.live_table = reply->live_table,
		.inactive_table = reply->inactive_table,
		.read_only = reply->read_only,
		.is_open = reply->is_open,
		.status = keep(inventory, asking, question->status, reply->has_status),
		.real_status =
			keep(inventory, asking, question->real_status, reply->has_real_status),
	};
}

static void set_unknown(struct lea_inventory *inventory, const struct question *question)
{
	*question->state = (struct lea_lv_state){.activity = LEA_LV_UNKNOWN};
	inventory->is_dm_silent = true;
}

static int run(struct asking *asking, struct lea_inventory *inventory)
{
	const struct lea_jobs jobs = {.count = (uint32_t)asking->count,
				      .threads = 1, /* libdevmapper has no more */
				      .deadline_ms = DEADLINE_MS,
				      .limit_ms = LIMIT_MS,
				      .begin = list_nodes,
				      .run = ask,
				      .name = name_node,
				      .begin_name = LEA_HUNG_LIST,
				      .arg = asking};
	LEA_AUTO(lea_freep) bool *late = calloc(asking->count, sizeof(*late));
	const size_t bytes = asking->count * sizeof(*asking->reply);
	const size_t text_bytes = (asking->text_count + (size_t)1) * sizeof(*asking->text);
	int r;

	asking->reply = lea_proc_share(bytes);
	asking->text = lea_proc_share(text_bytes);
	r = late && asking->reply && asking->text ? 0 : -ENOMEM;
	r = r ? r : lea_jobs_run(asking->world, &jobs, late);
	for (size_t i = 0; !r && i < asking->count; i++) {
		if (late[i])
			set_unknown(inventory, &asking->question[i]);
		else
			take_reply(inventory, asking, i);
	}
	lea_proc_unshare(asking->text, text_bytes);
	lea_proc_unshare(asking->reply, bytes);
	return r;
}

int lea_inventory_ask_dm(struct lea_world *world, const struct lea_conf *conf,
			 struct lea_inventory *inventory)
{
	struct asking asking = {.world = world};
	struct lea_compat *ways = lea_arena_alloc(inventory->arena, 1, sizeof(*ways));
	int r = ways ? add_questions(&asking, inventory) : -ENOMEM;

	if (ways && world->dm)
		*ways = lea_compat_of(world->dm->release);
	for (size_t i = 0; i < inventory->vg_count; i++)
		inventory->vg[i].facts.ways = ways;
	if (!r && asking.count && world->dm && conf->activation)
		r = run(&asking, inventory);
	else
		for (size_t i = 0; !r && i < asking.count; i++)
			set_unknown(inventory, &asking.question[i]);
	free(asking.question);
	return r;
}
