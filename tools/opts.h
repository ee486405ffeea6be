/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of options a command: it is the parser, the text of --help and the check of which
 * options go together.
 */
#ifndef LEA_TOOLS_OPTS_H
#define LEA_TOOLS_OPTS_H

#include "base/err.h"
#include "cmd.h"
#include "world/conf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum lea_opt_type {
	LEA_OPT_COUNT,  /* no value; member: unsigned int, how often it was given */
	LEA_OPT_STRING, /* member: const char *; given twice: the last counts */
	LEA_OPT_ONCE,   /* the same, but twice is an error (--config) */
	LEA_OPT_YES_NO, /* member: const char *, "y" or "n"; anything else is an error */
	LEA_OPT_LIST,   /* member: struct lea_list; commas split, may be given again */
};

struct lea_opt {
	const char *name;       /* as in --help, without "--"; hyphens are free in the command line */
	char letter;            /* 0: none */
	enum lea_opt_type type;
	size_t offset;          /* of the member in the command's struct */
	uint32_t forms;         /* bits: forms of the command that take it; 0: accepted, not shown */
	const char *value_name; /* "String"; NULL with COUNT */
	const char *help;       /* one line; NULL: not shown */
};

#define LEA_OPT_ALL UINT32_MAX

/* Rows for a `struct lea_common` called @member inside struct @type. */
#define LEA_OPTS_COMMON(type, member)                                                              \
	{"commandprofile", 0, LEA_OPT_STRING, offsetof(type, member.command_profile), LEA_OPT_ALL, \
	 "String", "Settings from this profile."},                                                 \
	{"config", 0, LEA_OPT_ONCE, offsetof(type, member.config), LEA_OPT_ALL, "String",          \
	 "Settings that go before those of the files."},                                           \
	{"debug", 'd', LEA_OPT_COUNT, offsetof(type, member.debug), LEA_OPT_ALL, NULL,             \
	 "More messages for developers."},                                                         \
	{"devices", 0, LEA_OPT_LIST, offsetof(type, member.devices), LEA_OPT_ALL, "PV",            \
	 "Use these devices only."},                                                               \
	{"devicesfile", 0, LEA_OPT_STRING, offsetof(type, member.devicesfile), LEA_OPT_ALL,        \
	 "String", "Name of the devices file; empty for none."},                                   \
	{"driverloaded", 0, LEA_OPT_YES_NO, offsetof(type, member.driverloaded), LEA_OPT_ALL,      \
	 "y|n", "Is device-mapper there? n keeps away from it."},                                  \
	{"help", 'h', LEA_OPT_COUNT, offsetof(type, member.help), LEA_OPT_ALL, NULL,               \
	 "This text."},                                                                            \
	{"journal", 0, LEA_OPT_STRING, offsetof(type, member.journal), LEA_OPT_ALL, "String",      \
	 "Copy messages to the journal: command, output or debug."},                               \
	{"lockopt", 0, LEA_OPT_STRING, offsetof(type, member.lockopt), LEA_OPT_ALL, "String",      \
	 "For lvmlockd; no effect on local VGs."},                                                 \
	{"longhelp", 0, LEA_OPT_COUNT, offsetof(type, member.long_help), LEA_OPT_ALL, NULL,        \
	 "The same as --help."},                                                                   \
	{"nohints", 0, LEA_OPT_COUNT, offsetof(type, member.no_hints), LEA_OPT_ALL, NULL,          \
	 "Leave lvm2's hints alone."},                                                             \
	{"nolocking", 0, LEA_OPT_COUNT, offsetof(type, member.no_locking), LEA_OPT_ALL, NULL,      \
	 "Take no file locks."},                                                                   \
	{"profile", 0, LEA_OPT_STRING, offsetof(type, member.profile), LEA_OPT_ALL, "String",      \
	 "The same as --commandprofile."},                                                         \
	{"quiet", 'q', LEA_OPT_COUNT, offsetof(type, member.quiet), LEA_OPT_ALL, NULL,             \
	 "Fewer messages; twice: none but errors."},                                               \
	{"test", 't', LEA_OPT_COUNT, offsetof(type, member.test), LEA_OPT_ALL, NULL,               \
	 "Change nothing."},                                                                       \
	{"verbose", 'v', LEA_OPT_COUNT, offsetof(type, member.verbose), LEA_OPT_ALL, NULL,         \
	 "More messages; up to four times."},                                                      \
	{"version", 0, LEA_OPT_COUNT, offsetof(type, member.version), LEA_OPT_ALL, NULL,           \
	 "The version of this program."},                                                          \
	{"yes", 'y', LEA_OPT_COUNT, offsetof(type, member.yes), LEA_OPT_ALL, NULL,                 \
	 "Answer yes; nothing here asks."}

struct lea_opts {
	const struct lea_opt *row;
	size_t count;           /* at most 64 */
	void *values;           /* the command's struct, zeroed */
	uint64_t given;         /* out: bit i: row i was given */
	struct lea_list positional; /* out: the other arguments, in order */
};

enum lea_opts_outcome {
	LEA_OPTS_UNKNOWN = 1,   /* no such option: @why names it; the real lvm may know it */
	LEA_OPTS_BAD,           /* value missing or wrong: exit 3; @why is the whole line */
};

/* @why: what is wrong, for people. Strings point into @argv. */
LEA_MUST_CHECK int lea_opts_parse(struct lea_opts *opts, int argc, char *argv[],
				  char why[static 256]);
/* Frees what parsing made: positional and lists. */
void lea_opts_done(struct lea_opts *opts);

/* First given option that is not for @form ("--listvg"), NULL when all are. */
const struct lea_opt *lea_opts_stray(const struct lea_opts *opts, uint32_t form);
/* "--checkcomplete", or "-a|--activate" where it has a letter. */
void lea_opt_format(const struct lea_opt *opt, char *ret_text, size_t size);

/* The options as --help shows them. */
void lea_opts_help(const struct lea_opts *opts, FILE *out);

#endif
