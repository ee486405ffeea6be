/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a udev rule, with a NUL after each variable: at most one entry is created, in
 * the queue, and the runner can read it.
 */
#include "daemon/enqueue.h"

#include "fuzz/fuzz.h"
#include "state/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_VARIABLES 64U

static char run_dir[128];
static int event_fd;

static void open_once(void)
{
	struct lea_world *world = fuzz_world();

	if (event_fd)
		return;
	snprintf(run_dir, sizeof(run_dir), "%s/run/lvm", world->root);
	event_fd = lea_queue_open(lea_world_run(world));
	CLAIM(event_fd >= 0);
}

static const char *value_of(char *const environ_[], const char *name)
{
	size_t len = strlen(name);

	for (; *environ_; environ_++)
		if (!strncmp(*environ_, name, len) && (*environ_)[len] == '=')
			return *environ_ + len + 1;
	return "";
}

/* Takes the first entry that a runner finds; there must be no other. */
static void take(char *const environ_[])
{
	struct lea_entry *entries = NULL;
	size_t count = 0;
	int lock_fd;

	CLAIM(!lea_queue_lock(event_fd, &lock_fd));
	CLAIM(!lea_queue_take(event_fd, &entries, &count));
	CLAIM(count == 1);
	CLAIM(!strcmp(entries[0].device.name, value_of(environ_, "DEVNAME")));
	CLAIM(entries[0].device.major == strtoul(value_of(environ_, "MAJOR"), NULL, 10));
	CLAIM(!entries[0].device.properties || strlen(entries[0].device.properties) < 16384);
	CLAIM(!lea_queue_done(event_fd, &entries[0]));
	lea_entries_free(entries, count);
	close(lock_fd);
	CLAIM(!lea_queue_has_pending(event_fd));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	char *environ_[MOST_VARIABLES + 1];
	unsigned int count = 0;
	int r;

	open_once();
	while (in.left && count < MOST_VARIABLES)
		environ_[count++] = fuzz_text_to(&in, '\0');
	environ_[count] = NULL;
	r = lea_enqueue_event(run_dir, environ_);
	CLAIM(r >= 0 || r == -E2BIG);
	if (!r)
		take(environ_);
	while (count)
		free(environ_[--count]);
	return 0;
}
