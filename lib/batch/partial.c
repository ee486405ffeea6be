/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search tree by VG id, and a list in which the VGs that wait are visited. */
#include "batch/partial.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activate/settings.h"
#include "base/cleanup.h"
#include "base/log_ids.h"
#include "base/order.h"
#include "batch/incomplete.h"
#include "batch/incomplete_wait.h"
#include "batch/requeue.h"
#include "conf/conf_where.h"
#include "memory/boot_memory_file.h"
#include "state/mark.h"
#include "state/missing.h"
#include "state/newest.h"
#include "state/online.h"

/* Pauses because of silent disks; doubled with each one in a row. */
#define PAUSE_MS      1000U
#define PAUSE_MOST_MS 256000U

/* A VG that waits. */
struct vg {
	char id[33]; /* first: the tree compares it */
	char name[128];
	struct lea_incomplete_choice choice;
	struct lea_claim_pv pv; /* a PV of it with metadata */
	uint64_t asked;	  /* partial->arrivals when the memory was asked for has_all; 0: never */
	bool has_all;	  /* all its PVs that the last boot had are there */
	bool is_told;	  /* its line was logged */
	uint64_t from_ms; /* it waits at least until then */
	struct vg *next, **link;
};

struct lea_partial {
	struct lea_world *world;
	struct lea_incomplete_rules rules;
	uint32_t busy_most_ms;
	struct lea_incomplete_wait wait;
	uint64_t arrivals; /* number of PVs that came, from 1 */
	uint32_t pause_ms; /* the last one, since a PV came; 0: none */
	void *tree;	   /* of struct vg, owned */
	struct vg *first;
	uint32_t count;
	bool is_begun, is_read;
	uint64_t fault_ms; /* when it last could not be told or queued; 0: never */
	struct lea_arena *arena;       /* of memory; owned */
	struct lea_boot_memory memory; /* of the last boot; read when the first VG waits */
};

struct refusals {
	struct lea_world *world;
	const struct lea_conf *conf;
};

static void log_refusal(void *arg, const char *key, const char *item, const char *why)
{
	const struct refusals *refusals = arg;
	char path[64], what[256];

	snprintf(path, sizeof(path), "event/%s", key);
	snprintf(what, sizeof(what), "has \"%.150s\", which is ignored: %s", item, why);
	lea_conf_warn(refusals->world, refusals->conf, path, what);
}

int lea_partial_new(struct lea_world *world, const struct lea_conf *conf,
		    struct lea_partial **ret_partial)
{
	const struct lea_incomplete_rules rules = lea_activate_incomplete_rules(conf);
	struct refusals refusals = {world, conf};
	struct lea_partial *partial;

	*ret_partial = NULL;
	lea_incomplete_rules_check(&rules, log_refusal, &refusals);
	if (!lea_incomplete_rules_act(&rules))
		return 0;
	partial = calloc(1, sizeof(*partial));
	if (!partial)
		return -ENOMEM;
	*partial = (struct lea_partial){.world = world,
					.rules = rules,
					.busy_most_ms = conf->udev_deadline_ms,
					.arrivals = 1};
	lea_partial_came(partial);
	*ret_partial = partial;
	return 0;
}

void lea_partial_free(struct lea_partial *partial)
{
	if (!partial)
		return;
	tdestroy(partial->tree, free);
	lea_arena_free(partial->arena);
	free(partial);
}

struct lea_incomplete_choice lea_partial_choose(const struct lea_partial *partial,
						const struct lea_vg *vg)
{
	return partial ? lea_incomplete_choose(&partial->rules, vg)
		       : (struct lea_incomplete_choice){.mode = LEA_INCOMPLETE_WAIT};
}

bool lea_partial_is_waiting(const struct lea_partial *partial)
{
	return partial && partial->first;
}

static void begin_waits(struct lea_partial *partial)
{
	partial->arrivals++;
	lea_incomplete_wait_came(&partial->wait, lea_world_now_ms(partial->world));
}

void lea_partial_came(struct lea_partial *partial)
{
	if (!partial)
		return;
	partial->pause_ms = 0;
	begin_waits(partial);
}

/* ---- the VGs that wait */

static struct vg *find(const struct lea_partial *partial, const char *id)
{
	struct vg *const *node = tfind(id, &partial->tree, lea_compare_text);

	return node ? *node : NULL;
}

static struct vg *add(struct lea_partial *partial, const char *id)
{
	struct vg *vg = partial->count < LEA_WAITING_MOST ? calloc(1, sizeof(*vg)) : NULL;

