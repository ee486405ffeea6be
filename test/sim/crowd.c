/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/crowd.h"

#include "base/err.h"
#include "sim/draw.h"
#include "sim/judge.h"
#include "sim/random.h"
#include "sim/shrink.h"
#include "sim/words.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH	      300U
#define HISTORY_S     20U /* a history that takes longer has hung the machine */
#define CORPUS_MOST   3000U
#define SHRINK_TRIALS 300U
#define SHRINK_S      15.0
#define SHRINK_MOST   25U /* of one kind: more tell little that is new */
#define JOBS_MOST     16U

enum frame_type { FRAME_NEWS, FRAME_KEEP, FRAME_FINDING, FRAME_END };

/* At most PIPE_BUF bytes, so that the frames of several children do not mix. */
struct frame {
	uint32_t type, slot;
	uint64_t seed; /* 0: by mutation */
	enum sim_op op;
	char text[SIM_FINDING_BYTES];
	struct sim_history history;
};

static_assert(sizeof(struct frame) <= 4096, "PIPE_BUF");

/* What a parent sees of its batch at any time, also of one that has crashed. */
struct shared {
	struct sim_history now;
	uint64_t now_seed;
	uint64_t done, steps;
	bool must_stop, is_shrinking;
};

struct batch {
	struct sim_crowd *crowd;
	struct shared *shared;
	int fd;
	uint32_t slot;
	uint64_t first;
};

static struct sim_history *corpus; /* of the parent; children have a copy of their beginning */
static size_t corpus_count;

static double now_s(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return (double)now.tv_sec + (double)now.tv_usec / 1e6;
}

static void send_frame(const struct batch *batch, enum frame_type type, const char *text,
		       const struct sim_history *history)
{
	struct frame frame = {.type = type, .slot = batch->slot, .seed = batch->shared->now_seed};

	if (text)
		memcpy(frame.text, text, strnlen(text, sizeof(frame.text) - 1));
	if (history)
		frame.history = *history;
	if (write(batch->fd, &frame, sizeof(frame)) != sizeof(frame))
		_exit(3); /* the parent is gone */
}

static void send_news(void *arg, const char *place, enum sim_op op)
{
	const struct batch *batch = arg;
	struct frame frame = {.type = FRAME_NEWS, .slot = batch->slot, .op = op};

	memcpy(frame.text, place, strnlen(place, sizeof(frame.text) - 1));
	if (write(batch->fd, &frame, sizeof(frame)) != sizeof(frame))
		_exit(3);
}

struct sought {
	const char *kind;
	char *text;
	double until_s; /* 0: no limit */
};

static bool shows(void *arg, const struct sim_history *history)
{
	const struct sought *sought = arg;
	struct sim_judge judge = {.cover = NULL};
	struct sim_findings findings;
	char kind[SIM_FINDING_BYTES];

	if (sought->until_s > 0 && now_s() > sought->until_s)
		return false;
	alarm(HISTORY_S);
	if (sim_judge_history(&judge, history, &findings))
		return false;
	for (size_t i = 0; i < findings.count; i++) {
		sim_finding_kind(findings.text[i], kind);
		if (!strcmp(kind, sought->kind)) {
			memcpy(sought->text, findings.text[i], SIM_FINDING_BYTES);
			return true;
		}
	}
	return false;
}

void sim_crowd_shrink(struct sim_history *history, const char *kind, unsigned trials,
		      double seconds, char ret_text[SIM_FINDING_BYTES])
{
	struct sought sought = {
		.kind = kind, .text = ret_text, .until_s = seconds > 0 ? now_s() + seconds : 0};

	sim_shrink(history, shows, &sought, trials);
}

static unsigned count_of(const struct sim_crowd *crowd, const char *kind)
{
	uint64_t count = 0;

	for (size_t i = 0; i < crowd->kind_count; i++)
		if (!strncmp(crowd->kind[i].kind, kind, strlen(kind)))
			count += crowd->kind[i].count;
	return (unsigned)count;
}

static bool is_seen(const struct sim_crowd *crowd, const char *text)
{
	char kind[SIM_FINDING_BYTES];

	sim_finding_kind(text, kind);
	return count_of(crowd, kind);
}

static void report(const struct batch *batch, const struct sim_history *history, const char *found)
{
	struct sim_history small = *history;
	char kind[SIM_FINDING_BYTES], text[SIM_FINDING_BYTES];
	struct sought sought = {.kind = kind, .text = text};

	sim_finding_kind(found, kind);
	memcpy(text, found, sizeof(text));
	if (!shows(&sought, history)) {
		send_frame(batch, FRAME_FINDING, "the simulator does not repeat itself", history);
		return;
	}
	if (count_of(batch->crowd, kind) < SHRINK_MOST) {
		batch->shared->is_shrinking = true;
		sim_crowd_shrink(&small, kind, SHRINK_TRIALS, SHRINK_S, text);
		batch->shared->is_shrinking = false;
	}
	send_frame(batch, FRAME_FINDING, text, &small);
}

