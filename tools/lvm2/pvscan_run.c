/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of pvscan --cache: scans the devices in the arguments, or all; records each PV; then
 * activates the VGs that became complete.
 */
#include "lvm2/pvscan.h"

#include "base/cleanup.h"
#include "cli/log_sink.h"
#include "conf/setup.h"
#include "lvm2/autoactivate.h"
#include "record/record.h"
#include "scan/scan.h"
#include "scan/survey.h"
#include "state/online.h"
#include "state/run_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct work {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct pvscan_args *args;
	struct lea_report *report;
	struct lea_report_form form;
	struct lea_device *devices; /* owned until the scan takes the contents */
	size_t device_count;
	struct lea_list complete;  /* owned array, owned names: VGs that became complete ... */
	bool *claimed;		   /* ... and whether we claimed them; [complete.count] */
	struct lea_reader *reader; /* owned; NULL: nothing was read yet */
	bool is_whole;		   /* no device named: scan all */
	bool has_failed;
};

static int params_error(struct work *work, const char *line)
{
	lea_log(work->world->log, LEA_LOG_ERROR, "%s", line);
	lea_log(work->world->log, LEA_LOG_ERROR, "Run `pvscan --help' for more information.");
	return LEA_EXIT_PARAMS;
}

/* ---- devices */

static void gone(struct work *work, const struct lea_device *device, const char *arg)
{
	int r = 0;

	lea_log(work->world->log, LEA_LOG_ERROR, "No device name found from %s.", arg);
	lea_report_say(work->report, LEA_LOG_ERROR, "No device set up for arg  %s.", arg);
	if (!work->args->common.test)
		r = lea_record_gone_number(work->world, device->major, device->minor);
	if (r < 0)
		lea_log_fault(work->world->log, r, "Device %s: forgetting its record", arg);
}

static void no_device(struct work *work, int outcome, const char *arg)
{
	if (outcome == LEA_DEVICE_UNPARSABLE) {
		lea_log(work->world->log, LEA_LOG_WARNING,
			"WARNING: Failed to parse major:minor from %s, skipping.", arg);
		return;
	}
	if (outcome == LEA_DEVICE_NOT_BLOCK)
		lea_log(work->world->log, LEA_LOG_ERROR, "Invalid device type %s.", arg);
	else
		lea_log(work->world->log, LEA_LOG_ERROR, "Cannot access device %s for 0:0.", arg);
	lea_report_say(work->report, LEA_LOG_ERROR, "No device set up for arg %s 0:0.", arg);
}

static int add_device(struct work *work, const char *arg)
{
	struct lea_device device = {0};
	int r = lea_device_from_arg(work->world, arg, &device);

	if (r < 0)
		return r;
	if (r)
		no_device(work, r, arg);
	else if (device.is_gone)
		gone(work, &device, arg);
	if (r || device.is_gone)
		lea_device_done(&device);
	else
		work->devices[work->device_count++] = device;
	return 0;
}

/* Takes the links that udev passes to the programs it runs; they belong to its one device. */
static int take_devlinks(struct work *work)
{
	const char *links = lea_world_env(work->world, "DEVLINKS");
	const char *name = lea_world_env(work->world, "DEVNAME");

	if (!links || work->device_count != 1 || work->devices[0].devlinks)
		return 0;
	if (name && strcmp(name, work->devices[0].name))
		return 0;
	work->devices[0].devlinks = strdup(links);
	return work->devices[0].devlinks ? 0 : -ENOMEM;
}

static int devices_from_args(struct work *work)
{
	const struct pvscan_args *args = work->args;
	char number[32];
	int r = 0;

	work->devices =
		calloc((size_t)args->pvs.count + args->majors.count, sizeof(*work->devices));
	if (!work->devices)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < args->pvs.count; i++)
		r = add_device(work, args->pvs.item[i]);
	for (uint32_t i = 0; !r && i < args->majors.count; i++) {
		snprintf(number, sizeof(number), "%.9s:%.9s", args->majors.item[i],
			 args->minors.item[i]);
		r = add_device(work, number);
	}
	return r ? r : take_devlinks(work);
}