	if (!vg)
		return NULL;
	snprintf(vg->id, sizeof(vg->id), "%s", id);
	if (!tsearch(vg, &partial->tree, lea_compare_text)) {
		free(vg);
		return NULL;
	}
	vg->next = partial->first;
	vg->link = &partial->first;
	if (vg->next)
		vg->next->link = &vg->next;
	partial->first = vg;
	partial->count++;
	return vg;
}

static void remove_vg(struct lea_partial *partial, struct vg *vg)
{
	tdelete(vg, &partial->tree, lea_compare_text);
	*vg->link = vg->next;
	if (vg->next)
		vg->next->link = vg->link;
	partial->count--;
	free(vg);
}

void lea_partial_note(struct lea_partial *partial, const struct lea_found *found, bool is_complete)
{
	struct lea_incomplete_choice choice;
	struct vg *vg;

	if (!partial || (is_complete && !partial->first))
		return;
	choice = lea_partial_choose(partial, found->vg);
	vg = find(partial, found->vg->id);
	if (is_complete || choice.mode == LEA_INCOMPLETE_WAIT) {
		if (vg)
			remove_vg(partial, vg);
		return;
	}
	vg = vg ? vg : add(partial, found->vg->id);
	if (!vg)
		return;
	snprintf(vg->name, sizeof(vg->name), "%s", found->vg->name);
	vg->choice = choice;
	vg->pv = (struct lea_claim_pv){.id = lea_device_id(&found->device)};
	memcpy(vg->pv.pvid, found->label.pvid, sizeof(vg->pv.pvid));
}

void lea_partial_wait_anew(struct lea_partial *partial, const struct lea_found *found)
{
	struct vg *vg;

	if (!partial)
		return;
	begin_waits(partial);
	lea_partial_note(partial, found, false);
	vg = find(partial, found->vg->id);
	if (!vg)
		return;
	partial->pause_ms = !partial->pause_ms			    ? PAUSE_MS
			    : partial->pause_ms < PAUSE_MOST_MS / 2 ? partial->pause_ms * 2
								    : PAUSE_MOST_MS;
	vg->from_ms = lea_world_now_ms(partial->world) + partial->pause_ms;
}

/* ---- the start */

/* Queues the PVs with a record that the VG's newest metadata list. */
static int queue_listed(const struct lea_batch_options *options, const struct lea_newest *newest,
			enum lea_entry_kind kind)
{
	const int run_fd = lea_world_run(options->world);
	struct lea_online online;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < newest->pv_count; i++) {
		struct lea_claim_pv pv = {0};

		r = lea_online_read(run_fd, newest->pvid[i], &online);
		if (r)
			continue;
		pv.id = (struct lea_devid){online.major, online.minor, 0};
		memcpy(pv.pvid, newest->pvid[i], sizeof(pv.pvid));
		r = lea_requeue_pv(options, &pv, kind);
	}
	return r < 0 ? r : 0;
}

static int begin_vg(void *arg, const struct lea_newest *newest)
{
	const struct lea_batch_options *options = *(const struct lea_batch_options **)arg;

	const int r = lea_awaited_ask(options->event_fd, newest->vg_id, newest->pv_count);

	return r > 0 ? queue_listed(options, newest, LEA_ENTRY_MISSED) : r;
}

/* Queues the devices of all VGs of which a PV was added and no claim has come of it, so that a pass
 * notes those that are incomplete. */
static int begin(const struct lea_batch_options *options)
{
	const int run_fd = lea_world_run(options->world);

	if (run_fd < 0 || !lea_mark_ask_any(options->event_fd, LEA_MARK_AWAITED))
		return run_fd < 0 ? run_fd : 0;
	return lea_newest_each(run_fd, begin_vg, &options);
}

/* ---- the wait */

/* Without a memory every VG waits as long as its rule says. */
static void read_memory(struct lea_partial *partial)
{
	if (partial->is_read)
		return;
	partial->is_read = true;
	partial->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	if (!partial->arena ||
	    lea_boot_memory_read(partial->world, partial->arena, &partial->memory))
		partial->memory = (struct lea_boot_memory){0};
}

/* Are all its PVs there that the last boot had? Asked once after each PV that came. */
static bool has_all(const struct lea_partial *partial, struct vg *vg)
{
	const struct lea_boot_vg *remembered;
	const int run_fd = lea_world_run(partial->world);
	int r = 0;

	if (vg->asked == partial->arrivals)
		return vg->has_all;
	remembered = lea_boot_memory_vg(&partial->memory, vg->id);
	vg->has_all = run_fd >= 0 && remembered && remembered->pv_count;
	for (uint32_t i = 0; vg->has_all && i < remembered->pv_count; i++) {
		r = lea_online_look(run_fd, remembered->pv[i].pvid);
		vg->has_all = !r;
	}
	if (r >= 0)
		vg->asked = partial->arrivals;
	return vg->has_all;
}

