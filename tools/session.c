/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvmevent's working subcommands begin and end with.
 */
#include "session.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd.h"
#include "flow/known.h"
#include "flow/waiting.h"
#include "flow/workers.h"
#include "world/place.h"

int lea_session_fail(struct lea_world *world, int fault, const char *what)
{
	lea_log(world->log, LEA_LOG_ERROR, "%s: %s", what, strerror(-fault));
	return LEA_EXIT_FAILED;
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

void lea_session_end(struct lea_session *session)
{
	lea_workers_free(session->workers);
	lea_prober_free(session->prober);
	lea_known_free(session->known);
	lea_waiting_free(session->waiting);
	lea_conf_free(session->conf);
	lea_closep(&session->event_fd);
}

int lea_session_check_place(struct lea_world *world)
{
	const int place = lea_place_check(world);

	if (!place)
		return 0;
	lea_log(world->log, LEA_LOG_ERROR,
		"/run/lvm: this is %s, so it may belong to the system outside; run this command there",
		lea_place_name(place));
	return LEA_EXIT_FAILED;
}

int lea_session_open_queue(struct lea_session *session)
{
	int run_fd, code = lea_session_check_place(session->world);

	if (code)
		return code;
	run_fd = lea_world_run(session->world);
	session->event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	if (session->event_fd >= 0)
		return 0;
	return lea_session_fail(session->world, session->event_fd, "/run/lvm/event");
}

/* All that boot and udev start begins here: a slip in a settings file must not cost a boot. */
int lea_session_begin(struct lea_world *world, struct lea_session *session)
{
	const struct lea_common common = {.is_service = true};
	int code;

	*session = (struct lea_session){.world = world, .event_fd = -1};
	code = lea_cmd_begin(world, &common, &session->conf);
	return code ? code : lea_session_open_queue(session);
}

static bool others_wait(void *arg)
{
	const struct lea_session *session = arg;

	return lea_prober_is_awaited(session->prober, session->event_fd);
}

/* Said before anything is taken: with a filter that is wrong no device can be judged. */
int lea_session_begin_batches(struct lea_session *session, struct lea_batch_how *how)
{
	int r;

	r = lea_prober_new(session->world, session->conf, &session->prober);
	r = r ? r : lea_known_new(&session->known);
	r = r ? r : lea_waiting_new(&session->waiting);
	how->world = session->world;
	how->conf = session->conf;
	how->lvm_path = lea_lvm_path(session->world);
	how->event_fd = session->event_fd;
	how->prober = session->prober;
	how->known = session->known;
	how->waiting = session->waiting;
	if (!r)
		lea_prober_listen(session->prober, others_wait, session);
	r = r ? r : lea_batch_workers(how, &session->workers);
	how->workers = session->workers;
	r = r ? r : lea_batch_check(how);
	if (r > 0)
		lea_log(session->world->log, LEA_LOG_ERROR,
			"Devices stay pending until that is mended; try: lvmevent status");
	return r < 0 ? lea_session_fail(session->world, r, "events") : r ? LEA_EXIT_FAILED : 0;
}
