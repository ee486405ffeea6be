/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvscan --cache: the options, and which of them go together. pvscan_run.c does the work. */
#include "lvm2/pvscan.h"

#include "base/cleanup.h"
#include "base/devid.h"
#include "cli/log_sink.h"
#include "daemon/enqueue.h"
#include "state/gate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ONE_PV	(FORM_LIST_VG | FORM_LIST_LVS)
#define ANY_PVS (FORM_PLAIN | FORM_ACTIVATE)

static const struct lea_opt table[] = {
	LEA_OPT(struct pvscan_args, activate, STRING, "activate", 'a', FORM_ACTIVATE, "ay",
		"Activate each VG that this call completed."),
	LEA_OPT(struct pvscan_args, autoactivation, STRING, "autoactivation", 0,
		FORM_ACTIVATE | FORM_LIST_VG, "event", "Called by an event."),
	LEA_OPT(struct pvscan_args, ignored_flag, FLAG, "background", 'b', ANY_PVS, NULL, NULL),
	LEA_OPT(struct pvscan_args, cache, FLAG, "cache", 0, LEA_OPT_ALL, NULL,
		"Record PVs; without this option the real lvm runs."),
	LEA_OPT(struct pvscan_args, check_complete, FLAG, "checkcomplete", 0, ONE_PV, NULL,
		"Print whether all PVs of the VG are present."),
	LEA_OPT(struct pvscan_args, ignored_flag, FLAG, "enqueue", 0, LEA_OPT_ALL, NULL,
		"For udev: queue the device and exit."),
	LEA_OPT(struct pvscan_args, ignored_locking, FLAG, "ignorelockingfailure", 0,
		ANY_PVS | ONE_PV, NULL, "Accepted; recording takes no lock."),
	LEA_OPT(struct pvscan_args, list_lvs, FLAG, "listlvs", 0, FORM_LIST_LVS, NULL,
		"Print the LVs that use the PV."),
	LEA_OPT(struct pvscan_args, list_vg, FLAG, "listvg", 0, FORM_LIST_VG, NULL,
		"Print the VG of the PV."),
	LEA_OPT(struct pvscan_args, majors, NUMBERS, "major", 'j', ANY_PVS, "Number",
		"With --minor: the PV by number."),
	LEA_OPT(struct pvscan_args, minors, NUMBERS, "minor", 0, ANY_PVS, "Number",
		"With --major: the PV by number."),
	LEA_OPT(struct pvscan_args, common.no_udev_sync, FLAG, "noudevsync", 0, ANY_PVS, NULL,
		"Do not wait for udev after an activation."),
	LEA_OPT(struct pvscan_args, ignored_string, STRING, "reportformat", 0, ANY_PVS, "String",
		"Accepted, without effect."),
	LEA_OPT(struct pvscan_args, udev_output, FLAG, "udevoutput", 0, FORM_LIST_VG, NULL,
		"Print KEY='value' lines only."),
	LEA_OPT(struct pvscan_args, vg_online, FLAG, "vgonline", 0, ONE_PV, NULL,
		"With --checkcomplete: claim a complete VG."),
	LEA_OPTS_COMMON(struct pvscan_args, common),
};

static const char usage[] =
	"Usage: pvscan --cache [-aay] [OPTIONS] [PV...]\n"
	"       pvscan --cache --listvg|--listlvs [OPTIONS] PV\n\n"
	"A PV is /dev/NAME or MAJOR:MINOR. The real lvm runs all other forms.\n\n";

/* Picks the form; a refusal then names the first option that this form does not take. */
static enum pvscan_form pick_form(const struct pvscan_args *args, const struct lea_list *pvs)
{
	if (args->activate)
		return FORM_ACTIVATE;
	if (pvs->count && args->list_vg)
		return FORM_LIST_VG;
	if (pvs->count && args->list_lvs)
		return FORM_LIST_LVS;
	return FORM_PLAIN;
}

static bool is_word(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word))
		words++;
	return !!*words;
}

