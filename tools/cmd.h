/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What main knows of a command, and what every command takes from main.
 */
#ifndef LEA_TOOLS_CMD_H
#define LEA_TOOLS_CMD_H

#include "base/err.h"
#include "flow/prober.h"
#include "flow/scan.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>

struct lea_opts;
struct lea_report;

/* lvm2's exit codes. */
enum lea_exit {
	LEA_EXIT_DONE = 0,
	LEA_EXIT_NO_SUCH_COMMAND = 2,
	LEA_EXIT_PARAMS = 3, /* options */
	LEA_EXIT_INIT = 4,   /* configuration unreadable */
	LEA_EXIT_FAILED = 5,
};

struct lea_cmd {
	const char *name; /* NULL ends a table */
	const char *help; /* one line for the list of commands */
	/* @argv[0] is the command's own name. Returns an exit code. */
	int (*run)(struct lea_world *world, int argc, char *argv[]);
};

extern const struct lea_cmd lea_cmd_pvscan;
extern const struct lea_cmd lea_cmd_vgchange;
extern const struct lea_cmd
	lea_cmd_lvmevent[]; /* lvmevent's own subcommands, ended by a NULL name */

/* pvscan --cache --enqueue: comes before world and configuration. Returns an exit code. */
int lea_cmd_enqueue(int argc, char *argv[]);

/*
 * lea_hand_to_lvm - become the real lvm with the same arguments
 * @argv[0]: the subcommand, as in run(); argv[argc] is NULL
 * Returns only when that failed, with the exit code (logged).
 */
int lea_hand_to_lvm(struct lea_world *world, int argc, char *argv[]);

/*
 * lea_cmd_refuse - an option line for people, and what lvm2 says after it
 * @line: as lea_opts_parse left it
 * Returns the exit code.
 */
int lea_cmd_refuse(struct lea_world *world, const char *line);

/* The report behind world->log: a command may say more than log lines. */
struct lea_report *lea_cmd_report(struct lea_world *world);

/* Path of the real lvm: LVMEVENT_LVM unless privileges were gained by exec, else as configured.
 * Borrowed. */
const char *lea_lvm_path(const struct lea_world *world);

/* Compiled-in defaults are compared with those of the real lvm, see lvm_defaults.h. At each boot, when
 * the gate opens, and by enable: before lea_cmd_begin, which reads the configuration. */
void lea_cmd_check_defaults(struct lea_world *world);

/*
 * lea_cmd_read - devices of a command of people's are read in a child, with deadlines
 * Sets the options' prober, which is made at the first call and is the caller's (lea_prober_free).
 */
LEA_MUST_CHECK int lea_cmd_read(struct lea_world *world, const struct lea_conf *conf,
				struct lea_prober **prober, struct lea_scan_options *options);
/* Names the devices of a scan that did not answer in time. Returns how many there are. */
size_t lea_cmd_tell_unanswered(struct lea_world *world, const struct lea_scan *scan);

/* Options that every command of lvm2 takes; filled by the rows LEA_OPTS_COMMON (opts.h). */
struct lea_common {
	unsigned int verbose, debug, quiet;
	unsigned int no_udev_sync; /* --noudevsync: not common, the command has the row */
	unsigned int test, yes, no_hints, no_locking, help, long_help, version;
	const char *config, *devicesfile, *driverloaded, *command_profile;
	const char *journal, *lockopt;
	struct lea_list devices; /* --devices, split at commas */
	bool is_service; /* no option: boot goes on with defaults when lvmevent.conf is broken */
};

/*
 * lea_cmd_begin - levels from -q -v -d, configuration, log settings, the TEST MODE line,
 * device-mapper Returns 0 with *ret_conf (owned by the caller), or the exit code to leave with
 * (logged). world->dm stays NULL when device-mapper is not to be used (--driverloaded n,
 * global/activation 0).
 */
LEA_MUST_CHECK int lea_cmd_begin(struct lea_world *world, const struct lea_common *common,
				 struct lea_conf **ret_conf);

/*
 * lea_cmd_parse - the command line of a command of lvm2's
 * @common: in opts->values
 * Returns -1: go on; else the exit code to leave with: help was printed, the mistake was said, or
 * the real lvm was to take it. opts is the caller's to free either way.
 */
LEA_MUST_CHECK int lea_cmd_parse(struct lea_world *world, struct lea_opts *opts,
				 const struct lea_common *common, int argc, char *argv[]);

#endif
