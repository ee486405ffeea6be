/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probing children whose reads are made by fakes here: by its name a device hangs until a file goes
 * away, is slow, or kills the child. Include it once.
 */
#ifndef LEA_TEST_FLOW_PROBE_SCRATCH_H
#define LEA_TEST_FLOW_PROBE_SCRATCH_H

#include "flow/known.h"
#include "flow/probe.h"
#include "flow/scratch.h"
#include "state/queue.h"
#include "world/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define DEADLINE_MS 1000
#define SLOW_MS	    1550 /* more than the deadline and the grace, less than twice the deadline */

static struct lea_conf conf = {.probe_threads = 2, .probe_deadline_ms = DEADLINE_MS};

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

/* The child, as it says itself. */
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

int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	note_pid();
	if (strstr(path, "hang"))
		wait_until("sick", false);
	if (strstr(path, "slow"))
		usleep(SLOW_MS * 1000);
	if (strstr(path, "kill") || (strstr(path, "spared") && !exists("run/lvm/once"))) {
		if (strstr(path, "spared"))
			make("run/lvm/once");
		_exit(9);
	}
	snprintf(full, sizeof(full), "%s%s", scratch_root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int lea_blockdev_size(int fd, uint64_t *ret_bytes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret_bytes = (uint64_t)st.st_size;
	return 0;
}

int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes)
{
	return pread(fd, bytes, len_bytes, (off_t)offset_bytes) == (ssize_t)len_bytes ? 0 : -EIO;
}

int lea_queue_open(int run_fd)
{
	return fcntl(run_fd, F_DUPFD_CLOEXEC, 0); /* what a confined child may call */
}

int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry)
{
	int fd = openat(event_fd, entry->key, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	close(fd);
	return fd < 0 ? -errno : 0;
}

/* What pends, for whoever asks in the place of the queue. */
static const char *pending;

bool lea_queue_has_pending_but(int event_fd, bool (*skips)(void *arg, const char *key), void *arg)
{
	return pending && !skips(arg, pending);
}

static struct lea_prober *prober; /* NULL: each scan has its own */
static struct lea_known *known;	  /* NULL: nothing is kept */
static struct lea_scan *scan;
static struct lea_found *const *found;

static void add(struct lea_device *devices, size_t count)
{
	const struct lea_scan_options options = {
		.out_of_process = true, .prober = prober, .known = known};
	size_t found_count;

	ck_assert_int_eq(lea_scan_new(&scratch_world, &conf, &options, &scan), 0);
	ck_assert_int_eq(lea_scan_add(scan, devices, count), 0);
	found = lea_scan_found(scan, &found_count);
	ck_assert_uint_eq(found_count, count);
}

/* A process that nobody has waited for yet is over, too. */
static bool is_over(pid_t pid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	state = strrchr(line, ')');
	return !state || state[2] == 'Z' || state[2] == 'X';
}

/* Soon after nobody is connected with it any more, by itself. */
static bool ends(pid_t pid)
{
	for (int i = 0; i < 300 && !is_over(pid); i++)
		usleep(10000);
	return is_over(pid);
}

#endif
