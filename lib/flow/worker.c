/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker waits for the first VG's lock only. While it holds one, a further VG that is busy is
 * left alone and reported so: two workers, or a worker and vgrename, can't wait for each other.
 * Between batches it holds nothing: what a batch needed is freed with it.
 */
#include "flow/worker.h"

#include "base/cleanup.h"
#include "base/step.h"
#include "base/wire.h"
#include "flow/delegate.h"
#include "flow/filter.h"
#include "flow/handed_over.h"
#include "flow/job_wire.h"
#include "flow/rivals.h"
#include "state/claim.h"
#include "state/queue.h"
#include "world/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DELEGATED = 1, TRIES_ONLY = 2 }; /* of a batch */

/* Passes lines on and keeps the last error: the reason that the claim will show. */
struct reason_log {
	struct lea_log log;
	struct lea_log *next;
	char last_error[LEA_REPORT_REASON_BYTES];
};

struct child {
	const struct lea_worker_setting *setting;
	struct lea_worker_progress *progress;
	struct reason_log reason;
	struct lea_devicesfile *devicesfile; /* read once, as long as it stays as it is */
	int fd, parent_fd;
};

/* A batch as it has come. */
struct batch {
	uint32_t flags;
	uint32_t count;
	struct lea_job_vg **vg;		  /* [count]; owned, each too */
	struct lea_worker_report *report; /* [count] */
};

static void reason_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct reason_log *reason = container_of(log, struct reason_log, log);

	if (level == LEA_LOG_ERROR) {
		memset(reason->last_error, 0, sizeof(reason->last_error));
		strncpy(reason->last_error, line, sizeof(reason->last_error) - 1);
	}
	lea_log(reason->next, level, "%s", line);
}

/* Hands @count VGs from @first on over, all in one process. */
static int hand_over(const struct child *child, const struct batch *batch, uint32_t first,
		     uint32_t count)
{
	const struct lea_workers_options *options = child->setting->options;
	LEA_AUTO(lea_freep) const char **names = calloc(count, sizeof(*names));
	int code = -1, r;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		names[i] = batch->vg[first + i]->known.vg->name;
	r = lea_delegate(child->setting->world, options->lvm_path, options->lvm_args, names, count,
			 &code);
	return r ? r : code;
}

/* An exit code says that one of them failed and not which: each half is asked for alone then, so
 * that one bad VG among many costs a few processes more. */
static void hand_over_part(const struct child *child, struct batch *batch, uint32_t first,
			   uint32_t count)
{
	const uint32_t half = count / 2;
	const int r = hand_over(child, batch, first, count);

	if (r > 0 && count > 1) {
		hand_over_part(child, batch, first, half);
		hand_over_part(child, batch, first + half, count - half);
		return;
	}
	for (uint32_t i = first; i < first + count; i++)
		lea_handed_over(child->setting, &batch->vg[i]->known, r, &batch->report[i]);
}

static void swap(struct batch *batch, uint32_t a, uint32_t b)
{
	const struct lea_worker_report report = batch->report[a];
	struct lea_job_vg *vg = batch->vg[a];

	batch->report[a] = batch->report[b];
	batch->vg[a] = batch->vg[b];
	batch->report[b] = report;
	batch->vg[b] = vg;
}

/* By an event the real lvm does not see copies. The first VGs, so many, may be handed over. */
static uint32_t put_copies_last(const struct child *child, struct batch *batch)
{
	const struct lea_rivals_how how = {child->setting->world, child->setting->conf, .quiet = true};
	uint32_t count = batch->count;

	for (uint32_t i = count; i-- > 0;) {
		int r = lea_rivals_check(&how, &batch->vg[i]->known, batch->report[i].reason);

		batch->report[i].outcome = r == LEA_RIVALS_COPY ? LEA_ACTIVATE_COPY : r;
		batch->report[i].shortage = lea_is_shortage(r) ? r : 0;
		if (r)
			swap(batch, i, --count);
	}
	return count;
}

static int run_lvm(const struct child *child, struct batch *batch)
{
	const uint32_t count = put_copies_last(child, batch);

	if (count)
		hand_over_part(child, batch, 0, count);
	return 0;
}

static void do_vg(struct lea_activation_run *run, const struct lea_scan_vg *known,
		  struct lea_worker_report *report)
{
	struct lea_activate_result result = {0};

