/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmeventd/lvmeventd.h"

#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "boot/boot_scan.h"
#include "boot/lock_folder.h"
#include "daemon/session.h"
#include "daemon/wait_end.h"
#include "enable/gate_verb.h"
#include "enable/refresh_verb.h"
#include "lvmeventd/generator_verb.h"
#include "lvmeventd/initramfs_verb.h"
#include "lvmeventd/monitor_verb.h"
#include "lvmeventd/needed_verb.h"
#include "lvmeventd/run_verb.h"
#include "rules/rule_override.h"
#include "state/gate.h"
#include "world/timeline.h"
#include "world/udevd.h"

#define LOCK_FOLDER_MS 1000U
#define UNFIT_MS       2000U

/* ---- boot */

static void notify_ready(void *arg)
{
	(void)arg;
	sd_notify(0, "READY=1\nSTATUS=Caught up with udev");
}

/* With a filter that is wrong the boot scan can only end process 1's waits: the runner comes behind
 * units that may wait for the same devices. */
static bool wait_unfit(struct lea_session *session, const struct lea_queue_watch *watch)
{
	struct lea_world *world = session->world;
	const int run_fd = lea_world_run(world);

	notify_ready(NULL);
	while (run_fd >= 0 && lea_gate_is_closed(run_fd)) {
		lea_wait_end_at_limit(world, session->conf);
		world->clock->sleep_ms(world->clock, UNFIT_MS);
		if (watch->fd >= 0 && lea_queue_watch_read(watch) == LEA_QUEUE_WATCH_CONF)
			return true;
	}
	return false;
}

/* Returns an exit code. *ret_again: with the settings that are there now, or after a fault. */
static int scan_boot(struct lea_world *world, struct lea_device_queue *done, uint32_t *pause_ms,
		     bool *ret_again)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	LEA_AUTO(lea_queue_watch_close) struct lea_queue_watch watch = {.fd = -1, .mounts_fd = -1};
	/* The runner starts deferred monitoring, after the gate has opened. */
	struct lea_boot_scan_options options = {.ready = notify_ready,
						.done = done,
						.batch = {.is_boot = true, .defers_watch = true}};
	int r, code = lea_session_begin(world, &session);

	*ret_again = code && lea_boot_scan_stays(world, done, pause_ms);
	if (code)
		return code;
	if (lea_stands_aside(world)) {
		notify_ready(NULL);
		return LEA_EXIT_DONE;
	}
	/* Where the folder's mount is late, stock lvm2 does not wait for it either. */
	if (lea_lock_folder_wait(world, session.conf->locking_dir, LOCK_FOLDER_MS))
		lea_log(world->log, LEA_LOG_WARNING,
			"%s: something is yet to be mounted over lvm2's locks",
			session.conf->locking_dir);
	lea_timeline_open(world, "boot");
	r = lea_session_begin_batches(&session, &options.batch);
	if (!lea_session_watch(&session, &watch))
		options.watch = &watch;
	if (r) {
		*ret_again = r == LEA_SESSION_UNFIT ? wait_unfit(&session, &watch)
						    : lea_boot_scan_stays(world, done, pause_ms);
		return LEA_EXIT_FAILED;
	}
	r = lea_boot_scan_run(&options);
	*ret_again = r == LEA_BOOT_SCAN_CONF ||
		     (r < 0 && lea_boot_scan_stays(world, done, pause_ms));
	if (!r || r == LEA_BOOT_SCAN_CONF)
		*pause_ms = 0;
	if (!*ret_again)
		notify_ready(NULL);
	return r < 0 ? lea_tool_fail(world, r, "boot scan") : LEA_EXIT_DONE;
}

static int run_boot(struct lea_world *world, int argc, char *argv[])
{
	int code = lea_lvmevent_parse_plain("boot", argc, argv);
	struct lea_device_queue done = {0};
	uint32_t pause_ms = 0;
	bool again = true;

	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("boot");
	while (again)
		code = scan_boot(world, &done, &pause_ms, &again);
	lea_device_queue_done(&done);
	return code;
}

/* ---- arm */

/* Claims of an initramfs count no more, whatever fails next. If that leaves our rule in force, the
 * gate is open, and the runner works alone. */
static int begin_epoch(struct lea_world *world)
{
	const int run_fd = lea_world_run(world), proc_fd = lea_world_proc(world);

	return run_fd < 0    ? run_fd
	       : proc_fd < 0 ? proc_fd
			     : lea_gate_begin(run_fd, proc_fd, LEA_GATE_NONE);
}

/* Once udev works, those who would open the gate may be done already: when an arming that failed is
 * tried again, as on the way back from emergency mode. */
static bool may_close(struct lea_world *world, const struct lea_session *session)
{
	return session->conf->boot_gate && !lea_udevd_runs(world);
}

static int run_arm(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	enum lea_gate_start start;
	unsigned int count = 0;
	int r, code = lea_lvmevent_parse_plain("arm", argc, argv);

	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("arm");
	lea_setup_check_defaults(world);
	code = lea_session_begin(world, &session);
	if (code)
		return code;
	r = begin_epoch(world);
	if (r < 0)
		return lea_tool_fail(world, r, "a new epoch");
	r = lea_rule_override_write(world, world->root, &count);
	if (r < 0)
		return lea_tool_fail(world, r, "udev rule");
	if (!count)
		lea_log(world->log, LEA_LOG_WARNING, LEA_STANDS_ASIDE);
	lea_rule_override_put_dm(world, session.conf, world->root);
	start = !count			     ? LEA_GATE_STOCK
		: may_close(world, &session) ? LEA_GATE_CLOSED
					     : LEA_GATE_NONE;
	r = lea_gate_start(lea_world_run(world), start);
	if (r < 0)
		return lea_tool_fail(world, r, "arming the gate");
	lea_timeline_open(world, "arm");
	if (start == LEA_GATE_CLOSED)
		lea_timeline_note(world, LEA_RING_GATE_CLOSED, &(struct lea_timeline_note){0});
	return LEA_EXIT_DONE;
}

static const struct lea_cmd *const verbs[] = {
	&lea_cmd_pvscan,
	&lea_cmd_vgchange,
	LEA_VERB("arm", "Close the gate and override lvm2's rule (boot).", run_arm),
	LEA_VERB("needed", "Activate what the boot needs before the coldplug (boot).",
		 lea_lvmevent_needed),
	LEA_VERB("monitor", "Have LVs that are already active monitored (boot).",
		 lea_lvmevent_monitor),
	LEA_VERB("boot", "Activate while the gate is closed (boot).", run_boot),
	&lea_cmd_generator,
	LEA_VERB("initramfs", "Activate what the root file system needs (initramfs).",
		 lea_lvmevent_initramfs),
	LEA_VERB("run", "Process pending devices (unit).", lea_lvmevent_run),
	&lea_cmd_refresh,
	&lea_cmd_sweep,
	&lea_cmd_gate,
	NULL,
};

static const struct lea_group groups[] = {{NULL, verbs}, {NULL, NULL}};

const struct lea_program lea_lvmeventd = {
	.name = "lvmeventd",
	.about = "Event activation of LVM2 volume groups: what systemd, udev and the initramfs "
		 "start.",
	.group = groups,
	.is_for_services = true,
};