/* From a seed; or, the more often the more is known, by mutation. */
static void choose(const struct batch *batch, uint64_t seed, struct sim_history *ret_history)
{
	struct sim_random random = {seed ^ 0x5eedU};

	batch->shared->now_seed = seed;
	if (!corpus_count || sim_random_chance(&random, 50)) {
		sim_history_draw(seed, ret_history);
		return;
	}
	batch->shared->now_seed = 0;
	sim_history_mutate(seed, &corpus[sim_random_below(&random, (uint32_t)corpus_count)],
			   ret_history);
}

static void do_batch(struct batch *batch)
{
	struct sim_judge judge = {.cover = &batch->crowd->cover,
				  .news = send_news,
				  .arg = batch,
				  .except = batch->crowd->except};
	struct shared *shared = batch->shared;
	struct sim_findings findings;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would hear of what it finds */
	if (sim_begin())
		_exit(2);
	for (uint64_t i = 0; i < BATCH && !shared->must_stop; i++) {
		choose(batch, batch->first + i, &shared->now);
		judge.has_news = false;
		alarm(HISTORY_S);
		if (sim_judge_history(&judge, &shared->now, &findings))
			_exit(2);
		shared->done++;
		shared->steps += shared->now.count;
		if (judge.has_news)
			send_frame(batch, FRAME_KEEP, NULL, &shared->now);
		/* The others are mostly consequences of the first one. */
		for (size_t f = 0; f < findings.count; f++)
			if (!f || !is_seen(batch->crowd, findings.text[f]))
				report(batch, &shared->now, findings.text[f]);
	}
	sim_finish();
	_exit(0);
}

/* Carries out a batch in a child, and tells of its death, if it is not by itself. */
static void guard(struct batch *batch)
{
	char text[SIM_FINDING_BYTES];
	int status = 0;
	pid_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	batch->shared->done = batch->shared->steps = 0;
	batch->shared->is_shrinking = false;
	child = fork();
	if (!child)
		do_batch(batch);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		_exit(2);
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "the simulator was killed by signal %d%s",
			 WTERMSIG(status),
			 batch->shared->is_shrinking ? " while it made a history smaller" : "");
		send_frame(batch, FRAME_FINDING, text, &batch->shared->now);
	} else if (WEXITSTATUS(status)) {
		snprintf(text, sizeof(text), "the simulator ended with status %d",
			 WEXITSTATUS(status));
		send_frame(batch, FRAME_FINDING, text, &batch->shared->now);
	}
	send_frame(batch, FRAME_END, NULL, NULL);
	_exit(0);
}

static int start(struct batch *batch, uint64_t first)
{
	pid_t pid;

	batch->first = first;
	fflush(NULL);
	pid = fork();
	if (!pid)
		guard(batch);
	return pid < 0 ? -errno : 0;
}

/* The finding's kind, and what else had to happen: two faults mostly differ in that. */
static void kind_of(const struct frame *frame, char kind[SIM_FINDING_BYTES])
{
	bool has[SIM_OPS] = {false};
	size_t length;

	sim_finding_kind(frame->text, kind);
	length = strlen(kind);
	for (uint32_t i = 0; i < frame->history.count; i++)
		has[frame->history.step[i].op] = true;
	has[SIM_PLUG] = has[SIM_CREATE] = has[SIM_WAIT] = false;
	for (unsigned op = 0; op < SIM_OPS; op++)
		if (has[op] && length < SIM_FINDING_BYTES)
			length += (size_t)snprintf(kind + length, SIM_FINDING_BYTES - length,
						   " +%s", sim_op_name((enum sim_op)op));
}

static void print_kind(const struct sim_kind *kind)
{
	printf("FINDING after %.0f s: %s\n# seed %" PRIu64 "%s\n", kind->after_s, kind->text,
	       kind->seed, kind->seed ? "" : ": by mutation");
	sim_words_print(&kind->history, stdout);
	printf("\n");
	fflush(stdout);
}

/* As a file of its own, which is there whole or not at all. */
static void write_kind(const struct sim_crowd *crowd, const struct sim_kind *kind)
{
	char path[PATH_MAX], hidden[PATH_MAX];
	FILE *out;

	if (!crowd->folder)
		return;
	snprintf(path, sizeof(path), "%s/%zu", crowd->folder, crowd->kind_count);
	snprintf(hidden, sizeof(hidden), "%s/.new", crowd->folder);
	out = fopen(hidden, "we");
	if (!out)
		return;
	fprintf(out, "# %s\n", kind->text);
	sim_words_print(&kind->history, out);
	if (!fclose(out))
		rename(hidden, path);
}

