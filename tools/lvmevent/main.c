/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the real world and picks the command by the program's name or by the first argument.
 * Commands that are not ours go to the real lvm.
 */
#include "cli/args.h"
#include "cli/cmd.h"

#include "base/cleanup.h"
#include "cli/log_sink.h"
#include "configured.h"
#include "daemon/enqueue.h"
#include "world/clock_kernel.h"
#include "world/udev.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GENERATOR "lvmevent-generator" /* the name by which systemd starts it */

static const struct lea_cmd *const lvm2_cmds[] = {
	&lea_cmd_pvscan,
	&lea_cmd_vgchange,
};

static const struct lea_cmd *find_cmd(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(lvm2_cmds); i++)
		if (!strcmp(lvm2_cmds[i]->name, name))
			return lvm2_cmds[i];
	for (const struct lea_cmd *cmd = lea_cmd_lvmevent; cmd->name; cmd++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

static void help_line(FILE *out, const struct lea_cmd *cmd)
{
	fprintf(out, "  %-12s %s\n", cmd->name, cmd->help);
}

static void list_commands(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(lvm2_cmds); i++)
		help_line(out, lvm2_cmds[i]);
	for (const struct lea_cmd *cmd = lea_cmd_lvmevent; cmd->name; cmd++)
		help_line(out, cmd);
}

static int help(void)
{
	printf("Usage: lvmevent COMMAND [ARGUMENTS]\n\nEvent activation of LVM2 volume groups.\n\n");
	list_commands(stdout);
	printf("\n  --help       This text.\n  --version    The version of this program.\n\n"
	       "The real lvm's commands (lvs, vgcreate, ...) are handed over to it.\n");
	return LEA_EXIT_DONE;
}

static int version(void)
{
	printf("lvmevent %s\nConfigured with:%s\nReal lvm: %s, programs: %s\n", LEA_VERSION,
	       LEA_CONFIGURED[0] ? LEA_CONFIGURED : " no options", LEA_LVM_PATH, LEA_LIBEXECDIR);
	return LEA_EXIT_DONE;
}

/* Does this look like one of lvm's commands? If not, it is probably a mistyped one of ours, and we
 * list our commands, which lvm does not know. */
static bool is_lvms(const char *name)
{
	static const char *const words[] = {"config",	  "devtypes", "dumpconfig", "formats",
					    "fullreport", "help",     "lastlog",    "segtypes",
					    "systemid",	  "tags",     "version"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return !strncmp(name, "pv", 2) || !strncmp(name, "vg", 2) || !strncmp(name, "lv", 2);
}

static int refuse_command(const char *name)
{
	fprintf(stderr, "  lvmevent has no command \"%s\". There are:\n\n", name);
	list_commands(stderr);
	return LEA_EXIT_PARAMS;
}

static bool is_enqueue(int argc, char *const argv[])
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--enqueue"))
			return true;
	return false;
}

static int run_command(const char *name, int argc, char *argv[])
{
	const struct lea_cmd *cmd = find_cmd(name);
	struct lea_report report;
	struct lea_world world;
	int code;

	lea_report_init(&report, stdout, stderr, name);
	lea_world_init(&world, "", &report.log, environ);
	lea_report_find_journal(&report, lea_world_env(&world, "JOURNAL_STREAM"));
	world.clock = lea_clock_kernel();
	world.udev = &lea_udev_real;
	code = cmd ? cmd->run(&world, argc, argv) : lea_hand_to_lvm(&world, argc, argv);
	lea_world_done(&world);
	return code;
}

/* Turns "help COMMAND" into "COMMAND --help" if the command is ours. */
static void turn_help(int argc, char *argv[])
{
	static char option[] = "--help";

	if (argc != 3 || strcmp(argv[1], "help") || !find_cmd(argv[2]))
		return;
	argv[1] = argv[2];
	argv[2] = option;
}

int main(int argc, char *argv[])
{
	const char *name, *slash;

	if (argc < 1 || !lea_check_streams())
		return LEA_EXIT_INIT;
	slash = strrchr(argv[0], '/');
	name = slash ? slash + 1 : argv[0];
	if (!strcmp(name, GENERATOR))
		return run_command(strchr(GENERATOR, '-') + 1, argc, argv);
	if (strcmp(name, lea_cmd_pvscan.name) && strcmp(name, lea_cmd_vgchange.name)) {
		if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
		    (argc == 2 && !strcmp(argv[1], "help")))
			return help();
		if (!strcmp(argv[1], "--version")) {
			return version();
		}
		turn_help(argc, argv);
		argc--;
		argv++;
		name = argv[0];
		if (!find_cmd(name) && !is_lvms(name))
			return refuse_command(name);
	}
	argv[0] += strlen(argv[0]) - strlen(name); /* a hand-over needs the bare name */
	if (!strcmp(name, lea_cmd_pvscan.name) && is_enqueue(argc, argv))
		return lea_enqueue_main(argc, argv, environ);
	return run_command(name, argc, argv);
}
