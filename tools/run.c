/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent run: the runner. With --stay it sleeps on the queue when there is nothing to do: in a
 * burst of uevents the service manager is the last one to have time to start it.
 */
#include <errno.h>
#include <malloc.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/step.h"
#include "flow/runner.h"
#include "flow/sweep.h"
#include "flow/workers.h"
#include "lvmevent.h"
#include "session.h"
#include "state/gate.h"
#include "state/queue_watch.h"
#include "world/proc.h"

#define LINGER_MS     100U /* without --stay: so long for a further event */
#define COALESCE_MS   20   /* so long without a further event: work */
#define COALESCE_MOST 10U  /* so often in a row at most */
#define SEEN_MOST     65536U
#define IDLE_MS	      10000 /* so long without work: children go, memory is given back */

enum stay_outcome {
	STAY_CONF = 1, /* settings have changed: begin anew */
	STAY_GONE,     /* no queue any more */
};

struct run {
	struct lea_session *session;
	struct lea_batch_how batch;
	struct lea_batch_summary summary;
	struct lea_queue_watch watch;
	uint64_t compare_at_ms; /* 0: so long after now as is set */
	void *seen;		/* keys that were in hand and have not gone: tree of strings */
	size_t seen_count;
};

static int compare_keys(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Only saves work: without it a device is looked at once more. */
static void note_seen(struct run *run, const char *key)
{
	char *copy = tfind(key, &run->seen, compare_keys) ? NULL : strdup(key);

	if (!copy)
		return;
	/* Removals that were lost must not fill the memory, one by one. */
	if (run->seen_count == SEEN_MOST) {
		tdestroy(run->seen, free);
		run->seen = NULL;
		run->seen_count = 0;
	}
	if (tsearch(copy, &run->seen, compare_keys))
		run->seen_count++;
	else
		free(copy);
}

static void forget_seen(struct run *run, const char *key)
{
	char **node = tfind(key, &run->seen, compare_keys), *copy;

	if (!node)
		return;
	copy = *node;
	tdelete(key, &run->seen, compare_keys);
	free(copy);
	run->seen_count--;
}

static bool was_seen(void *arg, const struct lea_entry *entry)
{
	const struct run *run = arg;

	return tfind(entry->key, &run->seen, compare_keys) != NULL;
}

static int process(void *arg, struct lea_entry *entries, size_t count)
{
	struct run *run = arg;

	for (size_t i = 0; i < count; i++) {
		if (entries[i].device.is_gone)
			forget_seen(run, entries[i].key);
		else
			note_seen(run, entries[i].key);
	}
	return lea_batch_run(&run->batch, entries, count, &run->summary);
}

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

/*
 * The program that udev started for an event may have been killed, or found /run full: then nothing
 * pends, nobody will ever say so, and only a look at all devices finds the one that was lost.
 */
static void compare(struct run *run)
{
	struct lea_session *session = run->session;
	const struct lea_sweep_how how = {.world = session->world,
					  .conf = session->conf,
					  .event_fd = session->event_fd,
					  .skips = was_seen,
					  .arg = run};
	struct lea_sweep_result result = {0};
	int r, run_fd = lea_world_run(session->world);

	/* While the gate is closed somebody else looks at all devices. */
	if (run_fd < 0 || !session->conf->event_activation || lea_gate_is_closed(run_fd))
		return;
	lea_batch_tidy(session->world, session->event_fd);
	r = lea_sweep(&how, &result);
	if (r < 0)
		lea_log(session->world->log, LEA_LOG_WARNING, "comparing devices with records: %s",
			strerror(-r));
	else if (result.enqueued)
		lea_log(session->world->log, LEA_LOG_WARNING,
			"%zu device(s) were not announced by an event and are looked at now",
			result.enqueued);
}

/* Milliseconds until the next comparison is due; -1: never. */
static int left_ms(struct run *run)
{
	struct lea_clock *clock = run->session->world->clock;
	const uint32_t every_ms = run->session->conf->compare_ms;
	uint64_t now = clock->now_ms(clock);

	if (!every_ms)
		return -1;
	if (!run->compare_at_ms)
		run->compare_at_ms = now + every_ms;
	return now < run->compare_at_ms ? (int)(run->compare_at_ms - now) : 0;
}

static void compare_if_due(struct run *run)
{
	if (left_ms(run))
		return;
	compare(run);
	run->compare_at_ms = 0;
}

static void rest(struct run *run)
{
	tidy(run);
	lea_workers_stop(run->session->workers);
	lea_prober_drop(run->session->prober);
	malloc_trim(0);
}

static int outcome_of(int told)
{
	return told == LEA_QUEUE_WATCH_CONF   ? STAY_CONF
	       : told == LEA_QUEUE_WATCH_GONE ? STAY_GONE
					      : told;
}

/* Nothing is pending: sleep until there is, and a moment longer, since events come in bursts. */
static int stay(void *arg)
{
	struct run *run = arg;
	int told, left;

	lea_batch_report(&run->batch, &run->summary);
	run->summary = (struct lea_batch_summary){.is_off_said = run->summary.is_off_said};
	compare_if_due(run);
	left = left_ms(run);
	told = lea_queue_watch_wait(&run->watch, left >= 0 && left < IDLE_MS ? left : IDLE_MS);
	if (told == LEA_QUEUE_WATCH_QUIET)
		rest(run);
	while (told == LEA_QUEUE_WATCH_QUIET) {
		compare_if_due(run);
		told = lea_queue_watch_wait(&run->watch, left_ms(run));
	}
	for (unsigned int i = 0; told == 0 && i < COALESCE_MOST; i++) {
		told = lea_queue_watch_wait(&run->watch, COALESCE_MS);
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
					   .arg = run,
					   .failed_attempts = session->conf->failed_attempts,
					   .wait_ms = LINGER_MS,
					   .clock = session->world->clock,
					   .log = session->world->log};
	int r = stays ? start_watching(run) : 0;

	r = r ? r : lea_runner_run(&how);
	lea_batch_report(&run->batch, &run->summary);
	if (run->watch.fd >= 0)
		lea_queue_watch_close(&run->watch);
	tdestroy(run->seen, free);
	run->seen = NULL;
	return r;
}

/* The same process anew, so that the service manager has nothing to do with it. */
static int begin_anew(struct lea_world *world)
{
	static const char *const argv[] = {"/proc/self/exe", "run", "--stay", NULL};

	return lea_session_fail(world, lea_proc_exec(argv), "beginning anew with new settings");
}

static int run_runner(struct lea_world *world, bool stays)
{
	LEA_AUTO(lea_session_end) struct lea_session session = {.event_fd = -1};
	struct run run = {.session = &session, .watch = {.fd = -1}};
	int r, code;

	LEA_STEP_ROLE("run");
	code = lea_session_begin(world, &session);
	code = code ? code : lea_session_begin_batches(&session, &run.batch);
	if (code)
		return code;
	r = run_all(&run, stays);
	if (r < 0)
		return lea_session_fail(world, r, "events");
	return r == STAY_CONF && stays ? -1 : LEA_EXIT_DONE;
}

int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {
		{"help", 'h', LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, help), LEA_OPT_ALL,
		 NULL, "This text."},
		{"stay", 0, LEA_OPT_COUNT, offsetof(struct lea_lvmevent_args, stay), LEA_OPT_ALL,
		 NULL, "Don't leave when nothing is pending: wait for more (unit)."}};
	struct lea_lvmevent_args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, "run [--stay]", argc, argv);

	lea_opts_done(&opts);
	if (code >= 0)
		return code;
	code = run_runner(world, args.stay != 0);
	return code < 0 ? begin_anew(world) : code;
}
