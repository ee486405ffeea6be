/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of lvmevent's own subcommands share.
 */
#ifndef LEA_TOOLS_LVMEVENT_H
#define LEA_TOOLS_LVMEVENT_H

#include "cmd.h"
#include "opts.h"

/* Values of all options of all subcommands. */
struct lea_lvmevent_args {
	unsigned int help, json, wait, boot, commands, stay, compare, explain;
	size_t most_words; /* in: how many other arguments are in order */
	const char *root;
	const char *word; /* the first other argument, NULL: none */
};

#define LEA_LVMEVENT_HELP                                                                          \
	{                                                                                          \
		"help", 'h', LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, help), LEA_OPT_ALL, \
			NULL, "This text."                                                         \
	}

/*
 * lea_lvmevent_parse - options and other arguments, as many as args->most_words
 * @usage: the line of --help, without "Usage: lvmevent "
 * Returns -1: go on; else the exit code to leave with (help printed, or the mistake said).
 */
LEA_MUST_CHECK int lea_lvmevent_parse(struct lea_opts *opts, const char *usage, int argc,
				      char *argv[]);

/* Rows of the lvmevent commands that need a file of their own. */
int lea_lvmevent_enable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_disable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_status(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_delegated(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_gate(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_sweep(struct lea_world *world, int argc, char *argv[]);

/* "open", "closed" ...: for people. */
const char *lea_gate_word(struct lea_world *world);

/* Is no rule of ours in place? That is said, and who asks does nothing. */
#define LEA_STANDS_ASIDE                                                                           \
	"no rule of ours for PVs is in place: lvm2, or the administrator's rule, decides what is " \
	"activated by event, and lvmevent does nothing"
bool lea_stands_aside(struct lea_world *world);

/*
 * lea_shadow_write - our rule into run/udev/rules.d, under each name of lvm2's PV rule that exists
 * @root: "" or the folder that stands for /
 * The first name gets the rule, the others are empty. A rule of that name in /etc is an
 * administrator's: left alone and said. *ret_count: names written or there already.
 */
LEA_MUST_CHECK int lea_shadow_write(struct lea_world *world, const char *root,
				    unsigned int *ret_count);
/* Whose rule udev follows when a PV appears. */
enum lea_shadow {
	LEA_SHADOW_OURS,
	LEA_SHADOW_STOCK,  /* lvm2's own, or there is none at all */
	LEA_SHADOW_OTHERS, /* one in /etc, or one in /run that is not ours, hides lvm2's */
};
enum lea_shadow lea_shadow_find(const char *root);
/*
 * lea_shadow_write_dm - the installed device-mapper rules with dm-event in dmsetup's place
 * *ret_count: names written. -ENOENT: our program is not there. A rule of that name in /etc, or one
 * in /run that is not ours, is left alone and said.
 */
LEA_MUST_CHECK int lea_shadow_write_dm(struct lea_world *world, const char *root,
				       unsigned int *ret_count);
LEA_MUST_CHECK int lea_shadow_remove_dm(const char *root, unsigned int *ret_count);
/* Removes what both wrote, and nothing else. */
LEA_MUST_CHECK int lea_shadow_remove(const char *root, unsigned int *ret_count);

/*
 * lea_shadow_put_dm - as @conf says: writes or removes the rules for LVs
 * What goes wrong is said and costs nothing but speed.
 */
void lea_shadow_put_dm(struct lea_world *world, const struct lea_conf *conf, const char *root);

#endif
