/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent run: the runner. With --stay it sleeps on the queue when there is nothing to do: in a
 * burst of uevents the service manager is the last one to have time to start it.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "anew.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/step.h"
#include "flow/known.h"
#include "flow/rivals.h"
#include "flow/runner.h"
#include "flow/sweep.h"
#include "flow/wait.h"
#include "flow/waiting.h"
#include "flow/watch_later.h"
#include "flow/workers.h"
#include "lvmevent.h"
#include "session.h"
#include "state/compare.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/queue_watch.h"
#include "world/udevmon.h"

#define LINGER_MS      100U /* without --stay: so long for a further event */
#define COALESCE_MS    20   /* so long without a further event: work */
#define COALESCE_MOST  10U  /* so often in a row at most */
#define IDLE_MS	       10000 /* so long without work: children go, memory is given back */
#define RETRY_MS       500U  /* after a shortage; doubled with each one in a row */
#define RETRY_MOST_MS  16000U
#define FAILED_MOST_MS (256U * 1000U) /* between two tries with devices that udev fails on */
#define ROOM_BYTES     16384U	      /* what udev needs for a device, amply */
#define TAG	       "lvmevent"
#define USAGE	       "run [--stay [--compare]]"

enum stay_outcome {
	STAY_CONF = 1, /* settings, or the program, have changed: begin anew */
	STAY_GONE,     /* no queue any more */
};

struct run {
	struct lea_session *session;
	struct lea_batch_how batch;
	struct lea_batch_summary summary;
	struct lea_queue_watch watch;
	struct lea_watch_later later;
	int flag_fd;	   /* owned; it stays; -1 */
	struct lea_anew *anew; /* owned; NULL: changes are not noticed */
	uint32_t retry_ms; /* how long the last shortage was waited for; 0: there was none */
	bool is_compare_due;
	char *event_path;	     /* owned */
	struct lea_udevmon *monitor; /* NULL: no udev to be heard */
	uint32_t failed_ms;	     /* how long the last failure of udev's was let rest */
	uint64_t failed_at_ms;	     /* when udev is asked again; 0: nothing failed */
	uint64_t compare_at_ms;	     /* from time to time; 0: so long after now as is set */
	uint32_t again_ms;	     /* the last pause before VGs were tried again */
	uint64_t again_at_ms;	     /* when they are; 0: none failed for the time being */
};


/* What processes of ours that were killed left half-written. */
static void tidy(const struct run *run)
{
	static const char *const folders[] = {"event",	      "event/queue",  "event/taken",
					      "event/failed", "event/claims", "pvs_online",
					      "pvs_lookup"};
	int run_fd = lea_world_run(run->session->world);

	for (size_t i = 0; run_fd >= 0 && i < ARRAY_SIZE(folders); i++)
		lea_file_tidy(run_fd, folders[i]);
}

static void rest(struct run *run)
{
	tidy(run);
	lea_workers_stop(run->session->workers);
	lea_prober_drop(run->session->prober);
	lea_known_forget(run->session->known);
	malloc_trim(0);
}

static uint32_t longer(uint32_t pause_ms, uint32_t most_ms)
{
	return !pause_ms ? RETRY_MS : pause_ms * 2 > most_ms ? most_ms : pause_ms * 2;
}

/* What was in hand is pending again. Children hold memory and descriptors: they go first. */
static int retry(void *arg, int shortage)
{
	struct run *run = arg;
	const struct lea_world *world = run->session->world;

	run->retry_ms = longer(run->retry_ms, RETRY_MOST_MS);
	lea_log(world->log, LEA_LOG_ERROR,
		"events: %s: %s; devices stay pending, tried again in %u.%u s", strerror(-shortage),
		lea_session_hint(shortage), run->retry_ms / 1000, run->retry_ms % 1000 / 100);
	rest(run);
	world->clock->sleep_ms(world->clock, run->retry_ms);
	return 0;
}

static uint64_t now_ms(const struct run *run)
{
	struct lea_clock *clock = run->session->world->clock;

	return clock->now_ms(clock);
}

/*
 * udev could not finish with a device, most likely because its own database has no room: then it
 * has run no program and kept no record. It is asked again, with pauses that grow.
 */
