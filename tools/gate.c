/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent gate and lvmevent sweep: the end of the boot pass's time, and the comparison that
 * belongs to it.
 */
#include "lvmevent.h"
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "flow/catch_up.h"
#include "flow/wait.h"
#include "state/gate.h"

#define SWEEP_WAIT_MS 60000U

const char *lea_gate_word(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	if (run_fd < 0)
		return "unknown";
	if (lea_gate_is_aside(run_fd))
		return "open, not in charge: no rule of ours is in place";
	if (lea_gate_is_closed(run_fd))
		return "closed";
	return lea_gate_is_armed(run_fd) ? "open" : "open, never armed";
}

bool lea_stands_aside(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	if (run_fd < 0 || !lea_gate_is_aside(run_fd))
		return false;
	lea_log(world->log, LEA_LOG_PRINT, LEA_STANDS_ASIDE);
	return true;
}

/* Who comes after need not wait for what udev still has in work: it may have it for long. */
static void say_open(void)
{
	sd_notify(0, "READY=1\nSTATUS=Open");
}

static int open_now(struct lea_world *world)
{
	int r, run_fd = lea_world_run(world);

	r = run_fd < 0 ? run_fd : lea_gate_open(run_fd);
	return r < 0 ? lea_session_fail(world, r, "opening the gate") : LEA_EXIT_DONE;
}

static int open_gate(struct lea_world *world, bool wait)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct lea_sweep_how how = {.world = world, .is_boot = true, .opened = say_open};
	int r, opened, code;

	LEA_STEP_ROLE("gate");
	code = lea_session_check_place(world);
	if (code)
		return code;
	if (lea_stands_aside(world)) {
		say_open();
		return LEA_EXIT_DONE;
	}
	code = lea_session_begin(world, &session);
	how.conf = session.conf;
	how.event_fd = session.event_fd;
	if (!code && wait) {
		sd_notify(0, "STATUS=Waiting for the boot pass");
		r = lea_gate_wait(&how);
		if (r < 0)
			lea_log(world->log, LEA_LOG_WARNING, "waiting for the boot pass: %s",
				strerror(-r));
	}
	/* Whatever has failed: a broken lvm.conf must not keep the gate closed. */
	opened = open_now(world);
	if (code || opened)
		return code ? code : opened;
	/* Early in the boot the answer could not be kept: the root was read-only. */
	lea_cmd_check_defaults(world);
	r = lea_gate_open_and_sweep(&how);
	return r < 0 ? lea_session_fail(world, r, "comparing after the gate was opened")
		     : LEA_EXIT_DONE;
}

int lea_lvmevent_gate(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"wait", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, wait), LEA_OPT_ALL,
		 NULL, "With open: first wait as long as the boot pass and udev get on."}};
	struct lea_lvmevent_args args = {.most_words = 1};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "gate open [--wait]|status", argc, argv);

	if (code < 0 && args.word && !strcmp(args.word, "status")) {
		printf("gate: %s\n", lea_gate_word(world));
		code = LEA_EXIT_DONE;
	} else if (code < 0 && (!args.word || strcmp(args.word, "open") != 0)) {
		fprintf(stderr, "  Usage: lvmevent gate open [--wait]|status\n");
		code = LEA_EXIT_PARAMS;
	}
	lea_opts_done(&opts);
	return code >= 0 ? code : open_gate(world, args.wait != 0);
}

static bool is_closed(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	return run_fd >= 0 && lea_gate_is_closed(run_fd);
}

static int sweep(struct lea_session *session, bool is_boot, bool wait)
{
	const struct lea_sweep_how how = {.world = session->world,
					  .conf = session->conf,
					  .event_fd = session->event_fd,
					  .is_boot = is_boot || is_closed(session->world)};
	struct lea_sweep_result result = {0};
	int r;

	/* Whoever waits wants what udev has in work now, too; a sick disk may keep it from ever
	 * ending. */
	r = wait ? lea_wait_udev(&how, session->conf->boot_deadline_ms,
				 session->conf->boot_quiet_ms)
		 : 0;
	r = r < 0 ? r : lea_catch_up(&how, wait ? SWEEP_WAIT_MS : 0, &result);
	if (r < 0)
		return lea_session_fail(session->world, r, "comparing devices with records");
	printf("%zu devices compared, %zu to be looked at, %zu not finished by udev\n",
	       result.devices, result.enqueued, result.unfinished);
	if (r == LEA_WAIT_LATE)
		lea_log(session->world->log, LEA_LOG_WARNING,
			"devices are still pending; not waiting any longer");
	return LEA_EXIT_DONE;
}

int lea_lvmevent_sweep(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"wait", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, wait), LEA_OPT_ALL,
		 NULL, "Wait (up to a minute) until all that is pending is done."},
		{"boot", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, boot), LEA_OPT_ALL,
		 NULL, "With boot_gate = 0 do nothing (the boot's service)."}};
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct lea_lvmevent_args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "sweep [--wait] [--boot]", argc, argv);

	lea_opts_done(&opts);
	if (code >= 0)
		return code;
	LEA_STEP_ROLE("sweep");
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	/* Who works on events is ordered behind the boot's service: it would wait in vain. */
	if ((args.boot && !session.conf->boot_gate) || lea_stands_aside(world))
		return LEA_EXIT_DONE;
	return sweep(&session, args.boot != 0, args.wait != 0);
}
