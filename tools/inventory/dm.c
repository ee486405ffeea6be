/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What device-mapper says about the chosen LVs. Its requests can wait for a disk, so a child makes
 * them: one list, then one request for each LV that is in it, and one more for the status of those
 * of which a field depends on it.
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
#include "world/hanging.h"

#define DEADLINE_MS   2000U
/* Of the list, and of all that is asked after it. */
#define LIST_LIMIT_MS 3000U
#define LIMIT_MS      3000U
#define STATUS_BYTES  384U

/* One LV of the inventory, and what is to be asked. The first one is none: it asks for the list. */
struct question {
	struct lea_hanging_item item;
	struct lea_lv_state *state;		   /* of the LV; in the arena */
	const char *uuid, *other_uuid, *real_uuid; /* NULL: none */
	bool wants_status;
};

struct reply {
	struct lea_hanging_answer answer;
	int fault; /* of the list, or of this LV's request */
	bool exists, suspended, live_table, inactive_table, read_only, is_open;
	uint32_t major, minor;
	bool has_status, has_real_status;
	char status[STATUS_BYTES], real_status[STATUS_BYTES];
};

struct asking {
	struct lea_world *world;
	struct lea_inventory *inventory;
	struct question *question; /* owned */
	size_t count, room;
	struct lea_dm_listed *node; /* in the child: all nodes, sorted by uuid */
	size_t node_count;
	bool is_listed;	    /* in the child: node has all uuids */
	int fault;	    /* there is no list */
	uint8_t *is_absent; /* owned; of each question; follows the answer of the list */
};

/* ---- in the child */

static int by_uuid(const void *a, const void *b)
{
	const struct lea_dm_listed *x = a, *y = b;

	return strcmp(x->uuid, y->uuid);
}

static bool is_there(const struct asking *asking, const char *uuid)
{
	struct lea_dm_listed key;

	if (!uuid || !asking->is_listed)
		return uuid;
	snprintf(key.uuid, sizeof(key.uuid), "%s", uuid);
	return asking->node_count &&
	       bsearch(&key, asking->node, asking->node_count, sizeof(*asking->node), by_uuid);
}

static int list_nodes(struct asking *asking)
{
	struct lea_dm *dm = asking->world->dm;
	int r = dm->list(dm, &asking->node, &asking->node_count);

	if (r < 0)
		return r;
	asking->is_listed = !r;
	if (asking->node_count)
		qsort(asking->node, asking->node_count, sizeof(*asking->node), by_uuid);
	for (size_t i = 1; i < asking->count; i++)
		asking->is_absent[i] = !is_there(asking, asking->question[i].uuid) &&
				       !is_there(asking, asking->question[i].other_uuid);
	return 0;
}

/* 0, LEA_DM_ABSENT, or -errno: nobody knows. */
static int get_info(const struct asking *asking, const char *uuid, struct lea_dm_info *info)
{
	struct lea_dm *dm = asking->world->dm;

	return is_there(asking, uuid) ? dm->info(dm, uuid, info) : LEA_DM_ABSENT;
}

static bool get_status(const struct asking *asking, const char *name,
		       char status[static STATUS_BYTES])
{
	const struct lea_dm_node node = {.name = name};
	struct lea_dm *dm = asking->world->dm;
	LEA_AUTO(lea_freep) char *text = NULL;

	if (dm->status(dm, &node, &text))
		return false;
	snprintf(status, STATUS_BYTES, "%s", text);
	return true;
}

static void ask(void *arg, uint32_t index, void *content, struct lea_hanging_answer *answer)
{
	struct asking *asking = arg;
	const struct question *question = &asking->question[index];
	struct reply *reply = (struct reply *)answer;
	struct lea_dm_info info;
	int r;

	(void)content;
	if (!index)
		asking->fault = list_nodes(asking);
	reply->fault = asking->fault;
	if (!index || reply->fault)
		return;
	r = get_info(asking, question->uuid, &info);
	if (r == LEA_DM_ABSENT)
		r = get_info(asking, question->other_uuid, &info);
	reply->fault = r < 0 ? r : 0;
	if (r)
		return;
	reply->exists = true;
	reply->suspended = info.suspended;
	reply->live_table = info.live_table;
	reply->inactive_table = info.inactive_table;
	reply->read_only = info.read_only;
	reply->is_open = info.open_count > 0;
	reply->major = info.major;
	reply->minor = info.minor;
	if (question->wants_status && info.live_table)
		reply->has_status = get_status(asking, info.name, reply->status);
	if (!get_info(asking, question->real_uuid, &info))
		reply->has_real_status = get_status(asking, info.name, reply->real_status);
}

static void put_reply(void *arg, struct lea_wire_out *out, void *content,
		      struct lea_hanging_answer *answer)
{
	const struct asking *asking = arg;

	(void)content;
	lea_wire_put_bytes(out, answer, sizeof(struct reply));
	if (!answer->index)
		lea_wire_put_bytes(out, asking->is_absent, asking->count);
}

/* ---- in the parent */

static bool name_node(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES])
{
	const struct asking *asking = arg;

	if (index)
		snprintf(name, LEA_HUNG_NAME_BYTES, LEA_HUNG_NODE, asking->question[index].uuid);
	else
		snprintf(name, LEA_HUNG_NAME_BYTES, "%s", LEA_HUNG_LIST);
	return true;
}

static struct question *new_question(struct asking *asking)
{
	struct question *question;