static int by_number(const void *a, const void *b)
{
	const struct lea_devid x = lea_device_number(a), y = lea_device_number(b);

	return lea_devid_compare(&x, &y);
}

/* Drops all records; they are then written again for the devices that exist. */
static int all_devices(struct work *work)
{
	int run_fd, r = lea_devices_enumerate(work->world, &work->devices, &work->device_count);

	if (r)
		return r;
	/* sysfs has no order, and people compare the output of two runs. */
	qsort(work->devices, work->device_count, sizeof(*work->devices), by_number);
	if (work->args->common.test)
		return 0;
	run_fd = lea_world_run(work->world);
	r = run_fd < 0 ? run_fd : lea_online_clear(run_fd);
	return r ? r : lea_hints_invalidate(run_fd);
}

/* Logs the names in --devices that no argument gives, as lvm2 does, and goes on. */
static void log_unused_devices(struct work *work)
{
	const struct lea_list *list = &work->args->common.devices;

	for (uint32_t i = 0; i < list->count; i++) {
		bool is_used = work->is_whole;

		for (size_t k = 0; !is_used && k < work->device_count; k++)
			is_used = !strcmp(list->item[i], work->devices[k].name);
		if (!is_used)
			lea_log(work->world->log, LEA_LOG_ERROR, "Device not found for %s.",
				list->item[i]);
	}
}

/* ---- one device */

static int note_complete(struct work *work, const struct lea_record *record)
{
	char *name;

	if (work->args->form != FORM_ACTIVATE || record->complete != LEA_COMPLETE)
		return 0;
	for (uint32_t i = 0; i < work->complete.count; i++)
		if (!strcmp(work->complete.item[i], record->vg_name))
			return 0;
	name = strdup(record->vg_name);
	if (!name)
		return -ENOMEM;
	work->claimed[work->complete.count] = record->claimed;
	work->complete.item[work->complete.count++] = name;
	return 0;
}

static int list_lvs(struct work *work, const struct lea_found *found)
{
	LEA_AUTO(lea_freep) bool *recorded = NULL;
	int run_fd = lea_world_run(work->world);

	if (run_fd < 0)
		return run_fd;
	if (work->form.check_complete) {
		recorded = calloc((size_t)found->vg->pv_count + 1, sizeof(*recorded));
		if (!recorded)
			return -ENOMEM;
		for (uint32_t i = 0; i < found->vg->pv_count; i++) {
			const int r = lea_online_look(run_fd, found->vg->pvs[i].id);

			if (r < 0)
				return r;
			recorded[i] = !r;
		}
	}
	return lea_report_lvs(work->report, found->vg, found->label.pvid, recorded);
}

/* A look at the whole system speaks of PVs only, and of each on one device. */
static bool is_worth_a_line(const struct work *work, const struct lea_found *found)
{
	return !work->is_whole || lea_found_is_pv(found) ||
	       (lea_found_silence(found) && found->expected[0]);
}

/* A fault of the record says nothing of a run file of another type. */
static void name_run_file(const struct work *work)
{
	char why[LEA_RUN_FAULT_BYTES];

	if (lea_run_files_check(lea_world_run(work->world), why))
		lea_log(work->world->log, LEA_LOG_ERROR, "%s.", why);
}

static int do_device(struct work *work, struct lea_recorder *recorder,
		     const struct lea_found *found)
{
	struct lea_record record;
	int r = 0;

	lea_record_found(recorder, found, &record);
	if (is_worth_a_line(work, found))
		lea_report_device(work->report, &work->form, found, &record);
	if (record.kind == LEA_RECORD_FAILED)
		name_run_file(work);
	if (record.kind == LEA_RECORD_FAILED ||
	    (record.kind == LEA_RECORD_DUPLICATE && !work->is_whole))
		work->has_failed = true;
	if (record.kind != LEA_RECORD_ONLINE)
		return 0;
	if (work->form.list_lvs && found->vg)
		r = list_lvs(work, found);
	return r ? r : note_complete(work, &record);
}

