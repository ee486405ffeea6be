/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmeventd/lvmeventd.h"

#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "conf/setup.h"
#include "boot/boot_turn.h"
#include "daemon/session.h"
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

/* ---- boot */

static void notify_ready(void *arg)
{
	(void)arg;
	sd_notify(0, "READY=1\nSTATUS=Caught up with udev");
}

/* *ret_code: why it has failed. */
static enum lea_boot_turn take_turn(struct lea_world *world, struct lea_boot_turns *turns,
				    int *ret_code)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	const int begun = lea_session_begin(world, &session);

	*ret_code = begun ? begun : LEA_EXIT_FAILED;
	if (!begun && lea_stands_aside(world)) {
		notify_ready(NULL);
		return LEA_BOOT_TURN_DONE;
	}
	if (!begun)
		lea_timeline_open(world, "boot");
	return lea_boot_turn(&session, begun, turns);
}

static int run_boot(struct lea_world *world, int argc, char *argv[])
{
	struct lea_boot_turns turns = {.ready = notify_ready};
	enum lea_boot_turn turn = LEA_BOOT_TURN_AGAIN;
	int code = lea_lvmevent_parse_plain("boot", argc, argv);

	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("boot");
	while (turn == LEA_BOOT_TURN_AGAIN)
		turn = take_turn(world, &turns, &code);
	lea_device_queue_done(&turns.done);
	return turn == LEA_BOOT_TURN_DONE ? LEA_EXIT_DONE : code;
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
