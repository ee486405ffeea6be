/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything is read again in each pass in which udev has tagged another device: a boot script has
 * no memory, and there are few such passes.
 */
#include "initramfs/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activate/drive.h"
#include "activate/settings.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "initramfs/copies.h"
#include "initramfs/note.h"
#include "initramfs/wants.h"
#include "initramfs/why.h"
#include "plan/bounds.h"
#include "scan/reader.h"
#include "world/dm.h"
#include "world/proc.h"
#include "world/timeline.h"

#define TAGS "/run/udev/tags/lvmevent"
#define SEEN_FOLDER                                                                                \
	"/conf/lvmevent" /* in the initramfs itself, so that the real root never has it */
#define SEEN_BYTES ((size_t)1024 * 1024)

struct pass {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_initramfs_options *options;
	struct lea_wants wants;
	bool is_unsettled; /* a device or a VG may be different next time although nothing new comes
			    */
	bool needs_lvm;
	char *seen;		   /* owned: what this pass sees, as text */
	size_t tags_at;		   /* where the lines with device numbers begin in it */
	struct lea_device *device; /* owned until the scan takes it */
	size_t device_count;
	struct lea_reader *reader;
	struct lea_scan *scan;
	struct lea_scan_vg *vgs; /* borrowed from scan */
	size_t vg_count;
	const struct lea_scan_vg *taken; /* those that are activated now ... */
	bool takes_wanted;		 /* ... the boot waits for them */
};

static void pass_done(struct pass *pass)
{
	lea_scan_free(pass->scan);
	lea_reader_free(pass->reader);
	lea_devices_free(pass->device, pass->device_count);
	lea_wants_done(&pass->wants);
	free(pass->seen);
}

/* ---- what has changed */

/* A tagged device's file is named "b8:16". */
static int print_tags(const struct pass *pass, FILE *out)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(pass->world, TAGS);
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = path ? lea_file_list(AT_FDCWD, path, &dir) : -ENOMEM;

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] == 'b')
			fprintf(out, "%s\n", entry->d_name + 1);
	return r;
}

/* What decides the outcome of a pass: the step, the arguments, the tagged devices. */
static int describe(struct pass *pass)
{
	const struct lea_initramfs_options *options = pass->options;
	size_t bytes;
	FILE *out = open_memstream(&pass->seen, &bytes);
	int r;

	if (!out)
		return -ENOMEM;
	fprintf(out, "%s\n%s\n%s\n", lea_root_step_name(pass->wants.step),
		options->root ? options->root : "", options->resume ? options->resume : "");
	for (size_t i = 0; i < options->lv_count; i++)
		fprintf(out, "%s\n", options->lv[i]);
	for (size_t i = 0; i < options->vg_count; i++)
		fprintf(out, "%s\n", options->vg[i]);
	r = fflush(out) ? -ENOMEM : 0;
	pass->tags_at = bytes;
	r = r ? r : print_tags(pass, out);
	return fclose(out) ? -ENOMEM : r;
}

/* Was the last pass the same? Then *ret_code is what it returned. */
static bool is_same(const struct pass *pass, int *ret_code)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(pass->world, SEEN_FOLDER "/seen");
	LEA_AUTO(lea_freep) char *text = NULL;

	if (!path || lea_file_read(AT_FDCWD, path, SEEN_BYTES, &text, NULL) ||
	    (text[0] != '0' && text[0] != '1') || text[1] != '\n' ||
	    strcmp(text + 2, pass->seen) != 0)
		return false;
	*ret_code = text[0] - '0';
	return true;
}

