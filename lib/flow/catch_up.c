/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons with the waits that belong to them. */
#include "flow/catch_up.h"

#include "base/cleanup.h"
#include "flow/mark.h"
#include "flow/wait.h"
#include "state/claim.h"
#include "state/gate.h"
#include "state/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The boot pass looks at what it has heard of a second later at the latest. */
#define REST_MS 1500U

/* What the boot pass had not recorded when all was compared. */
struct left {
	struct lea_claim_pv *pv; /* [count]; those before @at have a record by now */
	size_t count, room, at;
};

static void left_done(struct left *left)
{
	free(left->pv);
}

static int leave(void *arg, const struct lea_entry *entry)
{
	struct left *left = arg;
	struct lea_claim_pv *bigger;
	const size_t room = left->room ? 2 * left->room : 64;

	if (left->count == left->room) {
		bigger = reallocarray(left->pv, room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		left->pv = bigger;
		left->room = room;
	}
	left->pv[left->count] = (struct lea_claim_pv){.major = entry->device.major,
						      .minor = entry->device.minor,
						      .diskseq = entry->device.diskseq};
	memcpy(left->pv[left->count++].pvid, entry->pvid, sizeof(left->pv->pvid));
	return 0;
}

/* Each is asked for until it has its record, then never again. */
static bool are_recorded(const struct lea_sweep_how *how, struct left *left)
{
	while (left->at < left->count) {
		const struct lea_claim_pv *pv = &left->pv[left->at];
		const struct lea_device device = {
			.major = pv->major, .minor = pv->minor, .diskseq = pv->diskseq};

		if (!lea_mark_is_set(how->event_fd, &device, pv->pvid))
			return false;
		left->at++;
	}
	return true;
}

/* udev never told of it: the worker was killed when it had written the database. */
static int put(void *arg, const struct lea_entry *entry)
{
	const struct lea_sweep_how *how = arg;

	return lea_queue_put_if_absent(how->event_fd, entry);
}

/* 0, LEA_WAIT_LATE, -ESRCH: it has gone before all were recorded, -EAGAIN: it rests before. */
static int wait_for_boot_pass(const struct lea_sweep_how *how, struct left *left,
			      uint32_t deadline_ms)
{
	struct lea_clock *clock = how->world->clock;
	const uint64_t begin = clock->now_ms(clock);
	uint64_t now = begin, rests_since = begin;

	while (!are_recorded(how, left)) {
		if (!lea_boot_pass_runs(how))
			return -ESRCH;
		now = clock->now_ms(clock);
		if (lea_queue_is_running(how->event_fd))
			rests_since = now;
		else if (now - rests_since >= REST_MS)
			return -EAGAIN;
		if (now - begin >= deadline_ms)
			return LEA_WAIT_LATE;
		clock->sleep_ms(clock, lea_wait_pause_ms(now - begin));
	}
	return 0;
}

int lea_catch_up(const struct lea_sweep_how *how, uint32_t deadline_ms,
		 struct lea_sweep_result *ret_result)
{
	LEA_AUTO(left_done) struct left left = {0};
	struct lea_clock *clock = how->world->clock;
	struct lea_sweep_how leaving = *how;
	uint64_t begin, waited;
	int r;

	leaving.left = deadline_ms ? leave : put;
	leaving.arg = deadline_ms ? (void *)&left : &leaving;
	r = lea_sweep(&leaving, ret_result);
	if (r || !deadline_ms)
		return r;
	begin = clock->now_ms(clock);
	r = wait_for_boot_pass(how, &left, deadline_ms);
	/* What a filter keeps out, or can't be read, has no record, either, and gets a look. */
	leaving.left = r == -EAGAIN ? put : NULL;
	leaving.arg = &leaving;
	if (r == -EAGAIN || r == -ESRCH)
		r = lea_sweep(&leaving, ret_result);
	waited = clock->now_ms(clock) - begin;
	if (r || waited >= deadline_ms)
		return r ? r : LEA_WAIT_LATE;
	return lea_wait_idle(how, deadline_ms - (uint32_t)waited);
}

/* So long has udev done nothing at all, and has not come to its end: what it has then hangs. */
#define NAME_AFTER_MS 10000U

/* udev gives up a device that hangs after minutes. It is named before that, by one more look at all
 * devices; what had no event by then is queued by it, too. */
static void name_those_that_hang(const struct lea_sweep_how *how)
{
	struct lea_sweep_how naming = *how;
	struct lea_sweep_result result;

	naming.names = true;
	if (lea_sweep(&naming, &result) < 0)
		lea_log(how->world->log, LEA_LOG_DEBUG, "devices that udev has: not all compared");
}

/* As lea_wait_udev without @quiet_ms. */
static int wait_and_name(const struct lea_sweep_how *how, uint32_t deadline_ms)
{
	struct lea_clock *clock = how->world->clock;
	const uint64_t begin = clock->now_ms(clock);
	int r = lea_wait_udev(how, deadline_ms, NAME_AFTER_MS);
	const uint64_t waited_ms = clock->now_ms(clock) - begin;

	if (r != LEA_WAIT_LATE || waited_ms >= deadline_ms)
		return r;
	name_those_that_hang(how);
	return lea_wait_udev(how, deadline_ms - (uint32_t)waited_ms, 0);
}

/* Events that saw the gate closed leave their record only when their worker is through.
 * *ret_gets_on: udev has more to do than there is time for, and is at it. */
static int wait_for_those_in_work(const struct lea_sweep_how *how, bool *ret_gets_on)
{
	const struct lea_conf *conf = how->conf;
	struct lea_clock *clock = how->world->clock;
	uint64_t begin;
	int r = wait_and_name(how, conf->gate_deadline_ms);

	*ret_gets_on = false;
	if (r != LEA_WAIT_LATE || !conf->boot_quiet_ms)
		return r;
	begin = clock->now_ms(clock);
	r = lea_wait_udev(how, conf->gate_wait_ms, conf->boot_quiet_ms);
	*ret_gets_on = r == LEA_WAIT_LATE && clock->now_ms(clock) - begin >= conf->gate_wait_ms;
	return r;
}

int lea_gate_open_and_sweep(const struct lea_sweep_how *how)
{
	struct lea_sweep_how again = *how;
	struct lea_sweep_result result;
	bool gets_on;
	int r, run_fd = lea_world_run(how->world);

	if (run_fd < 0)
		return run_fd;
	r = lea_gate_open(run_fd);
	r = r ? r : lea_sweep(how, &result);
	if (r)
		return r;
	if (how->opened)
		how->opened();
	r = wait_for_those_in_work(how, &gets_on);
	/* What udev has neither finished nor in work now, a killed worker has lost: with udev
	 * there, its event is repeated. What it has not come to is none of these. */
	again.retrigger = lea_udev_runs(how->world) && !gets_on;
	return r < 0 ? r : lea_sweep(&again, &result);
}