static void tell(const struct lea_partial *partial, const struct lea_batch_options *options,
		 struct vg *vg, uint32_t left_ms)
{
	const int run_fd = lea_world_run(partial->world);
	char text[LEA_MISSING_TEXT_BYTES];
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_INCOMPLETE,
					      .vg = vg->name,
					      .vg_id = vg->id,
					      .reason = text};
	struct lea_missing missing = {0};

	if (vg->is_told || run_fd < 0)
		return;
	vg->is_told = true;
	if (!lea_missing_of(run_fd, vg->id, vg->name, &missing) && missing.count) {
		lea_missing_describe(&missing, text);
		lea_log_with(partial->world->log, LEA_LOG_WARNING, &fields,
			     "VG %s: incomplete: %s; it is activated in part in %u.%u s unless a "
			     "further PV comes (incomplete = %s)",
			     vg->name, text, left_ms / 1000, left_ms % 1000 / 100,
			     lea_incomplete_word(vg->choice.mode));
		lea_incomplete_told(options->waiting, partial->world, vg->name);
	}
	lea_missing_done(&missing);
}

/* If the PV is gone that was noted, any other recorded PV will do. Without one there is nothing to
 * activate. */
static int queue_vg(const struct lea_batch_options *options, const struct vg *vg)
{
	LEA_AUTO(lea_newest_done) struct lea_newest newest = {0};
	int r = lea_requeue_pv(options, &vg->pv, LEA_ENTRY_PARTIAL);

	if (r != LEA_REQUEUE_NONE)
		return r;
	r = lea_newest_read(lea_world_run(options->world), vg->id, vg->name, &newest);
	r = r ? r : queue_listed(options, &newest, LEA_ENTRY_PARTIAL);
	return r < 0 ? r : 0;
}

/* Returns 0 with the ms that are left in *ret_left, or LEA_PARTIAL_QUEUED, or -errno. */
static int step_vg(struct lea_partial *partial, const struct lea_batch_options *options,
		   struct vg *vg, uint32_t *ret_left)
{
	const uint64_t now = lea_world_now_ms(partial->world);
	int r;

	*ret_left = lea_incomplete_wait_left(&partial->wait, now,
					     has_all(partial, vg) ? 0 : vg->choice.wait_ms);
	if (vg->from_ms > now + *ret_left)
		*ret_left = (uint32_t)(vg->from_ms - now);
	if (*ret_left) {
		tell(partial, options, vg, *ret_left);
		return 0;
	}
	r = queue_vg(options, vg);
	if (r < 0)
		return r;
	remove_vg(partial, vg);
	return LEA_PARTIAL_QUEUED;
}

static int step(struct lea_partial *partial, const struct lea_batch_options *options, bool is_idle,
		int *ret_wait_ms)
{
	uint32_t least_ms = UINT32_MAX, left_ms;
	struct vg *vg, *next;
	int r = 0, outcome = 0;

	if (!partial->is_begun) {
		r = begin(options);
		partial->is_begun = r >= 0;
		return r < 0 ? r : LEA_PARTIAL_QUEUED;
	}
	if (!partial->first)
		return 0;
	read_memory(partial);
	if (!lea_incomplete_wait_look(&partial->wait, lea_world_now_ms(partial->world), is_idle,
				      partial->busy_most_ms)) {
		*ret_wait_ms = (int)LEA_INCOMPLETE_LOOK_MS;
		return 0;
	}
	for (vg = partial->first; vg && r >= 0; vg = next) {
		next = vg->next;
		r = step_vg(partial, options, vg, &left_ms);
		outcome |= r == LEA_PARTIAL_QUEUED;
		if (!r && left_ms < least_ms)
			least_ms = left_ms;
	}
	if (least_ms != UINT32_MAX)
		*ret_wait_ms = (int)least_ms;
	return r < 0 ? r : outcome ? LEA_PARTIAL_QUEUED : 0;
}

/* What was queued before a fault is read meanwhile, and must not lead back here at once. */
int lea_partial_step(struct lea_partial *partial, const struct lea_batch_options *options,
		     bool is_idle, int *ret_wait_ms)
{
	const uint64_t now = partial ? lea_world_now_ms(partial->world) : 0;
	int r;

	*ret_wait_ms = -1;
	if (!partial)
		return 0;
	if (partial->fault_ms && now - partial->fault_ms < LEA_WAITING_PAUSE_MS) {
		*ret_wait_ms = (int)(LEA_WAITING_PAUSE_MS - (now - partial->fault_ms));
		return 0;
	}
	r = step(partial, options, is_idle, ret_wait_ms);
	partial->fault_ms = r < 0 ? now : 0;
	if (r < 0)
		*ret_wait_ms = LEA_WAITING_PAUSE_MS;
	return r;
}