/* Devices without a PV come first, as in lvm2's output. */
static int do_devices(struct work *work, struct lea_scan *scan)
{
	const struct lea_record_options options = {
		.check_complete = work->form.check_complete,
		.claim_vg = work->args->form == FORM_ACTIVATE || work->form.vg_online,
		.test = work->args->common.test,
		.use_names_filter = !work->args->common.devices.defined,
		.out_of_process = work->reader != NULL,
		.reader = work->reader,
	};
	LEA_AUTO(lea_recorder_freep) struct lea_recorder *recorder = NULL;
	struct lea_found *const *found;
	size_t count;
	int r;

	found = lea_scan_found(scan, &count);
	work->complete.item = calloc(count + 1, sizeof(*work->complete.item));
	work->claimed = calloc(count + 1, sizeof(*work->claimed));
	if (!work->complete.item || !work->claimed)
		return -ENOMEM;
	r = lea_recorder_new(work->world, work->conf, &options, &recorder);
	for (size_t i = 0; !r && i < count; i++)
		if (!lea_found_is_pv(found[i]))
			r = do_device(work, recorder, found[i]);
	for (size_t i = 0; !r && i < count; i++)
		if (lea_found_is_pv(found[i]) && !found[i]->is_covered)
			r = do_device(work, recorder, found[i]);
	return r;
}

/* ---- the command */

static int scan_options(struct work *work, struct lea_scan_options *options)
{
	const struct lea_list *devices = &work->args->common.devices;

	*options = (struct lea_scan_options){
		.use_names_filter = !devices->defined,
		.devices = devices->defined ? devices->item : NULL,
		.device_count = devices->count,
		.wants_own_id = work->is_whole,
		.lock = LEA_FILTER_LOCK_WAIT,
	};
	/* An event reads one device, directly as lvm2's pvscan does, so udev waits no longer. */
	if (work->args->autoactivation)
		return 0;
	return lea_survey_prepare(work->world, work->conf, &work->reader, options);
}

/* Prints "run" or "skip" for each complete VG, then activates those that we claimed. */
static int activate(struct work *work)
{
	struct lea_autoactivate_options options = {
		.lvm_path = lea_lvm_path(work->world),
		.config = work->args->common.config,
		.test = work->args->common.test,
		.no_lock = work->args->common.no_locking,
	};
	struct lea_list names = {.item = calloc((size_t)work->complete.count + 1, sizeof(char *))};
	int r;

	if (!names.item)
		return -ENOMEM;
	for (uint32_t i = 0; i < work->complete.count; i++) {
		lea_report_say(work->report, LEA_LOG_PRINT, "VG %s %s autoactivation.",
			       work->complete.item[i], work->claimed[i] ? "run" : "skip");
		if (work->claimed[i])
			names.item[names.count++] = work->complete.item[i];
	}
	r = scan_options(work, &options.scan);
	r = r ? r : lea_autoactivate(work->world, work->conf, &options, &names, work->report);
	free(names.item);
	if (r < 0)
		return r;
	work->has_failed |= r == LEA_AUTOACTIVATE_FAILED;
	return 0;
}

/* Must the real lvm list the LVs, since we do not know one of their types? Asked before the first
 * record is written. */
static bool is_for_lvm(const struct work *work, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(scan, &count);
	return work->form.list_lvs && count && found[0]->kind == LEA_FOUND_PV && found[0]->vg &&
	       !lea_report_knows_lvs(found[0]->vg);
}

