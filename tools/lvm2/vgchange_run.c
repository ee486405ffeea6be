/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of vgchange: scans devices, picks VGs, and has lea_drive take them. */
#include "lvm2/vgchange.h"

#include "activate/settings.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "conf/setup.h"
#include "plan/bounds.h"
#include "scan/survey.h"
#include "state/lock.h"
#include "state/online.h"
#include "world/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES 192U

struct work {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct vgchange_args *args;
	struct lea_scan *scan;
	struct lea_reader *reader; /* owned; NULL: nothing was read yet */
	bool has_unknown;	   /* of a device it is open whether it is a PV, and which */
	struct vgchange_picks picks;
	struct lea_lock *global; /* owned; NULL: not taken */
	bool has_failed;
};

static int new_scan(struct work *work, bool is_all)
{
	const struct lea_list *list = &work->args->common.devices;
	struct lea_scan_options options = {
		.use_names_filter = !list->defined && !work->args->is_event,
		.devices = list->defined ? (const char *const *)list->item : NULL,
		.device_count = list->count,
		.devicesfile_must_exist = !!work->args->common.devicesfile,
		.wants_own_id = is_all,
		.lock = LEA_FILTER_LOCK_WAIT,
	};
	int r = lea_survey_prepare(work->world, work->conf, &work->reader, &options);

	lea_scan_free(LEA_TAKE(work->scan));
	return r ? r : lea_scan_new(work->world, work->conf, &options, &work->scan);
}

static int scan_expected(struct work *work, struct lea_scan_device *devices, size_t count)
{
	int r = new_scan(work, false);

	r = r ? r : lea_scan_add_expected(work->scan, devices, count);
	lea_scan_devices_free(devices, count);
	return r;
}

/* @is_all: the devices of the whole machine, not those of a list or of records. */
static int scan_devices(struct work *work, struct lea_device *devices, size_t count, bool is_all)
{
	int r = new_scan(work, is_all);

	r = r ? r : lea_scan_add(work->scan, devices, count);
	r = r || !is_all ? r : lea_scan_cover(work->scan);
	lea_devices_free(devices, count);
	return r ? r : lea_scan_recall(work->scan);
}

/* Skips a listed name that is not a device; a VG that needs it is incomplete. */
static int scan_list(struct work *work)
{
	const struct lea_list *list = &work->args->common.devices;
	struct lea_device *devices = calloc((size_t)list->count + 1, sizeof(*devices));
	size_t count = 0;
	int r = 0;

	if (!devices)
		return -ENOMEM;
	for (uint32_t i = 0; r >= 0 && i < list->count; i++) {
		r = lea_device_from_arg(work->world, list->item[i], &devices[count]);
		if (!r)
			count++;
		else if (r > 0)
			lea_log(work->world->log, LEA_LOG_WARNING, "Device not found for %s.",
				list->item[i]);
	}
	if (r < 0) {
		lea_devices_free(devices, count);
		return r;
	}
	return scan_devices(work, devices, count, false);
}

static int scan_all(struct work *work)
{
	struct lea_device *devices;
	size_t count;
	int r = lea_devices_enumerate(work->world, &devices, &count);

	return r ? r : scan_devices(work, devices, count, true);
}

/* Returns the one VG that the event's command names; NULL: none, several, or another form. */
static const char *event_vg(const struct vgchange_args *args)
{
	const char *name = args->vgs.count == 1 ? args->vgs.item[0] : NULL;

	return !name || *name == '@' || strchr(name, '/') ? NULL : name;
}

