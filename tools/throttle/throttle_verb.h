/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by throttle_verb.c, request.c, list.c and drain.c. */
#pragma once

#include "cli/args.h"
#include "throttle/run_command.h"

/* ---- throttle_verb.c */

/* Returns an exit code. */
int lea_lvmevent_throttle(struct lea_world *world, int argc, char *argv[]);

/* ---- request.c */

struct lea_throttle_args {
	struct lea_args shared;
	unsigned int json, list, drain, strict, vg_of, no_wait;
	const char *class_, *vg, *priority, *wait_limit, *run_limit, *label, *cancel;
};

/* --list, --cancel or --drain; @request has the limit of the wait. @argv: as that of
 * lea_throttle_main. Returns an exit code. */
typedef int lea_throttle_form(const struct lea_throttle_request *request,
			      const struct lea_throttle_args *args, char *argv[]);
/* `throttle OPTIONS`. Returns an exit code, or ends the process by the command's signal. */
int lea_throttle_main(struct lea_world *world, int argc, char *argv[], lea_throttle_form *other);
/* The exit code for how a command ended; a signal that ended it ends us, too: the caller sees what it
 * would have seen. */
int lea_throttle_end_as(const struct lea_throttle_end *end);
/* A command without options of ours, as a drop-in name starts it. The same. */
int lea_throttle_run_plain(struct lea_world *world, char *argv[]);

/* ---- list.c */

/* All classes with what runs and waits; @is_json: for scripts. Returns an exit code. */
int lea_throttle_list(struct lea_world *world, bool is_json);
/* Waiters whose label, or ticket ("42" or "change/42"), this is give up. Returns an exit code. */
int lea_throttle_cancel_word(struct lea_world *world, const char *word);

/* ---- drain.c */

/* Starts no further command, waits until none runs, and then runs the request's, if it has one; it
 * may be late by the request's limit of waits. Logs what fails. Returns an exit code. */
int lea_throttle_drain(const struct lea_throttle_request *request);
