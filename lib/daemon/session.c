/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts are created in one order and freed in the reverse one. */
#include "daemon/session.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "batch/partial.h"
#include "conf/setup.h"
#include "memory/needs_read.h"
#include "state/run_files.h"
#include "worker/pool.h"
#include "world/place.h"

#define RETRY_MS 500U /* the first pause; doubled with each one in a row */

int lea_session_fail(struct lea_world *world, int fault, const char *what)
{
	char why[LEA_RUN_FAULT_BYTES];

	lea_log(world->log, LEA_LOG_ERROR, "%s: %s", what,
		lea_run_files_why(lea_world_run(world), fault, why));
	return LEA_SESSION_FAILED;
}

const char *lea_session_hint(int shortage)
{
	switch (shortage) {
	case -ENOSPC:
	case -EDQUOT:
		return "is /run full, or out of inodes, or no semaphore left? (df /run; df -i "
		       "/run; ipcs -u)";
	case -EROFS:
		return "remount /run read-write";
	case -EMFILE:
	case -ENFILE:
		return "raise LimitNOFILE= of the unit";
	case -EAGAIN:
		return "too many processes? (TasksMax= of the unit)";
	default:
		return "memory is short";
	}
}

bool lea_session_is_renamed(const struct lea_conf *conf)
{
	struct utsname host;

	return conf->host_name && uname(&host) == 0 && strcmp(host.nodename, conf->host_name) != 0;
}

uint32_t lea_session_longer(uint32_t pause_ms, uint32_t most_ms)
{
	return !pause_ms ? RETRY_MS : pause_ms * 2 > most_ms ? most_ms : pause_ms * 2;
}

void lea_session_end(struct lea_session *session)
{
	lea_workers_free(session->workers);
	lea_reader_free(session->reader);
	lea_pass_cache_forget(&session->cache);
	lea_repeats_done(&session->cache.repeats, session->world);
	lea_incomplete_done(&session->waiting);
	lea_partial_free(session->partial);
	lea_needs_free(session->needs);
	lea_conf_free(session->conf);
	lea_closep(&session->event_fd);
	if (session->is_watching)
		lea_queue_watch_close(&session->watch);
	session->is_watching = false;
}

int lea_session_check_place(struct lea_world *world)
{
	const int place = lea_place_check(world);

	if (!place)
		return 0;
	lea_log(world->log, LEA_LOG_ERROR,
		"/run/lvm: this is %s, so it may belong to the system outside; run this command there",
		lea_place_name(place));
	return LEA_SESSION_FAILED;
}

int lea_session_open_queue(struct lea_session *session)
{
	int run_fd, r = lea_session_check_place(session->world);
	char why[LEA_RUN_FAULT_BYTES];

	if (r)
		return r;
	run_fd = lea_world_run(session->world);
	if (run_fd < 0)
		return lea_session_fail(session->world, run_fd, "/run/lvm");
	if (lea_run_files_check(run_fd, why)) {
		lea_log(session->world->log, LEA_LOG_ERROR, "events: %s", why);
		return LEA_SESSION_FAILED;
	}
	session->event_fd = lea_queue_open(run_fd);
	return session->event_fd < 0
		       ? lea_session_fail(session->world, session->event_fd, "/run/lvm/event")
		       : 0;
}

static void watch_settings(struct lea_session *session)
{
	LEA_AUTO(lea_freep)
	char *dir = lea_world_path(session->world, lea_conf_system_dir(session->world));
	int r = dir ? lea_queue_watch_begin(dir, &session->watch) : -ENOMEM;

	session->is_watching = dir;
	session->watch_fault = r;
}

int lea_session_watch(struct lea_session *session, struct lea_queue_watch *ret_watch)
{
	int r = session->watch_fault;

	*ret_watch = (struct lea_queue_watch){.fd = -1, .mounts_fd = -1};
	if (!session->is_watching)
		return r;
	*ret_watch = session->watch;
	session->is_watching = false;
	r = r ? r : lea_queue_watch_open(session->event_fd, ret_watch);
	if (r)
		lea_queue_watch_close(ret_watch);
	return r;
}

int lea_session_begin(struct lea_world *world, struct lea_session *session)
{
	const struct lea_conf_options options = {.forgive = true};
	int code;

	*session = (struct lea_session){
		.world = world, .event_fd = -1, .lvm_path = lea_lvm_path(world)};
	watch_settings(session);
	code = lea_setup_to_activate(world, &options, &session->conf);
	if (code)
		return code;
	return lea_session_open_queue(session) ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

/* Checks the filter before any entry is taken: with a wrong filter no device can be scanned. */
int lea_session_begin_batches(struct lea_session *session, struct lea_batch_options *options)
{
	int r;

	r = lea_reader_new(session->world, session->conf, &session->reader);
	r = r || !options->is_boot
		    ? r
		    : lea_boot_needs_read(session->world, session->conf, &session->needs);
	options->world = session->world;
	options->conf = session->conf;
	options->lvm_path = session->lvm_path;
	options->event_fd = session->event_fd;
	options->reader = session->reader;
	options->cache = &session->cache;
	options->waiting = &session->waiting;
	options->needs = session->needs;
	r = r ? r : lea_batch_workers(options, &session->workers);
	options->workers = session->workers;
	options->pool = &lea_pool_real;
	r = r ? r : lea_batch_check(options);
	if (r > 0)
		lea_log(session->world->log, LEA_LOG_ERROR,
			"Devices stay pending until this is corrected; see: lvmevent status");
	return r < 0 ? lea_session_fail(session->world, r, "events") : r ? LEA_SESSION_UNFIT : 0;
}
