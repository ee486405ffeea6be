/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting by looking now and then: rarely where it takes long.
 */
#include "flow/wait.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "state/flag.h"
#include "state/queue.h"

#define POLL_MS	     100U
#define MOST_POLL_MS 500U
#define GATE_POLL_MS 500U /* nobody waits for the end of this wait */

uint64_t lea_wait_pause_ms(uint64_t waited_ms)
{
	const uint64_t part = waited_ms / 16;

	return part < POLL_MS ? POLL_MS : part > MOST_POLL_MS ? MOST_POLL_MS : part;
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
	return !lea_queue_has_work(event_fd) && !lea_queue_is_running(event_fd);
}

int lea_wait_idle(const struct lea_sweep_how *how, uint32_t deadline_ms)
{
	struct lea_clock *clock = how->world->clock;
	const uint64_t begin = clock->now_ms(clock);
	const uint32_t quiet_ms = how->conf->boot_quiet_ms;
	uint64_t now, worked = begin;

	while (!is_idle(how->event_fd)) {
		now = clock->now_ms(clock);
		if (lea_queue_is_running(how->event_fd))
			worked = now;
		if (now - begin >= deadline_ms || (quiet_ms && now - worked >= quiet_ms))
			return LEA_WAIT_LATE;
		clock->sleep_ms(clock, lea_wait_pause_ms(now - begin));
	}
	return 0;
}

/* What changes whenever an event begins or ends: udev writes down each device it is done with. */
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

/* How a wait for udev ends. */
struct patience {
	uint32_t deadline_ms, quiet_ms, poll_ms;	    /* poll_ms 0: as it takes */
	bool (*is_needed)(const struct lea_sweep_how *how); /* NULL: always */
};

static int wait_udev(const struct lea_sweep_how *how, const struct patience *patience)
{
	struct lea_clock *clock = how->world->clock;
	const uint64_t begin = clock->now_ms(clock);
	struct trace last = {0}, now_is;
	uint64_t now, changed = begin;

	while (lea_udev_is_busy(how->world)) {
		if (patience->is_needed && !patience->is_needed(how))
			return 0;
		now = clock->now_ms(clock);
		now_is = look_at_udev(how->world);
		if (!is_same(&now_is, &last))
			changed = now;
		last = now_is;
		if (now - begin >= patience->deadline_ms ||
		    (patience->quiet_ms && now - changed >= patience->quiet_ms))
			return LEA_WAIT_LATE;
		clock->sleep_ms(clock, patience->poll_ms ? patience->poll_ms
							 : lea_wait_pause_ms(now - begin));
	}
	return 0;
}

int lea_wait_udev(const struct lea_sweep_how *how, uint32_t deadline_ms, uint32_t quiet_ms)
{
	return wait_udev(how, &(struct patience){deadline_ms, quiet_ms, 0, NULL});
}

bool lea_boot_pass_runs(const struct lea_sweep_how *how)
{
	return lea_flag_is_up(how->event_fd, LEA_FLAG_BOOT);
}

int lea_gate_wait(const struct lea_sweep_how *how)
{
	return wait_udev(how, &(struct patience){how->conf->gate_wait_ms, how->conf->boot_quiet_ms,
						 GATE_POLL_MS, lea_boot_pass_runs});
}