	report->outcome = lea_activation_vg(run, known->vg->name, known, &result);
	report->active = result.active;
	report->failed = result.failed;
	report->shortage = result.shortage;
	if (result.why)
		strncpy(report->reason, result.why, sizeof(report->reason) - 1);
	LEA_STEP("vg.end", known->vg->id);
}

/* Before the wait for udev nothing is known to be done. */
static int run_native(struct child *child, struct batch *batch)
{
	const struct lea_worker_setting *setting = child->setting;
	struct lea_activate_options options = setting->options->activate;
	struct lea_worker_report *report = batch->report;
	char *last_error = child->reason.last_error;
	struct lea_activation_run *run;
	int r;

	options.no_wait_lock = batch->flags & TRIES_ONLY;
	options.devicesfile = &child->devicesfile;
	r = lea_activation_start(setting->world, setting->conf, &options, &run);
	if (r)
		return r;
	for (uint32_t i = 0; i < batch->count; i++) {
		last_error[0] = '\0';
		child->progress->index = i;
		do_vg(run, &batch->vg[i]->known, &report[i]);
		if (!report[i].reason[0])
			memcpy(report[i].reason, last_error, sizeof(report[i].reason));
		options.no_wait_lock = true;
	}
	last_error[0] = '\0';
	child->progress->index = batch->count;
	r = lea_activation_finish(run);
	for (uint32_t i = 0; r && i < batch->count; i++) {
		if (report[i].outcome)
			continue;
		report[i].outcome = lea_as_transient(r);
		report[i].shortage = LEA_NOT_NOW;
		memcpy(report[i].reason, last_error, sizeof(report[i].reason));
	}
	return 0;
}

static int unpack(struct lea_wire_in *in, struct batch *batch)
{
	const uint32_t flags = lea_wire_get_u32(in), count = lea_wire_get_u32(in);
	int r = in->fault;

	if (!r && (!count || count > LEA_WORKER_MOST_VGS))
		r = -EPROTO;
	if (r)
		return r;
	batch->flags = flags;
	batch->vg = calloc(count, sizeof(struct lea_job_vg *));
	batch->report = calloc(count, sizeof(*batch->report));
	if (!batch->vg || !batch->report)
		return -ENOMEM;
	while (!r && batch->count < count) {
		batch->report[batch->count].index = batch->count;
		r = lea_job_unpack(in, &batch->vg[batch->count]);
		batch->count += !r;
	}
	return r || !in->left ? r : -EPROTO;
}

static void batch_done(struct batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++)
		lea_job_vg_free(batch->vg[i]);
	free(batch->vg);
	free(batch->report);
}

/* Or has the parent just ended? Then another process has claimed these VGs. */
static bool was_left(const struct child *child)
{
	char mark;

	return recv(child->fd, &mark, 1, MSG_DONTWAIT) == 1;
}

static int claim_done(struct lea_world *world, const struct lea_scan_vg *known)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {.state = LEA_CLAIM_DONE};
	const struct lea_claims claims = {.run_fd = lea_world_run(world),
					  .proc_fd = lea_world_proc(world)};
	int r = lea_scan_vg_claim(known, &claim);

	return r ? r : lea_claim_finish(&claims, known->vg->id, &claim);
}

/* One PV is enough for its VG to be looked at. */
static int queue_again(struct lea_world *world, const struct lea_scan_vg *known)
{
	int run_fd = lea_world_run(world);
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	struct lea_entry entry = {.kind = LEA_ENTRY_MISSED};

	if (event_fd < 0 || !known->vg->pv_count || !known->pv[0])
		return event_fd < 0 ? event_fd : 0;
	entry.device = known->pv[0]->device; /* borrowed */
	lea_entry_set_key(&entry);
	return lea_queue_put_if_absent(event_fd, &entry);
}

/* What is active is done: another look at a disk that is merely slow could end as this one did.
 * 0; else the parent sees to all of them, by the exit code. */
