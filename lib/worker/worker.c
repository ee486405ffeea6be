/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker waits for a lock only while it holds none: for that of the first VG, or before it
 * starts the real lvm. While it holds a lock, it skips a further VG that is busy and reports it so:
 * thus two workers, or a worker and vgrename, cannot wait for each other. Between batches it holds
 * nothing: what a batch needed is freed with it.
 */
#include "worker/worker.h"

#include "activate/delegate.h"
#include "activate/rescan.h"
#include "base/append.h"
#include "base/cleanup.h"
#include "base/step.h"
#include "base/wire.h"
#include "filter/filter.h"
#include "plan/incomplete_rules.h"
#include "state/claim.h"
#include "state/lock.h"
#include "state/mark.h"
#include "state/online.h"
#include "state/queue.h"
#include "worker/delegated.h"
#include "worker/verdict.h"
#include "world/failed_unit.h"
#include "world/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const struct lea_activator lea_activator_real = {
	.start = lea_activation_start,
	.vg = lea_activation_vg,
	.finish = lea_activation_finish,
	.rescan = lea_vg_rescan,
	.check_duplicates = lea_duplicates_check,
};

#define MOST_GAP_MS	(2U * LEA_WORKER_LOOK_MS)
#define LVM_WORDS_BYTES 16384U /* of what lvm says; what comes before is dropped */

enum { DELEGATED = 1, TRIES_ONLY = 2 }; /* flags of a batch */

/* Passes messages on and keeps the last error, which becomes the reason in the claim. */
struct reason_log {
	struct lea_log log;
	struct lea_log *next;
	pid_t parent;
	char last_error[LEA_REPORT_REASON_BYTES];
};

struct child {
	const struct lea_worker_setting *setting;
	struct lea_worker_progress *progress;
	struct reason_log reason;
	struct lea_devicesfile *devicesfile; /* kept between batches while unchanged */
	int fd;
};

/* A batch as received. */
struct batch {
	uint32_t flags;
	uint32_t count;
	struct lea_request_vg **vg;	  /* [count]; owned, as is each element */
	struct lea_worker_report *report; /* [count] */
};

static const struct lea_activator *activator_of(const struct child *child)
{
	return child->setting->options->activator;
}

static void reason_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct reason_log *reason = container_of(log, struct reason_log, log);
	struct lea_log_fields fields;

	if (level == LEA_LOG_ERROR) {
		memset(reason->last_error, 0, sizeof(reason->last_error));
		strncpy(reason->last_error, line, sizeof(reason->last_error) - 1);
	}
	if (log->fields) {
		fields = *log->fields;
		fields.process = reason->parent;
	}
	lea_log_with(reason->next, level, log->fields ? &fields : NULL, "%s", line);
}

/* Logs what lvm wrote to its standard error; the last line of a failed run becomes the reason. */
static void pass_on(struct child *child, int fd, bool has_failed,
		    const struct lea_log_fields *fields)
{
	static const char warning[] = "WARNING:";
	char text[LVM_WORDS_BYTES], *state = NULL;
	const off_t end = lseek(fd, 0, SEEK_END), most = sizeof(text) - 1;
	const ssize_t bytes = pread(fd, text, sizeof(text) - 1, end > most ? end - most : 0);

	text[bytes > 0 ? bytes : 0] = '\0';
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		const char *words = line + strspn(line, " ");
		const bool is_warning = !strncmp(words, warning, strlen(warning));

		lea_log_with(child->setting->world->log,
			     is_warning	  ? LEA_LOG_WARNING
			     : has_failed ? LEA_LOG_ERROR
					  : LEA_LOG_PRINT,
			     fields, "%s", words);
	}
}

/* Delegates @count VGs, from @first on, to one lvm process. */
static int delegate(struct child *child, const struct batch *batch, uint32_t first, uint32_t count)
{
	const struct lea_workers_options *options = child->setting->options;
	/* An incomplete VG is alone in its batch. */
	const uint32_t in_part = batch->vg[first]->scanned.in_part;
	const char *const args_in_part[] = {
		"vgchange", "-aay", "--activationmode",
		lea_incomplete_activation_mode((enum lea_incomplete_mode)in_part), NULL};
	LEA_AUTO(lea_freep) const char **names = calloc(count, sizeof(*names));
	const struct lea_vg *vg = batch->vg[first]->scanned.vg;
	const struct lea_log_fields fields = {.vg = vg->name, .vg_id = vg->id};
	LEA_AUTO(lea_closep) int said_fd = -1;
	int code = -1, r;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		names[i] = batch->vg[first + i]->scanned.vg->name;
	said_fd = lea_proc_memory();
	child->reason.last_error[0] = '\0';
	r = lea_delegate(child->setting->world, options->lvm_path,
			 in_part ? args_in_part : options->lvm_args, names, count, said_fd, &code);
	if (said_fd >= 0)
		pass_on(child, said_fd, r || code, count == 1 ? &fields : NULL);
	return r ? r : code;
}

