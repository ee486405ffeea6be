/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/examine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/exit.h"
#include "base/id.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "memory/needs_read.h"
#include "rules/rule_override.h"
#include "scan/survey.h"
#include "world/mounts.h"
#include "world/udevdb.h"

/* ---- behind the settings that exclude devices */

/* A device that is there, and is not suspended: to read it waits for nobody. */
static bool is_fenced(const struct lea_found *found)
{
	return found->kind == LEA_FOUND_EXCLUDED && found->excluded >= LEA_EXCLUDED_NAME &&
	       found->excluded <= LEA_EXCLUDED_LV;
}

static int find_fenced(struct lea_examine *examine, struct lea_device **ret_devices,
		       size_t *ret_count)
{
	struct lea_found *const *found;
	struct lea_device *devices;
	size_t count, fenced = 0;
	int r = 0;

	found = lea_scan_found(examine->scan, &count);
	devices = calloc(count + 1, sizeof(*devices));
	for (size_t i = 0; devices && !r && i < count; i++)
		if (is_fenced(found[i]))
			r = lea_device_copy(&found[i]->device, &devices[fenced++]);
	*ret_devices = devices;
	*ret_count = fenced;
	return devices ? r : -ENOMEM;
}

static int read_fenced(struct lea_examine *examine, struct lea_device *devices, size_t count)
{
	struct lea_scan_options options = {.lock = LEA_FILTER_LOCK_TRY};
	struct lea_found *const *found;
	int r;

	examine->open_conf = *examine->conf;
	examine->open_conf.use_devicesfile = false;
	examine->open_conf.scan_lvs = true;
	examine->open_conf.pv_min_kib = 0;
	examine->open_conf.ignore_suspended_devices = true;
	r = lea_survey_prepare(examine->world, &examine->open_conf, &examine->open_reader,
			       &options);
	if (!r)
		lea_reader_limit(examine->open_reader, examine->read_limit_ms, 0);
	r = r ? r
	      : lea_scan_new(examine->world, &examine->open_conf, &options, &examine->open_scan);
	r = r ? r : lea_scan_add(examine->open_scan, devices, count);
	if (r)
		return r < 0 ? r : 0;
	found = lea_scan_found(examine->open_scan, &count);
	for (size_t i = 0; !r && i < count; i++)
		r = lea_explainer_learn(examine->explainer, found[i]);
	return r;
}

int lea_examine_excluded(struct lea_examine *examine, const char *vg)
{
	struct lea_device *devices = NULL;
	size_t count = 0;
	int r = 0;

	if (!examine->has_looked) {
		examine->has_looked = true;
		r = find_fenced(examine, &devices, &count);
		r = r || !count ? r : read_fenced(examine, devices, count);
		lea_devices_free(devices, count);
	}
	return r ? r : lea_explainer_tell_excluded_of(examine->explainer, vg);
}

/* ---- targets */

/* "VG" or "VG/LV". */
static int tell_word(struct lea_examine *examine, const char *word)
{
	char vg[128];
	const char *slash = strchr(word, '/');
	int r;

	snprintf(vg, sizeof(vg), "%.*s", slash ? (int)(slash - word) : 127, word);
	if (!lea_name_ok(vg) || (slash && !lea_name_ok(slash + 1)))
		return LEA_EXPLAIN_UNKNOWN;
	r = lea_explainer_tell_vg(examine->explainer, vg, slash ? slash + 1 : NULL);
	return r == LEA_EXPLAIN_UNKNOWN ? lea_examine_excluded(examine, vg) : r;
}

static int tell_path(struct lea_examine *examine, const char *path)
{
	struct lea_device device = {0};
	int r = lea_device_from_arg(examine->world, path, &device);

	r = r ? LEA_EXPLAIN_UNKNOWN : lea_explainer_tell_device(examine->explainer, &device);
	lea_device_done(&device);
	return r;
}

/* A file system that is known by its UUID or label: udev's link leads to it, if it is there. */
static int tell_file_system(struct lea_examine *examine, const struct lea_need *need)
{
	static const char *const folders[] = {
		[LEA_NEED_UUID] = "by-uuid",
		[LEA_NEED_LABEL] = "by-label",
		[LEA_NEED_PARTUUID] = "by-partuuid",
		[LEA_NEED_PARTLABEL] = "by-partlabel",
	};
	char path[512];

	if (need->kind == LEA_NEED_WORD)
		return tell_word(examine, need->value);
	snprintf(path, sizeof(path), "/dev/disk/%s/%s", folders[need->kind], need->value);
	return tell_path(examine, path);
}

/* @source: as in fstab, decoded. */
static int tell_source(struct lea_examine *examine, const char *source)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	const struct lea_need_sources sources = {.device = source};
	int r = lea_needs_parse(&sources, &needs);

	r = r || !examine->has_memory ? r : lea_need_remembered(needs, &examine->memory);
	if (r)
		return r;
	r = LEA_EXPLAIN_UNKNOWN;
	/* The last one: an LV that the memory has for a UUID comes after that UUID. */
	for (uint32_t i = needs->count; r == LEA_EXPLAIN_UNKNOWN && i > 0; i--)
		r = tell_file_system(examine, &needs->need[i - 1]);
	return r == LEA_EXPLAIN_UNKNOWN ? tell_path(examine, source) : r;
}