static bool is_whole(struct work *work, const char *name)
{
	struct lea_scan_vg *vgs;
	size_t count;

	if (lea_scan_vgs(work->scan, &vgs, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(vgs[i].vg->name, name))
			return lea_scan_vg_is_complete(&vgs[i]);
	return false;
}

/*
 * The records say where the PVs are, and reading the labels checks that. If the VG is then
 * incomplete (another disk may have a recorded name now), all devices are scanned.
 */
static int scan_recorded(struct work *work, const char *name)
{
	struct lea_scan_device *devices;
	const char *trouble = NULL;
	size_t count;
	int r = lea_devices_of_vg(work->world, name, &devices, &count);

	if (r) {
		trouble = r < 0 ? "error" : "not found";
	} else {
		r = scan_expected(work, devices, count);
		if (r)
			return r;
		if (!is_whole(work, name))
			trouble = "incomplete";
	}
	if (!trouble)
		return 0;
	lea_log(work->world->log, LEA_LOG_PRINT, "PVs online %s for VG %s, using all devices.",
		trouble, name);
	return scan_all(work);
}

/* An event without one VG's name means the PVs recorded so far: reads no other device. */
static int scan_all_recorded(struct work *work)
{
	struct lea_scan_device *devices;
	size_t count;
	int r = lea_devices_recorded(work->world, &devices, &count);

	return r ? r : scan_expected(work, devices, count);
}

static int find_devices(struct work *work)
{
	const char *name = event_vg(work->args);

	if (work->args->common.devices.defined)
		return scan_list(work);
	if (!work->args->is_event)
		return scan_all(work);
	return name ? scan_recorded(work, name) : scan_all_recorded(work);
}

static void note_problems(struct work *work)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(work->scan, &count);
	for (size_t i = 0; i < count; i++) {
		work->has_unknown |=
			!found[i]->expected[0] && lea_silence_is_open(lea_found_silence(found[i]));
		if (found[i]->problem[0])
			lea_log(work->world->log, LEA_LOG_WARNING, "WARNING: %s: %s",
				found[i]->device.name, found[i]->problem);
	}
	work->has_failed |= lea_survey_tell_unanswered(work->world, work->scan) > 0;
}

/* Is the VG incomplete for certain? */
enum certainty {
	CERTAIN, /* yes, or it is complete */
	UNKNOWN, /* an ABSENT PV may be on a device that did not answer */
	OPEN,	 /* a PV is SILENT, and lea_silence_is_open */
};

static enum certainty judge(const struct work *work, const struct lea_scan_vg *scanned,
			    const struct lea_found **ret_open)
{
	enum certainty certainty = CERTAIN;

	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		switch (lea_scan_vg_presence(scanned, i)) {
		case LEA_SILENT:
			*ret_open = scanned->silent[i];
			if (lea_silence_is_open(lea_found_silence(*ret_open)))
				return OPEN;
			break;
		case LEA_ABSENT:
			certainty = work->has_unknown ? UNKNOWN : certainty;
			break;
		case LEA_PRESENT:
			break;
		}
	return certainty;
}

static bool is_partial(const struct work *work)
{
	const char *mode = work->args->mode ? work->args->mode : work->conf->activation_mode;

	return mode && !strcmp(mode, "partial");
}

/* Is this too early in the boot for dmeventd? */
static bool is_early(const struct vgchange_args *args)
{
	return args->sysinit || args->ignore_monitoring;
}

static bool wants(const char *said, bool or_else)
{
	return said ? *said == 'y' : or_else;
}

static struct lea_activate_options options_of(const struct work *work)
{
	const struct vgchange_args *args = work->args;

	return (struct lea_activate_options){
		.what = args->what,
		.only_complete = args->is_event,
		.checks_duplicates = args->is_event,
		.test = args->common.test,
		.ignore_skip = args->ignore_skip,
		.no_lock = args->common.no_locking,
		.ignore_lock_failure = args->sysinit || args->ignore_locking_failure,
		.mode = args->mode,
		.lvm_path = lea_lvm_path(work->world),
		.forbids_monitor = args->monitor && *args->monitor == 'n',
		.monitor = wants(args->monitor, work->conf->monitoring && !is_early(args)),
		.poll = wants(args->poll, !args->sysinit),
		.devices = args->common.devices.defined
				   ? (const char *const *)args->common.devices.item
				   : NULL,
		.device_count = args->common.devices.count,
		.reader = work->reader,
	};
}

