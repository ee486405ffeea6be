/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent gate, which ends the boot scan's phase, and lvmevent sweep, which compares udev's PVs
 * with the records (reconcile).
 */
#include "enable/gate_verb.h"

#include "cli/args.h"
#include "rules/rule_override.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/log_ids.h"
#include "base/step.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "daemon/reconcile_wait.h"
#include "daemon/session.h"
#include "daemon/udev_wait.h"
#include "enable/vg_summary.h"
#include "state/gate.h"
#include "world/timeline.h"

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

/* Services ordered after the gate need not wait for events that udev still processes: udev may take
 * long. */
static void notify_open(void)
{
	sd_notify(0, "READY=1\nSTATUS=Open");
}

static int open_now(struct lea_world *world)
{
	int r, run_fd = lea_world_run(world);

	r = run_fd < 0 ? run_fd : lea_gate_open(run_fd);
	if (r < 0)
		return lea_tool_fail(world, r, "opening the gate");
	lea_timeline_open(world, "gate");
	lea_timeline_note(world, LEA_RING_GATE_OPEN, &(struct lea_timeline_note){0});
	return LEA_EXIT_DONE;
}

/* One line at the end of a boot. */
static void tell_summary(struct lea_world *world)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_BOOT};
	char text[LEA_VG_SUMMARY_BYTES];
	struct lea_vg_summary summary;

	if (lea_vg_summary_read(world, &summary))
		return;
	lea_vg_summary_describe(&summary, text);
	lea_log_with(world->log, LEA_LOG_PRINT, &fields, "boot: %s", text);
}

static bool is_closed(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	return run_fd >= 0 && lea_gate_is_closed(run_fd);
}

static int open_gate(struct lea_world *world, bool wait)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct lea_reconcile_options options = {
		.world = world, .is_boot = true, .opened = wait ? notify_open : NULL};
	const bool was_closed = is_closed(world);
	int r, opened, code;

	LEA_CRASHPOINT_ROLE("gate");
	code = lea_session_check_place(world) ? LEA_EXIT_FAILED : 0;
	if (code)
		return code;
	if (lea_stands_aside(world)) {
		notify_open();
		return LEA_EXIT_DONE;
	}
	code = lea_session_begin(world, &session);
	options.conf = session.conf;
	options.event_fd = session.event_fd;
	if (!code && wait) {
		sd_notify(0, "STATUS=Waiting for the boot scan");
		r = lea_gate_wait(&options);
		if (r < 0)
			lea_log(world->log, LEA_LOG_WARNING, "waiting for the boot scan: %s",
				strerror(-r));
	}
	/* Open after any failure: a broken lvm.conf must not keep the gate closed. */
	opened = open_now(world);
	if (code || opened)
		return code ? code : opened;
	/* Not earlier in the boot: the root was read-only and could not keep lvm's answer. */
	lea_setup_check_defaults(world);
	r = lea_gate_open_and_reconcile(&options);
	if (was_closed)
		tell_summary(world);
	return r < 0 ? lea_tool_fail(world, r, "reconcile after the gate was opened")
		     : LEA_EXIT_DONE;
}

struct gate_args {
	struct lea_args shared;
	unsigned int wait;
};

static int run_gate(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"wait", 0, LEA_OPT_COUNT, offsetof(struct gate_args, wait), LEA_OPT_ALL, NULL,
		 "With open: first wait while the boot scan and udev make progress."}};
	struct gate_args args = {.shared = {.most_words = 1}};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "gate open [--wait]|status", argc, argv);

	if (code < 0 && args.shared.word && !strcmp(args.shared.word, "status")) {
		printf("gate: %s\n", lea_gate_word(world));
		code = LEA_EXIT_DONE;
	} else if (code < 0 && (!args.shared.word || strcmp(args.shared.word, "open") != 0)) {
		fprintf(stderr, "  Usage: lvmevent gate open [--wait]|status\n");
		code = LEA_EXIT_PARAMS;
	}
	lea_opts_done(&opts);
	return code >= 0 ? code : open_gate(world, args.wait != 0);
}

const struct lea_cmd lea_cmd_gate = {
	.name = "gate",
	.help = "Open the gate, or print its state.",
	.example = "gate status",
	.page = "lvmevent",
	.run = run_gate,
};

static int sweep(struct lea_session *session, bool is_boot, bool wait)
{
	const struct lea_reconcile_options options = {.world = session->world,
						      .conf = session->conf,
						      .event_fd = session->event_fd,
						      .is_boot =
							      is_boot || is_closed(session->world)};
	struct lea_reconcile_result result = {0};
	int r;

	/* With --wait also wait for events that udev processes now, up to a deadline: a sick disk
	 * may block udev forever. */
	r = wait ? lea_wait_udev(&options, session->conf->boot_deadline_ms, LEA_UDEV_QUIET_MS) : 0;
	r = r < 0 ? r : lea_reconcile_and_wait(&options, wait ? SWEEP_WAIT_MS : 0, &result);
	if (r < 0)
		return lea_tool_fail(session->world, r, "reconcile");
	printf("%zu devices compared, %zu to be processed, %zu not finished by udev\n",
	       result.devices, result.enqueued, result.unfinished);
	if (result.unnamed)
		printf("%zu devices whose content udev does not name are read, once\n",
		       result.unnamed);
	if (r == LEA_WAIT_TIMED_OUT)
		lea_log(session->world->log, LEA_LOG_WARNING,
			"devices are still pending; see: lvmevent status");
	return LEA_EXIT_DONE;
}

struct sweep_args {
	struct lea_args shared;
	unsigned int wait, boot;
};

static int run_sweep(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"wait", 0, LEA_OPT_COUNT, offsetof(struct sweep_args, wait), LEA_OPT_ALL, NULL,
		 "Wait (up to a minute) until the pending devices are processed."},
		{"boot", 0, LEA_OPT_COUNT, offsetof(struct sweep_args, boot), LEA_OPT_ALL, NULL,
		 "Do nothing if boot_gate is 0 (for the boot's service)."}};
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct sweep_args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "sweep [--wait] [--boot]", argc, argv);

	lea_opts_done(&opts);
	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("sweep");
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	/* The runner is ordered after the boot's services: without a boot scan no process would
	 * work on the queue, and --wait would wait in vain. */
	if ((args.boot && !session.conf->boot_gate) || lea_stands_aside(world))
		return LEA_EXIT_DONE;
	return sweep(&session, args.boot != 0, args.wait != 0);
}

const struct lea_cmd lea_cmd_sweep = {
	.name = "sweep",
	.help = "Reconcile: compare all devices with the records.",
	.example = "sweep --wait",
	.page = "lvmevent",
	.run = run_sweep,
};
