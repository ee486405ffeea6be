/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process of the real lvm scans every device of the machine, so lvm is run only where needed. */
#include "activate/monitor.h"

#include "activate/activate_private.h"
#include "activate/delegate.h"
#include "activate/monitor_spec.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "state/monitor_deferred.h"
#include "world/dm.h"
#include "world/dmeventd.h"

#include <errno.h>
#include <stdlib.h>

#define NAMES_BYTES 4096U /* of one node */

int lea_monitor_list_new(size_t room, struct lea_monitor_list *list)
{
	list->vg = calloc(room + 1, sizeof(*list->vg));
	list->what = calloc(room + 1, sizeof(*list->what));
	list->count = 0;
	return list->vg && list->what ? 0 : -ENOMEM;
}

void lea_monitor_list_done(struct lea_monitor_list *list)
{
	free(list->vg);
	free(list->what);
}

void lea_monitor_list_add(struct lea_monitor_list *list, const struct lea_vg *vg,
			  struct lea_monitor_poll limit)
{
	struct lea_monitor_poll what = lea_monitor_poll_of(vg);

	what.monitor &= limit.monitor;
	what.poll &= limit.poll;
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

typedef int (*request_fn)(struct lea_world *world, const struct lea_dmeventd_watch *watch);

/* Returns 0 if dmeventd accepted the request or the LV is not active. */
static int request_lv(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg,
		      const struct lea_lv *lv, const struct lea_monitor_spec *spec,
		      request_fn request)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(NAMES_BYTES);
	struct lea_dmeventd_watch watch = {
		.library = library_of(conf, spec->watched),
		.executable = conf->dmeventd,
		.mask = spec->mask,
		.timeout_s = spec->timeout_s,
	};
	struct lea_plan_names names;
	struct lea_dm_info info;
	int r;

	if (!arena)
		return -ENOMEM;
	r = lea_plan_names(arena, vg, lv, spec->layer, &names);
	r = r ? r : lea_dm_find(world->dm, names.uuid, names.other_uuid, &info, &watch.uuid);
	if (r == LEA_DM_ABSENT)
		return 0;
	return r ? r : request(world, &watch);
}

/* Sends dmeventd a request for each LV with known monitoring, up to the first failure. */
static bool request_all(struct lea_world *world, const struct lea_conf *conf,
			const struct lea_vg *vg, request_fn request)
{
	struct lea_monitor_spec spec;
	int r;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		if (lea_monitor_spec_of(vg, &vg->lvs[i], &spec) != 0)
			continue;
		r = request_lv(world, conf, vg, &vg->lvs[i], &spec, request);
		if (r < 0)
			lea_log_fault(world->log, r, "LV %s/%s: its registration with dmeventd",
				      vg->name, vg->lvs[i].name);
		if (r)
			return false;
	}
	return true;
}

/* Registers the VG's LVs with dmeventd. False: leave the VG to the real lvm. */
static bool is_watched_natively(struct lea_world *world, const struct lea_conf *conf,
				const struct lea_vg *vg)
{
	/* With dmeventd/library_dir only lvm2 knows which library it would choose. */
	return !conf->library_dir && !lea_monitor_spec_asks(vg) &&
	       request_all(world, conf, vg, lea_dmeventd_watch);
}

/* Most VGs have no LV that dmeventd watches and so cost no system call. */
static bool has_watched(const struct lea_vg *vg)
{
	struct lea_monitor_spec spec;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_monitor_spec_of(vg, &vg->lvs[i], &spec) == 0)
			return true;
	return false;
}

static void request_if_it_lives(struct lea_world *world, const struct lea_conf *conf,
				const struct lea_vg *vg, request_fn request)
{
	/* Monitoring that is not ended here ends when the node goes; dmeventd then logs errors. */
	if (world->dm && !conf->library_dir && has_watched(vg) && lea_dmeventd_lives(world) &&
	    !request_all(world, conf, vg, request))
		lea_log(world->log, LEA_LOG_VERBOSE,
			"VG %s: dmeventd could not be reached for all of its LVs.", vg->name);
}

void lea_monitor_end(struct lea_world *world, const struct lea_conf *conf, const struct lea_vg *vg)
{
	request_if_it_lives(world, conf, vg, lea_dmeventd_leave);
}

void lea_monitor_again(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_vg *vg)
{
	request_if_it_lives(world, conf, vg, lea_dmeventd_watch);
}

static void run_lvm(struct lea_world *world, const char *lvm_path, const char *const *words,
		    const char *const *names, size_t count)
{
	int code = 0;

	if (count && !lea_delegate(world, lvm_path, words, names, count, -1, &code) && code)
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: %s %s ended with status %d: VGs are active, but "
			"dmeventd does not monitor all of them.",
			lvm_path, words[1], code);
}

/* Collects the names of the VGs that the real lvm must handle, with polling or without. */
static size_t pick(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_activate_options *options, const struct lea_monitor_list *list,
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

/* If dmeventd does not run, notes each VG and drops it from @list; a VG that cannot be noted, or
 * whose registration was already attempted, stays in @list. */
static void put_off(struct lea_world *world, struct lea_monitor_list *list)
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
		if (!lea_monitor_deferred_is_asked(run_fd, id) &&
		    !lea_monitor_deferred_note(run_fd, id))
			list->what[i] = (struct lea_monitor_poll){0};
	}
}

/* Drops the notes of the VGs that were not deferred. */
static void drop_notes(struct lea_world *world, const struct lea_monitor_list *list)
{
	const int run_fd = lea_world_run(world);

	for (size_t i = 0; run_fd >= 0 && i < list->count; i++)
		if (list->what[i].monitor && lea_monitor_deferred_drop(run_fd, list->vg[i]->id) < 0)
			lea_log(world->log, LEA_LOG_DEBUG,
				"VG %s: its file in event/unwatched could not be removed.",
				list->vg[i]->name);
}

void lea_monitor(struct lea_world *world, const struct lea_conf *conf,
		 const struct lea_activate_options *options, struct lea_monitor_list *list)
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
	run_lvm(world, options->lvm_path, watch, names, count);
	count = pick(world, conf, options, list, true, names);
	run_lvm(world, options->lvm_path, options->monitor ? both : poll, names, count);
	if (options->defers_watch && options->monitor)
		drop_notes(world, list);
}
