/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader children that open devices in another way: depending on its name, a device hangs until a
 * file is removed, is slow, or kills the child. Include it once.
 */
#pragma once

#include "batch/pass_cache.h"
#include "flow/ends.h"
#include "flow/forks.h"
#include "flow/scratch.h"
#include "scan/reader_private.h"
#include "state/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define DEADLINE_MS 1000
#define LAZY_MS	    600	 /* more than a fifth of the deadline, and all of it is enough */
#define LATE_MS	    1200 /* more than the deadline, less than that plus grace */
#define SLOW_MS	    1550 /* more than deadline plus grace, less than twice the deadline */

static struct lea_conf conf = {.probe_deadline_ms = DEADLINE_MS};

static bool exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch_root, name);
	return !access(path, F_OK);
}

static void wait_until(const char *name, bool there)
{
	for (int i = 0; i < 1000 && exists(name) != there; i++)
		usleep(10000);
}

static void make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch_root, name);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* The pid that the child wrote. */
static pid_t child_pid(void)
{
	char path[256], text[16] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/run/lvm/pid", scratch_root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	return atoi(text);
}

static void note_pid(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/run/lvm/pid", scratch_root);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dprintf(fd, "%d", (int)getpid());
	close(fd);
}

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	note_pid();
	if (strstr(path, "hang"))
		wait_until("sick", false);
	if (strstr(path, "lazy"))
		usleep(LAZY_MS * 1000);
	if (strstr(path, "slow"))
		usleep(SLOW_MS * 1000);
	if (strstr(path, "late"))
		usleep(LATE_MS * 1000);
	if (strstr(path, "kill") || (strstr(path, "spared") && !exists("run/lvm/once"))) {
		if (strstr(path, "spared"))
			make("run/lvm/once");
		_exit(9);
	}
	snprintf(full, sizeof(full), "%s%s", scratch_root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

#define QUEUE "run/lvm/event/queue/" /* with an entry's key: its file */

static int event_fd;

static void reader_setup(void)
{
	scratch_setup();
	scratch_world.open_device = open_sick;
	event_fd = lea_queue_open(lea_world_run(&scratch_world));
	ck_assert_int_ge(event_fd, 0);
}

static void reader_teardown(void)
{
	close(event_fd);
	scratch_teardown();
}

static struct lea_reader *reader;    /* NULL: each scan has its own */
static struct lea_pass_cache *known; /* NULL: nothing is cached */
static struct lea_scan *scan;
static struct lea_found *const *found;

static void new_reader(void)
{
	forks = 0;
	ck_assert_int_eq(lea_reader_new(&scratch_world, &conf, &reader), 0);
	lea_reader_limit(reader, 0, 2);
}

static void new_scan(void)
{
	const struct lea_scan_options options = {.out_of_process = true,
						 .reader = reader,
						 .texts = known ? &known->texts : NULL,
						 .devicesfile = known ? &known->file : NULL};

	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
}

static void add(struct lea_device *devices, size_t count)
{
	size_t found_count;

	new_scan();
	ck_assert_int_eq(lea_scan_add(scan, devices, count), 0);
	found = lea_scan_found(scan, &found_count);
	ck_assert_uint_eq(found_count, count);
}
