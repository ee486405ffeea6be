/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of the real lvm looks at every device of the machine: it is the exception.
 */
#include "flow/follow.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "flow/delegate.h"
#include "policy/watch.h"
#include "policy/ways.h"
#include "state/unwatched.h"
#include "world/dm.h"
#include "world/dmeventd.h"

#include <errno.h>
#include <stdlib.h>

#define NAMES_BYTES 4096U /* of one node */

int lea_follow_list_new(size_t room, struct lea_follow_list *list)
{
	list->vg = calloc(room + 1, sizeof(*list->vg));
	list->what = calloc(room + 1, sizeof(*list->what));
	list->count = 0;
	return list->vg && list->what ? 0 : -ENOMEM;
}

void lea_follow_list_done(struct lea_follow_list *list)
{
	free(list->vg);
	free(list->what);
}

void lea_follow_list_add(struct lea_follow_list *list, const struct lea_vg *vg)
{
	const struct lea_follow what = lea_follow_of(vg);

	if (!what.monitor && !what.poll)
		return;
	list->vg[list->count] = vg;
	list->what[list->count++] = what;
}

static const char *library_of(const struct lea_conf *conf, enum lea_watched watched)
{
	const char *const library[] = {
		[LEA_WATCHED_MIRROR] = conf->mirror_library,
		[LEA_WATCHED_RAID] = conf->raid_library,
		[LEA_WATCHED_SNAPSHOT] = conf->snapshot_library,
		[LEA_WATCHED_THIN] = conf->thin_library,
	};

	return library[watched];
}

/* 0 with *ret_uuid (in @arena), LEA_DM_ABSENT: the LV is not active. */
static int find_node(struct lea_dm *dm, struct lea_arena *arena, const struct lea_vg *vg,
		     const struct lea_lv *lv, enum lea_layer layer, const char **ret_uuid)
{
	struct lea_plan_names names;
	struct lea_dm_info info;
	int r = lea_plan_names(arena, vg, lv, layer, &names);

	if (r)
		return r;
	*ret_uuid = names.uuid;
	r = dm->info(dm, names.uuid, &info);
	if (r != LEA_DM_ABSENT || !names.other_uuid)
		return r;
	*ret_uuid = names.other_uuid;
	return dm->info(dm, names.other_uuid, &info);
}

typedef int (*tell_fn)(struct lea_world *world, const struct lea_dmeventd_watch *watch);

/* 0: dmeventd knows, or it is not active. */
static int tell_of_lv(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg,
		      const struct lea_lv *lv, const struct lea_watch *how, tell_fn tell_dmeventd)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(NAMES_BYTES);
	struct lea_dmeventd_watch watch = {
		.library = library_of(conf, how->watched),
		.executable = conf->dmeventd,
		.mask = how->mask,
		.timeout_s = how->timeout_s,
	};
	int r;

	if (!arena)
		return -ENOMEM;
	r = find_node(world->dm, arena, vg, lv, how->layer, &watch.uuid);
	if (r == LEA_DM_ABSENT)
		return 0;
	return r ? r : tell_dmeventd(world, &watch);
}

/* Of all LVs of which we are certain, up to the first failure. */
static bool tell_dmeventd_of(struct lea_world *world, const struct lea_conf *conf,
			     const struct lea_vg *vg, tell_fn tell_dmeventd)
{
	struct lea_watch how;
	int r;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		if (lea_watch_of(vg, &vg->lvs[i], &how) != 0)
			continue;
		r = tell_of_lv(world, conf, vg, &vg->lvs[i], &how, tell_dmeventd);
		if (r < 0)
			lea_log_fault(world->log, r, "LV %s/%s: telling dmeventd", vg->name,
				      vg->lvs[i].name);
		if (r)
			return false;
	}
	return true;
}

/* Does dmeventd watch all of it now? */
static bool is_watched_natively(struct lea_world *world, const struct lea_conf *conf,
				const struct lea_vg *vg)
{
	/* Where lvm2 looks for its libraries by rules of its own, it does so itself. */
	return !conf->library_dir && !lea_watch_asks(vg) &&
	       tell_dmeventd_of(world, conf, vg, lea_dmeventd_watch);
}

