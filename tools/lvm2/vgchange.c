/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vgchange -a: the options. A command with an option that has no row here, or with a combination
 * that lvm2 refuses, goes to the real lvm unchanged.
 */
#include "lvm2/vgchange.h"

#include <stdio.h>
#include <string.h>

static const struct lea_opt table[] = {
	LEA_OPT(struct vgchange_args, activate, STRING, "activate", 'a', LEA_OPT_ALL, "y|n|ay",
		"Activate (ay: as far as autoactivation allows) or deactivate."),
	LEA_OPT(struct vgchange_args, mode, STRING, "activationmode", 0, LEA_OPT_ALL,
		"complete|degraded|partial", "What may be activated while PVs are missing."),
	LEA_OPT(struct vgchange_args, autoactivation, STRING, "autoactivation", 0, LEA_OPT_ALL,
		"event", "Called by an event: complete VGs only."),
	LEA_OPT(struct vgchange_args, activate, STRING, "available", 0, LEA_OPT_ALL, NULL, NULL),
	LEA_OPT(struct vgchange_args, ignored_flag, FLAG, "force", 'f', LEA_OPT_ALL, NULL, NULL),
	LEA_OPT(struct vgchange_args, ignore_skip, FLAG, "ignoreactivationskip", 'K', LEA_OPT_ALL,
		NULL, "Activate LVs with the skip flag, too."),
	LEA_OPT(struct vgchange_args, ignore_locking_failure, FLAG, "ignorelockingfailure", 0,
		LEA_OPT_ALL, NULL, "Continue where locks cannot be taken."),
	LEA_OPT(struct vgchange_args, ignore_monitoring, FLAG, "ignoremonitoring", 0, LEA_OPT_ALL,
		NULL, "Do not contact dmeventd."),
	LEA_OPT(struct vgchange_args, ignored_flag, FLAG, "ignoreskippedcluster", 0, LEA_OPT_ALL,
		NULL, NULL),
	LEA_OPT(struct vgchange_args, monitor, YES_NO, "monitor", 0, LEA_OPT_ALL, "y|n",
		"Have dmeventd monitor activated LVs."),
	LEA_OPT(struct vgchange_args, common.no_udev_sync, FLAG, "noudevsync", 0, LEA_OPT_ALL, NULL,
		"Do not wait for udev."),
	LEA_OPT(struct vgchange_args, partial, FLAG, "partial", 'P', LEA_OPT_ALL, NULL,
		"The same as --activationmode partial."),
	LEA_OPT(struct vgchange_args, poll, YES_NO, "poll", 0, LEA_OPT_ALL, "y|n",
		"Continue moves and conversions in the background."),
	LEA_OPT(struct vgchange_args, ignored_string, STRING, "reportformat", 0, LEA_OPT_ALL,
		"String", "Accepted, without effect."),
	LEA_OPT(struct vgchange_args, sysinit, FLAG, "sysinit", 0, LEA_OPT_ALL, NULL,
		"Early in a boot: no monitoring, no polling, locks if possible."),
	LEA_OPTS_COMMON(struct vgchange_args, common),
};

static const char usage[] =
	"Usage: vgchange -a y|n|ay [OPTIONS] [VG|@TAG...]\n\n"
	"Without a VG the command works on all VGs. The real lvm runs all other forms and "
	"options.\n\n";

/* Exclusive, shared and local concern lvmlockd only; on local VGs they mean the same. */
static const struct {
	const char *word;
	enum lea_activation what;
} words[] = {
	{"y", LEA_ACTIVATE},	   {"ay", LEA_ACTIVATE_AUTO}, {"a", LEA_ACTIVATE_AUTO},
	{"ya", LEA_ACTIVATE_AUTO}, {"n", LEA_DEACTIVATE},     {"en", LEA_DEACTIVATE},
	{"ne", LEA_DEACTIVATE},	   {"ln", LEA_DEACTIVATE},    {"nl", LEA_DEACTIVATE},
	{"ey", LEA_ACTIVATE},	   {"e", LEA_ACTIVATE},	      {"ye", LEA_ACTIVATE},
	{"sy", LEA_ACTIVATE},	   {"s", LEA_ACTIVATE},	      {"ys", LEA_ACTIVATE},
	{"ly", LEA_ACTIVATE},	   {"yl", LEA_ACTIVATE},
};

static bool parse_what(const char *value, enum lea_activation *ret_what)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, value)) {
			*ret_what = words[i].what;
			return true;
		}
	return false;
}

static bool is_mode(const char *word)
{
	return !strcmp(word, "complete") || !strcmp(word, "degraded") || !strcmp(word, "partial");
}

/* For combinations that lvm2 refuses in its own words, or that only lvm2 can do. */
static bool is_for_lvm(const struct vgchange_args *args)
{
	if (!args->activate || args->common.version)
		return true;
	if (args->mode && (args->partial || !is_mode(args->mode)))
		return true;
	if (args->sysinit && args->poll)
		return true;
	return args->what == LEA_DEACTIVATE &&
	       ((args->poll && *args->poll == 'y') || (args->monitor && *args->monitor == 'y'));
}

static int run_parsed(struct lea_world *world, struct vgchange_args *args,
		      const struct lea_opts *opts)
{
	char line[128];

	args->vgs = opts->positional;
	if (args->activate && !parse_what(args->activate, &args->what)) {
		snprintf(line, sizeof(line), "Invalid argument for --activate: %.64s",
			 args->activate);
		return lea_cmd_refuse(world, line);
	}
	if (is_for_lvm(args))
		return lea_hand_to_lvm(world, args->argc, args->argv);
	/* lvm2 prints the same, but exits with 0 as if it had succeeded. */
	if (args->monitor && (args->sysinit || args->ignore_monitoring)) {
		lea_log(world->log, LEA_LOG_ERROR, "--monitor cannot be used with --%s.",
			args->sysinit ? "sysinit" : "ignoremonitoring");
		return LEA_EXIT_PARAMS;
	}
	if (args->partial)
		args->mode = "partial";
	return vgchange_run(world, args);
}

static int run_vgchange(struct lea_world *world, int argc, char *argv[])
{
	struct vgchange_args args = {.argc = argc, .argv = argv};
	struct lea_opts opts = {
		.row = table, .count = ARRAY_SIZE(table), .values = &args, .usage = usage};
	int code = lea_cmd_parse(world, &opts, &args.common, argc, argv);

	if (code < 0)
		code = run_parsed(world, &args, &opts);
	lea_opts_done(&opts);
	return code;
}

const struct lea_cmd lea_cmd_vgchange = {
	.name = "vgchange",
	.help = "Activate or deactivate the LVs of VGs.",
	.example = "vgchange -aay data",
	.run = run_vgchange,
	.link = "vgchange",
};
