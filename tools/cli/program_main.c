/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/program_main.h"

#include "base/log.h"
#include "base/suggest.h"
#include "cli/args.h"
#include "cli/columns.h"
#include "cli/log_sink.h"
#include "conf/setup.h"
#include "configured.h"
#include "world/clock_kernel.h"
#include "world/manager.h"
#include "world/proc.h"
#include "world/udev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The command for which @is is true; NULL: none. */
static const struct lea_cmd *find(const struct lea_program *program,
				  bool (*is)(const struct lea_cmd *cmd, const char *name),
				  const char *name)
{
	for (const struct lea_group *group = program->group; group->cmd; group++)
		for (const struct lea_cmd *const *cmd = group->cmd; *cmd; cmd++)
			if (is(*cmd, name))
				return *cmd;
	return NULL;
}

static bool is_named(const struct lea_cmd *cmd, const char *name)
{
	return !strcmp(cmd->name, name);
}

/* A link of this name starts it. */
static bool is_linked(const struct lea_cmd *cmd, const char *name)
{
	return cmd->link && !strcmp(cmd->link, name);
}

const struct lea_cmd *lea_program_find(const struct lea_program *program, const char *name)
{
	return find(program, is_named, name);
}

static void list_commands(const struct lea_program *program)
{
	struct lea_columns table;

	for (lea_columns_begin(&table, stdout, "ll"); lea_columns_pass(&table);)
		for (const struct lea_group *group = program->group; group->cmd; group++) {
			if (group->title)
				lea_columns_line(&table, "%s:", group->title);
			for (const struct lea_cmd *const *cmd = group->cmd; *cmd; cmd++) {
				lea_columns_cell(&table, "%s", (*cmd)->name);
				lea_columns_cell(&table, "%s", (*cmd)->help);
			}
		}
}

/* How "lvm help WORD" ends if lvm has no such command. */
#define LVM_NO_HELP 3

#define EXITS "0: done; 3: wrong command line; 4: wrong configuration; 5: failed"

static int help(const struct lea_program *program)
{
	printf("Usage: %s COMMAND [ARGUMENTS]\n\n%s\n\n", program->name, program->about);
	list_commands(program);
	printf("\n  --help     This text.\n  --version  The version of this program.\n%s",
	       program->end ? program->end : "");
	return LEA_EXIT_DONE;
}

/* What the commands themselves do not print of their help. */
static void help_end(const struct lea_program *program, const struct lea_cmd *cmd)
{
	printf("\n%s\n", cmd->help);
	printf("Example: %s %s\n", program->name, cmd->example);
	printf("Exit status: " EXITS "\n");
	if (cmd->exits)
		printf("             %s\n", cmd->exits);
	if (cmd->page)
		printf("Manual page: man %s\n", cmd->page);
	else
		printf("Manual page: man %s-%s\n", program->name, cmd->name);
}

static int version(const struct lea_program *program)
{
	printf("%s %s\nConfigured with:%s\nReal lvm: %s, programs: %s\n", program->name,
	       LEA_VERSION, LEA_CONFIGURED[0] ? LEA_CONFIGURED : " no options", LEA_LVM_PATH,
	       LEA_LIBEXECDIR);
	return LEA_EXIT_DONE;
}

/* The command that a mistyped word may stand for. */
static struct lea_suggestion suggest(const struct lea_program *program, const char *word)
{
	struct lea_suggestion suggestion = {.word = word};

	for (const struct lea_group *group = program->group; group->cmd; group++)
		for (const struct lea_cmd *const *cmd = group->cmd; *cmd; cmd++)
			lea_suggest(&suggestion, (*cmd)->name);
	return suggestion;
}

/* Does this look like one of lvm's commands? */
static bool is_lvms(const struct lea_program *program, const char *name)
{
	static const char *const words[] = {"config",	  "devtypes", "dumpconfig", "formats",
					    "fullreport", "help",     "lastlog",    "segtypes",
					    "systemid",	  "tags",     "version"};

	if (!program->hands_over)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return !strncmp(name, "pv", 2) || !strncmp(name, "vg", 2) || !strncmp(name, "lv", 2);
}

