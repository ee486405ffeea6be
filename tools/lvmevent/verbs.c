/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lvmevent/lvmevent.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "daemon/session.h"
#include "doctor/doctor_verb.h"
#include "enable/enable_verb.h"
#include "enable/gate_verb.h"
#include "enable/refresh_verb.h"
#include "enable/status_verb.h"
#include "explain/explain_verb.h"
#include "explain/plan_verb.h"
#include "inventory/inventory_verb.h"
#include "state/queue.h"
#include "throttle/throttle_verb.h"
#include "timeline/timeline_verb.h"
#include "wait/wait_verb.h"

static int run_retry(struct lea_world *world, int argc, char *argv[])
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.world = world, .event_fd = -1};
	size_t count = 0;
	int r, code = lea_lvmevent_parse_plain("retry", argc, argv);

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

static const struct lea_cmd enable = {
	.name = "enable",
	.help = "Put lvmevent in charge of event activation.",
	.example = "enable --commands",
	.page = "lvmevent",
	.run = lea_lvmevent_enable,
};

static const struct lea_cmd disable = {
	.name = "disable",
	.help = "Give the machine back to lvm2.",
	.example = "disable",
	.page = "lvmevent",
	.run = lea_lvmevent_disable,
};

static const struct lea_cmd retry = {
	.name = "retry",
	.help = "Put quarantined entries back into the queue.",
	.example = "retry",
	.page = "lvmevent",
	.run = run_retry,
};

/* Its command may be anybody's. */
static const struct lea_cmd throttle = {
	.name = "throttle",
	.help = "Run a command when a slot is free: a fair queue for LVM's commands.",
	.example = "throttle --label pod-31 lvcreate -y -n pvc-31 -L 1g csi",
	.exits = "75: not started; 124: run limit; else that of the command",
	.run = lea_lvmevent_throttle,
	.is_for_all = true,
};

static const struct lea_cmd explain = {
	.name = "explain",
	.help = "Print why VGs, LVs and PVs are not as they should be, and what to do.",
	.example = "explain data",
	.run = lea_lvmevent_explain,
	.is_harmless = lea_lvmevent_explain_reads_page,
};

static const struct lea_cmd *const see[] = {
	LEA_VERB_HELP("status", "Print who is in charge, what is pending, and the state of VGs.",
		      lea_lvmevent_status, "status -x", "1: -x, and something is wrong"),
	&explain,
	LEA_VERB_HELP("plan", "Print what a boot would activate, and what it would leave alone.",
		      lea_lvmevent_plan, "plan --config /root/lvm.conf.new", NULL),
	LEA_VERB_HELP("inventory", "Print all VGs, PVs and LVs, without waiting for locks.",
		      lea_lvmevent_inventory, "inventory data", "1: --if-newer, and nothing is"),
	LEA_VERB_HELP("doctor", "Print what makes storage slow or unsafe, and what to do.",
		      lea_lvmevent_doctor, "doctor --only D8,D9 data",
		      "1: warnings; 2: data or the boot are at risk"),
	LEA_VERB_HELP("timeline", "Print which VG took how long in a boot, and why.",
		      lea_lvmevent_timeline, "timeline --boot -1", NULL),
	NULL,
};

static const struct lea_cmd *const act[] = {
	&enable,
	&disable,
	LEA_VERB_HELP("wait", "Wait until VGs, LVs or PVs are there, or print why they are not.",
		      lea_lvmevent_wait, "wait --timeout 30 data fast/db",
		      "75: not there in time"),
	&throttle,
	NULL,
};

static const struct lea_cmd *const repair[] = {
	&retry,
	&lea_cmd_sweep,
	&lea_cmd_refresh,
	&lea_cmd_gate,
	NULL,
};

static const struct lea_cmd *const of_lvm2[] = {
	&lea_cmd_pvscan,
	&lea_cmd_vgchange,
	NULL,
};

static const struct lea_group groups[] = {
	{"See", see},
	{"Do", act},
	{"Repair", repair},
	{"As lvm2's commands", of_lvm2},
	{NULL, NULL},
};

const struct lea_program lea_lvmevent = {
	.name = "lvmevent",
	.about = "Event activation of LVM2 volume groups.",
	.end = "\nThe real lvm's commands (lvs, vgcreate, ...) are handed over to it.\n"
	       "Example: lvmevent explain data\n"
	       "Each command: lvmevent COMMAND --help, man lvmevent-COMMAND; all: man lvmevent\n",
	.group = groups,
	.hands_over = true,
};
