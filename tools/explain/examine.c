/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain/examine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/exit.h"
#include "memory/needs_read.h"
#include "rules/rule_override.h"
#include "scan/survey.h"
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

/* What the word may mean, until one is known. */
static int tell_meaning(struct lea_examine *examine, const struct lea_meaning *meaning)
{
	int r = lea_explainer_tell(examine->explainer, meaning);

	/* Its PVs may be behind a setting. */
	if (r == LEA_EXPLAIN_UNKNOWN &&
	    (meaning->kind == LEA_TARGET_VG || meaning->kind == LEA_TARGET_LV))
		r = lea_examine_excluded(examine, meaning->vg);
	return r;
}

int lea_examine_target(struct lea_examine *examine, const char *word)
{
	struct lea_target target;
	int r = lea_target_find(&examine->finder, word, &target);

	r = r ? r : LEA_EXPLAIN_UNKNOWN;
	for (uint32_t i = 0; r == LEA_EXPLAIN_UNKNOWN && i < target.count; i++)
		r = tell_meaning(examine, &target.meaning[i]);
	return r;
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

int lea_examine_begin(struct lea_examine *examine, struct lea_world *world,
		      const struct lea_conf *conf, const struct lea_explain_options *options)
{
	struct lea_explain_options all_options = *options;
	int r;

	examine->world = world;
	examine->conf = conf;
	examine->finder.world = world;
	r = lea_boot_needs_read(world, conf, &examine->needs);
	r = r ? r : scan_all(examine);
	if (r > 0)
		return LEA_EXIT_FAILED;
	all_options.charge = charge_of(world);
	all_options.memory = lea_target_memory(&examine->finder);
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
	lea_target_finder_done(&examine->finder);
	memset(examine, 0, sizeof(*examine));
}