/* Without the folder, or on a fault, the next pass does all again. */
static void keep_seen(const struct pass *pass, int code)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(pass->world, SEEN_FOLDER);
	LEA_AUTO(lea_freep) char *text = NULL;
	LEA_AUTO(lea_closep) int fd = -1;
	int r;

	if (pass->is_unsettled || (code != 0 && code != LEA_INITRAMFS_NOT_YET))
		return;
	fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0 || asprintf(&text, "%d\n%s", code, pass->seen) < 0)
		return;
	r = lea_file_replace(fd, "seen", text, strlen(text));
	if (r < 0)
		lea_log(pass->world->log, LEA_LOG_VERBOSE, SEEN_FOLDER "/seen: %s", strerror(-r));
}

/* ---- scan */

/* @lines: device numbers, one a line; changed. *ret_devices is the caller's also on a fault. */
static int list_tagged(const struct pass *pass, char *lines, struct lea_device **ret_devices,
		       size_t *ret_count)
{
	struct lea_device *devices;
	size_t count = 0, most = 0;
	char *state = NULL;
	int r = 0;

	for (const char *at = lines; (at = strchr(at, '\n')); at++)
		most++;
	devices = calloc(most + 1, sizeof(*devices));
	if (!devices)
		return -ENOMEM;
	for (const char *line = strtok_r(lines, "\n", &state); line && r >= 0 && count < most;
	     line = strtok_r(NULL, "\n", &state)) {
		r = lea_device_from_arg(pass->world, line, &devices[count]);
		count += !r;
	}
	*ret_devices = devices;
	*ret_count = count;
	return r < 0 ? r : 0;
}

static int scan_tagged(struct pass *pass)
{
	struct lea_scan_options options = {.use_names_filter = true, .out_of_process = true};
	LEA_AUTO(lea_freep) char *tags = NULL;
	struct lea_found *const *found;
	size_t count;
	int r = lea_reader_new(pass->world, pass->conf, &pass->reader);

	if (r)
		return r;
	tags = strdup(pass->seen + pass->tags_at);
	r = tags ? list_tagged(pass, tags, &pass->device, &pass->device_count) : -ENOMEM;
	if (r)
		return r;
	lea_reader_for_command(pass->reader);
	options.reader = pass->reader;
	r = lea_scan_new(pass->world, pass->conf, &options, &pass->scan);
	if (r)
		return r < 0 ? r : -EINVAL; /* a wrong filter: logged */
	r = lea_scan_add(pass->scan, pass->device, pass->device_count);
	r = r ? r : lea_copies_settle(pass->world, &pass->wants, pass->scan);
	r = r ? r : lea_scan_recall(pass->scan);
	r = r ? r : lea_scan_vgs(pass->scan, &pass->vgs, &pass->vg_count);
	if (r)
		return r;
	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; i < count; i++) {
		pass->is_unsettled |= lea_found_silence(found[i]) != 0;
		if (found[i]->problem[0])
			lea_log(pass->world->log, LEA_LOG_WARNING, "WARNING: %s: %s",
				found[i]->device.name, found[i]->problem);
	}
	return 0;
}

/* ---- activation */

/* A disk that gives no answer may only be slow, and would be out of date after an activation
 * without it. What lacks it waits for it, in the hands of the real lvm, too, until the last step.
 */
static bool waits_for_disk(const struct pass *pass, const struct lea_scan_vg *scanned)
{
	return pass->wants.step < LEA_ROOT_STEP_LAST && lea_scan_vg_silent(scanned);
}

