/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define LEAST_ROOM 16U /* parts of which the ring takes one */

/* A small /run is for what others need there. */
static bool has_room(int run_fd)
{
	struct statvfs fs;

	return !fstatvfs(run_fd, &fs) &&
	       (uint64_t)fs.f_bavail * fs.f_frsize >= LEAST_ROOM * sizeof(struct lea_ring);
}

/* Written whole, so that its memory is there: to a mapped file without it, on a full /run, the
 * kernel answers with SIGBUS. */
static int make_file(struct lea_world *world, int run_fd)
{
	LEA_AUTO(lea_freep) struct lea_ring *ring = calloc(1, sizeof(*ring));
	LEA_AUTO(lea_closep) int event_fd = ring ? lea_file_open_folder(run_fd, "event") : -ENOMEM;
	char boot[LEA_BOOT_ID_BYTES];
	int r = event_fd < 0 ? event_fd : lea_world_boot_id(world, boot);

	if (r < 0)
		return r;
	lea_ring_begin(ring, boot);
	return lea_file_create(event_fd, strrchr(LEA_TIMELINE_FILE, '/') + 1, ring, sizeof(*ring));
}

static int open_file(struct lea_world *world)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC, run_fd = lea_world_run(world);
	int fd = run_fd < 0 ? run_fd : openat(run_fd, LEA_TIMELINE_FILE, flags);

	if (run_fd < 0 || fd >= 0 || errno != ENOENT || !has_room(run_fd) ||
	    make_file(world, run_fd) < 0)
		return fd;
	return openat(run_fd, LEA_TIMELINE_FILE, flags);
}

static struct lea_ring *map_ring(int fd)
{
	struct lea_ring *ring;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != sizeof(*ring))
		return NULL;
	ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return NULL;
	if (lea_ring_is_ours(ring))
		return ring;
	munmap(ring, sizeof(*ring));
	return NULL;
}

void lea_timeline_open(struct lea_world *world, const char *role)
{
	LEA_AUTO(lea_closep) int fd = -1;

	if (world->timeline)
		return;
	fd = open_file(world);
	world->timeline = fd < 0 ? NULL : map_ring(fd);
	lea_timeline_forked(world);
	lea_timeline_note(world, LEA_RING_STARTED, &(struct lea_timeline_note){.text = role});
}

void lea_timeline_forked(struct lea_world *world)
{
	if (world->timeline)
		world->timeline_pid = (uint32_t)getpid();
}

/* The coarse clock is read without a system call whatever the machine's clock is. */
static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void lea_timeline_note(const struct lea_world *world, enum lea_ring_kind kind,
		       const struct lea_timeline_note *note)
{
	struct lea_ring_record record = {0};

	if (!world->timeline && !world->step)
		return;
	record.time_us = now_us();
	if (world->step) {
		world->step->kind = kind;
		world->step->since_us = record.time_us;
	}
	if (!world->timeline)
		return;
	record.kind = (uint16_t)kind;
	record.pid = world->timeline_pid;
	record.value = note->vg ? lea_ring_vg(note->vg) : note->took_us;
	record.code = (uint16_t)abs(note->code);
	record.device = lea_ring_device(note->device.major, note->device.minor);
	if (note->text)
		memcpy(record.text, note->text, strnlen(note->text, sizeof(record.text)));
	lea_ring_put(world->timeline, &record);
}

void lea_timeline_note_name(const struct lea_world *world, enum lea_ring_kind kind,
			    const char *vg_id, const char *name)
{
	lea_timeline_note(world, kind, &(struct lea_timeline_note){.vg = vg_id, .text = name});
	for (size_t at = LEA_RING_TEXT_BYTES, len = strlen(name); world->timeline && at < len;
	     at += LEA_RING_TEXT_BYTES)
		lea_timeline_note(world, LEA_RING_NAME,
				  &(struct lea_timeline_note){
					  .vg = vg_id, .code = (int)at, .text = name + at});
}

void lea_timeline_note_device(const struct lea_world *world, enum lea_ring_kind kind,
			      const struct lea_device *device, struct lea_timeline_note note)
{
	const char *slash = device->name ? strrchr(device->name, '/') : NULL;

	note.device = lea_device_devno(device);
	note.text = slash ? slash + 1 : device->name;
	lea_timeline_note(world, kind, &note);
}
