/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line of the simulator; HACKING says how it is used. */
#include "sim/crowd.h"
#include "sim/draw.h"
#include "sim/judge.h"
#include "sim/random.h"
#include "sim/words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
	"usage: sim [OPTION...]                 search for histories with a finding\n"
	"       sim --replay FILE...            carry out these histories\n"
	"       sim --shrink FILE               make the history smaller that has a finding\n"
	"       sim --draw [--seed N]           print the history of a seed\n"
	"  --seed N        of the first history (default: from the time)\n"
	"  --seconds S, --hours H, --histories N, --steps N   when to end (default: after 60 seconds)\n"
	"  --jobs N        processes at a time (default: one a CPU)\n"
	"  --keep-going    collect findings by kind, instead of ending at the first one\n"
	"  --write DIR     writes each kind of finding to a file, as --replay reads it\n"
	"  --except TEXT   leave out findings that contain it; may be repeated\n"
	"  --places        print all places that were reached\n"
	"  --tries N       with --replay: with N seeds, one after the other, until there is a finding\n"
	"  --shortages N   with --replay: then N times with a shortage of one call, each time another one\n"
	"  --trace         with --replay: print steps, states and log lines\n"
	"Exit status: 0, 1 with a finding, 2 if it could not run, 3 for wrong options.\n";

enum {
	OPT_SEED = 1,
	OPT_SECONDS,
	OPT_HOURS,
	OPT_HISTORIES,
	OPT_STEPS,
	OPT_JOBS,
	OPT_KEEP_GOING,
	OPT_PLACES,
	OPT_WRITE,
	OPT_EXCEPT,
	OPT_TRACE,
	OPT_TRIES,
	OPT_SHORTAGES,
	OPT_REPLAY,
	OPT_SHRINK,
	OPT_DRAW,
	OPT_HELP
};

static const struct option options[] = {{"seed", required_argument, NULL, OPT_SEED},
					{"seconds", required_argument, NULL, OPT_SECONDS},
					{"hours", required_argument, NULL, OPT_HOURS},
					{"histories", required_argument, NULL, OPT_HISTORIES},
					{"steps", required_argument, NULL, OPT_STEPS},
					{"jobs", required_argument, NULL, OPT_JOBS},
					{"keep-going", no_argument, NULL, OPT_KEEP_GOING},
					{"places", no_argument, NULL, OPT_PLACES},
					{"except", required_argument, NULL, OPT_EXCEPT},
					{"write", required_argument, NULL, OPT_WRITE},
					{"tries", required_argument, NULL, OPT_TRIES},
					{"shortages", required_argument, NULL, OPT_SHORTAGES},
					{"trace", no_argument, NULL, OPT_TRACE},
					{"replay", no_argument, NULL, OPT_REPLAY},
					{"shrink", no_argument, NULL, OPT_SHRINK},
					{"draw", no_argument, NULL, OPT_DRAW},
					{"help", no_argument, NULL, OPT_HELP},
					{NULL, 0, NULL, 0}};

#define EXCEPT_MOST 20U

struct task {
	struct sim_crowd crowd;
	int verb; /* 0: search */
	bool prints_places, traces;
	unsigned tries, shortages;
	const char *except[EXCEPT_MOST + 1];
	size_t except_count;
};

static bool set_number(const char *text, double *ret_number)
{
	char *end;

	*ret_number = strtod(text, &end);
	return *text && !*end && *ret_number >= 0;
}

static bool set_option(struct task *task, int option)
{
	double number = 0;

	if (option == OPT_WRITE)
		task->crowd.folder = optarg;
	else if (option == OPT_EXCEPT && task->except_count < EXCEPT_MOST)
		task->except[task->except_count++] = optarg;
	else if (optarg && !set_number(optarg, &number))
		return false;
	switch (option) {
	case OPT_SEED:
		task->crowd.seed = strtoull(optarg, NULL, 10);
		return true;
	case OPT_SECONDS:
		task->crowd.seconds = number;
		return true;
	case OPT_HOURS:
		task->crowd.seconds = number * 3600;
		return true;
	case OPT_HISTORIES:
		task->crowd.histories = (uint64_t)number;
		return true;
	case OPT_STEPS:
		task->crowd.most_steps = (uint64_t)number;
		return true;
	case OPT_JOBS:
		task->crowd.jobs = (unsigned)number;
		return true;
	case OPT_TRIES:
		task->tries = (unsigned)number;
		return true;
	case OPT_SHORTAGES:
		task->shortages = (unsigned)number;
		return true;
	case OPT_KEEP_GOING:
		return task->crowd.keeps_going = true;
	case OPT_WRITE:
	case OPT_EXCEPT:
		return true;
	case OPT_PLACES:
		return task->prints_places = true;
	case OPT_TRACE:
		return task->traces = true;
	case OPT_REPLAY:
	case OPT_SHRINK:
	case OPT_DRAW:
	case OPT_HELP:
		task->verb = option;
		return true;
	default:
		return false;
	}
}

