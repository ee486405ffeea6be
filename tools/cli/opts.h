/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each command has one table of options, which drives the parser, --help and the check which
 * options go together.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An option given twice is an error, except COUNT, LIST and NUMBERS. */
enum lea_opt_type {
	LEA_OPT_FLAG,	 /* no value; member: unsigned int, 1 */
	LEA_OPT_COUNT,	 /* no value; member: unsigned int, how often it was given (-v) */
	LEA_OPT_STRING,	 /* member: const char * */
	LEA_OPT_YES_NO,	 /* member: const char *, "y" or "n"; anything else is an error */
	LEA_OPT_LIST,	 /* member: struct lea_list; commas split, may be given again */
	LEA_OPT_NUMBERS, /* member: struct lea_list of decimal numbers, one each time it is given */
};

struct lea_opt {
	const char *name; /* as in --help, without "--" */
	char letter;	  /* 0: none */
	enum lea_opt_type type;
	size_t offset; /* of the member in the command's struct */
	uint32_t
		forms; /* bits: forms of the command that take it; 0: accepted, but not in --help */
	const char *value_name; /* "String"; NULL with FLAG and COUNT */
	const char *help;	/* one line; NULL: not in --help */
};

#define LEA_OPT_ALL UINT32_MAX

/* One row: LEA_OPT(struct of the command, member, type, name, letter, forms, value, help). */
#define LEA_OPT(struct_, member_, type_, name_, letter_, forms_, value_, help_)                    \
	{                                                                                          \
		.name = (name_), .letter = (letter_), .type = LEA_OPT_##type_,                     \
		.offset = offsetof(struct_, member_), .forms = (forms_), .value_name = (value_),   \
		.help = (help_)                                                                    \
	}

/* Rows for a `struct lea_common` called @m inside struct @s. */
#define LEA_OPTS_COMMON(s, m)                                                                      \
	LEA_OPT(s, m.command_profile, STRING, "commandprofile", 0, LEA_OPT_ALL, "String",          \
		"Settings from this profile."),                                                    \
		LEA_OPT(s, m.config, STRING, "config", 0, LEA_OPT_ALL, "String",                   \
			"Settings that go before those of the files."),                            \
		LEA_OPT(s, m.debug, COUNT, "debug", 'd', LEA_OPT_ALL, NULL,                        \
			"More messages, for developers."),                                         \
		LEA_OPT(s, m.devices, LIST, "devices", 0, LEA_OPT_ALL, "PV",                       \
			"Use these devices only."),                                                \
		LEA_OPT(s, m.devicesfile, STRING, "devicesfile", 0, LEA_OPT_ALL, "String",         \
			"Name of the devices file; empty: none."),                                 \
		LEA_OPT(s, m.driverloaded, YES_NO, "driverloaded", 0, LEA_OPT_ALL, "y|n",          \
			"n: keep away from device-mapper."),                                       \
		LEA_OPT(s, m.help, FLAG, "help", 'h', LEA_OPT_ALL, NULL, "This text."),            \
		LEA_OPT(s, m.journal, STRING, "journal", 0, LEA_OPT_ALL, "String",                 \
			"Messages to the journal, too: command, output, debug."),                  \
		LEA_OPT(s, m.lockopt, STRING, "lockopt", 0, LEA_OPT_ALL, "String",                 \
			"For lvmlockd; without effect on local VGs."),                             \
		LEA_OPT(s, m.long_help, FLAG, "longhelp", 0, LEA_OPT_ALL, NULL, NULL),             \
		LEA_OPT(s, m.no_hints, FLAG, "nohints", 0, LEA_OPT_ALL, NULL,                      \
			"Without lvm2's hints."),                                                  \
		LEA_OPT(s, m.no_locking, FLAG, "nolocking", 0, LEA_OPT_ALL, NULL,                  \
			"Take no file locks."),                                                    \
		LEA_OPT(s, m.quiet, COUNT, "quiet", 'q', LEA_OPT_ALL, NULL,                        \
			"Fewer messages; twice: nothing but errors."),                             \
		LEA_OPT(s, m.test, FLAG, "test", 't', LEA_OPT_ALL, NULL, "Change nothing."),       \
		LEA_OPT(s, m.verbose, COUNT, "verbose", 'v', LEA_OPT_ALL, NULL,                    \
			"More messages; up to four times."),                                       \
		LEA_OPT(s, m.version, FLAG, "version", 0, LEA_OPT_ALL, NULL, "Versions of lvm2."), \
		LEA_OPT(s, m.yes, FLAG, "yes", 'y', LEA_OPT_ALL, NULL,                             \
			"Answer yes; nothing here asks.")

struct lea_opts {
	const struct lea_opt *row;
	size_t count;		    /* at most 64 */
	void *values;		    /* the command's struct, zeroed */
	uint64_t given;		    /* out: bit i: row i was given */
	struct lea_list positional; /* out: the other arguments, in order */
	const char *usage;	    /* text of --help before the options */
	bool takes_numbers;	    /* "-2" is an argument, no option */
};

enum lea_opts_outcome {
	LEA_OPTS_UNKNOWN = 1, /* unknown option, named in @why; the real lvm may know it */
	LEA_OPTS_BAD,	      /* value missing or wrong: exit 3; @why is the message */
};

/* Returns 0, an enum lea_opts_outcome with the mistake in @why, or -ENOMEM. String values point
 * into @argv. Call lea_opts_done in every case. */
LEA_MUST_CHECK int lea_opts_parse(struct lea_opts *opts, int argc, char *argv[],
				  char why[static 256]);
/* Frees positional and the lists. */
void lea_opts_done(struct lea_opts *opts);

/* Returns the first given option that @form does not take; NULL: none. */
const struct lea_opt *lea_opts_stray(const struct lea_opts *opts, uint32_t form);
/* The option's value; NULL for FLAG, COUNT, LIST and NUMBERS. */
const char *lea_opt_value(const struct lea_opts *opts, const struct lea_opt *opt);

/* Prints the options for --help. */
void lea_opts_help(const struct lea_opts *opts, FILE *out);
