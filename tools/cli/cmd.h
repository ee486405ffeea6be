/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between main and the commands: the command table and the helpers that all commands use. */
#pragma once

#include "base/err.h"
#include "base/exit.h"
#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_opts;
struct lea_report;

struct lea_cmd {
	const char *name;
	const char *help; /* one line for the list of commands */
	/* For its --help: a command line without "lvmevent ", and exit codes besides those that all
	 * commands have: "75: not there in time". NULL: none. */
	const char *example, *exits;
	const char *page; /* its manual page; NULL: one of its own, "lvmevent-wait" */
	/* @argv[0] is the command's own name. Returns an exit code. */
	int (*run)(struct lea_world *world, int argc, char *argv[]);
	/* NULL: none. Called before the world is opened; -1: go on with run. */
	int (*run_early)(int argc, char *argv[]);
	const char *link; /* a link of this name to the program starts it; NULL: none */
	bool is_for_all; /* not only for root */
	/* NULL: none. Is this command line for all, as it asks nothing of the machine? */
	bool (*is_harmless)(int argc, char *argv[]);
};

extern const struct lea_cmd lea_cmd_pvscan;
extern const struct lea_cmd lea_cmd_vgchange;

/*
 * lea_hand_to_lvm - exec the real lvm with the same arguments
 * @argv[0]: the subcommand, as in run(); argv[argc] is NULL
 * Returns only if that fails (logged), with the exit code.
 */
int lea_hand_to_lvm(struct lea_world *world, int argc, char *argv[]);

/*
 * lea_cmd_refuse - log what is wrong with the options, and the line that lvm2 prints after it
 * @line: as lea_opts_parse left it
 * Returns the exit code.
 */
int lea_cmd_refuse(struct lea_world *world, const char *line);

/* The report whose sink world->log is, for commands that print other lines, too. */
struct lea_report *lea_cmd_report(struct lea_world *world);

/* Options that every command of lvm2 takes; filled by the rows LEA_OPTS_COMMON (opts.h). */
struct lea_common {
	unsigned int verbose, debug, quiet;
	unsigned int no_udev_sync; /* --noudevsync; not in LEA_OPTS_COMMON */
	unsigned int test, yes, no_hints, no_locking, help, long_help, version;
	const char *config, *devicesfile, *driverloaded, *command_profile;
	const char *journal, *lockopt;
	struct lea_list devices; /* --devices, split at commas */
};

/*
 * lea_cmd_begin - begin a command of lvm2: lea_setup, with log levels from -q -v -d
 * @common: global/test sets common->test
 * @ret_conf: owned by the caller
 * Returns 0 or the exit code to leave with (logged). Prints the TEST MODE line. world->dm stays
 * NULL if device-mapper must not be used (--driverloaded n, global/activation 0).
 */
LEA_MUST_CHECK int lea_cmd_begin(struct lea_world *world, struct lea_common *common,
				 const struct lea_conf **ret_conf);

/*
 * lea_cmd_parse - parse the command line of an lvm2 command
 * @common: inside opts->values
 * Returns -1 to go on, else the exit code to leave with: help was printed, a mistake was logged, or
 * the hand-over to the real lvm failed. The caller calls lea_opts_done in every case.
 */
LEA_MUST_CHECK int lea_cmd_parse(struct lea_world *world, struct lea_opts *opts,
				 const struct lea_common *common, int argc, char *argv[]);