static int end_alone(const struct child *child, const struct batch *batch)
{
	struct lea_world *world = child->setting->world;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < batch->count; i++) {
		const struct lea_scan_vg *known = &batch->vg[i]->known;

		r = batch->report[i].outcome ? -EAGAIN : claim_done(world, known);
		r = r ? queue_again(world, known) : 0;
		if (r < 0)
			lea_log(world->log, LEA_LOG_WARNING,
				"VG %s: its device could not be queued again: %s; it is queued "
				"later, or now by: lvmevent sweep",
				known->vg->name, strerror(-r));
	}
	return r < 0 ? r : 0;
}

/* All reports at the end, in one write. */
static int do_batch(struct child *child, const uint8_t *bytes, size_t len)
{
	LEA_AUTO(batch_done) struct batch batch = {0};
	struct lea_wire_in in = {.at = bytes, .left = len};
	int r = unpack(&in, &batch);

	if (!r)
		r = batch.flags & DELEGATED ? run_lvm(child, &batch) : run_native(child, &batch);
	if (r)
		return r < 0 ? r : -EIO;
	/* What was said of these VGs is said before they are done. */
	fflush(NULL);
	r = lea_wire_write(child->fd, batch.report, batch.count * sizeof(*batch.report));
	if (!r || !was_left(child))
		return r;
	r = end_alone(child, &batch);
	return r ? r : LEA_WIRE_END;
}

static void close_foreign(const struct child *child)
{
	const struct lea_workers_options *options = child->setting->options;

	for (size_t i = 0; i < options->private_fd_count; i++)
		lea_closep(&options->private_fd[i]);
	for (const struct lea_worker *other = child->setting->others; other; other = other->next)
		lea_closep(&other->fd);
	for (const struct lea_worker *left = child->setting->left; left; left = left->next)
		lea_closep(&left->end_fd);
	lea_closep(&child->setting->epoll_fd);
	lea_closep(&child->parent_fd);
}

static int child_main(void *arg)
{
	struct child *child = arg;
	struct lea_world *world = child->setting->world;
	uint8_t *bytes;
	size_t len;
	int r = 0;

	LEA_STEP_ROLE("worker");
	close_foreign(child);
	child->reason = (struct reason_log){
		.log = {.write = reason_write, .max_level = world->log->max_level},
		.next = world->log,
	};
	world->log = &child->reason.log;
	while (!r) {
		r = lea_wire_receive(child->fd, &bytes, &len);
		if (r)
			break;
		r = do_batch(child, bytes, len);
		free(bytes);
	}
	lea_devicesfile_free(child->devicesfile);
	return r < 0 ? 1 : 0;
}

int lea_worker_start(const struct lea_worker_setting *setting, uint32_t most_vgs,
		     struct lea_worker **ret_worker)
{
	struct child child = {.setting = setting};
	struct lea_worker *worker = calloc(1, sizeof(*worker));
	int fds[2], r;