/*
 * Would it go on without a PV, although nobody has said so by --activationmode? If the PV's disk
 * merely hangs, a RAID LV would be activated degraded, and the disk would be out of date when it
 * answers. An event never does without: its VG waits, and lea_activation_vg says for what.
 */
static bool does_without(const struct vgchange_args *args)
{
	return !args->mode && !args->is_event && args->what != LEA_DEACTIVATE;
}

/* @open: a disk of it that gave no answer; NULL: it is not known whether it is one of it. What may
 * be over soon is no reason to go without a disk. */
static void refuse(struct work *work, const char *vg_name, const struct lea_found *open)
{
	char why[WHY_BYTES] = "a PV is missing, and may be on a device that did not answer";
	const int silence = open ? lea_found_silence(open) : 0;

	if (open)
		lea_found_describe_silence(open, why, sizeof(why));
	lea_log(work->world->log, LEA_LOG_ERROR,
		"VG %s is not activated: %s. %s. To activate it without that PV: "
		"vgchange -ay --activationmode partial %s",
		vg_name, why,
		lea_is_shortage(silence)      ? "Repeat the command when the shortage is over"
		: silence == LEA_HANGING_DIED ? "See journalctl -k, and repeat the command"
					      : "See journalctl -k, and repeat the command when "
						"the device answers",
		vg_name);
	work->has_failed = true;
}

static bool pick(void *arg, size_t at, struct lea_drive_vg *ret_vg)
{
	struct work *work = arg;
	const struct lea_found *open = NULL;
	enum certainty certainty;

	*ret_vg = work->picks.pick[at];
	if (!does_without(work->args))
		return true;
	certainty = judge(work, ret_vg->scanned, &open);
	if (certainty == CERTAIN)
		return true;
	refuse(work, ret_vg->name, certainty == OPEN ? open : NULL);
	return false;
}

static bool is_argument(const struct vgchange_args *args, const char *word)
{
	for (uint32_t i = 0; i < args->vgs.count; i++)
		if (args->vgs.item[i] == word)
			return true;
	return !strcmp(word, "--");
}

/* For the real lvm: the user's options without the VGs. The array is owned; NULL: no memory. */
static const char **list_options(const struct vgchange_args *args)
{
	const char **words = calloc((size_t)args->argc + 1, sizeof(*words));
	size_t count = 0;

	for (int i = 0; words && i < args->argc; i++)
		if (!is_argument(args, args->argv[i]))
			words[count++] = args->argv[i];
	if (words)
		words[0] = "vgchange";
	return words;
}

/* For all VGs or a tag: keeps others from renaming or creating VGs meanwhile. */
static int lock_global(struct work *work)
{
	LEA_AUTO(lea_freep) char *dir = lea_world_path(work->world, work->conf->locking_dir);
	const struct lea_lock_options options = {
		.dir = dir,
		.mode = LEA_LOCK_SHARED,
		.wait = work->conf->wait_for_locks,
		.turnstile = work->conf->prioritise_write_locks,
	};
	bool is_all = !work->args->vgs.count;
	int r;

	for (uint32_t i = 0; i < work->args->vgs.count; i++)
		is_all |= work->args->vgs.item[i][0] == '@';
	if (!is_all || work->args->common.no_locking)
		return 0;
	if (!dir)
		return -ENOMEM;
	r = lea_lock_take(&options, "P_global", &work->global);
	if (!r ||
	    (r < 0 && r != -EINTR && (work->args->sysinit || work->args->ignore_locking_failure)))
		return 0;
	lea_log(work->world->log, LEA_LOG_ERROR, "Can't get lock for P_global: %s",
		strerror(r < 0 ? -r : EWOULDBLOCK));
	return LEA_EXIT_FAILED;
}

static void unlock_global(void *arg)
{
	struct work *work = arg;

	lea_lock_release(LEA_TAKE(work->global));
}

