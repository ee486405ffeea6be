/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on one node: create, load, resume, take back. Planned tables refer to other nodes by
 * index ("@7"); the references are replaced here by device numbers.
 */
#include "activate/activate_private.h"

#include "world/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_CHARS 24U /* "4294967295:4294967295" */

const char *lea_dm_lv_name(const struct lea_dm_exec *run, uint32_t node)
{
	return run->plan->vg->lvs[run->plan->node[node].lv].name;
}

int lea_dm_fault(const struct lea_dm_exec *run, uint32_t node, int fault, const char *doing)
{
	return lea_log_fault(run->world->log, fault, "LV %s/%s: %s", run->plan->vg->name,
			     lea_dm_lv_name(run, node), doing);
}

/* Returns the start of the next reference ("@7") in @params and its end in *ret_end; NULL: none. */
static const char *next_ref(const char *params, uint32_t *ret_ref, const char **ret_end)
{
	const char *at = strchr(params, '@');
	char *end;

	if (!at)
		return NULL;
	*ret_ref = (uint32_t)strtoul(at + 1, &end, 10);
	*ret_end = end;
	return at;
}

void lea_dm_exec_refs(const struct lea_dm_exec *run, uint32_t node,
		      void (*seen)(void *arg, uint32_t ref), void *arg)
{
	const struct lea_table *table = &run->plan->node[node].table;
	uint32_t ref;

	for (uint32_t i = 0; i < table->row_count; i++)
		for (const char *at = table->row[i].params; next_ref(at, &ref, &at);)
			seen(arg, ref);
}

static size_t count_refs(const char *params)
{
	size_t count = 0;
	uint32_t ref;

	while (next_ref(params, &ref, &params))
		count++;
	return count;
}

static bool is_path(const char *params, const char *at)
{
	const size_t len = strlen(LEA_PLAN_DM_PATH);

	return (size_t)(at - params) >= len && !memcmp(at - len, LEA_PLAN_DM_PATH, len);
}

/* Returns -ENXIO, and the part in *ret_missing, if a part is absent or has failed. */
static int put_numbers(const struct lea_dm_exec *run, const char *params, char *to,
		       uint32_t *ret_missing)
{
	const char *at, *end;
	uint32_t ref;

	while ((at = next_ref(params, &ref, &end))) {
		const struct lea_dm_node_state *part = &run->node[ref];

		if (!part->is_there || part->has_failed) {
			*ret_missing = ref;
			return -ENXIO;
		}
		memcpy(to, params, (size_t)(at - params));
		to += at - params;
		if (is_path(params, at))
			to += sprintf(to, "%" PRIu32, part->minor);
		else
			to += sprintf(to, "%" PRIu32 ":%" PRIu32, part->major, part->minor);
		params = end;
	}
	strcpy(to, params);
	return 0;
}

static int put_row(const struct lea_dm_exec *run, const struct lea_row *from, struct lea_row *to,
		   uint32_t *ret_missing)
{
	const size_t refs = count_refs(from->params);
	char *params;
	int r;

	*to = *from;
	if (!refs)
		return 0;
	params = lea_arena_alloc(run->options->arena,
				 strlen(from->params) + refs * NUMBER_CHARS + 1, 1);
	if (!params)
		return -ENOMEM;
	r = put_numbers(run, from->params, params, ret_missing);
	to->params = params;
	return r;
}

int lea_dm_exec_number_table(const struct lea_dm_exec *run, uint32_t node,
			     struct lea_table *ret_table, uint32_t *ret_missing)
{
	const struct lea_table *table = &run->plan->node[node].table;
	int r = 0;

	ret_table->row_count = table->row_count;
	ret_table->row =
		lea_arena_alloc(run->options->arena, table->row_count, sizeof(*ret_table->row));
	if (!ret_table->row)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < table->row_count; i++)
		r = put_row(run, &table->row[i], &ret_table->row[i], ret_missing);
	return r;
}

