/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits by polling, at growing intervals. */
#include "daemon/udev_wait.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "state/flag.h"
#include "state/queue.h"

#define POLL_MS	     100U
#define MOST_POLL_MS 500U
#define GATE_POLL_MS 500U /* nothing depends on the end of this wait */

uint64_t lea_wait_pause_ms(uint64_t waited_ms)
{
	const uint64_t interval = waited_ms / 16;

	return interval < POLL_MS ? POLL_MS : interval > MOST_POLL_MS ? MOST_POLL_MS : interval;
}

int lea_wait_pause(struct lea_wait *wait, bool has_moved)
{
	const uint64_t now = wait->clock->now_ms(wait->clock);
	uint64_t waited_ms;

	if (!wait->has_begun)
		wait->begin_ms = now;
	if (has_moved || !wait->has_begun)
		wait->moved_ms = now;
	wait->has_begun = true;
	waited_ms = now - wait->begin_ms;
	if (wait->quiet_ms && now - wait->moved_ms >= wait->quiet_ms)
		return LEA_WAIT_QUIET;
	if (waited_ms >= wait->deadline_ms)
		return LEA_WAIT_TIMED_OUT;
	wait->clock->sleep_ms(wait->clock,
			      wait->poll_ms ? wait->poll_ms : lea_wait_pause_ms(waited_ms));
	return 0;
}

static bool exists(const struct lea_world *world, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", world->root, name);
	return lstat(path, &st) == 0;
}

bool lea_udev_is_busy(const struct lea_world *world)
{
	return exists(world, "/run/udev/queue");
}

bool lea_udev_runs(const struct lea_world *world)
{
	return exists(world, "/run/udev/control");
}

bool lea_udev_is_idle(const struct lea_world *world)
{
	return lea_udev_runs(world) && !lea_udev_is_busy(world);
}

static bool is_idle(int event_fd)
{
	return !lea_queue_has_work(event_fd) && lea_queue_ask_running(event_fd) == 0;
}

int lea_wait_idle(const struct lea_reconcile_options *options, uint32_t deadline_ms)
{
	struct lea_wait wait = {.clock = options->world->clock,
				.deadline_ms = deadline_ms,
				.quiet_ms = LEA_UDEV_QUIET_MS};

	while (!is_idle(options->event_fd))
		if (lea_wait_pause(&wait, lea_queue_ask_running(options->event_fd) != 0))
			return LEA_WAIT_TIMED_OUT;
	return 0;
}

/* Changes whenever an event begins or ends: udev writes a file for each device it has finished. */
struct trace {
	uint64_t seqnum;
	struct timespec written;
};

static struct trace look_at_udev(struct lea_world *world)
{
	struct trace trace = {0};
	char path[PATH_MAX], text[32];
	int sys_fd = lea_world_sys(world);
	struct stat st;

	if (sys_fd >= 0 && !lea_file_read_into(sys_fd, "kernel/uevent_seqnum", text, sizeof(text)))
		trace.seqnum = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "%s/run/udev/data", world->root);
	if (!stat(path, &st))
		trace.written = st.st_mtim;
	return trace;
}

static bool is_same(const struct trace *a, const struct trace *b)
{
	return a->seqnum == b->seqnum && a->written.tv_sec == b->written.tv_sec &&
	       a->written.tv_nsec == b->written.tv_nsec;
}

/* @is_needed: may end the wait; NULL: never. */
static int wait_udev(const struct lea_reconcile_options *options, struct lea_wait *wait,
		     int (*is_needed)(const struct lea_reconcile_options *options))
{
	struct trace last = {0}, now;
	bool has_moved;

	while (lea_udev_is_busy(options->world) && (!is_needed || is_needed(options) != 0)) {
		now = look_at_udev(options->world);
		has_moved = !is_same(&now, &last);
		last = now;
		if (lea_wait_pause(wait, has_moved))
			return LEA_WAIT_TIMED_OUT;
	}
	return 0;
}

int lea_wait_udev(const struct lea_reconcile_options *options, uint32_t deadline_ms,
		  uint32_t quiet_ms)
{
	struct lea_wait wait = {
		.clock = options->world->clock, .deadline_ms = deadline_ms, .quiet_ms = quiet_ms};

	return wait_udev(options, &wait, NULL);
}

int lea_boot_scan_ask(const struct lea_reconcile_options *options)
{
	return lea_flag_ask(options->event_fd, LEA_FLAG_BOOT);
}

int lea_gate_wait(const struct lea_reconcile_options *options)
{
	struct lea_wait wait = {.clock = options->world->clock,
				.deadline_ms = LEA_GATE_WAIT_MS,
				.quiet_ms = LEA_UDEV_QUIET_MS,
				.poll_ms = GATE_POLL_MS};

	return wait_udev(options, &wait, lea_boot_scan_ask);
}
