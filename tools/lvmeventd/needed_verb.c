/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd needed: what the boot needs is activated before the coldplug. */

#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "cli/args.h"
#include "cli/fail.h"
#include "boot/needed.h"
#include "daemon/session.h"
#include "lvmeventd/needed_verb.h"
#include "state/flag.h"
#include "world/timeline.h"

#define GRACE_MS 5000U /* of the unit's start beyond the deadline, if not even the thread runs */

/* The unit is "started" then, and the coldplug begins. */
static void notify_ready(void *arg)
{
	(void)arg;
	sd_notify(0, "READY=1");
}

/* Whatever fails, the normal activation does the same later: the unit fails only if it is misused.
 */
static void run(struct lea_world *world)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	LEA_AUTO(lea_closep) int flag_fd = -1;
	int r;

	if (lea_session_begin(world, &session) ||
	    lea_conf_boot_wait(session.conf) == LEA_BOOT_WAIT_NONE)
		return;
	sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu",
		   (session.conf->needed_deadline_ms + GRACE_MS) * 1000ULL);
	r = lea_flag_raise(session.event_fd, LEA_FLAG_NEEDED, &flag_fd);
	if (r)
		lea_log(world->log, LEA_LOG_VERBOSE, "event/" LEA_FLAG_NEEDED ": %s",
			r < 0 ? strerror(-r) : "another process has it");
	lea_timeline_open(world, "needed");
	r = lea_needed_run(&session, notify_ready, NULL);
	if (r < 0)
		lea_tool_fail(world, r, "activating what the boot needs");
}

int lea_lvmevent_needed(struct lea_world *world, int argc, char *argv[])
{
	const int code = lea_lvmevent_parse_plain("needed", argc, argv);

	if (code >= 0)
		return code;
	LEA_CRASHPOINT_ROLE("needed");
	run(world);
	notify_ready(NULL);
	return LEA_EXIT_DONE;
}
