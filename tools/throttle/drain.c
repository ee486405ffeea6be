/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent throttle --drain: no command begins, all that run come to an end, and one of ours runs. */
#include "throttle/throttle_verb.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/fail.h"

struct drain {
	const struct lea_throttle_request *request;
	int event_fd; /* owned; -1 */
	struct lea_throttle_hold *hold;
	uint64_t deadline_ms; /* 0: none */
};

static int with_class(const struct drain *drain, const char *name, struct lea_throttle **ret_queue)
{
	return lea_throttle_open(drain->event_fd, LEA_THROTTLE_CLASSES, name,
				 drain->request->world->clock, ret_queue);
}

static int empty(void *arg, const char *name)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;
	const struct drain *drain = arg;
	int r = lea_throttle_class_ok(name) ? with_class(drain, name, &queue) : 0;

	if (r || !queue)
		return r;
	lea_throttle_tell_hold(queue, true);
	return lea_throttle_wait_idle(queue, drain->hold, drain->deadline_ms);
}

/* The closing wakes the heads. */
static int release(void *arg, const char *name)
{
	LEA_AUTO(lea_throttle_closep) struct lea_throttle *queue = NULL;

	if (lea_throttle_class_ok(name) && !with_class(arg, name, &queue))
		lea_throttle_tell_hold(queue, false);
	return 0;
}

static void drain_done(struct drain *drain)
{
	int r = 0;

	if (drain->hold)
		r = lea_throttle_each(drain->event_fd, LEA_THROTTLE_CLASSES, release, drain);
	if (r)
		lea_log_fault(drain->request->world->log, r, "throttle: waking those who wait");
	lea_throttle_unhold(drain->hold);
	lea_closep(&drain->event_fd);
}

/* Its own calls of us run at once: all others wait for it. */
static int run_command(struct drain *drain, struct lea_throttle_end *ret_end)
{
	const struct lea_throttle_request *request = drain->request;
	LEA_AUTO(lea_freep) char *path = NULL;
	struct lea_throttle_signals signals;
	struct lea_throttle_child child = {
		.argv = request->argv,
		.env = LEA_THROTTLE_ENV_DRAIN,
		.hold = drain->hold,
		.limit_ms = request->run_limit_ms,
		.log = request->world->log,
		.clock = request->world->clock,
		.signals = &signals,
		.parent = getpid(),
	};

	ret_end->code = lea_throttle_find_program(request->world, request->argv[0], &path);
	if (!path)
		return 0;
	child.path = path;
	lea_throttle_prepare_signals(&signals);
	return lea_throttle_attend(&child, ret_end);
}

static void drain_all(const struct lea_throttle_request *request, struct lea_throttle_end *ret_end)
{
	struct lea_world *world = request->world;
	LEA_AUTO(drain_done) struct drain drain = {.request = request};
	int r = drain.event_fd = lea_throttle_event_folder(world);

	*ret_end = (struct lea_throttle_end){.code = LEA_THROTTLE_CODE_TEMPFAIL};
	if (lea_throttle_is_nested(world) ||
	    (r >= 0 && lea_throttle_is_descended(r, NULL, NULL))) {
		lea_log(world->log, LEA_LOG_ERROR,
			"throttle: this command is throttled itself: a drain would wait for it");
		return;
	}
	if (request->wait_limit_ms)
		drain.deadline_ms = lea_world_now_ms(world) + request->wait_limit_ms;
	r = r < 0 ? r : lea_throttle_hold(drain.event_fd, world->clock, &drain.hold);
	if (r == LEA_THROTTLE_LATE) {
		lea_log(world->log, LEA_LOG_ERROR, "throttle: another drain is at work");
		return;
	}
	while (!r) {
		r = lea_throttle_each(drain.event_fd, LEA_THROTTLE_CLASSES, empty, &drain);
		if (r || !lea_throttle_hold_has_lapsed(drain.hold))
			break;
	}
	if (r == LEA_THROTTLE_LATE) {
		lea_log(world->log, LEA_LOG_ERROR,
			"throttle: commands still run; see: lvmevent throttle --list");
		return;
	}
	if (!r && request->argv)
		r = run_command(&drain, ret_end);
	else if (!r)
		ret_end->code = LEA_EXIT_DONE;
	if (r)
		ret_end->code = lea_tool_fail(world, r, "/run/lvm/event/throttle");
}

int lea_throttle_drain(const struct lea_throttle_request *request)
{
	struct lea_throttle_end end;

	drain_all(request, &end);
	return lea_throttle_end_as(&end);
}
