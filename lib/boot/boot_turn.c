/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/boot_turn.h"

#include <stdbool.h>

#include "base/cleanup.h"
#include "boot/boot_scan.h"
#include "boot/lock_folder.h"
#include "daemon/unfit.h"
#include "state/gate.h"
#include "state/queue_watch.h"

#define LOCK_FOLDER_MS 1000U

static bool is_gate_closed(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);

	return run_fd >= 0 && lea_gate_is_closed(run_fd);
}

/* Has the gate been opened since the boot began? Then a person may have taken down what this scan would
 * take for added, as if it is started once more by a unit that wants it; and who opened the gate has
 * reconciled what no scan has seen. */
static bool is_over(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);

	return run_fd >= 0 && lea_gate_is_armed(run_fd) && !lea_gate_is_closed(run_fd);
}

static enum lea_boot_turn end(const struct lea_boot_turns *turns)
{
	turns->ready(turns->arg);
	return LEA_BOOT_TURN_DONE;
}

static enum lea_boot_turn fail(struct lea_world *world, struct lea_boot_turns *turns)
{
	if (!turns->done.count || !is_gate_closed(world))
		return LEA_BOOT_TURN_FAILED;
	turns->pause_ms = lea_session_longer(turns->pause_ms, LEA_RETRY_MOST_MS);
	world->clock->sleep_ms(world->clock, turns->pause_ms);
	return is_gate_closed(world) ? LEA_BOOT_TURN_AGAIN : LEA_BOOT_TURN_FAILED;
}

static bool is_gate_open(const struct lea_session *session)
{
	return !is_gate_closed(session->world);
}

/* The runner comes behind units that may wait for the same devices. */
static enum lea_boot_turn wait_unfit(const struct lea_session *session,
				     const struct lea_queue_watch *watch,
				     const struct lea_boot_turns *turns)
{
	turns->ready(turns->arg);
	if (lea_unfit_wait(session, watch, is_gate_open))
		return LEA_BOOT_TURN_AGAIN;
	return is_over(session->world) ? LEA_BOOT_TURN_DONE : LEA_BOOT_TURN_FAILED;
}

/* Where the folder's mount is late, stock lvm2 does not wait for it either. */
static void wait_for_locks(const struct lea_session *session)
{
	const char *folder = session->conf->locking_dir;

	if (lea_lock_folder_wait(session->world, folder, LOCK_FOLDER_MS))
		lea_log(session->world->log, LEA_LOG_WARNING,
			"%s: something is yet to be mounted over lvm2's locks", folder);
}

enum lea_boot_turn lea_boot_turn(struct lea_session *session, int begun,
				 struct lea_boot_turns *turns)
{
	LEA_AUTO(lea_queue_watch_close) struct lea_queue_watch watch = {.fd = -1, .mounts_fd = -1};
	struct lea_world *world = session->world;
	/* The runner starts deferred monitoring, after the gate has opened. */
	struct lea_boot_scan_options options = {.ready = turns->ready,
						.arg = turns->arg,
						.done = &turns->done,
						.batch = {.is_boot = true, .defers_watch = true}};
	int r;

	if (begun)
		return fail(world, turns);
	if (is_over(world))
		return end(turns);
	wait_for_locks(session);
	r = lea_session_begin_batches(session, &options.batch);
	if (!lea_session_watch(session, &watch))
		options.watch = &watch;
	if (r)
		return r == LEA_SESSION_UNFIT ? wait_unfit(session, &watch, turns)
					      : fail(world, turns);
	r = lea_boot_scan_run(&options);
	if (r < 0) {
		lea_session_fail(world, r, "boot scan");
		return fail(world, turns);
	}
	turns->pause_ms = 0;
	return r == LEA_BOOT_SCAN_CONF ? LEA_BOOT_TURN_AGAIN : end(turns);
}