/* "lvm ended with status 5" gets lvm's last words. */
static void add_words(const struct child *child, struct lea_worker_report *report)
{
	if (report->outcome && report->reason[0] && child->reason.last_error[0])
		lea_append(report->reason, sizeof(report->reason), ": %s",
			   child->reason.last_error);
}

/* An exit code says that some VG failed, but not which one. So each half is tried alone: one bad VG
 * among many costs a few more processes. */
static void delegate_part(struct child *child, struct batch *batch, uint32_t first, uint32_t count)
{
	const uint32_t half = count / 2;
	const int r = delegate(child, batch, first, count);

	if (r > 0 && count > 1) {
		delegate_part(child, batch, first, half);
		delegate_part(child, batch, first + half, count - half);
		return;
	}
	for (uint32_t i = first; i < first + count; i++) {
		lea_delegated_report(child->setting, &batch->vg[i]->scanned, r, &batch->report[i]);
		if (r > 0)
			add_words(child, &batch->report[i]);
	}
}

static void swap(struct batch *batch, uint32_t a, uint32_t b)
{
	const struct lea_worker_report report = batch->report[a];
	struct lea_request_vg *vg = batch->vg[a];

	batch->report[a] = batch->report[b];
	batch->vg[a] = batch->vg[b];
	batch->report[b] = report;
	batch->vg[b] = vg;
}

/* The real lvm does not notice copies when an event starts it. Returns how many VGs, from the first
 * on, have no copies and may be delegated. */
static uint32_t put_copies_last(const struct child *child, struct batch *batch)
{
	const struct lea_duplicates_options options = {child->setting->world, child->setting->conf,
						       .quiet = true};
	uint32_t count = batch->count;

	for (uint32_t i = count; i-- > 0;) {
		int r = activator_of(child)->check_duplicates(&options, &batch->vg[i]->scanned,
							      batch->report[i].reason);

		batch->report[i].outcome = r > 0 ? LEA_ACTIVATE_COPY : r;
		batch->report[i].shortage = lea_duplicates_shortage(r);
		if (r)
			swap(batch, i, --count);
	}
	return count;
}

/* Of the first @count VGs. Returns how many of them may be delegated at once. */
static uint32_t put_others_last(const struct child *child, struct batch *batch, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		const int r = lea_delegated_ask(child->setting, &batch->vg[i]->scanned, false);

		batch->report[i].outcome = r;
		if (r)
			swap(batch, i, --count);
	}
	return count;
}

static void start_part(struct child *child, struct batch *batch, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		lea_timeline_note_vg(child->setting->world, LEA_RING_DELEGATED,
				     batch->vg[i]->scanned.vg->id, 0);
	if (count)
		delegate_part(child, batch, first, count);
}

/* The VGs that another command has locked come last, one by one: the others do not wait for it. */
static int run_lvm(struct child *child, struct batch *batch)
{
	const uint32_t count = put_others_last(child, batch, put_copies_last(child, batch));

	start_part(child, batch, 0, count);
	for (uint32_t i = count; i < batch->count; i++) {
		struct lea_worker_report *report = &batch->report[i];

		if (report->outcome != LEA_ACTIVATE_VG_BUSY)
			continue;
		report->outcome =
			lea_delegated_ask(child->setting, &batch->vg[i]->scanned, true);
		if (!report->outcome)
			start_part(child, batch, i, 1);
	}
	return 0;
}