static int check_activate(struct lea_world *world, const char *value)
{
	static const char *const automatic[] = {"ay", "a", "ya", NULL};
	static const char *const other[] = {"y",  "n",	"e",  "ey", "ye", "s",	"sy", "ys",
					    "en", "ne", "ln", "nl", "ly", "yl", NULL};
	char line[128];

	if (!value || is_word(value, automatic))
		return 0;
	if (!is_word(value, other)) {
		snprintf(line, sizeof(line), "Invalid argument for --activate: %.64s", value);
		return lea_cmd_refuse(world, line);
	}
	lea_log(world->log, LEA_LOG_ERROR, "Command does not accept option: --activate %s.", value);
	return LEA_EXIT_PARAMS;
}

static int check_form(struct lea_world *world, const struct pvscan_args *args,
		      const struct lea_opts *opts)
{
	const struct lea_opt *stray = lea_opts_stray(opts, args->form);
	const char *value;
	int code = check_activate(world, args->activate);

	if (code)
		return code;
	if (stray) {
		value = lea_opt_value(opts, stray);
		lea_log(world->log, LEA_LOG_ERROR, "Command does not accept option: --%s%s%s.",
			stray->name, value ? " " : "", value ? value : "");
		return LEA_EXIT_PARAMS;
	}
	if (args->form & ONE_PV && opts->positional.count > 1) {
		lea_log(world->log, LEA_LOG_ERROR, "Command does not accept argument: %s.",
			opts->positional.item[1]);
		return LEA_EXIT_PARAMS;
	}
	return 0;
}

/* By a rule of udev, or by a unit of lvm2 from before that rule, lvm2-pvscan@MAJOR:MINOR.service;
 * people name a device. */
static bool is_for_event(const struct pvscan_args *args)
{
	struct lea_devno devno;

	if (args->autoactivation)
		return !strcmp(args->autoactivation, "event");
	for (size_t i = 0; i < args->pvs.count; i++)
		if (!lea_devno_parse(args->pvs.item[i], &devno))
			return false;
	return args->form == FORM_ACTIVATE && args->pvs.count;
}

/* While the gate is closed the boot scan handles all events: then read nothing here. */
static bool is_gated(struct lea_world *world, const struct pvscan_args *args)
{
	int run_fd;

	if (!is_for_event(args))
		return false;
	run_fd = lea_world_run(world);
	return run_fd >= 0 && lea_gate_is_closed(run_fd);
}

static int run_parsed(struct lea_world *world, struct pvscan_args *args,
		      const struct lea_opts *opts)
{
	int code;

	args->pvs = opts->positional;
	args->form = pick_form(args, &args->pvs);
	lea_cmd_report(world)->is_silent = args->udev_output;
	code = check_form(world, args, opts);
	if (code)
		return code;
	if (is_gated(world, args))
		return LEA_EXIT_DONE;
	return pvscan_run(world, args);
}

static int run_pvscan(struct lea_world *world, int argc, char *argv[])
{
	struct pvscan_args args = {.argc = argc, .argv = argv};
	struct lea_opts opts = {
		.row = table, .count = ARRAY_SIZE(table), .values = &args, .usage = usage};
	int code = lea_cmd_parse(world, &opts, &args.common, argc, argv);

	if (code < 0 && (!args.cache || args.common.version))
		code = lea_hand_to_lvm(world, argc, argv);
	else if (code < 0)
		code = run_parsed(world, &args, &opts);
	lea_opts_done(&opts);
	return code;
}

/* It runs for each event: with --enqueue nothing else is begun. */
static int enqueue(int argc, char *argv[])
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--enqueue"))
			return lea_enqueue_main(argc, argv, environ);
	return -1;
}

const struct lea_cmd lea_cmd_pvscan = {
	.name = "pvscan",
	.help = "Record PVs that appeared, activate VGs that they complete.",
	.example = "pvscan --cache -aay /dev/sdb",
	.run = run_pvscan,
	.run_early = enqueue,
	.link = "pvscan",
};
