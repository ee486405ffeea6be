/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent's own subcommands: those that boot and udev call, and those for people.
 */
#include "lvmevent.h"
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "flow/batch.h"
#include "flow/bootpass.h"
#include "flow/workers.h"
#include "state/gate.h"
#include "state/queue.h"

static const struct lea_opt help_row = LEA_LVMEVENT_HELP;

int lea_lvmevent_parse(struct lea_opts *opts, const char *usage, int argc, char *argv[])
{
	struct lea_lvmevent_args *args = opts->values;
	char why[256] = "";
	int r = lea_opts_parse(opts, argc, argv, why);

	if (r == 0 && args->help) {
		printf("Usage: lvmevent %s\n", usage);
		lea_opts_help(opts, stdout);
		return LEA_EXIT_DONE;
	}
	if (r == 0 && opts->positional.count > args->most_words) {
		fprintf(stderr, "  Too many arguments. Usage: lvmevent %s\n", usage);
		return LEA_EXIT_PARAMS;
	}
	if (r) {
		fprintf(stderr, "  %s\n", r < 0 ? strerror(-r) : why);
		return LEA_EXIT_PARAMS;
	}
	args->word = opts->positional.count ? opts->positional.item[0] : NULL;
	return -1;
}

/* Commands with no option but --help. */
static int parse_plain(const char *usage, int argc, char *argv[])
{
	struct lea_lvmevent_args args = {0};
	struct lea_opts opts = {.row = &help_row, .count = 1, .values = &args};
	int code = lea_lvmevent_parse(&opts, usage, argc, argv);

	lea_opts_done(&opts);
	return code;
}

/* ---- boot */

static void say_ready(void *arg)
{
	(void)arg;
	sd_notify(0, "READY=1\nSTATUS=Caught up with udev");
}

static int run_boot(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	/* Whom dmeventd could not be told of is the runner's, behind the open gate. */
	struct lea_bootpass_how how = {.ready = say_ready,
				       .batch = {.is_boot = true, .defers_watch = true}};
	int r, code = parse_plain("boot", argc, argv);

	if (code >= 0)
		return code;
	LEA_STEP_ROLE("boot");
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	if (lea_stands_aside(world)) {
		say_ready(NULL);
		return LEA_EXIT_DONE;
	}
	code = lea_session_begin_batches(&session, &how.batch);
	if (code)
		return code;
	r = lea_bootpass_run(&how);
	say_ready(NULL);
	lea_workers_stop(session.workers);
	if (r < 0)
		code = lea_session_fail(world, r, "boot pass");
	/* The thread of the deadline may still sleep: nothing of ours is freed under it. */
	fflush(NULL);
	_exit(code);
}

/* ---- arm */

static int run_arm(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	enum lea_gate_start start;
	unsigned int count = 0;
	int r, run_fd, proc_fd, code = parse_plain("arm", argc, argv);

	if (code >= 0)
		return code;
	LEA_STEP_ROLE("arm");
	lea_cmd_check_defaults(world);
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	r = lea_shadow_write(world, world->root, &count);
	if (r < 0)
		return lea_session_fail(world, r, "udev rule");
	if (!count)
		lea_log(world->log, LEA_LOG_WARNING, LEA_STANDS_ASIDE);
	lea_shadow_put_dm(world, session.conf, world->root);
	start = !count		       ? LEA_GATE_STOCK
		: session.conf->boot_gate ? LEA_GATE_CLOSED
					  : LEA_GATE_NONE;
	run_fd = lea_world_run(world);
	proc_fd = lea_world_proc(world);
	r = run_fd < 0 ? run_fd : proc_fd < 0 ? proc_fd : lea_gate_begin(run_fd, proc_fd, start);
	return r < 0 ? lea_session_fail(world, r, "arming the gate") : LEA_EXIT_DONE;
}

/* ---- retry */

static int run_retry(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.world = world, .event_fd = -1};
	size_t count = 0;
	int r, code = parse_plain("retry", argc, argv);

	if (code >= 0)
		return code;
	code = lea_session_open_queue(&session);
	if (code)
		return code;
	r = lea_queue_retry(session.event_fd, &count);
	if (r < 0)
		return lea_session_fail(world, r, "retry");
	printf("%zu device(s) pending again\n", count);
	return LEA_EXIT_DONE;
}

const struct lea_cmd lea_cmd_lvmevent[] = {
	{"enable", "Put event activation by this program in charge.", lea_lvmevent_enable},
	{"disable", "Give the machine back to lvm2.", lea_lvmevent_disable},
	{"status", "Who is in charge, what is pending, what became of VGs.", lea_lvmevent_status},
	{"retry", "Look again at devices that were put aside.", run_retry},
	{"delegated", "VGs that the real lvm would get, and why.", lea_lvmevent_delegated},
	{"sweep", "Compare all devices with the records.", lea_lvmevent_sweep},
	{"gate", "Open the gate, or say what it is.", lea_lvmevent_gate},
	{"arm", "Close the gate and shadow lvm2's rule (boot).", run_arm},
	{"boot", "Activate while the gate is closed (boot).", run_boot},
	{"run", "Work on what is pending (unit).", lea_lvmevent_run},
	{NULL, NULL, NULL},
};