static void became(void *arg, const struct lea_drive_vg *vg, int outcome,
		   const struct lea_activate_result *result)
{
	struct pass *pass = arg;
	const bool is_wanted = pass->takes_wanted && !waits_for_disk(pass, vg->scanned);

	for (size_t i = 0; i < pass->wants.count; i++)
		if (pass->wants.want[i].scanned == vg->scanned) {
			pass->wants.want[i].outcome = outcome;
			snprintf(pass->wants.want[i].why, sizeof(pass->wants.want[i].why), "%s",
				 result->why ? result->why : "");
		}
	pass->is_unsettled |= outcome < 0 || result->shortage || outcome == LEA_ACTIVATE_CHANGED;
	if (outcome == LEA_ACTIVATE_DELEGATE)
		lea_log(pass->world->log, is_wanted ? LEA_LOG_WARNING : LEA_LOG_VERBOSE,
			"VG %s is left to the real lvm: %s", vg->name, result->why);
	/* What fails in an incomplete VG waits for its PV. */
	pass->needs_lvm |=
		is_wanted &&
		(outcome < 0 || outcome == LEA_ACTIVATE_DELEGATE ||
		 (outcome == LEA_ACTIVATE_FAILED && lea_scan_vg_is_complete(vg->scanned)));
	if (result->resumed)
		lea_initramfs_note(pass->world, LEA_LOG_VERBOSE,
				   "activated %u node(s) of VG %s, step %s", result->resumed,
				   vg->name, lea_root_step_name(pass->wants.step));
}

/* The skip flag of an LV counts unless the LV itself is named. */
static bool names_vg(const struct lea_volume_list *only)
{
	for (uint32_t i = 0; i < only->count; i++)
		if (!strchr(only->item[i], '/'))
			return true;
	return false;
}

static bool pick(void *arg, size_t at, struct lea_drive_vg *ret_vg)
{
	const struct pass *pass = arg;
	const struct lea_scan_vg *scanned = &pass->taken[at];

	for (size_t i = 0; i < pass->wants.count; i++)
		if (pass->wants.want[i].scanned == scanned && pass->wants.want[i].is_held)
			return false;
	*ret_vg = (struct lea_drive_vg){scanned->vg->name, scanned, false};
	lea_timeline_note_name(pass->world, LEA_RING_BEGUN, scanned->vg->id, scanned->vg->name);
	return true;
}

/* Takes these VGs, or only some LVs of one (@only, unless NULL). */
static int take(struct pass *pass, const struct lea_scan_vg *vgs, size_t count,
		const struct lea_volume_list *only)
{
	const bool is_explicit = only && pass->options->is_explicit;
	const bool waits = only && waits_for_disk(pass, vgs);
	const struct lea_drive drive = {
		.world = pass->world,
		.conf = pass->conf,
		.options = {.what = is_explicit ? LEA_ACTIVATE : LEA_ACTIVATE_AUTO,
			    .ignore_skip = is_explicit && !names_vg(only),
			    .only_complete = !only || pass->wants.step < LEA_ROOT_STEP_PARTIAL,
			    .mode = waits ? "complete" : NULL,
			    .skips_lacking = waits,
			    .quiet_refusals = true,
			    .quiet_success = true,
			    .ignore_lock_failure = true,
			    .only = only ? *only : (struct lea_volume_list){0},
			    .reader = pass->reader},
		.most_lvs = lea_bound_lvs(pass->conf->lvs_in_flight, lea_proc_cpus(), true),
		.pick = pick,
		.count = count,
		.became = became,
		.arg = pass,
	};
	struct lea_drive_result result;
	int r;

	pass->taken = vgs;
	pass->takes_wanted = only || !pass->wants.count;
	r = lea_drive(&drive, &result);
	if (!r)
		pass->needs_lvm |= pass->takes_wanted && result.unfinished;
	return r;
}

/* All wanted LVs of the VG of @want at once. */
static int activate_wanted(struct pass *pass, const struct lea_want *want)
{
	const char *item[LEA_WANTS_MOST];
	struct lea_volume_list only = {.item = item, .defined = true};

	for (size_t i = 0; i < pass->wants.count; i++) {
		const struct lea_want *other = &pass->wants.want[i];

		if (other->scanned != want->scanned || !lea_want_is_there(other))
			continue;
		if (other < want)
			return 0; /* done with that one */
		item[only.count++] = other->item;
	}
	return take(pass, want->scanned, 1, &only);
}

