/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start that all commands share, and the hand-over to the real lvm. */
#include "cmd.h"

#include "base/cleanup.h"
#include "command/report.h"
#include "opts.h"
#include "world/dm.h"
#include "world/lvm_defaults.h"
#include "world/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

struct lea_report *lea_cmd_report(struct lea_world *world)
{
	return container_of(world->log, struct lea_report, log);
}

int lea_cmd_refuse(struct lea_world *world, const char *line)
{
	lea_log(world->log, LEA_LOG_ERROR, "%s", line);
	lea_log(world->log, LEA_LOG_ERROR, "Error during parsing of command line.");
	return LEA_EXIT_PARAMS;
}

const char *lea_lvm_path(const struct lea_world *world)
{
	const char *path = getauxval(AT_SECURE) ? NULL : lea_world_env(world, "LVMEVENT_LVM");

	return path && path[0] ? path : LEA_LVM_PATH;
}

void lea_cmd_check_defaults(struct lea_world *world)
{
	int r = lea_lvm_defaults_update(world, lea_lvm_path(world));

	/* An image may have no lvm, or one without lvmconfig: then nothing can be compared. */
	if (r < 0)
		lea_log(world->log, LEA_LOG_VERBOSE,
			"%s did not give its defaults (%s); those of the build are used.",
			lea_lvm_path(world), strerror(-r));
}

int lea_cmd_read(struct lea_world *world, const struct lea_conf *conf, struct lea_reader **reader,
		 struct lea_scan_options *options)
{
	int r;

	if (!*reader) {
		r = lea_reader_new(world, conf, reader);
		if (r)
			return r;
		lea_reader_for_command(*reader);
	}
	options->out_of_process = true;
	options->reader = *reader;
	return 0;
}

size_t lea_cmd_tell_unanswered(struct lea_world *world, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count, unanswered = 0;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++) {
		if (found[i]->kind != LEA_FOUND_UNREADABLE || found[i]->fault != -ETIMEDOUT)
			continue;
		unanswered++;
		lea_log(world->log, LEA_LOG_ERROR,
			"%s is left out: it did not answer in time. See journalctl -k; "
			"try again when it answers, or remove the disk.",
			found[i]->device.name);
	}
	return unanswered;
}

int lea_hand_to_lvm(struct lea_world *world, int argc, char *argv[])
{
	const char *path = lea_lvm_path(world);
	LEA_AUTO(lea_freep) const char **args = calloc((size_t)argc + 2, sizeof(*args));
	int r = -ENOMEM;

	if (args) {
		args[0] = path;
		memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
		r = lea_proc_exec(args);
	}
	lea_log_fault(world->log, r, "%s: handing %s over", path, argv[0]);
	return LEA_EXIT_FAILED;
}

int lea_cmd_parse(struct lea_world *world, struct lea_opts *opts, const struct lea_common *common,
		  int argc, char *argv[])
{
	char why[256];
	int r = lea_opts_parse(opts, argc, argv, why);

	if (r < 0)
		return LEA_EXIT_FAILED;
	if (r == LEA_OPTS_BAD)
		return lea_cmd_refuse(world, why);
	if (r == LEA_OPTS_UNKNOWN)
		return lea_hand_to_lvm(world, argc, argv);
	if (!common->help && !common->long_help)
		return -1;
	fputs(opts->usage, stdout);
	lea_opts_help(opts, stdout);
	return LEA_EXIT_DONE;
}

static int read_conf(struct lea_world *world, const struct lea_common *common,
		     struct lea_conf **ret_conf)
{
	const struct lea_conf_options options = {
		.config = common->config,
		.devicesfile = common->devicesfile,
		.driverloaded_no = common->driverloaded && common->driverloaded[0] == 'n',
		.command_profile = common->command_profile,
		.forgive = common->is_service,
		.instead = common->instead,
	};
	int r = lea_conf_read(world, &options, ret_conf);

	switch (r) {
	case 0:
		return LEA_EXIT_DONE;
	case LEA_CONF_BAD_OPTION:
		return LEA_EXIT_PARAMS;
	case LEA_CONF_BAD_PROFILE:
		return LEA_EXIT_FAILED;
	case LEA_CONF_BAD_FILE:
		return LEA_EXIT_INIT;
	default:
		lea_log_fault(world->log, r, "Reading the configuration");
		return LEA_EXIT_INIT;
	}
}

static void set_levels(struct lea_report *report, const struct lea_common *common,
		       const struct lea_conf *conf)
{
	const struct lea_report_levels levels = {
		.verbose = common->verbose || !conf ? common->verbose : conf->log_verbose,
		.debug = common->debug,
		.quiet = common->quiet,
		.is_silent = conf && conf->log_silent,
	};

	lea_report_set_levels(report, &levels);
}

static void apply_log_settings(struct lea_world *world, const struct lea_common *common,
			       const struct lea_conf *conf)
{
	struct lea_report *report = lea_cmd_report(world);
	int r, s;

	if (conf->log_prefix)
		report->prefix = conf->log_prefix;
	report->command_names = conf->log_command_names;
	set_levels(report, common, conf);
	r = lea_report_add_journal(report, conf->log_journal);
	s = lea_report_add_journal(report, common->journal);
	if (r || s)
		lea_log(world->log, LEA_LOG_WARNING, "Ignoring unrecognized journal value.");
}

static int open_dm(struct lea_world *world, const struct lea_common *common, struct lea_conf *conf)
{
	struct lea_dm_options options = {
		.dev_dir = conf->dev_dir,
		.udev_rules = conf->udev_rules,
		.verify_udev = conf->verify_udev_operations,
		.log = world->log,
		.disable_udev = !!lea_world_env(world, "DM_DISABLE_UDEV"),
	};

	if (common->no_udev_sync)
		conf->udev_sync = false;
	options.udev_sync = conf->udev_sync;
	if (!conf->activation) {
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: Activation disabled. "
			"No device-mapper interaction will be attempted.");
		return 0;
	}
	return world->dm ? 0 : lea_dm_kernel_new(&options, &world->dm);
}

int lea_cmd_begin(struct lea_world *world, const struct lea_common *common,
		  struct lea_conf **ret_conf)
{
	struct lea_conf *conf = NULL;
	int r;

	set_levels(lea_cmd_report(world), common, NULL);
	if (common->devices.defined && common->devicesfile) {
		lea_log(world->log, LEA_LOG_ERROR,
			"A --devices list cannot be used with --devicesfile.");
		return LEA_EXIT_PARAMS;
	}
	r = read_conf(world, common, &conf);
	if (r)
		return r;
	umask((mode_t)conf->umask);
	world->dev_dir = conf->dev_dir;
	apply_log_settings(world, common, conf);
	if (common->test)
		lea_log(world->log, LEA_LOG_WARNING,
			"TEST MODE: Metadata will NOT be updated and volumes will not be "
			"(de)activated.");
	r = open_dm(world, common, conf);
	if (r < 0) {
		lea_log_fault(world->log, r, "Setting up device-mapper");
		lea_conf_free(conf);
		return LEA_EXIT_FAILED;
	}
	*ret_conf = conf;
	return LEA_EXIT_DONE;
}