/* Returns the descriptor of the lock that the run holds from here on, or -1. */
static int do_vg(const struct child *child, struct lea_activation_run *run,
		 const struct lea_scan_vg *scanned, struct lea_worker_report *report)
{
	struct lea_activate_result result = {.lock_fd = -1};
	const struct lea_log_fields fields = {.vg = scanned->vg->name, .vg_id = scanned->vg->id};
	struct lea_log *log = child->setting->world->log;

	/* All that is logged here is about this VG. */
	log->fields = &fields;
	if (!scanned->watch_only)
		lea_timeline_note_vg(child->setting->world, LEA_RING_BEGUN, scanned->vg->id, 0);
	report->outcome = activator_of(child)->vg(run, scanned->vg->name, scanned, &result);
	log->fields = NULL;
	report->active = result.active;
	report->failed = result.failed;
	report->shortage = result.shortage;
	if (result.why)
		strncpy(report->reason, result.why, sizeof(report->reason) - 1);
	LEA_CRASHPOINT("vg.end", scanned->vg->id);
	return result.lock_fd;
}

/* Nothing is done for certain before the wait for udev has ended. */
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
	r = activator_of(child)->start(setting->world, setting->conf, &options, &run);
	if (r)
		return r;
	for (uint32_t i = 0; i < batch->count; i++) {
		last_error[0] = '\0';
		child->progress->index = i;
		child->progress->lock_fd[i] = do_vg(child, run, &batch->vg[i]->scanned, &report[i]);
		if (!report[i].reason[0])
			memcpy(report[i].reason, last_error, sizeof(report[i].reason));
		options.no_wait_lock = true;
	}
	last_error[0] = '\0';
	child->progress->index = batch->count;
	r = activator_of(child)->finish(run);
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

	if (!r && (!count || count > LEA_BOUND_VGS))
		r = -EPROTO;
	if (r)
		return r;
	batch->flags = flags;
	batch->vg = calloc(count, sizeof(struct lea_request_vg *));
	batch->report = calloc(count, sizeof(*batch->report));
	if (!batch->vg || !batch->report)
		return -ENOMEM;
	while (!r && batch->count < count) {
		batch->report[batch->count].index = batch->count;
		r = lea_request_unpack(in, &batch->vg[batch->count]);
		batch->count += !r;
	}
	return r || !in->left ? r : -EPROTO;
}

static void batch_done(struct batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++)
		lea_request_vg_free(batch->vg[i]);
	free(batch->vg);
	free(batch->report);
}

/* Was the worker detached? If the parent has just ended instead, another process has claimed its
 * VGs. */
static bool was_left(const struct child *child)
{
	char mark;

	return recv(child->fd, &mark, 1, MSG_DONTWAIT) == 1;
}

/* As the runner does, for a VG that was complete: a change of the PV may complete it again. If that
 * cannot be noted, the VG is tried again, and the runner notes it. */
static int await_pv(const struct lea_claims *claims, const struct lea_scan_vg *scanned,
		    struct lea_claim *claim)
{
	LEA_AUTO(lea_closep) int event_fd = lea_queue_open(claims->run_fd);
	const int r = event_fd < 0 ? event_fd
				   : lea_awaited_set(event_fd, scanned->vg->id,
						     scanned->vg->pv_count, false);

	if (r >= 0)
		return 0;
	claim->is_transient = true;
	return lea_claim_finish(claims, scanned->vg->id, claim);
}

/* @verdict: DONE, IN_PART or FAILED. */
static int end_claim(const struct lea_worker_setting *setting, const struct lea_request_vg *vg,
		     const struct lea_worker_report *report, enum lea_verdict verdict)
{
	const struct lea_scan_vg *scanned = &vg->scanned;
	const bool failed = verdict == LEA_VERDICT_FAILED;
	const bool is_refused = report->outcome == LEA_ACTIVATE_REFUSED;
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_failed_units failed_units = {.count = 0};
	struct lea_claims claims;
	int r = lea_scan_vg_claim(scanned, &claim);

	claim.state = failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE;
	claim.is_tagged = vg->is_tagged;
	claim.is_online = !failed && !is_refused && scanned->has_online;
	if (failed)
		snprintf(claim.reason, sizeof(claim.reason), "%s",
			 lea_verdict_reason(report->outcome, report->reason));
	if (verdict == LEA_VERDICT_IN_PART)
		snprintf(claim.in_part, sizeof(claim.in_part), "%s",
			 lea_incomplete_word((enum lea_incomplete_mode)scanned->in_part));
	r = r ? r : lea_claims_init(&claims, setting->world, NULL);
	if (!r && is_refused && scanned->has_online)
		r = lea_claim_drop_online(&claims, scanned->vg->id, scanned->vg->name,
					  scanned->turn_ms);
	r = r ? r : lea_claim_report(&claims, scanned->vg->id, &claim);
	if (!r && report->outcome == LEA_ACTIVATE_INCOMPLETE && scanned->is_added)
		r = await_pv(&claims, scanned, &claim);
	if (!r && (failed || verdict == LEA_VERDICT_IN_PART)) {
		r = lea_vg_online_drop(claims.run_fd, scanned->vg->name);
		lea_failed_units_add(&failed_units, setting->world, scanned->vg->name);
		lea_failed_units_start(&failed_units, setting->world);
	}
	return r;
}