static int check_active(struct pass *pass, struct lea_want *want)
{
	struct lea_dm_info info = {0};
	char uuid[LEA_DM_UUID_BYTES];
	int r;

	if (lea_want_is_vg(want))
		want->is_active =
			want->scanned && lea_scan_vg_is_complete(want->scanned) && !pass->needs_lvm;
	if (!want->found)
		return 0;
	snprintf(uuid, sizeof(uuid), "LVM-%s%s", want->scanned->vg->id, want->found->id);
	r = pass->world->dm->info(pass->world->dm, uuid, &info);
	want->is_active = !r && info.live_table;
	return r < 0 ? r : 0;
}

static int activate(struct pass *pass)
{
	int r = 0;

	lea_wants_find(pass->world, pass->conf, &pass->wants, pass->vgs, pass->vg_count);
	lea_copies_hold(pass->world, &pass->wants);
	for (size_t i = 0; i < pass->wants.count && !r; i++)
		if (lea_want_is_there(&pass->wants.want[i]))
			r = activate_wanted(pass, &pass->wants.want[i]);
	if (!r && pass->wants.all)
		r = take(pass, pass->vgs, pass->vg_count, NULL);
	for (size_t i = 0; i < pass->wants.count && !r; i++)
		r = check_active(pass, &pass->wants.want[i]);
	return r;
}

/* ---- outcome */

static void explain(const struct pass *pass, const struct lea_want *want)
{
	const char *lv = lea_want_is_vg(want) ? "*"
			 : want->lv.lv[0]     ? want->lv.lv
			 : want->found	      ? want->found->name
					      : want->lv.lv_id;
	const char *vg = want->lv.vg[0]	 ? want->lv.vg
			 : want->scanned ? want->scanned->vg->name
					 : want->lv.vg_id;
	char why[LEA_INITRAMFS_WHY_BYTES];

	lea_initramfs_why(pass->world, pass->conf, pass->scan, want, why);
	lea_initramfs_note(pass->world, LEA_LOG_WARNING,
			   "LV %s/%s is not active: %s (%zu PVs so far), step %s", vg, lv, why,
			   pass->device_count, lea_root_step_name(pass->wants.step));
}

static int conclude(const struct pass *pass)
{
	const struct lea_wants *wants = &pass->wants;
	bool is_done = !wants->doubt && (wants->count || !(wants->may_widen || wants->all));

	if (wants->doubt)
		lea_initramfs_note(pass->world, LEA_LOG_VERBOSE,
				   "%s may be any LV (%zu PVs so far), step %s", wants->doubt,
				   pass->device_count, lea_root_step_name(wants->step));
	for (size_t i = 0; i < pass->wants.count; i++)
		if (!pass->wants.want[i].is_active) {
			is_done = false;
			explain(pass, &pass->wants.want[i]);
		}
	if (is_done)
		return 0;
	return pass->needs_lvm ? LEA_INITRAMFS_LVM : LEA_INITRAMFS_NOT_YET;
}

static int make_pass(struct pass *pass)
{
	int code, r = lea_wants_list(pass->world, pass->conf, pass->options, &pass->wants);

	if (r)
		return r;
	if (!pass->wants.count && !pass->wants.all && !pass->wants.may_widen &&
	    !pass->wants.has_tags)
		return 0;
	r = describe(pass);
	if (r)
		return r;
	if (is_same(pass, &code))
		return code;
	if (!pass->world->dm)
		return LEA_INITRAMFS_LVM; /* activation is off: logged */
	r = scan_tagged(pass);
	r = r ? r : activate(pass);
	if (r)
		return r;
	code = conclude(pass);
	keep_seen(pass, code);
	return code;
}

int lea_initramfs(struct lea_world *world, const struct lea_conf *conf,
		  const struct lea_initramfs_options *options)
{
	LEA_AUTO(pass_done) struct pass pass = {.world = world, .conf = conf, .options = options};
	const int r = make_pass(&pass);

	if (r < 0)
		lea_log_fault(world->log, r, "activating for the root file system");
	return r;
}