/* What stands in the first column of fstab, perhaps with quotes and escapes. */
static int tell_written_source(struct lea_examine *examine, const char *target)
{
	LEA_AUTO(lea_freep) char *source = strdup(target);

	if (!source)
		return -ENOMEM;
	return lea_mount_decode(source) ? tell_source(examine, source) : LEA_EXPLAIN_UNKNOWN;
}

const char *lea_examine_fstab(struct lea_examine *examine)
{
	if (!examine->has_fstab) {
		examine->fstab_fault =
			lea_mounts_read_text(examine->world, LEA_FSTAB, &examine->fstab);
		if (examine->fstab_fault < 0)
			lea_log(examine->world->log, LEA_LOG_WARNING,
				"WARNING: /etc/fstab: %s; what it mounts is unknown.",
				strerror(-examine->fstab_fault));
	}
	examine->has_fstab = true;
	return examine->fstab;
}

/* What fstab mounts there. */
static int tell_point(struct lea_examine *examine, const char *point)
{
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab = {0};
	const char *text = lea_examine_fstab(examine);
	const struct lea_mount *line;
	char *copy = text ? strdup(text) : NULL;
	int r = 0;

	if (text)
		r = copy ? lea_mounts_parse(copy, LEA_FSTAB, &fstab) : -ENOMEM;
	line = lea_mounts_find_point(&fstab, point);
	if (r)
		return r;
	return line ? tell_source(examine, line->source) : tell_written_source(examine, point);
}

int lea_examine_target(struct lea_examine *examine, const char *target)
{
	char pvid[33];
	int r = LEA_EXPLAIN_UNKNOWN;

	if (!lea_id_parse(target, pvid))
		r = lea_explainer_tell_pv(examine->explainer, pvid);
	if (r == LEA_EXPLAIN_UNKNOWN && target[0] != '/')
		r = tell_word(examine, target);
	if (r == LEA_EXPLAIN_UNKNOWN && target[0] == '/')
		r = tell_path(examine, target);
	if (r != LEA_EXPLAIN_UNKNOWN)
		return r;
	return target[0] == '/' ? tell_point(examine, target)
				: tell_written_source(examine, target);
}

/* ---- the machine */

static enum lea_charge charge_of(const struct lea_world *world)
{
	switch (lea_rule_override_find(world->root)) {
	case LEA_RULE_OURS:
		return LEA_CHARGE_OURS;
	case LEA_RULE_OTHERS:
		return LEA_CHARGE_OTHERS;
	case LEA_RULE_STOCK:
	default:
		return LEA_CHARGE_STOCK;
	}
}

static int scan_all(struct lea_examine *examine)
{
	struct lea_scan_options options = {
		.use_names_filter = true, .lock = LEA_FILTER_LOCK_TRY, .filter = &examine->filter};
	struct lea_device *devices;
	size_t count;
	int r = lea_survey_prepare(examine->world, examine->conf, &examine->reader, &options);

	if (!r)
		lea_reader_limit(examine->reader, examine->read_limit_ms, 0);
	r = r ? r : lea_scan_new(examine->world, examine->conf, &options, &examine->scan);
	r = r ? r : lea_devices_enumerate(examine->world, &devices, &count);
	if (r)
		return r;
	/* Filters go by udev's properties, as they do for an event. */
	for (size_t i = 0; !r && i < count; i++)
		r = lea_udevdb_fill(examine->world, &devices[i]);
	r = r ? r : lea_scan_add(examine->scan, devices, count);
	lea_devices_free(devices, count); /* the scan left them empty */
	r = r ? r : lea_scan_cover(examine->scan);
	return r ? r : lea_scan_recall(examine->scan);
}

/* The memory is a hint: without it less is said. */
static void read_memory(struct lea_examine *examine)
{
	examine->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	examine->has_memory =
		examine->arena &&
		!lea_boot_memory_read(examine->world, examine->arena, &examine->memory);
}

int lea_examine_begin(struct lea_examine *examine, struct lea_world *world,
		      const struct lea_conf *conf, const struct lea_explain_options *options)
{
	struct lea_explain_options all_options = *options;
	int r;

	examine->world = world;
	examine->conf = conf;
	read_memory(examine);
	r = lea_boot_needs_read(world, conf, &examine->needs);
	r = r ? r : scan_all(examine);
	if (r > 0)
		return LEA_EXIT_FAILED;
	all_options.charge = charge_of(world);
	all_options.memory = examine->has_memory ? &examine->memory : NULL;
	all_options.needs = examine->needs;
	all_options.scan = examine->scan;
	all_options.filter = examine->filter;
	r = r ? r : lea_explainer_new(world, conf, &all_options, &examine->explainer);
	if (!r)
		return LEA_EXIT_DONE;
	lea_log_fault(world->log, r, "Reading the VGs");
	return LEA_EXIT_FAILED;
}

void lea_examine_done(struct lea_examine *examine)
{
	lea_explainer_free(examine->explainer);
	lea_scan_free(examine->open_scan);
	lea_reader_free(examine->open_reader);
	lea_scan_free(examine->scan);
	lea_filter_free(examine->filter);
	lea_reader_free(examine->reader);
	lea_needs_free(examine->needs);
	lea_arena_free(examine->arena);
	free(examine->fstab);
	memset(examine, 0, sizeof(*examine));
}
