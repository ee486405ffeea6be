/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/program_main.h"

#include "cli/args.h"
#include "cli/columns.h"
#include "cli/log_sink.h"
#include "configured.h"
#include "world/clock_kernel.h"
#include "world/manager.h"
#include "world/udev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct lea_cmd *lea_program_find(const struct lea_program *program, const char *name)
{
	const struct lea_cmd *const *cmd = program->cmd;

	while (*cmd && strcmp((*cmd)->name, name) != 0)
		cmd++;
	return *cmd;
}

/* The verb that a link of this name starts. */
static const struct lea_cmd *find_link(const struct lea_program *program, const char *name)
{
	const struct lea_cmd *const *cmd = program->cmd;

	while (*cmd && (!(*cmd)->link || strcmp((*cmd)->link, name) != 0))
		cmd++;
	return *cmd;
}

static void list_commands(const struct lea_program *program, FILE *out)
{
	struct lea_columns table;

	for (lea_columns_begin(&table, out, "ll"); lea_columns_pass(&table);)
		for (const struct lea_cmd *const *cmd = program->cmd; *cmd; cmd++) {
			lea_columns_cell(&table, "%s", (*cmd)->name);
			lea_columns_cell(&table, "%s", (*cmd)->help);
		}
}

static int help(const struct lea_program *program)
{
	printf("Usage: %s COMMAND [ARGUMENTS]\n\n%s\n\n", program->name, program->about);
	list_commands(program, stdout);
	printf("\n  --help     This text.\n  --version  The version of this program.\n%s",
	       program->end ? program->end : "");
	return LEA_EXIT_DONE;
}

static int version(const struct lea_program *program)
{
	printf("%s %s\nConfigured with:%s\nReal lvm: %s, programs: %s\n", program->name,
	       LEA_VERSION, LEA_CONFIGURED[0] ? LEA_CONFIGURED : " no options", LEA_LVM_PATH,
	       LEA_LIBEXECDIR);
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

static int refuse_command(const struct lea_program *program, const char *name)
{
	fprintf(stderr, "  %s has no command \"%s\". There are:\n\n", program->name, name);
	list_commands(program, stderr);
	return LEA_EXIT_PARAMS;
}

/* Others may not read /run/lvm, nor the disks: what a verb finds there would be "nothing". */
static bool is_refused(const struct lea_cmd *cmd, int argc, char *argv[])
{
	const bool is_help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));

	if (!cmd || cmd->is_for_all || is_help || !geteuid())
		return false;
	fprintf(stderr, "  %s %s needs root's privileges.\n", program_invocation_short_name,
		cmd->name);
	return true;
}

/* @cmd: NULL: the real lvm's */
static int run_command(const struct lea_cmd *cmd, int argc, char *argv[])
{
	struct lea_report report;
	struct lea_world world;
	int code;

	if (is_refused(cmd, argc, argv))
		return LEA_EXIT_FAILED;
	code = cmd && cmd->run_early ? cmd->run_early(argc, argv) : -1;
	if (code >= 0)
		return code;
	lea_report_init(&report, stdout, stderr, cmd ? cmd->name : argv[0]);
	lea_world_init(&world, "", &report.log, environ);
	lea_report_find_journal(&report, lea_world_env(&world, "JOURNAL_STREAM"));
	world.clock = lea_clock_kernel();
	world.udev = &lea_udev_real;
	world.manager = &lea_manager_real;
	code = cmd ? cmd->run(&world, argc, argv) : lea_hand_to_lvm(&world, argc, argv);
	lea_world_done(&world);
	return code;
}

/* Turns "help COMMAND" into "COMMAND --help" if the command is ours. */
static void turn_help(const struct lea_program *program, int argc, char *argv[])
{
	static char option[] = "--help";

	if (argc != 3 || strcmp(argv[1], "help") || !lea_program_find(program, argv[2]))
		return;
	argv[1] = argv[2];
	argv[2] = option;
}

static int run_program(const struct lea_program *program, int argc, char *argv[])
{
	const struct lea_cmd *cmd;
	const char *slash;

	slash = strrchr(argv[0], '/');
	if (slash)
		argv[0] += slash + 1 - argv[0]; /* a hand-over needs the bare name */
	cmd = find_link(program, argv[0]);
	if (cmd)
		return run_command(cmd, argc, argv);
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (argc == 2 && !strcmp(argv[1], "help")))
		return help(program);
	if (!strcmp(argv[1], "--version"))
		return version(program);
	turn_help(program, argc, argv);
	cmd = lea_program_find(program, argv[1]);
	if (!cmd && !(program->hands_over && is_lvms(argv[1])))
		return refuse_command(program, argv[1]);
	return run_command(cmd, argc - 1, argv + 1);
}

int lea_program_main(const struct lea_program *program, int argc, char *argv[])
{
	if (argc < 1 || !lea_check_streams())
		return LEA_EXIT_INIT;
	if (program->is_for_services)
		return run_program(program, argc, argv);
	return lea_close_output(run_program(program, argc, argv));
}
