/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent's own subcommands, for the boot's services, for udev and for people. */
#include "cli/args.h"
#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "daemon/boot_scan.h"
#include "daemon/session.h"
#include "doctor/doctor_verb.h"
#include "enable/enable_verb.h"
#include "enable/gate_verb.h"
#include "enable/status_verb.h"
#include "explain/explain_verb.h"
#include "explain/plan_verb.h"
#include "inventory/inventory_verb.h"
#include "lvmeventd/generator_verb.h"
#include "lvmeventd/initramfs_verb.h"
#include "lvmeventd/monitor_verb.h"
#include "lvmeventd/needed_verb.h"
#include "lvmeventd/run_verb.h"
#include "rules/rule_override.h"
#include "state/gate.h"
#include "state/queue.h"
#include "throttle/throttle_verb.h"
#include "timeline/timeline_verb.h"
#include "wait/wait_verb.h"
#include "worker/pool.h"
#include "world/place.h"
#include "world/proc.h"
#include "world/timeline.h"

static const struct lea_opt help_row = LEA_LVMEVENT_HELP;

/* For commands whose only option is --help. */
static int parse_plain(const char *usage, int argc, char *argv[])
{
	struct lea_args args = {0};
	struct lea_opts opts = {.row = &help_row, .count = 1, .values = &args};
	int code = lea_lvmevent_parse(&opts, usage, argc, argv);

	lea_opts_done(&opts);
	return code;
}

/* ---- boot */

static void notify_ready(void *arg)
{
	(void)arg;
	sd_notify(0, "READY=1\nSTATUS=Caught up with udev");
}

static int run_boot(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	/* The runner starts deferred monitoring, after the gate has opened. */
	struct lea_boot_scan_options how = {.ready = notify_ready,
					    .batch = {.is_boot = true, .defers_watch = true}};
	int r, code = parse_plain("boot", argc, argv);

	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("boot");
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	if (lea_stands_aside(world)) {
		notify_ready(NULL);
		return LEA_EXIT_DONE;
	}
	lea_timeline_open(world, "boot");
	code = lea_session_begin_batches(&session, &how.batch) ? LEA_EXIT_FAILED : 0;
	if (code)
		return code;
	r = lea_boot_scan_run(&how);
	notify_ready(NULL);
	return r < 0 ? lea_tool_fail(world, r, "boot scan") : code;
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
	LEA_CRASHPOINT_ROLE("arm");
	lea_setup_check_defaults(world);
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	r = lea_rule_override_write(world, world->root, &count);
	if (r < 0)
		return lea_tool_fail(world, r, "udev rule");
	if (!count)
		lea_log(world->log, LEA_LOG_WARNING, LEA_STANDS_ASIDE);
	lea_rule_override_put_dm(world, session.conf, world->root);
	start = !count ? LEA_GATE_STOCK : session.conf->boot_gate ? LEA_GATE_CLOSED : LEA_GATE_NONE;
	run_fd = lea_world_run(world);
	proc_fd = lea_world_proc(world);
	r = run_fd < 0 ? run_fd : proc_fd < 0 ? proc_fd : lea_gate_begin(run_fd, proc_fd, start);
	if (r < 0)
		return lea_tool_fail(world, r, "arming the gate");
	lea_timeline_open(world, "arm");
	if (start == LEA_GATE_CLOSED)
		lea_timeline_note(world, LEA_RING_GATE_CLOSED, &(struct lea_timeline_note){0});
	return LEA_EXIT_DONE;
}

/* ---- refresh */

static void reload_udev(struct lea_world *world)
{
	static const char *const argv[] = {"/usr/bin/udevadm", "control", "--reload", NULL};
	int code = 0, r = lea_proc_run(argv, &code);

	if (r || code)
		lea_log(world->log, LEA_LOG_WARNING, "udevadm control --reload: %s",
			r ? strerror(-r) : "failed");
}

static int refresh(struct lea_world *world, const struct lea_conf *conf)
{
	char why[LEA_DM_RULES_WHY_BYTES];
	const char *word;
	int r = lea_rule_override_refresh(world, conf, world->root);

	if (r == LEA_RULE_NOT_ARMED) {
		printf("lvmevent is not in charge: no rule was written\n");
		return LEA_EXIT_DONE;
	}
	if (r < 0)
		return lea_tool_fail(world, r, "refresh");
	reload_udev(world);
	word = lea_dm_rules_describe(world, conf, why);
	printf("device-mapper rules: %s%s%s\n", word, *why ? ": " : "", why);
	return LEA_EXIT_DONE;
}

static int run_refresh(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_conf *conf = NULL;
	int place, code = parse_plain("refresh", argc, argv);

	if (code >= 0)
		return code;
	place = lea_place_check(world);
	if (place) {
		printf("This is %s: no rule was written\n", lea_place_name(place));
		return LEA_EXIT_DONE;
	}
	code = lea_setup(world, &settings, &conf);
	code = code ? code : refresh(world, conf);
	lea_conf_free(conf);
	return code;
}

/* ---- retry */

static int run_retry(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.world = world, .event_fd = -1};
	size_t count = 0;
	int r, code = parse_plain("retry", argc, argv);

	if (code >= 0)
		return code;
	if (lea_session_open_queue(&session))
		return LEA_EXIT_FAILED;
	r = lea_queue_retry(session.event_fd, &count);
	if (r < 0)
		return lea_tool_fail(world, r, "retry");
	printf("%zu device(s) pending again\n", count);
	return LEA_EXIT_DONE;
}

const struct lea_cmd lea_cmd_lvmevent[] = {
	{"enable", "Put lvmevent in charge of event activation.", lea_lvmevent_enable},
	{"disable", "Give the machine back to lvm2.", lea_lvmevent_disable},
	{"status", "Print who is in charge, what is pending, and the state of VGs.",
	 lea_lvmevent_status},
	{"explain", "Print why VGs, LVs and PVs are not as they should be, and what to do.",
	 lea_lvmevent_explain},
	{"wait", "Wait until VGs, LVs or PVs are there, or print why they are not.",
	 lea_lvmevent_wait},
	{"plan", "Print what a boot would activate, and what it would leave alone.",
	 lea_lvmevent_plan},
	{"inventory", "Print all VGs, PVs and LVs, without waiting for locks.",
	 lea_lvmevent_inventory},
	{"doctor", "Print what makes storage slow or unsafe, and what to do.",
	 lea_lvmevent_doctor},
	{"timeline", "Print which VG took how long in a boot, and why.", lea_lvmevent_timeline},
	{"throttle", "Run a command when a slot is free: a fair queue for LVM's commands.",
	 lea_lvmevent_throttle},
	{"refresh", "Write our udev rules again (package triggers).", run_refresh},
	{"retry", "Put quarantined entries back into the queue.", run_retry},
	{"sweep", "Reconcile: compare all devices with the records.", lea_lvmevent_sweep},
	{"gate", "Open the gate, or print its state.", lea_lvmevent_gate},
	{"arm", "Close the gate and override lvm2's rule (boot).", run_arm},
	{"needed", "Activate what the boot needs before the coldplug (boot).", lea_lvmevent_needed},
	{"monitor", "Have LVs watched that are already active (boot).", lea_lvmevent_monitor},
	{"boot", "Activate while the gate is closed (boot).", run_boot},
	{"generator", "Write units for systemd (systemd).", lea_lvmevent_generator},
	{"initramfs", "Activate what the root file system needs (initramfs).",
	 lea_lvmevent_initramfs},
	{"run", "Process pending devices (unit).", lea_lvmevent_run},
	{NULL, NULL, NULL},
};
