/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/run_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log_syslog.h"
#include "base/step.h"
#include "state/throttle_bounds.h"
#include "world/proc.h"

/* Commands of class read at a time. Not by CPUs: reports read the same disks, whatever the CPUs.
 * Not one: a report that waits for a slow disk or for the lock of a VG leaves three slots to
 * others. */
#define READERS 4U
/* See lea_throttle_turn. A lower lane gets one of five slots: it always goes on, and a higher lane
 * is hardly slower for it. */
#define SHARE	4U
#define LINEAGE_MOST 64U /* of a call and the processes above it */

struct work {
	const struct lea_throttle_request *request;
	const struct lea_conf *conf;
	const char *class_;
	struct lea_throttle_bounds bounds;
	struct lea_throttle_entry entry;
	struct lea_throttle_vgs vgs; /* whose queues it waits in */
	const char *waits_for_vg;    /* in whose queue it waits now; NULL: in the class's */
	/* Owned: the class's, and then those of VGs; NULL: not open. */
	struct lea_throttle *queue[LEA_THROTTLE_QUEUES_MOST];
	int event_fd; /* owned; -1 */
	uint64_t began_ms, deadline_ms;
	struct lea_throttle_signals signals;
	bool is_over;
	char *path; /* owned */
};

static void close_queues(struct work *work)
{
	for (size_t i = 0; i < ARRAY_SIZE(work->queue); i++) {
		lea_throttle_close(work->queue[i]);
		work->queue[i] = NULL;
	}
}

/* Where a command has run, the end of the process closes everything: who waits gets its slot so
 * much earlier. */
static void work_done(struct work *work)
{
	free(work->path);
	if (work->is_over)
		return;
	close_queues(work);
	lea_closep(&work->event_fd);
}

static uint64_t now_of(const struct work *work)
{
	return lea_world_now_ms(work->request->world);
}

int lea_throttle_event_folder(struct lea_world *world)
{
	const int run_fd = lea_world_run(world);

	return run_fd < 0 ? run_fd : lea_file_open_folder(run_fd, "event");
}

/* ---- what the command is */

/* Copies what fits, without control characters. */
static void put_text(char *text, size_t size, const char *from)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s", from);
	lea_log_plain(text + used);
}

/* Only commands that take the lock of a VG wait for each other there, unless asked for. */
static void find_vgs(struct work *work)
{
	const struct lea_throttle_request *request = work->request;
	struct lea_throttle_vgs *vgs = &work->vgs;
	struct lea_throttle_entry *entry = &work->entry;

	if (request->vg) {
		vgs->count = request->vg[0] != '\0';
		put_text(vgs->name[0], sizeof(vgs->name[0]), request->vg);
	} else {
		lea_throttle_find_vgs(request->argv,
				      lea_world_env(request->world, LEA_THROTTLE_DEFAULT_VG), vgs);
	}
	for (size_t i = 0; i < vgs->count; i++) {
		put_text(entry->vg, sizeof(entry->vg), i ? "," : "");
		put_text(entry->vg, sizeof(entry->vg), vgs->name[i]);
	}
	if (!request->vg && strcmp(work->class_, LEA_THROTTLE_CHANGE) != 0)
		vgs->count = 0;
}

static void describe(struct work *work)
{
	const struct lea_throttle_request *request = work->request;
	struct lea_throttle_entry *entry = &work->entry;

	work->class_ = request->class_ ? request->class_ : lea_throttle_class(request->argv);
	find_vgs(work);
	put_text(entry->class_, sizeof(entry->class_), work->class_);
	put_text(entry->label, sizeof(entry->label), request->label);
	entry->pid = getpid();
	entry->since_ms = work->began_ms;
	for (size_t i = 0; request->argv[i]; i++) {
		put_text(entry->command, sizeof(entry->command), i ? " " : "");
		put_text(entry->command, sizeof(entry->command), request->argv[i]);
	}
}

static uint32_t slots_of(const struct work *work)
{
	return strcmp(work->class_, LEA_THROTTLE_READ) ? work->bounds.slots : READERS;
}

/* ---- the queues */

static uint32_t turn(const bool waits[static 3], uint32_t runs[static 2])
{
	return lea_throttle_turn(waits, &(struct lea_throttle_runs){runs[0], runs[1]}, SHARE);
}

static void count(uint32_t runs[static 2], uint32_t lane, const bool waits[static 3])
{
	struct lea_throttle_runs now = {runs[0], runs[1]};

	lea_throttle_count(&now, (enum lea_throttle_lane)lane, waits);
	runs[0] = now.high;
	runs[1] = now.normal;
}

/* sudo and env -i empty the environment: what a command starts behind them must not wait for its
 * slot. */
