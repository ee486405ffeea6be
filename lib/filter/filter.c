/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates a filter: evaluates the configuration and options that hold for all devices. The filters
 * are in device.c (before a device is opened) and content.c (by its content).
 */
#include "filter/filter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "conf/conf_where.h"
#include "filter/filter_private.h"

LEA_DEFINE_FREEP(struct lea_filter, filter_freep, lea_filter_free);

void lea_filter_free(struct lea_filter *filter)
{
	if (!filter)
		return;
	lea_regex_free(filter->global);
	lea_regex_free(filter->local);
	lea_types_done(&filter->types);
	lea_devicesfile_free(filter->own_file);
	free(filter->listed);
	lea_wwids_done(&filter->wwids);
	lea_mounts_done(&filter->mounts);
	free(filter);
}

static int resolve_listed(struct lea_filter *filter, const struct lea_filter_options *options)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	struct stat st;

	filter->listed = calloc(options->device_count + 1, sizeof(*filter->listed));
	if (!filter->listed)
		return -ENOMEM;
	for (uint32_t i = 0; i < options->device_count; i++) {
		free(path);
		path = lea_world_path(filter->world, options->devices[i]);
		if (!path)
			return -ENOMEM;
		filter->listed[i].name = options->devices[i];
		if (stat(path, &st) == 0 && S_ISBLK(st.st_mode))
			filter->listed[i].number = st.st_rdev;
		filter->listed_count++;
	}
	return 0;
}

/* That of an earlier filter is replaced if it is outdated. */
static int get_devicesfile(struct lea_filter *filter, const struct lea_filter_options *options)
{
	struct lea_devicesfile **kept = options->devicesfile;
	struct lea_devicesfile **file = kept ? kept : &filter->own_file;
	int r = 0;

	if (!*file || !lea_devicesfile_is_current(*file, filter->world, filter->conf)) {
		lea_devicesfile_free(LEA_TAKE(*file));
		r = lea_devicesfile_read(filter->world, filter->conf, options->lock, file);
	}
	filter->file = *file;
	return r;
}

static int read_devicesfile(struct lea_filter *filter, const struct lea_filter_options *options)
{
	const struct lea_conf *conf = filter->conf;
	struct lea_log *log = filter->world->log;
	int r;

	if (!conf->use_devicesfile || !conf->system_dir[0])
		return 0;
	r = get_devicesfile(filter, options);
	if (r == LEA_DEVICESFILE_ABSENT) {
		if (!options->devicesfile_must_exist)
			return 0;
		lea_log(log, LEA_LOG_ERROR, "Devices file not found: %s/devices/%s",
			conf->system_dir, conf->devicesfile);
		return LEA_FILTER_BAD_DEVICESFILE;
	}
	if (lea_is_shortage(r) || !r)
		return r;
	lea_log(log, LEA_LOG_ERROR, "Devices file %s/devices/%s: %s", conf->system_dir,
		conf->devicesfile, strerror(-r));
	return LEA_FILTER_BAD_DEVICESFILE;
}

static int compile(const struct lea_filter *filter, const char *setting,
		   const struct lea_list *patterns, struct lea_regex **ret_regex)
{
	const char *bad;
	const int r = lea_regex_new(patterns, &bad, ret_regex);
	char where[LEA_CONF_WHERE_BYTES];

	if (r != LEA_FILTER_BAD_PATTERN)
		return r;
	lea_conf_where(filter->world, filter->conf, setting, where);
	lea_log(filter->world->log, LEA_LOG_ERROR,
		"Invalid filter pattern \"%s\" in %s%s%s%s.", bad, setting, where[0] ? " (" : "",
		where, where[0] ? ")" : "");
	return r;
}

static int compile_patterns(struct lea_filter *filter)
{
	const struct lea_conf *conf = filter->conf;
	struct lea_log *log = filter->world->log;
	int r = 0;

	if (filter->file) {
		if (conf->filter.defined)
			lea_log(log, LEA_LOG_ERROR,
				"Please remove the lvm.conf filter, it is "
				"ignored with the devices file.");
		if (conf->global_filter.defined)
			lea_log(log, LEA_LOG_ERROR,
				"Please remove the lvm.conf global_filter, it "
				"is ignored with the devices file.");
		return 0;
	}
	if (conf->global_filter.defined)
		r = compile(filter, "devices/global_filter", &conf->global_filter, &filter->global);
	if (!r && conf->filter.defined)
		r = compile(filter, "devices/filter", &conf->filter, &filter->local);
	return r;
}

int lea_filter_new(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_filter_options *options, struct lea_filter **ret_filter)
{
	LEA_AUTO(filter_freep) struct lea_filter *filter = calloc(1, sizeof(*filter));
	int r = 0;

	if (!filter)
		return -ENOMEM;
	filter->world = world;
	filter->conf = conf;
	filter->md = options->md;
	filter->wants_own_id = options->wants_own_id;
	if (options->devices)
		r = resolve_listed(filter, options);
	else
		r = read_devicesfile(filter, options);
	if (!r && options->use_names && !options->devices)
		r = compile_patterns(filter);
	if (r)
		return r;
	*ret_filter = LEA_TAKE(filter);
	return 0;
}
