/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As much of sd-event as our program uses, in virtual time. */
#include "sim/machine_private.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#define SOURCES 64U

struct sd_event_source {
	struct sd_event *loop;
	bool is_timer, is_pending;
	int enabled;
	int fd;
	uint32_t events, revents;
	sd_event_io_handler_t on_io;
	uint64_t at_us;
	sd_event_time_handler_t on_time;
	void *arg;
};

struct sd_event {
	int fd;
	struct sd_event_source *source[SOURCES];
	uint32_t count;
};

static uint64_t now_us(void)
{
	return sim.now_ms * 1000;
}

int sd_event_new(sd_event **ret)
{
	struct sd_event *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return -ENOMEM;
	loop->fd = sim_fd_new(SIM_FD_LOOP);
	if (loop->fd < 0) {
		const int r = loop->fd;

		free(loop);
		return r;
	}
	sim_fds[loop->fd].of = loop;
	*ret = loop;
	return 0;
}

sd_event *sd_event_unref(sd_event *loop)
{
	if (!loop)
		return NULL;
	sim_fd_close(sim.now->main->slot, loop->fd);
	free(loop);
	return NULL;
}

int sd_event_get_fd(sd_event *loop)
{
	return loop->fd;
}

static int add(struct sd_event *loop, struct sd_event_source source, sd_event_source **ret)
{
	struct sd_event_source *own = loop->count < SOURCES ? malloc(sizeof(*own)) : NULL;

	if (!own)
		return -ENOMEM;
	*own = source;
	own->loop = loop;
	loop->source[loop->count++] = own;
	if (ret)
		*ret = own;
	return 0;
}

int sd_event_add_io(sd_event *loop, sd_event_source **ret, int fd, uint32_t events,
		    sd_event_io_handler_t handler, void *arg)
{
	sim_point("epoll_ctl", NULL);
	return add(loop,
		   (struct sd_event_source){.fd = fd,
					    .events = events,
					    .on_io = handler,
					    .enabled = SD_EVENT_ON,
					    .arg = arg},
		   ret);
}

int sd_event_add_time(sd_event *loop, sd_event_source **ret, clockid_t clock, uint64_t at_us,
		      uint64_t accuracy, sd_event_time_handler_t handler, void *arg)
{
	(void)clock;
	(void)accuracy;
	return add(loop,
		   (struct sd_event_source){.is_timer = true,
					    .at_us = at_us,
					    .on_time = handler,
					    .enabled = SD_EVENT_ONESHOT,
					    .arg = arg},
		   ret);
}

int sd_event_add_time_relative(sd_event *loop, sd_event_source **ret, clockid_t clock, uint64_t us,
			       uint64_t accuracy, sd_event_time_handler_t handler, void *arg)
{
	return sd_event_add_time(loop, ret, clock, now_us() + us, accuracy, handler, arg);
}

sd_event_source *sd_event_source_unref(sd_event_source *source)
{
	struct sd_event *loop = source ? source->loop : NULL;

	for (uint32_t i = 0; loop && i < loop->count; i++)
		if (loop->source[i] == source) {
			for (uint32_t k = i + 1; k < loop->count; k++)
				loop->source[k - 1] = loop->source[k];
			loop->count--;
			free(source);
			break;
		}
	return NULL;
}

int sd_event_source_set_enabled(sd_event_source *source, int enabled)
{
	if (!source)
		return 0;
	source->enabled = enabled;
	if (enabled == SD_EVENT_OFF)
		source->is_pending = false;
	return 0;
}

int sd_event_source_get_enabled(sd_event_source *source, int *ret)
{
	const int enabled = source ? source->enabled : SD_EVENT_OFF;

	if (ret)
		*ret = enabled;
	return enabled != SD_EVENT_OFF;
}

int sd_event_source_set_time_relative(sd_event_source *source, uint64_t us)
{
	source->at_us = now_us() + us;
	source->is_pending = false;
	return 0;
}

static bool is_due(struct sd_event_source *source)
{
	short got = 0;

	if (source->enabled == SD_EVENT_OFF)
		return false;
	if (source->is_timer)
		return source->at_us <= now_us();
	if (!sim_fd_is_ready(source->fd, (short)source->events, &got))
		return false;
	source->revents = (uint32_t)(unsigned short)got;
	return true;
}

bool sim_loop_is_ready(void *arg)
{
	struct sd_event *loop = arg;

	for (uint32_t i = 0; i < loop->count; i++)
		if (loop->source[i]->is_pending || is_due(loop->source[i]))
			return true;
	return false;
}

uint64_t sim_loop_due_ms(void *arg)
{
	const struct sd_event *loop = arg;
	uint64_t due = SIM_NEVER, at;

	for (uint32_t i = 0; i < loop->count; i++) {
		const struct sd_event_source *source = loop->source[i];

		if (source->enabled == SD_EVENT_OFF)
			continue;
		at = source->is_timer ? (source->at_us + 999) / 1000 : sim_fd_due_ms(source->fd);
		due = at < due ? at : due;
	}
	return due;
}

static bool collect(struct sd_event *loop)
{
	bool any = false;

	for (uint32_t i = 0; i < loop->count; i++) {
		struct sd_event_source *source = loop->source[i];

		source->is_pending = source->is_pending || is_due(source);
		any = any || source->is_pending;
	}
	return any;
}

int sd_event_prepare(sd_event *loop)
{
	for (uint32_t i = 0; i < loop->count; i++)
		if (loop->source[i]->is_pending)
			return 1;
	return 0;
}

int sd_event_wait(sd_event *loop, uint64_t timeout_us)
{
	const uint64_t until =
		timeout_us == UINT64_MAX ? SIM_NEVER : sim.now_ms + (timeout_us + 999) / 1000;

	sim.use.calls++;
	while (!collect(loop)) {
		const uint64_t due = sim_loop_due_ms(loop);

		if (until <= sim.now_ms)
			return 0;
		sim_wait("loop", due < until ? due : until, sim_loop_is_ready, loop);
	}
	return 1;
}

int sd_event_dispatch(sd_event *loop)
{
	for (uint32_t i = 0; i < loop->count; i++) {
		struct sd_event_source *source = loop->source[i];
		int r;

		if (!source->is_pending)
			continue;
		source->is_pending = false;
		if (source->enabled == SD_EVENT_ONESHOT)
			source->enabled = SD_EVENT_OFF;
		r = source->is_timer
			    ? source->on_time(source, source->at_us, source->arg)
			    : source->on_io(source, source->fd, source->revents, source->arg);
		(void)r;
		break;
	}
	return 1;
}

int sd_event_run(sd_event *loop, uint64_t timeout_us)
{
	int r = sd_event_prepare(loop);

	r = r ? r : sd_event_wait(loop, timeout_us);
	return r > 0 ? sd_event_dispatch(loop) : r;
}

int sd_event_add_inotify(sd_event *loop, sd_event_source **ret, const char *path, uint32_t mask,
			 sd_event_inotify_handler_t handler, void *arg)
{
	(void)loop, (void)ret, (void)path, (void)mask, (void)handler, (void)arg;
	return -ENOENT;
}

int sd_notify(int unset, const char *state)
{
	(void)unset, (void)state;
	return 0;
}