/* lvm alone knows which commands it has: it may be newer than this program. In doubt the word is
 * lvm's. It has no @name only if it says so, and it is asked only if @name is like one of ours. */
static bool is_ours_mistyped(const struct lea_world *world, const struct lea_program *program,
			     const char *name)
{
	const char *const argv[] = {lea_lvm_path(world), "help", name, NULL};
	char answer[512];
	int code;

	return suggest(program, name).best &&
	       !lea_proc_capture(argv, answer, sizeof(answer), &code) && code == LVM_NO_HELP;
}

static int refuse_command(const struct lea_program *program, const char *name)
{
	const struct lea_suggestion suggestion = suggest(program, name);
	char plain[128];

	snprintf(plain, sizeof(plain), "%s", name);
	lea_log_plain(plain);
	fprintf(stderr, "  %s has no command \"%s\"", program->name, plain);
	if (name[0] == '-')
		fprintf(stderr, ": options follow a command");
	else if (suggestion.best)
		fprintf(stderr, "; did you mean \"%s\"?", suggestion.best);
	fprintf(stderr, "%s See: %s --help\n", suggestion.best && name[0] != '-' ? "" : ".",
		program->name);
	return LEA_EXIT_PARAMS;
}

static bool is_help(int argc, char *argv[])
{
	return argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
}

/* Others may not read /run/lvm, nor the disks: what a verb finds there would be "nothing". */
static bool is_refused(const struct lea_cmd *cmd, int argc, char *argv[])
{
	if (!cmd || cmd->is_for_all || is_help(argc, argv) || !geteuid() ||
	    (cmd->is_harmless && cmd->is_harmless(argc, argv)))
		return false;
	fprintf(stderr, "  %s %s needs root's privileges.\n", program_invocation_short_name,
		cmd->name);
	return true;
}

/* Returns an exit code. */
static int run_lvms(struct lea_world *world, const struct lea_program *program, int argc,
		    char *argv[])
{
	if (is_ours_mistyped(world, program, argv[0]))
		return refuse_command(program, argv[0]);
	return lea_hand_to_lvm(world, argc, argv);
}

/* @cmd: NULL: the real lvm's */
static int run_command(const struct lea_program *program, const struct lea_cmd *cmd, int argc,
		       char *argv[])
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
	code = cmd ? cmd->run(&world, argc, argv) : run_lvms(&world, program, argc, argv);
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

/* "help WORD" of a word that is nobody's */
static bool is_lost_help(const struct lea_program *program, int argc, char *argv[])
{
	return argc == 3 && !strcmp(argv[1], "help") && !is_lvms(program, argv[2]);
}

static int run_program(const struct lea_program *program, int argc, char *argv[])
{
	const struct lea_cmd *cmd;
	const char *slash;
	int code;

	slash = strrchr(argv[0], '/');
	if (slash)
		argv[0] += slash + 1 - argv[0]; /* a hand-over needs the bare name */
	cmd = find(program, is_linked, argv[0]);
	if (cmd)
		return run_command(program, cmd, argc, argv);
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (argc == 2 && !strcmp(argv[1], "help")))
		return help(program);
	if (!strcmp(argv[1], "--version"))
		return version(program);
	turn_help(program, argc, argv);
	cmd = lea_program_find(program, argv[1]);
	if (!cmd && (is_lost_help(program, argc, argv) || !is_lvms(program, argv[1])))
		return refuse_command(program, argv[argc == 3 && !strcmp(argv[1], "help") ? 2 : 1]);
	code = run_command(program, cmd, argc - 1, argv + 1);
	if (!code && cmd && is_help(argc - 1, argv + 1) && !program->is_for_services)
		help_end(program, cmd);
	return code;
}

int lea_program_main(const struct lea_program *program, int argc, char *argv[])
{
	if (argc < 1 || !lea_check_streams())
		return LEA_EXIT_INIT;
	if (program->is_for_services)
		return run_program(program, argc, argv);
	return lea_close_output(run_program(program, argc, argv));
}