bool lea_throttle_is_descended(int event_fd, const struct lea_throttle *own, const char *class_)
{
	struct lea_proc_id ids[LINEAGE_MOST];
	const size_t count = lea_proc_lineage(ids, ARRAY_SIZE(ids));

	return lea_throttle_is_of_hold(event_fd, ids, count) ||
	       lea_throttle_is_any_command(event_fd, own, class_, ids, count);
}

static bool is_exempt(void *arg)
{
	const struct work *work = arg;

	return lea_throttle_is_descended(work->event_fd, work->queue[0], work->class_);
}

/* Only to a person, who else may take it for a command that hangs. */
static void tell_place(void *arg, const struct lea_throttle *queue)
{
	const struct work *work = arg;
	size_t place, all;

	if (!isatty(STDERR_FILENO) || lea_throttle_place(queue, &place, &all))
		return;
	fprintf(stderr, "  throttle: waiting for %s %s: number %zu of %zu\n",
		work->waits_for_vg ? "VG" : "a slot of class",
		work->waits_for_vg ? work->waits_for_vg : work->class_, place, all);
}

static int wait_in(struct work *work, struct lea_throttle *queue, uint32_t slots, bool yields)
{
	const struct lea_throttle_terms terms = {
		.lane = work->request->lane,
		.slots = slots,
		.deadline_ms = work->deadline_ms,
		.event_fd = yields ? work->event_fd : -1,
		.entry = &work->entry,
		.is_exempt = is_exempt,
		.tell = tell_place,
		.arg = work,
		.turn = turn,
		.count = count,
	};

	return lea_throttle_take(queue, &terms);
}

/* All, before there is a slot in any of them. */
static int open_all(struct work *work)
{
	struct lea_clock *clock = work->request->world->clock;
	int r = lea_throttle_open(work->event_fd, LEA_THROTTLE_CLASSES, work->class_, clock,
				  &work->queue[0]);

	for (size_t i = 0; !r && work->bounds.per_vg && i < work->vgs.count; i++)
		r = lea_throttle_open(work->event_fd, LEA_THROTTLE_VGS, work->vgs.name[i], clock,
				      &work->queue[1 + i]);
	return r;
}

/* Who makes a queue removes those that are idle, while it has none open. */
static int open_queues(struct work *work)
{
	bool is_any_new = false;
	int r = open_all(work);

	for (size_t i = 0; !r && i < ARRAY_SIZE(work->queue); i++)
		is_any_new |= work->queue[i] && lea_throttle_is_new(work->queue[i]);
	if (!is_any_new)
		return r;
	close_queues(work);
	lea_throttle_sweep_if_due(work->event_fd, work->request->world->clock);
	return open_all(work);
}

/* 0, LEA_THROTTLE_LATE, LEA_THROTTLE_EXEMPT or -errno. */
static int take_slots(struct work *work)
{
	struct lea_world *world = work->request->world;
	const bool yields = !strcmp(work->class_, LEA_THROTTLE_CHANGE);
	int r = work->event_fd = lea_throttle_event_folder(world);

	if (r < 0)
		return r;
	work->bounds = lea_throttle_bounds_find(world, work->event_fd, work->conf);
	if (!work->deadline_ms && work->bounds.wait_ms)
		work->deadline_ms = work->began_ms + work->bounds.wait_ms;
	r = open_queues(work);
	if (r)
		return r;
	work->entry.id = lea_throttle_next_id(work->queue[0]);
	lea_throttle_give_up_in(work->queue[0]);
	/* Those of VGs in the order of their names: then no two commands have what the other one
	 * waits for. */
	for (size_t i = 1; !r && i < ARRAY_SIZE(work->queue); i++) {
		work->waits_for_vg = work->vgs.name[i - 1];
		if (work->queue[i])
			r = wait_in(work, work->queue[i], work->bounds.per_vg, false);
	}
	work->waits_for_vg = NULL;
	r = r ? r : wait_in(work, work->queue[0], slots_of(work), yields);
	if (!r)
		lea_throttle_add_wait(work->queue[0],
				      lea_throttle_bucket(now_of(work) - work->began_ms));
	return r;
}

/* ---- the command */