static int look_and_record(struct work *work)
{
	struct lea_scan_options options;
	struct lea_scan *scan = NULL;
	int r = scan_options(work, &options);

	log_unused_devices(work);
	r = r ? r : lea_scan_new(work->world, work->conf, &options, &scan);
	r = r ? r : lea_scan_add(scan, work->devices, work->device_count);
	if (!r)
		work->has_failed |= lea_survey_tell_unanswered(work->world, scan) > 0;
	if (!r && work->is_whole)
		r = lea_scan_cover(scan);
	if (!r && work->is_whole)
		r = lea_scan_recall(scan);
	if (!r && work->is_whole)
		r = lea_scan_use_mapper_names(scan);
	if (r > 0) {
		work->has_failed = true; /* wrong filter or devices file: logged */
		r = 0;
	} else if (!r && is_for_lvm(work, scan)) {
		r = lea_hand_to_lvm(work->world, work->args->argc, work->args->argv);
	} else if (!r) {
		r = do_devices(work, scan);
	}
	lea_scan_free(scan);
	return r;
}

static int run_devices(struct work *work)
{
	int r = work->is_whole ? all_devices(work) : devices_from_args(work);

	if (r || !work->device_count)
		return r;
	r = look_and_record(work);
	if (!r && work->args->form == FORM_ACTIVATE)
		r = activate(work);
	return r;
}

/* With event_activation = 0 nothing is done, and the output for udev says so. Only a plain scan of
 * all devices goes on. */
static bool is_switched_off(struct work *work)
{
	if (work->conf->event_activation)
		return false;
	if (!work->args->check_complete) {
		if (work->is_whole && work->args->form == FORM_PLAIN)
			return false;
		lea_log(work->world->log, LEA_LOG_VERBOSE,
			"Ignoring pvscan --cache%s because event_activation is disabled.",
			work->args->form == FORM_ACTIVATE ? " -aay" : "");
		return true;
	}
	if (work->args->udev_output)
		lea_report_event_activation_off(work->report);
	lea_report_say(work->report, LEA_LOG_PRINT,
		       "Ignoring pvscan with --checkcomplete because event_activation is "
		       "disabled.");
	return true;
}

static int run_work(struct work *work)
{
	const struct pvscan_args *args = work->args;
	int r;

	if (work->conf->lvm_only)
		return lea_hand_to_lvm(work->world, args->argc, args->argv);
	if (args->majors.count != args->minors.count)
		return params_error(work, "Both --major and --minor required to identify devices.");
	if (is_switched_off(work))
		return LEA_EXIT_DONE;
	if (args->autoactivation && strcmp(args->autoactivation, "event")) {
		lea_report_say(work->report, LEA_LOG_PRINT,
			       "Skip pvscan for unknown autoactivation value.");
		return LEA_EXIT_DONE;
	}
	r = run_devices(work);
	if (r < 0)
		lea_log_fault(work->world->log, r, "pvscan");
	return r || work->has_failed ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static void work_done(struct work *work)
{
	lea_devices_free(work->devices, work->device_count);
	for (uint32_t i = 0; i < work->complete.count; i++) {
		/* strdup'ed by note_complete; const only for readers of the list */
		free((void *)(uintptr_t)work->complete.item[i]);
	}
	free(work->complete.item);
	free(work->claimed);
	lea_reader_free(work->reader);
}

int pvscan_run(struct lea_world *world, const struct pvscan_args *args)
{
	const struct lea_conf *conf = NULL;
	struct pvscan_args own = *args;
	int code = lea_cmd_begin(world, &own.common, &conf);
	struct work work = {
		.world = world,
		.args = &own,
		.report = lea_cmd_report(world),
		.form = {.list_vg = args->list_vg,
			 .list_lvs = args->list_lvs,
			 .check_complete = args->check_complete || args->form == FORM_ACTIVATE,
			 .udev_output = args->udev_output,
			 .vg_online = args->check_complete && args->vg_online},
		.is_whole = !args->pvs.count && !args->majors.count,
	};

	if (code)
		return code;
	work.conf = conf;
	lea_report_command(work.report, args->argc, args->argv);
	code = run_work(&work);
	work_done(&work);
	lea_conf_free(conf);
	return code;
}