	if (!worker)
		return -ENOMEM;
	worker->job = calloc(most_vgs, sizeof(struct lea_job *));
	worker->left_id = calloc(most_vgs, sizeof(*worker->left_id));
	worker->progress = child.progress = lea_proc_share(sizeof(*worker->progress));
	worker->job_room = most_vgs;
	worker->fd = worker->end_fd = -1;
	r = worker->job && worker->left_id && worker->progress ? 0 : -ENOMEM;
	if (!r && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		r = -errno;
	if (r) {
		lea_worker_free(worker);
		return r;
	}
	worker->fd = child.parent_fd = fds[0];
	child.fd = fds[1];
	r = lea_proc_fork(child_main, &child, &worker->pid);
	close(fds[1]);
	if (r) {
		lea_worker_free(worker);
		return r;
	}
	*ret_worker = worker;
	return 0;
}

void lea_worker_take(struct lea_worker *worker, struct lea_job *job)
{
	worker->lv_count += job->lv_count;
	worker->packed_bytes += job->packed.len;
	worker->job[worker->job_count++] = job;
	worker->open_count++;
}

int lea_worker_send(struct lea_worker *worker)
{
	LEA_AUTO(lea_wire_out_done) struct lea_wire_out out = {0};
	int r;

	lea_wire_put_u32(&out, (worker->delegated ? DELEGATED : 0) |
				       (worker->tries_only ? TRIES_ONLY : 0));
	lea_wire_put_u32(&out, worker->job_count);
	for (uint32_t i = 0; i < worker->job_count; i++)
		lea_wire_put_all(&out, &worker->job[i]->packed);
	worker->moved_ms = 0;
	worker->progress->index = 0;
	r = lea_wire_send(worker->fd, &out);
	return r > 0 ? LEA_WORKER_ENDED : r;
}

/* Is it of a VG that is still open? */
static bool is_expected(const struct lea_worker *worker, const struct lea_worker_report *report)
{
	return report->index < worker->job_count && worker->job[report->index];
}

int lea_worker_read(struct lea_worker *worker, struct lea_worker_report *ret_report)
{
	uint8_t *to = (uint8_t *)&worker->report;
	const size_t size = sizeof(worker->report);
	ssize_t length;

	length = recv(worker->fd, to + worker->report_bytes, size - worker->report_bytes,
		      MSG_DONTWAIT);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? LEA_WORKER_QUIET : LEA_WORKER_ENDED;
	if (!length)
		return LEA_WORKER_ENDED;
	worker->report_bytes += (size_t)length;
	if (worker->report_bytes < size)
		return LEA_WORKER_QUIET;
	worker->report_bytes = 0;
	if (!is_expected(worker, &worker->report))
		return LEA_WORKER_ENDED;
	worker->report.reason[LEA_REPORT_REASON_BYTES - 1] = '\0';
	*ret_report = worker->report;
	return 0;
}

void lea_worker_clear(struct lea_worker *worker)
{
	for (uint32_t i = 0; i < worker->job_count; i++)
		lea_job_free(worker->job[i]);
	worker->job_count = worker->open_count = worker->lv_count = 0;
	worker->packed_bytes = 0;
	worker->delegated = worker->tries_only = false;
}

bool lea_worker_hangs(struct lea_worker *worker, uint64_t now_ms, uint64_t stuck_ms,
		      uint64_t limit_ms)
{
	const uint64_t used_ns = lea_proc_cpu_ns(worker->pid);
	uint64_t still_ms;

	if (!worker->job_count || !worker->moved_ms || used_ns != worker->used_ns) {
		worker->moved_ms = now_ms;
		worker->used_ns = used_ns;
		return false;
	}
	still_ms = now_ms - worker->moved_ms;
	return (limit_ms && still_ms >= limit_ms) ||
	       (stuck_ms && still_ms >= stuck_ms && lea_proc_is_stuck(worker->pid));
}

enum lea_left_why lea_worker_why(const struct lea_worker *worker, uint32_t index)
{
	const uint32_t at = worker->progress->index;

	if (worker->delegated)
		return LEA_LEFT_LVM;
	if (at >= worker->job_count)
		return index ? LEA_LEFT_BESIDE : LEA_LEFT_UDEV;
	if (index != at)
		/* What is not begun others find busy only for a lock. */
		return index < at ? LEA_LEFT_BESIDE : LEA_LEFT_LOCK;
	switch (lea_proc_waits_for(worker->pid)) {
	case LEA_PROC_WAIT_DISK:
		return LEA_LEFT_DISK;
	case LEA_PROC_WAIT_LOCK:
		return LEA_LEFT_LOCK;
	case LEA_PROC_WAIT_OTHER:
	default:
		return LEA_LEFT_OTHER;
	}
}

void lea_worker_leave(struct lea_worker *worker)
{
	const char mark = 0;

	/* Lost with a worker that has just died: then there is nobody to be told. */
	if (send(worker->fd, &mark, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		worker->moved_ms = 0;
	/* From here on its reports fail, and it sees the mark; what it has reported is still to be
	 * read. */
	shutdown(worker->fd, SHUT_RD);
}

void lea_worker_close(struct lea_worker *worker)
{
	lea_closep(&worker->fd);
	worker->fd = -1;
}

void lea_worker_end(struct lea_worker *worker, int *ret_code)
{
	*ret_code = -1;
	lea_worker_close(worker);
	if (worker->pid > 0 && lea_proc_wait(worker->pid, ret_code) < 0)
		*ret_code = -1;
	worker->pid = 0;
}

void lea_worker_free(struct lea_worker *worker)
{
	int code;

	if (!worker)
		return;
	lea_worker_end(worker, &code);
	if (worker->job)
		lea_worker_clear(worker);
	free(worker->job);
	free(worker->left_id);
	lea_proc_unshare(worker->progress, sizeof(*worker->progress));
	free(worker);
}