static void ask_udev_later(struct run *run)
{
	if (run->failed_at_ms)
		return;
	run->failed_ms = longer(run->failed_ms, FAILED_MOST_MS);
	run->failed_at_ms = now_ms(run) + run->failed_ms;
}

/* VGs failed for the time being: a comparison finds them, with pauses that grow. */
static void try_again_later(struct run *run)
{
	if (run->again_at_ms)
		return;
	run->again_ms = longer(run->again_ms, FAILED_MOST_MS);
	run->again_at_ms = now_ms(run) + run->again_ms;
}

static int process(void *arg, struct lea_entry *entries, size_t count)
{
	struct run *run = arg;
	const uint32_t before = run->summary.vgs_again;
	int r = lea_batch_run(&run->batch, entries, count, &run->summary);

	if (run->summary.vgs_again > before)
		try_again_later(run);
	if (r == 0)
		run->retry_ms = run->failed_ms = 0;
	return r;
}

/* Asking udev again is of no use before. */
static int check_room(const struct run *run)
{
	static const char room[ROOM_BYTES];
	int r = lea_file_replace(run->session->event_fd, "room", room, sizeof(room));

	if (r == 0)
		r = lea_file_remove(run->session->event_fd, "room");
	return r < 0 ? r : 0;
}

/* While the gate is closed somebody else looks at all devices. */
static bool may_compare(const struct run *run)
{
	int run_fd = lea_world_run(run->session->world);

	return run_fd >= 0 && run->session->conf->event_activation && !lea_gate_is_closed(run_fd) &&
	       !lea_gate_is_aside(run_fd);
}

static int sweep(struct run *run, struct lea_sweep_how *how, struct lea_sweep_result *ret_result)
{
	struct lea_session *session = run->session;

	how->world = session->world;
	how->conf = session->conf;
	how->event_fd = session->event_fd;
	lea_batch_tidy(session->world, session->event_fd);
	return lea_sweep(how, ret_result);
}

/* Somebody could not leave a record of a device, or udev itself failed: all are compared. */
static int compare_all(struct run *run)
{
	/* Without room udev can't finish a device either: its events are repeated. */
	struct lea_sweep_how how = {.retrigger = lea_udev_is_idle(run->session->world)};
	struct lea_sweep_result result = {0};
	int r = may_compare(run) ? check_room(run) : 0;

	if (r == 0 && may_compare(run))
		r = sweep(run, &how, &result);
	r = r < 0 ? r : lea_compare_done(run->session->event_fd);
	if (r < 0)
		return lea_is_shortage(r) ? retry(run, r) : r;
	run->is_compare_due = false;
	run->retry_ms = 0;
	run->failed_at_ms = 0;
	if (result.unfinished && !how.retrigger)
		ask_udev_later(run);
	lea_log(run->session->world->log, LEA_LOG_PRINT,
		"An event could not be recorded: %zu device(s) compared, %zu to be looked at",
		result.devices, result.enqueued);
	return 0;
}

/*
 * The program that udev started for an event may have been killed: then nothing pends, nobody will
 * ever say so, and only a look at all devices finds the one that was lost.
 */
static void compare(struct run *run)
{
	struct lea_sweep_how how = {0};
	struct lea_sweep_result result = {0};
	int r;

	if (!may_compare(run))
		return;
	r = sweep(run, &how, &result);
	if (r < 0)
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"comparing devices with records: %s", strerror(-r));
	else if (result.enqueued)
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"%zu device(s) are read now: their event was lost, they could not be read, "
			"or their VG failed for the time being",
			result.enqueued);
	else
		run->again_ms = 0;
}

/* Milliseconds until the next comparison is due; -1: never. */
static int left_ms(struct run *run)
{
	const uint32_t every_ms = run->session->conf->compare_ms;
	uint64_t now = now_ms(run);

	if (!every_ms)
		return -1;
	if (!run->compare_at_ms)
		run->compare_at_ms = now + every_ms;
	return now < run->compare_at_ms ? (int)(run->compare_at_ms - now) : 0;
}

static void compare_if_due(struct run *run)
{
	if (left_ms(run) && (!run->again_at_ms || now_ms(run) < run->again_at_ms))
		return;
	run->compare_at_ms = run->again_at_ms = 0;
	compare(run);
}

static int earlier(int a_ms, int b_ms)
{
	return a_ms < 0 ? b_ms : b_ms < 0 || a_ms < b_ms ? a_ms : b_ms;
}

