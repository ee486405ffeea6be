/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start that all commands share, and the hand-over to the real lvm. */
#include "cli/cmd.h"

#include "base/cleanup.h"
#include "cli/log_sink.h"
#include "cli/opts.h"
#include "conf/setup.h"
#include "world/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int lea_cmd_begin(struct lea_world *world, struct lea_common *common,
		  const struct lea_conf **ret_conf)
{
	const struct lea_report_levels levels = {
		.verbose = common->verbose, .debug = common->debug, .quiet = common->quiet};
	const struct lea_conf_options options = {
		.config = common->config,
		.devicesfile = common->devicesfile,
		.driverloaded_no = common->driverloaded && common->driverloaded[0] == 'n',
		.command_profile = common->command_profile,
	};
	const struct lea_conf *conf = NULL;
	int code;

	lea_report_set_levels(lea_cmd_report(world), &levels);
	if (common->devices.defined && common->devicesfile) {
		lea_log(world->log, LEA_LOG_ERROR,
			"A --devices list cannot be used with --devicesfile.");
		return LEA_EXIT_PARAMS;
	}
	code = lea_setup_conf(world, &options, &conf);
	if (code)
		return code;
	lea_report_add_journal(lea_cmd_report(world), common->journal);
	common->test |= conf->test;
	if (common->test)
		lea_log(world->log, LEA_LOG_WARNING,
			"TEST MODE: Metadata will NOT be updated and volumes will not be "
			"(de)activated.");
	code = lea_setup_dm(world, conf, common->no_udev_sync);
	if (code)
		lea_conf_free(conf);
	else
		*ret_conf = conf;
	return code;
}