static int read_history(const char *path, struct sim_history *ret_history)
{
	FILE *in = fopen(path, "re");
	unsigned line;
	int r;

	if (!in) {
		fprintf(stderr, "sim: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	r = sim_words_read(in, ret_history, &line);
	if (r)
		fprintf(stderr, "sim: %s:%u: no step has these words\n", path, line);
	fclose(in);
	return r;
}

static void print_findings(const struct sim_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		printf("     %s\n", findings->text[i]);
}

/* As in most of the histories that are drawn: few calls come so late. */
static void put_shortage(struct sim_random *random, const struct sim_history *of,
			 struct sim_history *ret_history)
{
	const uint32_t at = sim_random_below(random, of->count);

	*ret_history = *of;
	memmove(&ret_history->step[at + 1], &of->step[at], (of->count - at) * sizeof(*of->step));
	ret_history->step[at] = (struct sim_step){
		.op = SIM_SHORT_ONCE,
		.n = sim_random_below(random, sim_random_chance(random, 50) ? 30 : 400)};
	ret_history->count++;
}

/* A fault of a call that works the next time must not be an answer. Returns as replay. */
static int replay_short(const struct task *task, struct sim_judge *judge, const char *path,
			const struct sim_history *history)
{
	struct sim_random random = {.at = task->crowd.seed};
	struct sim_findings findings = {.count = 0};
	struct sim_history with;

	for (unsigned i = 0; i < task->shortages && history->count && history->count < SIM_STEPS; i++) {
		put_shortage(&random, history, &with);
		if (sim_judge_history(judge, &with, &findings))
			return 2;
		if (!findings.count)
			continue;
		printf("FAIL %s with a shortage\n", path);
		print_findings(&findings);
		sim_words_print(&with, stdout);
		return 1;
	}
	return 0;
}

/* 0; 1: with a finding; 2: could not run. */
static int replay(const struct task *task, const char *path)
{
	struct sim_judge judge = {.except = task->except,
				  .trace = task->traces ? stdout : NULL};
	struct sim_findings findings = {.count = 0};
	struct sim_history history;
	unsigned tries = task->tries ? task->tries : 1, try = 0;

	if (read_history(path, &history))
		return 2;
	/* The seed is the times between the steps: what a history shows should not hang on it. */
	for (; try < tries && !findings.count; try++) {
		if (try)
			history.seed = history.seed * 31 + try;
		if (sim_judge_history(&judge, &history, &findings))
			return 2;
	}
	printf("%s %s\n", findings.count ? "FAIL" : "ok  ", path);
	print_findings(&findings);
	if (findings.count && try > 1)
		printf("     with seed %" PRIu64 "\n", history.seed);
	return findings.count ? 1 : replay_short(task, &judge, path, &history);
}

static int replay_all(const struct task *task, char **paths)
{
	int worst = 0, r;

	if (sim_begin())
		return 2;
	for (; *paths; paths++) {
		r = replay(task, *paths);
		worst = r > worst ? r : worst;
	}
	sim_finish();
	return worst;
}

static int shrink(const char *path)
{
	char kind[SIM_FINDING_BYTES], text[SIM_FINDING_BYTES];
	struct sim_judge judge = {.trace = NULL};
	struct sim_findings findings;
	struct sim_history history;

	if (!path || read_history(path, &history) || sim_begin() ||
	    sim_judge_history(&judge, &history, &findings))
		return 2;
	if (findings.count) {
		memcpy(text, findings.text[0], sizeof(text));
		sim_finding_kind(text, kind);
		sim_crowd_shrink(&history, kind, 5000, 0, text);
		printf("# %s\n", text);
	}
	sim_words_print(&history, stdout);
	sim_finish();
	return findings.count ? 1 : 0;
}

static void print_kinds(const struct sim_crowd *crowd)
{
	for (size_t i = 0; i < crowd->kind_count; i++) {
		printf("%6" PRIu64 " times, first after %.0f s: %s\n# seed %" PRIu64 "\n",
		       crowd->kind[i].count, crowd->kind[i].after_s, crowd->kind[i].text,
		       crowd->kind[i].seed);
		sim_words_print(&crowd->kind[i].history, stdout);
		printf("\n");
	}
}

static int search(struct task *task)
{
	struct sim_crowd *crowd = &task->crowd;
	int r;

	if (!(crowd->seconds > 0) && !crowd->histories && !crowd->most_steps)
		crowd->seconds = 60;
	crowd->except = task->except;
	printf("sim: --seed %" PRIu64 "\n", crowd->seed);
	r = sim_crowd_run(crowd);
	if (crowd->keeps_going && crowd->kind_count) {
		printf("== all kinds, with the smallest history of each\n");
		print_kinds(crowd);
	}
	if (task->prints_places)
		sim_cover_print(&crowd->cover, stdout);
	printf("sim: %" PRIu64 " steps in %" PRIu64
	       " histories, %.0f histories a minute, %.0f steps a second; %zu places, %zu with "
	       "an op before; %" PRIu64 " histories kept; %zu kinds of findings\n",
	       crowd->steps, crowd->done, 60.0 * (double)crowd->done / (crowd->took_s + 0.001),
	       (double)crowd->steps / (crowd->took_s + 0.001), crowd->cover.count,
	       crowd->cover.pair_count, crowd->kept, crowd->kind_count);
	if (r)
		fprintf(stderr, "sim: %s\n", strerror(-r));
	r = r ? 2 : crowd->kind_count ? 1 : 0;
	sim_crowd_done(crowd);
	return r;
}

int main(int argc, char **argv)
{
	struct task task = {.crowd = {.seed = (uint64_t)time(NULL)}};
	struct sim_history history;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!set_option(&task, option)) {
			fputs(help, stderr);
			return 3;
		}
	switch (task.verb) {
	case OPT_HELP:
		fputs(help, stdout);
		return 0;
	case OPT_REPLAY:
		return replay_all(&task, argv + optind);
	case OPT_SHRINK:
		return shrink(argv[optind]);
	case OPT_DRAW:
		sim_history_draw(task.crowd.seed, &history);
		sim_words_print(&history, stdout);
		return 0;
	default:
		return search(&task);
	}
}
