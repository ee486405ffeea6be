/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The activation part of pvscan -aay. */
#include "lvm2/autoactivate.h"

#include "activate/delegate.h"
#include "activate/settings.h"
#include "activate/transaction.h"
#include "base/cleanup.h"
#include "state/online.h"

#include <errno.h>
#include <string.h>

/* A scan and the VGs found in it. */
struct view {
	struct lea_scan *scan;	 /* owned */
	struct lea_scan_vg *vgs; /* borrowed from scan */
	size_t count;
};

struct job {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_autoactivate_options *options;
	struct lea_report *report;
	struct view recorded, all; /* devices with a record; all devices, scanned on demand */
	struct lea_activation_run *run;
	const char **delegated; /* owned array of borrowed names */
	size_t delegated_count;
	bool has_failed;
};

static int group(struct view *view)
{
	return lea_scan_vgs(view->scan, &view->vgs, &view->count);
}

static int view_recorded(struct job *job, const struct lea_list *names)
{
	int r = lea_scan_new(job->world, job->conf, &job->options->scan, &job->recorded.scan);

	for (uint32_t i = 0; !r && i < names->count; i++) {
		struct lea_device *devices = NULL;
		size_t count = 0;

		r = lea_devices_of_vg(job->world, names->item[i], &devices, &count);
		r = r ? r : lea_scan_add(job->recorded.scan, devices, count);
		if (r > 0)
			r = 0; /* nothing recorded: scan all devices later */
		lea_devices_free(devices, count);
	}
	return r ? r : group(&job->recorded);
}

static int view_all(struct job *job)
{
	struct lea_device *devices = NULL;
	size_t count = 0;
	int r;

	if (job->all.scan)
		return 0;
	r = lea_scan_new(job->world, job->conf, &job->options->scan, &job->all.scan);
	if (r)
		return r;
	r = lea_devices_enumerate(job->world, &devices, &count);
	r = r ? r : lea_scan_add(job->all.scan, devices, count);
	lea_devices_free(devices, count);
	return r ? r : group(&job->all);
}

static const struct lea_scan_vg *find(const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->count; i++)
		if (!strcmp(view->vgs[i].vg->name, name))
			return &view->vgs[i];
	return NULL;
}

/* The records said complete. Where the devices they name say otherwise, the records are wrong. */
static int look_up(struct job *job, const char *name, const struct lea_scan_vg **ret_scanned)
{
	int r;

	*ret_scanned = find(&job->recorded, name);
	if (*ret_scanned && !lea_scan_vg_missing(*ret_scanned))
		return 0;
	lea_report_say(job->report, LEA_LOG_PRINT, "VG %s not using quick activation.", name);
	r = view_all(job);
	if (!r)
		*ret_scanned = find(&job->all, name);
	return r;
}

/* Drops the VG's claim: without an activation it would keep every event from trying again. */
static void give_back(struct job *job, const char *name)
{
	int run_fd = lea_world_run(job->world);

	job->has_failed = true;
	if (!job->options->test && (run_fd < 0 || lea_vg_online_drop(run_fd, name) < 0))
		lea_log(job->world->log, LEA_LOG_WARNING,
			"VG %s: activation failed, and its vgs_online record could not be removed.",
			name);
}

static void fail_vg(struct job *job, const char *name)
{
	give_back(job, name);
	lea_report_say(job->report, LEA_LOG_ERROR, "%s: autoactivation failed.", name);
}

static void activate_one(struct job *job, const char *name)
{
	struct lea_activate_result result = {0};
	const struct lea_scan_vg *scanned = NULL;
	int r = look_up(job, name, &scanned);

	if (r || !scanned) {
		fail_vg(job, name);
		return;
	}
	r = lea_activation_vg(job->run, name, scanned, &result);
	if (r < 0 || r == LEA_ACTIVATE_FAILED || r == LEA_ACTIVATE_COPY)
		fail_vg(job, name);
	else if (r == LEA_ACTIVATE_DELEGATE)
		job->delegated[job->delegated_count++] = name;
}

static void activate_all(struct job *job, const struct lea_list *names)
{
	const struct lea_activate_options options = {
		.what = LEA_ACTIVATE_AUTO,
		.only_complete = true,
		.test = job->options->test,
		.no_lock = job->options->no_lock,
		.quiet_refusals = true,
		.checks_duplicates = true,
		.lvm_path = job->options->lvm_path,
		.reader = job->options->scan.reader,
		.monitor = job->conf->monitoring,
		.poll = true,
	};
	int r = lea_activation_start(job->world, job->conf, &options, &job->run);

	for (uint32_t i = 0; r && i < names->count; i++)
		fail_vg(job, names->item[i]);
	if (r)
		return;
	for (uint32_t i = 0; i < names->count; i++)
		activate_one(job, names->item[i]);
	if (lea_activation_finish(job->run))
		job->has_failed = true;
}

/* Call after the finish: the real lvm takes the same locks. */
static void hand_over(struct job *job)
{
	const char *args[8] = {"vgchange", "-aay", "--autoactivation", "event"};
	size_t used = 4;
	int code = 0, r;

	if (!job->delegated_count)
		return;
	if (job->options->test)
		args[used++] = "--test";
	if (job->options->config) {
		args[used++] = "--config";
		args[used++] = job->options->config;
	}
	r = lea_delegate(job->world, job->options->lvm_path, args, job->delegated,
			 job->delegated_count, -1, &code);
	for (size_t i = 0; (r || code) && i < job->delegated_count; i++)
		give_back(job, job->delegated[i]);
}

int lea_autoactivate(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_autoactivate_options *options, const struct lea_list *names,
		     struct lea_report *report)
{
	struct job job = {.world = world, .conf = conf, .options = options, .report = report};
	int r;

	if (!names->count)
		return 0;
	job.delegated = calloc(names->count, sizeof(*job.delegated));
	if (!job.delegated)
		return -ENOMEM;
	lea_activate_tell_lists(world, conf);
	r = view_recorded(&job, names);
	for (uint32_t i = 0; r && i < names->count; i++)
		fail_vg(&job, names->item[i]);
	if (!r) {
		activate_all(&job, names);
		hand_over(&job);
	}
	lea_scan_free(job.recorded.scan);
	lea_scan_free(job.all.scan);
	free(job.delegated);
	if (r < 0)
		return r;
	return r || job.has_failed ? LEA_AUTOACTIVATE_FAILED : 0;
}
