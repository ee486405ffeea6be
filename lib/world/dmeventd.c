/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If a node was inactive a moment ago, its thread in dmeventd may still be ending, and a new
 * registration would end with it. So check that the registration persists, and retry.
 */
#include "world/dmeventd.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libdevmapper-event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define PID_FILE "/run/dmeventd.pid"
#define TRIES	 40
#define PAUSE_MS 10U /* grows with each try: eight seconds in total */

/* The library's functions; NULL before it is opened. */
static struct {
	__typeof__(dm_event_handler_create) *create;
	__typeof__(dm_event_handler_destroy) *destroy;
	__typeof__(dm_event_handler_set_dmeventd_path) *set_path;
	__typeof__(dm_event_handler_set_dso) *set_dso;
	__typeof__(dm_event_handler_set_uuid) *set_uuid;
	__typeof__(dm_event_handler_set_timeout) *set_timeout;
	__typeof__(dm_event_handler_set_event_mask) *set_mask;
	__typeof__(dm_event_handler_get_event_mask) *get_mask;
	__typeof__(dm_event_register_handler) *add;
	__typeof__(dm_event_unregister_handler) *drop;
	__typeof__(dm_event_get_registered_device) *look;
} call;

static const struct {
	const char *name;
	size_t at;
} names[] = {
	{"dm_event_handler_create", offsetof(__typeof__(call), create)},
	{"dm_event_handler_destroy", offsetof(__typeof__(call), destroy)},
	{"dm_event_handler_set_dmeventd_path", offsetof(__typeof__(call), set_path)},
	{"dm_event_handler_set_dso", offsetof(__typeof__(call), set_dso)},
	{"dm_event_handler_set_uuid", offsetof(__typeof__(call), set_uuid)},
	{"dm_event_handler_set_timeout", offsetof(__typeof__(call), set_timeout)},
	{"dm_event_handler_set_event_mask", offsetof(__typeof__(call), set_mask)},
	{"dm_event_handler_get_event_mask", offsetof(__typeof__(call), get_mask)},
	{"dm_event_register_handler", offsetof(__typeof__(call), add)},
	{"dm_event_unregister_handler", offsetof(__typeof__(call), drop)},
	{"dm_event_get_registered_device", offsetof(__typeof__(call), look)},
};

/* The library stays open until the process ends. */
static bool is_open(void)
{
	void *library, *symbol;

	if (call.look)
		return true;
	library =
		*LEA_DM_EVENT_LIBRARY ? dlopen(LEA_DM_EVENT_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
	for (size_t i = 0; library && i < ARRAY_SIZE(names); i++) {
		symbol = dlsym(library, names[i].name);
		if (!symbol)
			return false;
		memcpy((char *)&call + names[i].at, &symbol, sizeof(symbol));
	}
	return library != NULL;
}

/* The library's functions modify the handler, so each call gets a new one. */
static struct dm_event_handler *handler_of(const struct lea_dmeventd_watch *watch)
{
	struct dm_event_handler *handler = call.create();

	if (!handler)
		return NULL;
	if (call.set_dso(handler, watch->library) || call.set_uuid(handler, watch->uuid) ||
	    (watch->executable && call.set_path(handler, watch->executable))) {
		call.destroy(handler);
		return NULL;
	}
	call.set_timeout(handler, watch->timeout_s);
	call.set_mask(handler, (enum dm_event_mask)watch->mask);
	return handler;
}

static int add(const struct lea_dmeventd_watch *watch)
{
	struct dm_event_handler *handler = handler_of(watch);
	int done;

	if (!handler)
		return -ENOMEM;
	done = call.add(handler);
	call.destroy(handler);
	return done ? 0 : -EIO;
}

/* *ret_stays: it is registered and not about to end. */
static int look(const struct lea_dmeventd_watch *watch, bool *ret_stays)
{
	struct dm_event_handler *handler = handler_of(watch);

	if (!handler)
		return -ENOMEM;
	*ret_stays = call.look(handler, 0) == 0 &&
		     !(call.get_mask(handler) & DM_EVENT_REGISTRATION_PENDING);
	call.destroy(handler);
	return 0;
}

int lea_dmeventd_watch(struct lea_world *world, const struct lea_dmeventd_watch *watch)
{
	bool stays = false;
	int r = 0;

	if (!is_open())
		return LEA_DMEVENTD_ABSENT;
	for (unsigned int i = 0; i < TRIES; i++) {
		r = add(watch);
		r = r ? r : look(watch, &stays);
		if (r || stays)
			return r;
		world->clock->sleep_ms(world->clock, (uint64_t)PAUSE_MS * (i + 1));
	}
	return -ETIMEDOUT;
}

int lea_dmeventd_leave(struct lea_world *world, const struct lea_dmeventd_watch *watch)
{
	struct dm_event_handler *handler;

	(void)world;
	if (!is_open())
		return LEA_DMEVENTD_ABSENT;
	handler = handler_of(watch);
	if (!handler)
		return -ENOMEM;
	/* The library reports an error for a node that is not registered, so look first. Its
	 * registration may still end in between, which is as good. */
	if (call.look(handler, 0) == 0)
		call.drop(handler);
	call.destroy(handler);
	return 0;
}

bool lea_dmeventd_lives(const struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, PID_FILE);
	LEA_AUTO(lea_closep) int fd = -1;
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}