/* Most VGs have nothing to watch: these cost no system call. */
static bool has_watched(const struct lea_vg *vg)
{
	struct lea_watch how;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_watch_of(vg, &vg->lvs[i], &how) == 0)
			return true;
	return false;
}

static void tell_if_it_lives(struct lea_world *world, const struct lea_conf *conf,
			     const struct lea_vg *vg, tell_fn tell_dmeventd)
{
	/* What is not taken back ends with its node, at the price of some lines in the journal. */
	if (world->dm && !conf->library_dir && has_watched(vg) && lea_dmeventd_lives(world) &&
	    !tell_dmeventd_of(world, conf, vg, tell_dmeventd))
		lea_log(world->log, LEA_LOG_VERBOSE, "VG %s: dmeventd was not told of all LVs.",
			vg->name);
}

void lea_follow_end(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg)
{
	tell_if_it_lives(world, conf, vg, lea_dmeventd_leave);
}

void lea_follow_again(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg)
{
	tell_if_it_lives(world, conf, vg, lea_dmeventd_watch);
}

static void tell(struct lea_world *world, const char *lvm_path, const char *const *words,
		 const char *const *names, size_t count)
{
	int code = 0;

	if (count && !lea_delegate(world, lvm_path, words, names, count, &code) && code)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s %s ended with %d: VGs are active and not all watched.",
			lvm_path, words[1], code);
}

/* What of @list is for the real lvm: with polling or without. */
static size_t pick(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_activate_options *options, const struct lea_follow_list *list,
		   bool with_poll, const char **names)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct lea_vg *vg = list->vg[i];

		if ((list->what[i].poll && options->poll) != with_poll)
			continue;
		if (with_poll || (list->what[i].monitor && options->monitor &&
				  !is_watched_natively(world, conf, vg)))
			names[count++] = vg->name;
	}
	return count;
}

/* What can't be noted is not put off. */
static void put_off(struct lea_world *world, struct lea_follow_list *list)
{
	const int run_fd = lea_world_run(world);
	bool is_asked = false;

	for (size_t i = 0; run_fd >= 0 && i < list->count; i++) {
		const char *id = list->vg[i]->id;

		if (!list->what[i].monitor)
			continue;
		if (!is_asked && lea_dmeventd_lives(world))
			return;
		is_asked = true;
		if (!lea_unwatched_is_noted(run_fd, id) && !lea_unwatched_note(run_fd, id))
			list->what[i] = (struct lea_follow){0};
	}
}

/* Of those that were not put off. */
static void drop_notes(struct lea_world *world, const struct lea_follow_list *list)
{
	const int run_fd = lea_world_run(world);

	for (size_t i = 0; run_fd >= 0 && i < list->count; i++)
		if (list->what[i].monitor && lea_unwatched_drop(run_fd, list->vg[i]->id) < 0)
			lea_log(world->log, LEA_LOG_DEBUG, "VG %s: its note stays.",
				list->vg[i]->name);
}

void lea_follow(struct lea_world *world, const struct lea_conf *conf,
		const struct lea_activate_options *options, struct lea_follow_list *list)
{
	const char *const both[] = {"vgchange", "--monitor", "y", "--poll", "y", NULL};
	const char *const watch[] = {"vgchange", "--monitor", "y", "--poll", "n", NULL};
	const char *const poll[] = {"vgchange", "--poll", "y", NULL};
	LEA_AUTO(lea_freep) const char **names = calloc(list->count + 1, sizeof(*names));
	size_t count;

	if (!names || !options->lvm_path)
		return;
	if (options->defers_watch && options->monitor)
		put_off(world, list);
	count = pick(world, conf, options, list, false, names);
	tell(world, options->lvm_path, watch, names, count);
	count = pick(world, conf, options, list, true, names);
	tell(world, options->lvm_path, options->monitor ? both : poll, names, count);
	if (options->defers_watch && options->monitor)
		drop_notes(world, list);
}
