/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of lvmevent's own subcommands. */
#pragma once

#include "cmd.h"
#include "opts.h"

#include <stdbool.h>

/* Option values of all subcommands. */
struct lea_lvmevent_args {
	unsigned int help, json, wait, boot, commands, stay, compare, check;
	unsigned int initramfs, no_initramfs, update; /* of enable */
	size_t most_words;			      /* in: other arguments allowed */
	const char *root;
	const char *resume, *needs, *pass, *passes; /* of initramfs */
	struct lea_list lvs, vgs;
	unsigned int is_explicit, all_needs;
	const char *boot_back, *diff, *top, *svg; /* of timeline */
	struct lea_list config; /* of plan */
	const char *timeout;	/* of wait */
	unsigned int progress;
	unsigned int openmetrics; /* of inventory */
	const char *if_newer;
	unsigned int list, drain, strict; /* of throttle, as those that follow */
	const char *class_, *vg, *priority, *wait_limit, *run_limit, *label, *cancel;
	unsigned int measure; /* of doctor */
	const char *sample;
	struct lea_list only, except;
	const char *word; /* the first other argument; NULL: none */
};

#define LEA_LVMEVENT_HELP                                                                          \
	{                                                                                          \
		"help", 'h', LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, help), LEA_OPT_ALL, \
			NULL, "This text."                                                         \
	}

/* Opens /dev/null in the place of each closed standard stream: the first device that is opened would
 * get its number, and our output. False: that failed. */
bool lea_check_streams(void);

/*
 * lea_lvmevent_parse - parse options and up to args->most_words other arguments
 * @opts:  its values are a struct lea_lvmevent_args
 * @usage: the line of --help, without "Usage: lvmevent "
 * Returns -1 to go on, else the exit code to leave with (help or the mistake was printed).
 */
LEA_MUST_CHECK int lea_lvmevent_parse(struct lea_opts *opts, const char *usage, int argc,
				      char *argv[]);

/* Subcommands with a file of their own. Each returns an exit code. */
int lea_lvmevent_enable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_disable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_status(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_doctor(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_explain(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_monitor(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_needed(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_generator(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_gate(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_sweep(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_wait(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_plan(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_timeline(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_inventory(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_initramfs(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_throttle(struct lea_world *world, int argc, char *argv[]);

/*
 * Our part of the initramfs is taken into it by a hook, while the link of lvmevent enable is there.
 * lea_image_is_useful - is there a generator of initramfs images, and does what boots lie on an LV?
 * @root: "" or the folder that stands for /; for a system that does not run, its fstab is read
 */
bool lea_image_is_useful(struct lea_world *world, const char *root);
bool lea_image_has_generator(const char *root);
/* Runs the generator for all kernels, or prints what to run for a system that is not the running
 * one. A failure is logged only: an older image boots as well. Blocks for up to some minutes. */
void lea_image_rebuild(struct lea_world *world, const char *root);

/* "open", "closed" ...: static text. */
const char *lea_gate_word(struct lea_world *world);

/* True, and logged, if our rule for PVs is not in place: then the caller does nothing. */
#define LEA_STANDS_ASIDE                                                                           \
	"no rule of ours for PVs is in place: lvm2, or the administrator's rule, "                 \
	"activates by event, and lvmevent does nothing"
bool lea_stands_aside(struct lea_world *world);

/*
 * lea_rule_override_write - write our rule into run/udev/rules.d under each existing name of lvm2's
 * PV rule
 * @root:      "" or the folder that stands for /
 * @ret_count: names that have our rule now
 * The first name gets the rule, the others an empty file. If a rule of such a name is in /etc, it
 * is the administrator's and wins: that is logged. 0 or -errno.
 */
LEA_MUST_CHECK int lea_rule_override_write(struct lea_world *world, const char *root,
					   unsigned int *ret_count);
/* The rule that udev follows when a PV appears. */
enum lea_rule_override {
	LEA_RULE_OURS,
	LEA_RULE_STOCK,	 /* lvm2's own, or none at all */
	LEA_RULE_OTHERS, /* a rule in /etc, or a foreign one in /run, overrides lvm2's */
};
enum lea_rule_override lea_rule_override_find(const char *root);
/* Removes the rules that these functions wrote, and no others. *ret_count: rules removed. */
LEA_MUST_CHECK int lea_rule_override_remove(const char *root, unsigned int *ret_count);

/*
 * lea_rule_override_put_dm - write copies of the installed device-mapper rules that call dm-event
 * instead of dmsetup, or remove such copies, as event/fast_dm_rules and the installed rules say
 * Call it after lea_rule_override_write. Leaves a rule of the same name in /etc, or a foreign one
 * in /run, alone. Failures are only logged: without these copies LVs merely take longer.
 */
void lea_rule_override_put_dm(struct lea_world *world, const struct lea_conf *conf,
			      const char *root);

enum lea_rule_refresh {
	LEA_RULE_NOT_ARMED = 1, /* no rule of ours is in place: nothing was written */
};
/*
 * lea_rule_override_refresh - write all rules of ours that are in place once more
 * For changes of the installed rules or of our own. Returns 0, an outcome or -errno.
 */
LEA_MUST_CHECK int lea_rule_override_refresh(struct lea_world *world, const struct lea_conf *conf,
					     const char *root);

/* Which device-mapper rules are in force. */
enum lea_dm_rules {
	LEA_DM_RULES_INSTALLED,
	LEA_DM_RULES_REWRITTEN,
	LEA_DM_RULES_OUTDATED, /* copies that lvmevent refresh would change or remove */
};
#define LEA_DM_RULES_WHY_BYTES 512
/*
 * lea_rule_override_find_dm - compare the device-mapper rules in /run with those that belong there
 * @conf: NULL: it could not be read
 * @why: why the rules are not rewritten, or what is outdated; "" for LEA_DM_RULES_REWRITTEN
 * Reads the installed rules; changes nothing.
 */
enum lea_dm_rules lea_rule_override_find_dm(const struct lea_conf *conf, const char *root,
					    char why[static LEA_DM_RULES_WHY_BYTES]);
/* The same as a word for status: "installed", "rewritten", "outdated". Static text. */
const char *lea_dm_rules_describe(struct lea_world *world, const struct lea_conf *conf,
				  char why[static LEA_DM_RULES_WHY_BYTES]);