/* Ends the claim of a VG of which there is nothing more to be done. */
static int end_one(const struct child *child, const struct lea_request_vg *vg,
		   const struct lea_worker_report *report)
{
	const enum lea_verdict verdict = lea_verdict_on(report->outcome, report->shortage,
							report->active, vg->scanned.in_part);

	if (verdict == LEA_VERDICT_IN_PART || (verdict == LEA_VERDICT_DONE && !report->outcome))
		lea_duplicates_ignore(child->setting->world, &vg->scanned);
	switch (verdict) {
	case LEA_VERDICT_DONE:
	case LEA_VERDICT_IN_PART:
	case LEA_VERDICT_FAILED:
		return end_claim(child->setting, vg, report, verdict);
	case LEA_VERDICT_FAILED_FOR_NOW:
	case LEA_VERDICT_AGAIN:
	case LEA_VERDICT_OPEN:
	default:
		return -EAGAIN;
	}
}

/* Nobody else does: the next worker would be late for the same disk. */
static void delegate_alone(struct child *child, struct batch *batch, uint32_t index)
{
	struct batch one = {
		.vg = &batch->vg[index], .report = &batch->report[index], .count = 1};

	batch->report[index].reason[0] = '\0';
	run_lvm(child, &one);
}

/* Ends the claims of VGs that are active or have failed for good. Returns 0; otherwise the exit
 * code makes the parent, whose claims these are, see to the others. */
static int end_alone(struct child *child, struct batch *batch)
{
	int r = 0, s;

	for (uint32_t i = 0; i < batch->count; i++) {
		if (batch->vg[i]->scanned.watch_only)
			continue;
		if (batch->report[i].outcome == LEA_ACTIVATE_DELEGATE)
			delegate_alone(child, batch, i);
		s = end_one(child, batch->vg[i], &batch->report[i]);
		r = r < 0 ? r : s;
	}
	return r < 0 ? r : 0;
}

/* Sends all reports together at the end. */
static int do_batch(struct child *child, const uint8_t *bytes, size_t len)
{
	LEA_AUTO(batch_done) struct batch batch = {0};
	struct lea_wire_in in = {.at = bytes, .left = len};
	int r = unpack(&in, &batch);

	if (!r)
		r = batch.flags & DELEGATED ? run_lvm(child, &batch) : run_native(child, &batch);
	if (r)
		return r < 0 ? r : -EIO;
	/* The messages on these VGs must be in the log before the VGs are reported. */
	fflush(NULL);
	r = lea_wire_write(child->fd, batch.report, batch.count * sizeof(*batch.report));
	if (!r || !was_left(child))
		return r;
	r = end_alone(child, &batch);
	return r ? r : LEA_WIRE_END;
}