static int number_table(const struct lea_dm_exec *run, uint32_t node, struct lea_table *ret_table)
{
	uint32_t missing = node;
	int r = lea_dm_exec_number_table(run, node, ret_table, &missing);

	if (r == -ENXIO)
		lea_log(run->world->log, LEA_LOG_ERROR,
			"LV %s/%s is not activated: %s, which it needs, is not there.",
			run->plan->vg->name, lea_dm_lv_name(run, node),
			lea_dm_lv_name(run, missing));
	return r;
}

/* An administrator fixed the minor number and relies on it, so the LV gets no other. */
static int wrong_number(const struct lea_dm_exec *run, uint32_t node, int fault, const char *what)
{
	lea_log(run->world->log, LEA_LOG_ERROR,
		"LV %s/%s has the fixed minor number %" PRIu32 ", %s.", run->plan->vg->name,
		lea_dm_lv_name(run, node), run->plan->node[node].node.minor, what);
	return fault;
}

/* After a resume udev may still have the node open, so wait for udev and retry the removal. */
void lea_dm_exec_take_back(struct lea_dm_exec *run, uint32_t node)
{
	const struct lea_dm_node *what = &run->plan->node[node].node;
	struct lea_dm_node_state *now = &run->node[node];
	const bool was_resumed = !now->is_loaded;
	int r = was_resumed ? lea_dm_exec_wait(run) : 0;

	r = r ? r : run->dm->remove(run->dm, what, was_resumed);
	now->is_there = now->is_new = false;
	if (!r || r == LEA_DM_ABSENT) {
		run->result->resumed -= was_resumed;
		return;
	}
	lea_log(run->world->log, LEA_LOG_ERROR,
		"LV %s/%s: device %s could not be removed and remains.", run->plan->vg->name,
		lea_dm_lv_name(run, node), what->name);
}

static bool lacks_target(const struct lea_dm_exec *run, const struct lea_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++)
		if (run->dm->has_target(run->dm, table->row[i].target) == LEA_DM_ABSENT) {
			lea_log(run->world->log, LEA_LOG_ERROR,
				"The kernel has no device-mapper target \"%s\".",
				table->row[i].target);
			return true;
		}
	return false;
}

/* Can the load succeed later with the same table? So if the kernel module of a target is missing,
 * or a disk below is busy or does not answer. */
static bool may_end(const struct lea_dm_exec *run, const struct lea_table *table, int fault)
{
	return lacks_target(run, table) || fault == -EBUSY || fault == -ETIMEDOUT;
}

static int load(struct lea_dm_exec *run, uint32_t node, const struct lea_table *table)
{
	int r = run->dm->load(run->dm, &run->plan->node[node].node, table);

	run->node[node].is_loaded = true;
	if (!r)
		return 0;
	if (may_end(run, table, r))
		r = lea_as_transient(r);
	return lea_dm_fault(run, node, r, LEA_DM_LOADING);
}

/* The kernel returns the same error for a name and for a minor number that is in use. */
static int refused_as_taken(const struct lea_dm_exec *run, uint32_t node, int fault)
{
	const struct lea_dm_node *what = &run->plan->node[node].node;
	char holder[LEA_DM_UUID_BYTES] = "";
	int r = run->dm->uuid_of(run->dm, what->name, holder);

	if (r == LEA_DM_ABSENT && what->fixed_minor)
		return wrong_number(run, node, fault, "which another device has");
	if (r)
		return lea_dm_fault(run, node, fault, "creating its device");
	lea_log(run->world->log, LEA_LOG_ERROR,
		"LV %s/%s: another device (UUID \"%s\") has the name %s: rename or remove that one, "
		"see dmsetup info %s.",
		run->plan->vg->name, lea_dm_lv_name(run, node), holder, what->name, what->name);
	return fault;
}