	if (lea_make_room(&asking->question, &asking->room, asking->count + 1,
			  sizeof(*asking->question)))
		return NULL;
	question = &asking->question[asking->count++];
	*question = (struct question){.item = {.is_open = true, .deadline_ms = DEADLINE_MS}};
	return question;
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
	question = r ? NULL : new_question(asking);
	if (!question)
		return -ENOMEM;
	question->state = (struct lea_lv_state *)(uintptr_t)&of->facts.state[lv];
	question->uuid = names.uuid;
	question->other_uuid = names.other_uuid;
	question->real_uuid = real.uuid;
	question->wants_status = lea_inventory_wants_status(vg, lv);
	return 0;
}

/* The parts of LVs, too, and the LVs whose parts were chosen: a part's attributes need them. */
static int add_questions(struct asking *asking, struct lea_inventory *inventory)
{
	int r = new_question(asking) ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < inventory->vg_count; i++) {
		const struct lea_inventory_vg *of = &inventory->vg[i];

		for (uint32_t lv = 0; of->vg && of->is_chosen && !r && lv < of->vg->lv_count; lv++)
			r = add_question(asking, inventory, of, lv);
	}
	return r;
}

static const char *keep(const struct asking *asking, const char *status, bool is_there_)
{
	return is_there_ ? lea_arena_printf(asking->inventory->arena, "%s", status) : NULL;
}

static void set_unknown(struct lea_inventory *inventory, const struct question *question)
{
	*question->state = (struct lea_lv_state){.activity = LEA_LV_UNKNOWN};
	inventory->is_dm_silent = true;
}

/* Without its list, device-mapper is asked for nothing else; each child needs the list. */
static void lose(void *arg, uint32_t index, const struct lea_hanging_loss *loss)
{
	struct asking *asking = arg;

	(void)loss;
	asking->question[0].item.is_open = index > 0;
	if (index)
		set_unknown(asking->inventory, &asking->question[index]);
	for (size_t i = 1; !index && i < asking->count; i++) {
		if (asking->question[i].item.is_open)
			set_unknown(asking->inventory, &asking->question[i]);
		asking->question[i].item.is_open = false;
	}
}

static int take_reply(void *arg, struct lea_hanging_answer *answer, struct lea_wire_in *in)
{
	struct asking *asking = arg;
	const struct question *question = &asking->question[answer->index];
	const struct reply *reply = (const struct reply *)answer;

	if (!answer->index) {
		asking->fault = reply->fault;
		lea_wire_get_bytes(in, asking->is_absent, asking->count);
		return in->fault ? LEA_WIRE_END : 0;
	}
	if (reply->fault) {
		set_unknown(asking->inventory, question);
		return 0;
	}
	*question->state = (struct lea_lv_state){
		.activity = reply->exists ? LEA_LV_ACTIVE : LEA_LV_INACTIVE,
		.suspended = reply->suspended,
		.live_table = reply->live_table,
		.inactive_table = reply->inactive_table,
		.read_only = reply->read_only,
		.is_open = reply->is_open,
		.major = reply->major,
		.minor = reply->minor,
		.status = keep(asking, reply->status, reply->has_status),
		.real_status = keep(asking, reply->real_status, reply->has_real_status),
	};
	return 0;
}

static struct lea_hanging_item *item_of(void *arg, uint32_t index)
{
	const struct asking *asking = arg;

	return &asking->question[index].item;
}

/* Of an LV that is not in the list, nothing more is asked. */
static void close_absent(struct asking *asking)
{
	if (asking->fault)
		lose(asking, 0, NULL);
	for (size_t i = 1; i < asking->count; i++) {
		struct question *question = &asking->question[i];

		if (!question->item.is_open || !asking->is_absent[i])
			continue;
		question->item.is_open = false;
		*question->state = (struct lea_lv_state){.activity = LEA_LV_INACTIVE};
	}
}

/* What was not asked, for want of a child, is unknown. */
static void run(struct asking *asking)
{
	static const struct lea_hanging_kind kind = {
		.answer_bytes = sizeof(struct reply),
		.item = item_of,
		.name = name_node,
		.take = take_reply,
		.lose = lose,
		.work = ask,
		.put = put_reply,
	};
	struct lea_hanging hanging = {
		.world = asking->world,
		.kind = &kind,
		.arg = asking,
		.most_threads = 1, /* libdevmapper has no more */
		.remembers = true,
		.fd = -1,
	};
	int fault;

	fault = lea_hanging_run(&hanging, 1, LIST_LIMIT_MS);
	if (!fault)
		close_absent(asking);
	fault = fault ? fault : lea_hanging_run(&hanging, (uint32_t)asking->count, LIMIT_MS);
	if (fault) {
		lea_log(asking->world->log, LEA_LOG_WARNING, "device-mapper cannot be asked: %s",
			strerror(-fault));
		lose(asking, 0, NULL);
	}
	lea_hanging_end(&hanging);
}

int lea_inventory_ask_dm(struct lea_world *world, const struct lea_conf *conf,
			 struct lea_inventory *inventory)
{
	struct asking asking = {.world = world, .inventory = inventory};
	struct lea_compat *compat = lea_arena_alloc(inventory->arena, 1, sizeof(*compat));
	int r = compat ? add_questions(&asking, inventory) : -ENOMEM;

	if (compat && world->dm)
		*compat = lea_compat_of(world->dm->release);
	for (size_t i = 0; i < inventory->vg_count; i++)
		inventory->vg[i].facts.compat = compat;
	asking.is_absent = r ? NULL : calloc(asking.count, sizeof(*asking.is_absent));
	r = r || asking.is_absent ? r : -ENOMEM;
	if (!r && asking.count > 1 && world->dm && conf->activation)
		run(&asking);
	else if (!r)
		lose(&asking, 0, NULL);
	free(asking.is_absent);
	free(asking.question);
	return r;
}