static void take_finding(struct sim_crowd *crowd, const struct frame *frame, double began_s)
{
	char kind[SIM_FINDING_BYTES];
	struct sim_kind *found = NULL;

	kind_of(frame, kind);
	for (size_t i = 0; i < crowd->kind_count && !found; i++)
		if (!strcmp(crowd->kind[i].kind, kind))
			found = &crowd->kind[i];
	if (!found) {
		if (crowd->kind_count == SIM_KINDS_MOST)
			return;
		found = &crowd->kind[crowd->kind_count++];
		memcpy(found->kind, kind, sizeof(kind));
		memcpy(found->text, frame->text, sizeof(found->text));
		found->history = frame->history;
		found->seed = frame->seed;
		found->after_s = now_s() - began_s;
		print_kind(found);
		write_kind(crowd, found);
	} else if (frame->history.count < found->history.count) {
		memcpy(found->text, frame->text, sizeof(found->text));
		found->history = frame->history;
		found->seed = frame->seed;
	}
	found->count++;
}

static void take_frame(struct sim_crowd *crowd, const struct frame *frame, double began_s)
{
	switch ((enum frame_type)frame->type) {
	case FRAME_NEWS:
		sim_cover_place(&crowd->cover, frame->text);
		sim_cover_pair(&crowd->cover, frame->text, frame->op);
		break;
	case FRAME_KEEP:
		corpus[crowd->kept++ % CORPUS_MOST] = frame->history;
		if (corpus_count < CORPUS_MOST)
			corpus_count++;
		break;
	case FRAME_FINDING:
		take_finding(crowd, frame, began_s);
		break;
	case FRAME_END:
	default:
		break;
	}
}

static bool is_over(const struct sim_crowd *crowd, double began_s)
{
	return (crowd->seconds > 0 && now_s() - began_s >= crowd->seconds) ||
	       (crowd->histories && crowd->done >= crowd->histories) ||
	       (crowd->most_steps && crowd->steps >= crowd->most_steps) ||
	       (!crowd->keeps_going && crowd->kind_count);
}

static int run_jobs(struct sim_crowd *crowd, struct batch *batch, int read_fd)
{
	double began_s = now_s();
	uint64_t next = crowd->seed;
	unsigned running = 0;
	struct frame frame;
	int r = 0;

	for (; !r && running < crowd->jobs; next += BATCH)
		r = start(&batch[running++], next);
	while (running && read(read_fd, &frame, sizeof(frame)) == sizeof(frame)) {
		take_frame(crowd, &frame, began_s);
		for (unsigned i = 0; is_over(crowd, began_s) && i < crowd->jobs; i++)
			batch[i].shared->must_stop = true;
		if (frame.type != FRAME_END)
			continue;
		wait(NULL);
		crowd->done += batch[frame.slot].shared->done;
		crowd->steps += batch[frame.slot].shared->steps;
		if (r || is_over(crowd, began_s)) {
			running--;
			continue;
		}
		r = start(&batch[frame.slot], next);
		next += BATCH;
	}
	crowd->took_s = now_s() - began_s;
	return r;
}

static unsigned cpus(void)
{
	const long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : count > (long)JOBS_MOST ? JOBS_MOST : (unsigned)count;
}

int sim_crowd_run(struct sim_crowd *crowd)
{
	struct batch batch[JOBS_MOST];
	int fds[2], r;

	if (!crowd->jobs)
		crowd->jobs = cpus();
	if (crowd->jobs > JOBS_MOST)
		return -EINVAL;
	if (pipe(fds) < 0)
		return -errno;
	corpus = calloc(CORPUS_MOST, sizeof(*corpus));
	crowd->kind = calloc(SIM_KINDS_MOST, sizeof(*crowd->kind));
	for (uint32_t i = 0; i < crowd->jobs; i++) {
		batch[i] = (struct batch){.crowd = crowd, .fd = fds[1], .slot = i};
		batch[i].shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (batch[i].shared == MAP_FAILED)
			return -errno;
	}
	if (!corpus || !crowd->kind)
		return -ENOMEM;
	r = run_jobs(crowd, batch, fds[0]);
	close(fds[0]);
	close(fds[1]);
	return r;
}

void sim_crowd_done(struct sim_crowd *crowd)
{
	sim_cover_done(&crowd->cover);
	free(crowd->kind);
	free(corpus);
	corpus = NULL;
}
