/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/setup.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "conf/lvm_defaults.h"
#include "world/dm.h"

const char *lea_lvm_path(const struct lea_world *world)
{
	const char *path = getauxval(AT_SECURE) ? NULL : lea_world_env(world, "LVMEVENT_LVM");

	return path && path[0] ? path : LEA_LVM_PATH;
}

void lea_setup_check_defaults(struct lea_world *world)
{
	int r = lea_lvm_defaults_update(world, lea_lvm_path(world));

	/* An image may have no lvm, or one without lvmconfig: then nothing can be compared. */
	if (r < 0)
		lea_log(world->log, LEA_LOG_VERBOSE,
			"%s did not give its defaults (%s); those of the build are used.",
			lea_lvm_path(world), strerror(-r));
}

static int read_conf(struct lea_world *world, const struct lea_conf_options *options,
		     const struct lea_conf **ret_conf)
{
	int r = lea_conf_read(world, options, ret_conf);

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

int lea_setup_conf(struct lea_world *world, const struct lea_conf_options *options,
		   const struct lea_conf **ret_conf)
{
	const struct lea_conf *conf = NULL;
	int code = read_conf(world, options, &conf);

	if (code)
		return code;
	umask((mode_t)conf->umask);
	world->dev_dir = conf->dev_dir;
	if (world->log->configure)
		world->log->configure(world->log, &(struct lea_log_settings){
							  .prefix = conf->log_prefix,
							  .journal = conf->log_journal,
							  .command_names = conf->log_command_names,
							  .is_silent = conf->log_silent,
							  .verbose = conf->log_verbose});
	*ret_conf = conf;
	return LEA_EXIT_DONE;
}

int lea_setup_dm(struct lea_world *world, const struct lea_conf *conf, bool no_udev_sync)
{
	const struct lea_dm_options options = {
		.dev_dir = conf->dev_dir,
		.udev_sync = conf->udev_sync && !no_udev_sync,
		.udev_rules = conf->udev_rules,
		.verify_udev = conf->verify_udev_operations,
		.log = world->log,
		.disable_udev = !!lea_world_env(world, "DM_DISABLE_UDEV"),
	};
	int r;

	if (!conf->activation) {
		lea_log(world->log, LEA_LOG_WARNING,
			"WARNING: Activation disabled. "
			"No device-mapper interaction will be attempted.");
		return LEA_EXIT_DONE;
	}
	r = world->dm ? 0 : lea_dm_kernel_new(&options, &world->dm);
	if (r < 0)
		lea_log_fault(world->log, r, "Setting up device-mapper");
	return r < 0 ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

static int set_up(struct lea_world *world, const struct lea_conf_options *options, bool activates,
		  const struct lea_conf **ret_conf)
{
	const struct lea_conf *conf = NULL;
	int code = lea_setup_conf(world, options, &conf);

	if (!code && activates && conf->test)
		lea_log(world->log, LEA_LOG_WARNING,
			"TEST MODE: global/test is 1: nothing is activated.");
	else if (!code)
		code = lea_setup_dm(world, conf, false);
	if (code)
		lea_conf_free(conf);
	else
		*ret_conf = conf;
	return code;
}

int lea_setup(struct lea_world *world, const struct lea_conf_options *options,
	      const struct lea_conf **ret_conf)
{
	return set_up(world, options, false, ret_conf);
}

int lea_setup_to_activate(struct lea_world *world, const struct lea_conf_options *options,
			  const struct lea_conf **ret_conf)
{
	return set_up(world, options, true, ret_conf);
}