/* @at_ms: 0 is never. */
static int until_ms(uint64_t now, uint64_t at_ms)
{
	return !at_ms ? -1 : at_ms > now ? (int)(at_ms - now) : 0;
}

/* @limit_ms, or until something is to be done unasked; -1 is for ever. */
static int limit(struct run *run, int limit_ms)
{
	const uint64_t now = now_ms(run);

	limit_ms = earlier(limit_ms, left_ms(run));
	limit_ms = earlier(limit_ms, lea_workers_timeout_ms(run->session->workers));
	limit_ms = earlier(limit_ms, until_ms(now, run->again_at_ms));
	return earlier(limit_ms, until_ms(now, run->failed_at_ms));
}

/* LEA_QUEUE_WATCH_OTHER, or -errno. */
static int hear_others(struct run *run)
{
	int r;

	if (run->monitor && lea_udevmon_drain(run->monitor) == LEA_UDEVMON_FAILED)
		ask_udev_later(run);
	/* A worker that was left may have ended: then a device of its VG is pending. */
	r = lea_workers_step(run->session->workers);
	return r ? r : LEA_QUEUE_WATCH_OTHER;
}

/* 0: look again; LEA_QUEUE_WATCH_QUIET; else the outcome of staying, or -errno. */
static int wait(struct run *run, int limit_ms)
{
	int told;

	do {
		told = lea_queue_watch_wait(&run->watch, limit(run, limit_ms));
		if (told == LEA_QUEUE_WATCH_OTHER)
			told = hear_others(run);
	} while (told == LEA_QUEUE_WATCH_OTHER);
	run->is_compare_due |= told == LEA_QUEUE_WATCH_COMPARE;
	return told == LEA_QUEUE_WATCH_COMPARE ? 0 : told;
}

static int outcome_of(int told)
{
	return told == LEA_QUEUE_WATCH_CONF   ? STAY_CONF
	       : told == LEA_QUEUE_WATCH_GONE ? STAY_GONE
					      : told;
}

static bool must_compare_all(struct run *run)
{
	return run->is_compare_due || (run->failed_at_ms && now_ms(run) >= run->failed_at_ms) ||
	       lea_compare_take(run->session->event_fd) == LEA_COMPARE_DUE;
}

/* VGs that dmeventd could not be told of. 0; 1: devices are pending again. *ret_wait_ms: -1, or
 * when to ask again. */
static int watch_later(struct run *run, int *ret_wait_ms)
{
	int r = may_compare(run) ? lea_watch_later_step(&run->later, &run->batch, ret_wait_ms) : 0;

	if (r < 0) {
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"VGs that dmeventd was not told of: %s", strerror(-r));
		*ret_wait_ms = RETRY_MOST_MS;
	}
	return r > 0;
}

/* Nothing is pending: sleep until there is, and a moment longer, since events come in bursts. */
static int stay(void *arg)
{
	struct run *run = arg;
	int told, wait_ms = -1;

	lea_batch_report(&run->batch, &run->summary);
	run->summary = (struct lea_batch_summary){.is_off_said = run->summary.is_off_said};
	if (must_compare_all(run))
		return compare_all(run);
	compare_if_due(run);
	if (watch_later(run, &wait_ms))
		return 0;
	told = wait(run, earlier(IDLE_MS, wait_ms));
	if (told == LEA_QUEUE_WATCH_QUIET && wait_ms >= 0)
		return 0;
	if (told == LEA_QUEUE_WATCH_QUIET) {
		rest(run);
		if (lea_anew_at_rest(run->anew))
			return STAY_CONF;
		told = wait(run, lea_waiting_tell(run->batch.waiting, run->session->world));
		/* something is due */
		if (told == LEA_QUEUE_WATCH_QUIET)
			return 0;
	}
	if (told == 0 && lea_anew_at_work(run->anew))
		return STAY_CONF;
	for (unsigned int i = 0; told == 0 && i < COALESCE_MOST; i++) {
		told = wait(run, COALESCE_MS);
		if (told == LEA_QUEUE_WATCH_QUIET)
			return 0;
	}
	return outcome_of(told);
}