static int create(struct lea_dm_exec *run, uint32_t node, const struct lea_table *table)
{
	const struct lea_dm_node *what = &run->plan->node[node].node;
	struct lea_dm_node_state *now = &run->node[node];
	int r = run->dm->create(run->dm, what, &now->major, &now->minor);

	if (r == -EBUSY)
		return refused_as_taken(run, node, r);
	/* No driver or no free number: the cause is not the VG. */
	if (r)
		return lea_as_transient(lea_dm_fault(run, node, r, "creating its device"));
	now->is_there = now->is_new = true;
	r = load(run, node, table);
	if (r)
		lea_dm_exec_take_back(run, node);
	return r;
}

/* For a node that exists: live as planned, or left incomplete by a run that died.
 * lea_dm_exec_look has refused every other state. */
static int finish_node(struct lea_dm_exec *run, uint32_t node, const struct lea_table *table)
{
	const struct lea_dm_node *what = &run->plan->node[node].node;
	struct lea_dm_node_state *now = &run->node[node];

	if (now->is_live)
		return 0;
	if (what->fixed_minor && now->minor != what->minor)
		return wrong_number(run, node, -EEXIST, "and a node with another one");
	if (!now->info.live_table)
		return load(run, node, table);
	/* The node is suspended over this very table: only the resume is missing. */
	now->is_loaded = true;
	return 0;
}

int lea_dm_exec_make(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	struct lea_dm_node_state *now = &run->node[step->node];
	struct lea_table table;
	int r = now->has_failed || now->obstacle ? -EIO : 0;

	if (!r && !now->is_live)
		r = number_table(run, step->node, &table);
	if (!r && !now->is_live)
		r = now->is_there ? finish_node(run, step->node, &table)
				  : create(run, step->node, &table);
	now->has_failed = r != 0;
	return r;
}

/* Resumes with the step's udev flags instead of the node's. */
static int resume(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	struct lea_dm_node node = run->plan->node[step->node].node;
	int r;

	node.udev_flags = step->udev_flags;
	r = run->dm->resume(run->dm, &node);
	if (!r)
		return 0;
	if (r == -ETIMEDOUT)
		r = lea_as_transient(r);
	return lea_dm_fault(run, step->node, r, "resuming");
}

int lea_dm_exec_resume(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	struct lea_dm_node_state *now = &run->node[step->node];
	int r;

	if (!now->is_loaded)
		return 0;
	r = resume(run, step);
	/* Other tables may refer to the node, so it is removed later, after them. */
	now->has_failed = r != 0;
	if (r)
		return r;
	now->is_loaded = false;
	run->result->resumed++;
	lea_timeline_note(run->world, LEA_RING_NODE,
			  &(struct lea_timeline_note){.vg = run->plan->vg->id,
						      .text = lea_dm_lv_name(run, step->node),
						      .device = {now->major, now->minor}});
	return 0;
}

int lea_dm_exec_wait(struct lea_dm_exec *run)
{
	const struct lea_conf *conf = run->options->conf;
	int r;

	lea_timeline_note_vg(run->world, LEA_RING_WAIT, run->plan->vg->id, 0);
	r = run->dm->wait(run->dm, lea_conf_udev_limit_ms(conf), lea_conf_patience_ms(conf));
	lea_timeline_note_vg(run->world, LEA_RING_WAITED, run->plan->vg->id, r);
	/* LEA_DM_STILL (udev hangs on some disk) does not stop the other LVs. */
	if (r >= 0)
		return 0;
	return lea_as_transient(
		lea_log_fault(run->world->log, r, "VG %s: waiting for udev", run->plan->vg->name));
}

int lea_dm_exec_again(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	int r;

	if (!run->node[step->node].is_new)
		return 0;
	r = lea_dm_exec_wait(run);
	if (r)
		return r;
	r = run->dm->suspend(run->dm, &run->plan->node[step->node].node);
	if (r)
		return lea_as_transient(lea_dm_fault(run, step->node, r, "suspending"));
	return resume(run, step);
}