static int child_main(void *arg)
{
	struct child *child = arg;
	struct lea_world *world = child->setting->world;
	uint8_t *bytes;
	size_t len;
	int r = 0;

	LEA_CRASHPOINT_ROLE("worker");
	lea_timeline_forked(world);
	/* While another process has our end of a worker open, that worker does not notice that we
	 * closed it; and what nobody reads any more fills up. */
	lea_world_keep(world, child->fd);
	world->step = &child->progress->step;
	child->reason = (struct reason_log){
		.log = {.write = reason_write, .max_level = world->log->max_level},
		.next = world->log,
		.parent = getppid(),
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
	return r >= 0 ? 0 : lea_is_shortage(r) ? LEA_WORKER_SHORT : 1;
}

int lea_worker_start(const struct lea_worker_setting *setting, struct lea_worker **ret_worker)
{
	struct child child = {.setting = setting};
	struct lea_worker *worker = calloc(1, sizeof(*worker));
	int fds[2], r;

	if (!worker)
		return -ENOMEM;
	worker->progress = child.progress = lea_proc_share(sizeof(*worker->progress));
	worker->fd = worker->end_fd = -1;
	r = worker->progress ? 0 : -ENOMEM;
	if (!r && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		r = -errno;
	if (r) {
		lea_worker_free(worker);
		return r;
	}
	worker->fd = fds[0];
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

void lea_worker_take(struct lea_worker *worker, struct lea_request *job)
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
	worker->looked_ms = 0;
	worker->progress->index = 0;
	worker->progress->step = (struct lea_step_now){0};
	r = lea_wire_send(worker->fd, &out);
	worker->state = r ? LEA_WORKER_IDLE : LEA_WORKER_BUSY;
	return r > 0 ? LEA_WORKER_ENDED : r;
}

/* Is the report on a VG that is still open? */
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
		lea_request_free(worker->job[i]);
	worker->job_count = worker->open_count = worker->lv_count = 0;
	worker->packed_bytes = 0;
	worker->delegated = worker->tries_only = false;
	if (worker->state == LEA_WORKER_BUSY)
		worker->state = LEA_WORKER_IDLE;
}

static bool waits_for_udev(const struct lea_worker *worker)
{
	return worker->progress->step.kind == LEA_RING_WAIT;
}

bool lea_worker_hangs(struct lea_worker *worker, uint64_t now_ms, uint64_t stuck_ms,
		      uint64_t limit_ms)
{
	const uint64_t used_ns = lea_proc_cpu_ns(worker->pid), gap_ms = now_ms - worker->looked_ms;
	const bool is_first = !worker->looked_ms;

	worker->looked_ms = now_ms;
	if (worker->state != LEA_WORKER_BUSY || is_first || used_ns != worker->used_ns ||
	    (limit_ms && waits_for_udev(worker))) {
		worker->used_ns = used_ns;
		worker->still_ms = 0;
		return false;
	}
	worker->still_ms += gap_ms < MOST_GAP_MS ? gap_ms : MOST_GAP_MS;
	/* Asked once: whether it hangs and in what must be one answer. */
	worker->waits = lea_proc_waits_for(worker->pid);
	return (limit_ms && worker->still_ms >= limit_ms) ||
	       (stuck_ms && worker->still_ms >= stuck_ms && worker->waits != LEA_PROC_WAIT_NONE);
}

bool lea_worker_checks(const struct lea_worker *worker)
{
	return worker->progress->step.kind == LEA_RING_CHECK;
}

enum lea_detached_why lea_worker_why(const struct lea_worker *worker, uint32_t index)
{
	const uint32_t at = worker->progress->index;

	if (worker->delegated)
		return LEA_DETACHED_LVM;
	if (at >= worker->job_count)
		return index ? LEA_DETACHED_BESIDE : LEA_DETACHED_UDEV;
	if (index != at)
		/* A VG that the worker has not begun can be busy only because of a lock. */
		return index < at ? LEA_DETACHED_BESIDE : LEA_DETACHED_LOCK;
	if (lea_worker_checks(worker))
		return LEA_DETACHED_CHECK;
	if (waits_for_udev(worker))
		return LEA_DETACHED_UDEV;
	switch (worker->waits) {
	case LEA_PROC_WAIT_DISK:
		return LEA_DETACHED_DISK;
	case LEA_PROC_WAIT_LOCK:
		return LEA_DETACHED_LOCK;
	case LEA_PROC_WAIT_NONE:
	case LEA_PROC_WAIT_OTHER:
	default:
		return LEA_DETACHED_OTHER;
	}
}

int lea_worker_unlock(const struct lea_worker *worker, const struct lea_worker_setting *setting,
		      uint32_t index)
{
	LEA_AUTO(lea_freep)
	char *dir = lea_world_path(setting->world, setting->conf->locking_dir);
	const int fd = worker->progress->lock_fd[index];
	char name[sizeof(worker->job[index]->vg_name) + 2];

	if (!dir)
		return -ENOMEM;
	if (fd < 0)
		return -ENOLCK;
	snprintf(name, sizeof(name), "V_%s", worker->job[index]->vg_name);
	return lea_lock_release_theirs(worker->pid, fd, dir, name);
}

void lea_worker_detach(struct lea_worker *worker)
{
	const char mark = 0;

	/* This fails if the worker has just died: then there is no one to tell. */
	if (send(worker->fd, &mark, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		worker->looked_ms = 0;
	/* From here on its reports fail, and it sees the mark; reports that were sent before are
	 * still to be read. */
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
	lea_worker_clear(worker);
	lea_proc_unshare(worker->progress, sizeof(*worker->progress));
	free(worker);
}