static int start_watching(struct run *run)
{
	struct lea_session *session = run->session;
	LEA_AUTO(lea_freep) char *dir = lea_world_path(session->world, session->conf->system_dir);
	int r = dir ? lea_queue_watch_open(session->event_fd, dir, &run->watch) : -ENOMEM;
	int proc_fd = lea_world_proc(session->world);

	if (r == 0)
		r = proc_fd < 0 ? proc_fd
				: lea_queue_watch_mounts(&run->watch, session->event_fd, proc_fd,
							 run->event_path);
	/* Without it failures of udev's are not heard of: the comparison by hand is left. */
	if (r == 0 && lea_udevmon_open(TAG, &run->monitor) == 0)
		run->watch.other_fd[0] = lea_udevmon_fd(run->monitor);
	/* For people: without room for it status takes this runner for none while it sleeps. */
	if (r == 0 && lea_flag_show(session->event_fd, LEA_FLAG_RESIDENT, &run->flag_fd) < 0)
		run->flag_fd = -1;
	run->watch.other_fd[1] = lea_workers_fd(session->workers);
	if (r == 0) {
		tidy(run);
		sd_notify(0, "READY=1");
	}
	return r;
}

static int run_all(struct run *run, bool stays)
{
	const struct lea_session *session = run->session;
	const struct lea_runner_how how = {.event_fd = session->event_fd,
					   .process = process,
					   .stay = stays ? stay : NULL,
					   .retry = stays ? retry : NULL,
					   .arg = run,
					   .failed_attempts = session->conf->failed_attempts,
					   .wait_ms = LINGER_MS,
					   .clock = session->world->clock,
					   .log = session->world->log};
	int r = stays ? start_watching(run) : 0;

	/* Settings may have changed: what was a copy may be none any more. */
	if (r == 0 && may_compare(run))
		lea_rivals_compare(session->world, session->conf, session->event_fd);
	r = r ? r : lea_runner_run(&how);
	/* What was there has gone with it; nothing works in a folder that is not there. */
	if (stays && run->watch.fd >= 0 && r != STAY_CONF && lea_queue_watch_is_gone(&run->watch))
		r = STAY_GONE;
	lea_batch_report(&run->batch, &run->summary);
	lea_waiting_tell(run->batch.waiting, session->world);
	/* To the runner that comes next; without --stay nobody may come, or one after the other. */
	if (stays)
		lea_workers_hand_over(session->workers);
	if (run->watch.fd >= 0)
		lea_queue_watch_close(&run->watch);
	lea_udevmon_close(run->monitor);
	lea_closep(&run->flag_fd);
	return r;
}

/* The exit code; -1: begin anew. *compare: with a comparison; before: that one is due now. */
static int run_runner(struct lea_world *world, bool stays, bool *compare)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct run run = {.session = &session,
			  .batch = {.defers_watch = stays},
			  .watch = {.fd = -1},
			  .flag_fd = -1,
			  .is_compare_due = *compare};
	int r, code;

	LEA_STEP_ROLE("run");
	code = lea_session_begin(world, &session);
	if (!code && stays)
		run.anew = lea_anew_note(world, session.conf);
	code = code ? code : lea_session_begin_batches(&session, &run.batch);
	if (code)
		return code;
	run.event_path = lea_world_path(world, "/run/lvm/event");
	r = run.event_path ? run_all(&run, stays) : -ENOMEM;
	free(run.event_path);
	lea_anew_free(run.anew);
	*compare = run.is_compare_due || r == STAY_GONE;
	if (r < 0)
		return lea_session_fail(world, r, "events");
	return stays && (r == STAY_CONF || r == STAY_GONE) ? -1 : LEA_EXIT_DONE;
}

int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		LEA_LVMEVENT_HELP,
		{"stay", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, stay), LEA_OPT_ALL,
		 NULL, "Don't leave when nothing is pending: wait for more (unit)."},
		{"compare", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, compare),
		 LEA_OPT_ALL, NULL, "With --stay: compare all devices with the records first."}};
	struct lea_lvmevent_args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);
	bool compare = args.compare != 0;

	lea_opts_done(&opts);
	if (code < 0 && compare && !args.stay) {
		fprintf(stderr, "  --compare needs --stay. Usage: lvmevent " USAGE "\n");
		code = LEA_EXIT_PARAMS;
	}
	if (code >= 0)
		return code;
	code = run_runner(world, args.stay != 0, &compare);
	return code < 0 ? lea_anew_begin(world, compare) : code;
}