static int drive(struct work *work)
{
	LEA_AUTO(lea_freep) const char **words = list_options(work->args);
	const struct lea_drive drive = {
		.world = work->world,
		.conf = work->conf,
		.options = options_of(work),
		.most_lvs = lea_bound_lvs(work->conf->lvs_in_flight, lea_proc_cpus(), false),
		.pick = pick,
		.count = work->picks.count,
		.lvm_words = words,
		.before_lvm = unlock_global,
		.arg = work,
	};
	struct lea_drive_result result;
	int r = words ? lea_drive(&drive, &result) : -ENOMEM;

	if (!r)
		work->has_failed |= result.failed || result.unfinished;
	return r;
}

/* Who called us has claimed the VG: no event would try again. */
static void give_back(const struct work *work)
{
	const char *name = event_vg(work->args);
	const int run_fd = lea_world_run(work->world);

	if (!work->args->is_event || work->args->common.test || !name || !lea_name_ok(name))
		return;
	if (run_fd < 0 || lea_vg_online_drop(run_fd, name) < 0)
		lea_log(work->world->log, LEA_LOG_WARNING,
			"VG %s: its vgs_online record could not be removed.", name);
}

/* Returns an exit code, or -errno. */
static int pick_and_do(struct work *work)
{
	int r = find_devices(work);

	if (r)
		return r < 0 ? r : LEA_EXIT_FAILED;
	note_problems(work);
	if (is_partial(work))
		lea_log(work->world->log, LEA_LOG_WARNING,
			"PARTIAL MODE. Incomplete logical volumes will be processed.");
	r = vgchange_pick(work->world, work->conf, &work->args->vgs, work->scan, &work->picks);
	if (r)
		return r;
	if (work->picks.count && work->args->what != LEA_DEACTIVATE)
		lea_activate_tell_lists(work->world, work->conf);
	work->has_failed |= work->picks.has_failed;
	if (work->picks.is_unseen)
		give_back(work);
	return drive(work);
}

static int run_work(struct work *work)
{
	int r = lock_global(work);

	r = r ? r : pick_and_do(work);
	unlock_global(work);
	if (r < 0)
		lea_log_fault(work->world->log, r, "vgchange");
	if (r > 0)
		return r;
	return r || work->has_failed ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

/* As in lvm2 a skipped command succeeds: its event need not be repeated. */
static bool is_skipped(struct lea_world *world, const struct lea_conf *conf,
		       const struct vgchange_args *args)
{
	const char *line = NULL;

	if (args->autoactivation && !args->is_event)
		line = "Skip vgchange for unknown autoactivation value.";
	else if (args->is_event && !conf->event_activation)
		line = "Skip vgchange for event and event_activation=0.";
	if (line)
		lea_log(world->log, LEA_LOG_PRINT, "%s", line);
	return line != NULL;
}

/* With "start" lvm2's vgchange uses a PV although md metadata is at the end of its device, and
 * lvm2's pvscan does not. Source: lvm2 2.03.16, black-box. */
static bool is_lvms_choice(const struct lea_conf *conf)
{
	return conf->lvm_only || !strcmp(conf->md_component_checks, "start");
}

int vgchange_run(struct lea_world *world, const struct vgchange_args *args)
{
	struct vgchange_args own = *args;
	const struct lea_conf *conf = NULL;
	struct work work = {.world = world, .args = &own};
	int code;

	own.is_event = args->autoactivation && !strcmp(args->autoactivation, "event");
	code = lea_cmd_begin(world, &own.common, &conf);
	if (!code && is_lvms_choice(conf)) {
		code = lea_hand_to_lvm(world, args->argc, args->argv);
	} else if (!code && !is_skipped(world, conf, &own)) {
		work.conf = conf;
		code = run_work(&work);
	}
	lea_scan_free(work.scan);
	lea_reader_free(work.reader);
	free(work.picks.pick);
	lea_conf_free(conf);
	return code;
}
