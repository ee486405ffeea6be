/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beginning and end of a probing child. It is made early and once, so that it has little memory in
 * common with us and a burst of devices costs one process.
 */
#include "flow/prober.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "flow/probe.h"
#include "state/queue.h"
#include "world/proc.h"

#define DEFAULT_THREADS	    16U
#define DEFAULT_DEADLINE_MS 10000U

int lea_prober_new(struct lea_world *world, const struct lea_conf *conf,
		   struct lea_prober **ret_prober)
{
	struct lea_prober *prober = calloc(1, sizeof(*prober));

	if (!prober)
		return -ENOMEM;
	prober->world = world;
	prober->deadline_ms =
		conf->probe_deadline_ms ? conf->probe_deadline_ms : DEFAULT_DEADLINE_MS;
	prober->most_threads = conf->probe_threads ? conf->probe_threads : DEFAULT_THREADS;
	if (prober->most_threads > LEA_PROBE_MAX_THREADS)
		prober->most_threads = LEA_PROBE_MAX_THREADS;
	prober->fd = -1;
	*ret_prober = prober;
	return 0;
}

/* With its way to us open it has answered for every device, so it ends at once: nothing of a command
 * that has ended is left over. One that hangs was dropped before, and is init's when we end. */
static void end_child(struct lea_prober *prober)
{
	const bool is_idle = prober->forgets && prober->fd >= 0;
	int code;

	lea_prober_drop(prober);
	if (is_idle && lea_proc_wait(prober->pid, &code) < 0)
		lea_log(prober->world->log, LEA_LOG_DEBUG, "probe: nobody to wait for");
}

void lea_prober_free(struct lea_prober *prober)
{
	if (prober)
		end_child(prober);
	free(prober);
}

void lea_prober_freep(struct lea_prober **prober)
{
	lea_prober_free(*prober);
}

void lea_prober_listen(struct lea_prober *prober, bool (*others_wait)(void *arg), void *arg)
{
	prober->others_wait = others_wait;
	prober->others_arg = arg;
}

void lea_prober_for_command(struct lea_prober *prober)
{
	prober->forgets = true;
}

static bool is_slow(void *arg, const char *key)
{
	const struct lea_prober *prober = arg;

	return lea_late_has_key(&prober->late, key);
}

bool lea_prober_is_awaited(struct lea_prober *prober, int event_fd)
{
	return lea_queue_has_pending_but(event_fd, is_slow, prober);
}

uint32_t lea_prober_children(const struct lea_prober *prober)
{
	return prober->child_count;
}

const int *lea_prober_fd(const struct lea_prober *prober)
{
	return &prober->fd;
}

int lea_prober_start(struct lea_prober *prober)
{
	struct lea_probe_child child = {.world = prober->world, .forgets = prober->forgets};
	int fds[2], r;

	if (prober->fd >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	child.fd = fds[1];
	r = prober->forgets ? lea_proc_fork(lea_probe_child, &child, &prober->pid)
			    : lea_proc_orphan(lea_probe_child, &child);
	close(fds[1]);
	if (r) {
		close(fds[0]);
		return r;
	}
	prober->fd = fds[0];
	prober->thread_count = 0;
	prober->child_count++;
	return 0;
}

void lea_prober_drop(struct lea_prober *prober)
{
	lea_closep(&prober->fd);
	prober->fd = -1;
}
