/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The activation part of pvscan -aay. */
#include "lvm2/autoactivate.h"

#include "activate/drive.h"
#include "activate/settings.h"
#include "plan/bounds.h"
#include "state/online.h"
#include "world/proc.h"

#include <errno.h>
#include <string.h>

/* A scan and the VGs found in it. */
struct view {
	struct lea_scan *scan;	 /* owned */
	struct lea_scan_vg *vgs; /* borrowed from scan */
	size_t count;
};

struct work {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_autoactivate_options *options;
	struct lea_report *report;
	const struct lea_list *names;
	struct view recorded, all; /* devices with a record; all devices, scanned on demand */
	bool has_failed;
};

static int group(struct view *view)
{
	return lea_scan_vgs(view->scan, &view->vgs, &view->count);
}

static int view_recorded(struct work *work)
{
	const struct lea_list *names = work->names;
	int r = lea_scan_new(work->world, work->conf, &work->options->scan, &work->recorded.scan);

	for (uint32_t i = 0; !r && i < names->count; i++) {
		struct lea_scan_device *devices = NULL;
		size_t count = 0;

		r = lea_devices_of_vg(work->world, names->item[i], &devices, &count);
		r = r ? r : lea_scan_add_expected(work->recorded.scan, devices, count);
		if (r > 0)
			r = 0; /* nothing recorded: scan all devices later */
		lea_scan_devices_free(devices, count);
	}
	return r ? r : group(&work->recorded);
}

static int view_all(struct work *work)
{
	struct lea_scan_options options = work->options->scan;
	struct lea_device *devices = NULL;
	size_t count = 0;
	int r;

	if (work->all.scan)
		return 0;
	options.wants_own_id = true;
	r = lea_scan_new(work->world, work->conf, &options, &work->all.scan);
	if (r)
		return r;
	r = lea_devices_enumerate(work->world, &devices, &count);
	r = r ? r : lea_scan_add(work->all.scan, devices, count);
	r = r ? r : lea_scan_cover(work->all.scan);
	r = r ? r : lea_scan_recall(work->all.scan);
	lea_devices_free(devices, count);
	return r ? r : group(&work->all);
}

static const struct lea_scan_vg *find(const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->count; i++)
		if (!strcmp(view->vgs[i].vg->name, name))
			return &view->vgs[i];
	return NULL;
}

/* The records said complete. Where the devices they name say otherwise, the records are wrong. */
static int look_up(struct work *work, const char *name, const struct lea_scan_vg **ret_scanned)
{
	int r;

	*ret_scanned = find(&work->recorded, name);
	if (*ret_scanned && lea_scan_vg_is_complete(*ret_scanned))
		return 0;
	lea_report_say(work->report, LEA_LOG_PRINT, "VG %s not using quick activation.", name);
	r = view_all(work);
	if (!r)
		*ret_scanned = find(&work->all, name);
	return r;
}

/* Drops the VG's claim: without an activation it would keep every event from trying again. */
static void give_back(void *arg, const char *name)
{
	struct work *work = arg;
	int run_fd = lea_world_run(work->world);

	work->has_failed = true;
	if (!work->options->test && (run_fd < 0 || lea_vg_online_drop(run_fd, name) < 0))
		lea_log(work->world->log, LEA_LOG_WARNING,
			"VG %s: activation failed, and its vgs_online record could not be removed.",
			name);
}

static void fail_vg(struct work *work, const char *name)
{
	give_back(work, name);
	lea_report_say(work->report, LEA_LOG_ERROR, "%s: autoactivation failed.", name);
}

static bool pick(void *arg, size_t at, struct lea_drive_vg *ret_vg)
{
	struct work *work = arg;

	*ret_vg = (struct lea_drive_vg){.name = work->names->item[at]};
	if (!look_up(work, ret_vg->name, &ret_vg->scanned) && ret_vg->scanned)
		return true;
	fail_vg(work, ret_vg->name);
	return false;
}

static void became(void *arg, const struct lea_drive_vg *vg, int outcome,
		   const struct lea_activate_result *result)
{
	(void)result;
	if (lea_drive_has_failed(outcome))
		fail_vg(arg, vg->name);
}

static int activate_all(struct work *work)
{
	const struct lea_autoactivate_options *options = work->options;
	const char *words[8] = {"vgchange", "-aay", "--autoactivation", "event"};
	const struct lea_drive drive = {
		.world = work->world,
		.conf = work->conf,
		.options = {.what = LEA_ACTIVATE_AUTO,
			    .only_complete = true,
			    .test = options->test,
			    .no_lock = options->no_lock,
			    .quiet_refusals = true,
			    .checks_duplicates = true,
			    .lvm_path = options->lvm_path,
			    .reader = options->scan.reader,
			    .monitor = work->conf->monitoring,
			    .poll = true},
		.most_lvs = lea_bound_lvs(work->conf->lvs_in_flight, lea_proc_cpus(), false),
		.pick = pick,
		.count = work->names->count,
		.became = became,
		.lvm_words = words,
		.lvm_failed = give_back,
		.arg = work,
	};
	struct lea_drive_result result;
	size_t used = 4;
	int r;

	if (options->test)
		words[used++] = "--test";
	if (options->config) {
		words[used++] = "--config";
		words[used++] = options->config;
	}
	r = lea_drive(&drive, &result);
	work->has_failed |= !r && result.unfinished;
	return r;
}

int lea_autoactivate(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_autoactivate_options *options, const struct lea_list *names,
		     struct lea_report *report)
{
	struct work work = {
		.world = world, .conf = conf, .options = options, .report = report, .names = names};
	int r;

	if (!names->count)
		return 0;
	lea_activate_tell_lists(world, conf);
	r = view_recorded(&work);
	r = r ? r : activate_all(&work);
	for (uint32_t i = 0; r && i < names->count; i++)
		fail_vg(&work, names->item[i]);
	lea_scan_free(work.recorded.scan);
	lea_scan_free(work.all.scan);
	if (r < 0)
		return r;
	return r || work.has_failed ? LEA_AUTOACTIVATE_FAILED : 0;
}