static void run_child(struct work *work, struct lea_throttle_end *ret_end)
{
	const struct lea_throttle_request *request = work->request;
	struct lea_throttle *in_class = work->queue[0];
	char env[96];
	const struct lea_throttle_child child = {
		.path = work->path,
		.argv = request->argv,
		.queue = work->queue,
		.env = in_class ? env : NULL,
		.limit_ms = request->run_limit_ms,
		.log = request->world->log,
		.clock = request->world->clock,
		.signals = &work->signals,
		.parent = work->entry.pid,
	};
	int r;

	if (in_class)
		snprintf(env, sizeof(env), "%s %u %llu", work->class_,
			 lea_throttle_slot(in_class), (unsigned long long)work->entry.id);
	r = lea_throttle_attend(&child, ret_end);
	if (r) {
		lea_log_fault(request->world->log, r, "throttle: %s was not begun",
			      request->argv[0]);
		*ret_end = (struct lea_throttle_end){.code = LEA_THROTTLE_CODE_TEMPFAIL};
	}
	if (in_class)
		lea_throttle_add(in_class, !r && !ret_end->code && !ret_end->signal
						   ? LEA_THROTTLE_DONE
						   : LEA_THROTTLE_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(work->queue); i++)
		if (work->queue[i])
			lea_throttle_release(work->queue[i]);
	work->is_over = true;
}

/* Without a queue, and without a limit, there is nothing to stay for. */
static void run_at_once(struct work *work, struct lea_throttle_end *ret_end)
{
	const struct lea_throttle_request *request = work->request;
	int r;

	lea_throttle_give_up_in(NULL);
	close_queues(work);
	if (request->run_limit_ms) {
		run_child(work, ret_end);
		return;
	}
	lea_throttle_restore_signals(&work->signals);
	r = lea_proc_exec_as(work->path, request->argv);
	lea_log_fault(request->world->log, r, "%s", work->path);
	ret_end->code =
		r == -ENOENT ? LEA_THROTTLE_CODE_NOT_FOUND : LEA_THROTTLE_CODE_NOT_EXECUTABLE;
}

/* Its class, slot and number are in the environment. A daemon that was begun so may outlive the
 * slot. */
bool lea_throttle_is_nested(struct lea_world *world)
{
	const char *text = lea_world_env(world, LEA_THROTTLE_ENV);
	LEA_AUTO(lea_closep) int event_fd = -1;
	unsigned long long id;
	char class_[33];
	unsigned int slot;

	if (!text)
		return false;
	if (!strcmp(text, LEA_THROTTLE_ENV_DRAIN)) {
		event_fd = lea_throttle_event_folder(world);
		return event_fd >= 0 && lea_throttle_is_drained(event_fd, world->clock);
	}
	if (sscanf(text, "%32s %u %llu", class_, &slot, &id) != 3 || !lea_throttle_class_ok(class_))
		return false;
	event_fd = lea_throttle_event_folder(world);
	return event_fd >= 0 && lea_throttle_is_running(event_fd, class_, slot, id);
}

static void run_queued(struct work *work, struct lea_throttle_end *ret_end)
{
	const struct lea_throttle_request *request = work->request;
	int r = take_slots(work);

	if (!r) {
		run_child(work, ret_end);
		return;
	}
	if (r == LEA_THROTTLE_EXEMPT) {
		run_at_once(work, ret_end);
		return;
	}
	ret_end->code = LEA_THROTTLE_CODE_TEMPFAIL;
	if (r == LEA_THROTTLE_LATE) {
		lea_throttle_add(work->queue[0], LEA_THROTTLE_GIVEN_UP);
		lea_log(request->world->log, LEA_LOG_ERROR,
			"throttle: no slot was free in time; %s was not begun", request->argv[0]);
	} else if (request->is_strict) {
		lea_log(request->world->log, LEA_LOG_ERROR,
			"throttle: the queue in /run/lvm can't be used: %s; %s was not begun",
			strerror(-r), request->argv[0]);
	} else {
		lea_log(lea_log_syslog(), LEA_LOG_WARNING,
			"throttle: the queue in /run/lvm can't be used: %s; %s runs without a "
			"bound",
			strerror(-r), request->argv[0]);
		run_at_once(work, ret_end);
	}
}

void lea_throttle_run(const struct lea_throttle_request *request, const struct lea_conf *conf,
		      struct lea_throttle_end *ret_end)
{
	LEA_AUTO(work_done)
	struct work work = {.request = request, .conf = conf, .event_fd = -1};

	LEA_CRASHPOINT_ROLE("throttle");
	*ret_end = (struct lea_throttle_end){0};
	work.began_ms = now_of(&work);
	work.deadline_ms = request->wait_limit_ms ? work.began_ms + request->wait_limit_ms : 0;
	describe(&work);
	ret_end->code = lea_throttle_find_program(request->world, request->argv[0], &work.path);
	if (!work.path)
		return;
	lea_throttle_prepare_signals(&work.signals);
	if (lea_throttle_is_shell(request->argv) || lea_throttle_is_nested(request->world))
		run_at_once(&work, ret_end);
	else
		run_queued(&work, ret_end);
}
