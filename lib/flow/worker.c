/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker waits for the first VG's lock only. While it holds one, a further VG that is busy is
 * left alone and reported so: two workers, or a worker and vgrename, can't wait for each other.
 */
#include "flow/worker.h"

#include "base/cleanup.h"
#include "flow/delegate.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Passes lines on and keeps the last error: the reason that the claim will show. */
struct reason_log {
	struct lea_log log;
	struct lea_log *next;
	char last_error[LEA_REPORT_REASON_BYTES];
};

struct child {
	const struct lea_worker_setting *setting;
	struct lea_worker *worker;
	int write_fd;
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

static int send_report(const struct child *child, const struct lea_worker_report *report)
{
	return write(child->write_fd, report, sizeof(*report)) == (ssize_t)sizeof(*report) ? 0
											   : -EIO;
}

static int run_lvm(const struct child *child)
{
	const struct lea_workers_options *options = child->setting->options;
	struct lea_worker *worker = child->worker;
	LEA_AUTO(lea_freep) const char **names = calloc(worker->job_count, sizeof(*names));
	int code = -1, r;

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < worker->job_count; i++)
		names[i] = worker->job[i]->known.vg->name;
	r = lea_delegate(child->setting->world, options->lvm_path, options->lvm_args, names,
			 worker->job_count, &code);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_worker_report report = {.index = i, .outcome = r};

		if (!r && code) {
			report.outcome = LEA_ACTIVATE_FAILED;
			snprintf(report.reason, sizeof(report.reason), "%s ended with %d",
				 options->lvm_path, code);
		}
		if (send_report(child, &report))
			return -EIO;
	}
	return 0;
}

static void do_vg(struct lea_activation_run *run, const struct lea_job *job,
		  struct lea_worker_report *report)
{
	struct lea_activate_result result = {0};

	report->outcome = lea_activation_vg(run, job->known.vg->name, &job->known, &result);
	report->active = result.active;
	report->failed = result.failed;
	if (result.why)
		strncpy(report->reason, result.why, sizeof(report->reason) - 1);
}

/* Reports go out at the end: before the wait for udev nothing is known to be done. */
static int run_batch(const struct child *child, struct reason_log *reason)
{
	const struct lea_worker_setting *setting = child->setting;
	struct lea_worker *worker = child->worker;
	struct lea_activate_options options = setting->options->activate;
	LEA_AUTO(lea_freep)
	struct lea_worker_report *report = calloc(worker->job_count, sizeof(*report));
	struct lea_activation_run *run;
	int r;

	if (!report)
		return -ENOMEM;
	options.no_wait_lock = false;
	r = lea_activation_start(setting->world, setting->conf, &options, &run);
	if (r)
		return r;
	for (uint32_t i = 0; i < worker->job_count; i++) {
		reason->last_error[0] = '\0';
		report[i].index = i;
		do_vg(run, worker->job[i], &report[i]);
		if (!report[i].reason[0])
			memcpy(report[i].reason, reason->last_error, sizeof(report[i].reason));
		options.no_wait_lock = true;
	}
	reason->last_error[0] = '\0';
	r = lea_activation_finish(run);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		if (r && !report[i].outcome) {
			report[i].outcome = r;
			memcpy(report[i].reason, reason->last_error, sizeof(report[i].reason));
		}
		if (send_report(child, &report[i]))
			return -EIO;
	}
	return 0;
}

static int child_main(void *arg)
{
	struct child *child = arg;
	const struct lea_workers_options *options = child->setting->options;
	struct lea_world *world = child->setting->world;
	struct reason_log reason = {
		.log = {.write = reason_write, .max_level = world->log->max_level},
		.next = world->log,
	};
	int r;

	for (size_t i = 0; i < options->private_fd_count; i++)
		close(options->private_fd[i]);
	world->log = &reason.log;
	r = child->worker->delegated ? run_lvm(child) : run_batch(child, &reason);
	return r < 0 ? 1 : 0;
}

int lea_worker_start(const struct lea_worker_setting *setting, struct lea_worker *worker)
{
	int fds[2], r;
	struct child child = {.setting = setting, .worker = worker};

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	child.write_fd = fds[1];
	r = fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
	if (!r)
		r = lea_proc_fork(child_main, &child, &worker->pid);
	close(fds[1]);
	if (r) {
		close(fds[0]);
		return r;
	}
	worker->fd = fds[0];
	return 0;
}

int lea_worker_read(struct lea_worker *worker, struct lea_worker_report *ret_report)
{
	struct lea_worker_report report;
	ssize_t length = read(worker->fd, &report, sizeof(report));

	if (length < 0)
		return errno == EAGAIN || errno == EINTR ? LEA_WORKER_QUIET : -errno;
	if (length != (ssize_t)sizeof(report) || report.index >= worker->job_count)
		return LEA_WORKER_ENDED;
	report.reason[sizeof(report.reason) - 1] = '\0';
	*ret_report = report;
	return 0;
}

void lea_worker_free(struct lea_worker *worker)
{
	int code;

	if (!worker)
		return;
	/* Reports of a batch fit in the pipe: the worker ends by itself, however late they are
	 * read. */
	if (worker->pid > 0 && lea_proc_wait(worker->pid, &code) < 0)
		worker->pid = 0;
	lea_closep(&worker->fd);
	for (uint32_t i = 0; i < worker->job_count; i++)
		lea_job_free(worker->job[i]);
	free(worker->job);
	free(worker);
}
