/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child process that reads devices for all scans of a process, one scan after the other. A
 * child that died, or whose threads all hang in a read, is abandoned; the next scan starts another.
 * A device for which a thread of such a child still waits (world/hung.h) is not read, and counts as
 * timed out: that thread queues it when it answers. So a device that hangs costs one process.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "conf/conf.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Devices that are read at a time. With 5 ms for each read 8 threads take a quarter of the time of
 * one; 16 take a fifth, for 0.7 MB more. */
#define LEA_READER_THREADS 8U

struct lea_reader;

/*
 * @world: borrowed; @conf: read before this returns. Starts no process until a scan has a device to
 * read. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_reader_new(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_reader **ret_reader);
/* Closes the connection; the child then ends by itself. Does not wait for it, except for an idle
 * child of a command. @reader may be NULL. */
void lea_reader_free(struct lea_reader *reader);
LEA_DEFINE_FREEP(struct lea_reader, lea_reader_freep, lea_reader_free);

/*
 * lea_reader_listen - set the function that says whether other devices wait for the end of a scan
 * While some devices do not answer, the reader calls @others_wait now and then; if it returns true,
 * these devices get a shorter deadline, the one for devices that keep others waiting. It must not
 * count slow devices: they would keep each other from being read to the end.
 * @arg: passed to @others_wait; borrowed
 */
void lea_reader_listen(struct lea_reader *reader, bool (*others_wait)(void *arg), void *arg);

/* The same for what hears of a child that was abandoned with devices that it will queue: when it
 * ends, by whatever it was killed, lea_reader_requeue_owed queues those that it has not. */
void lea_reader_follow(struct lea_reader *reader, void (*abandoned)(void *arg, pid_t child),
		       void *arg);
/*
 * lea_reader_requeue_owed - queue the devices that children would have queued that have ended
 * @is_old: they may have ended long ago, and a person may have taken a VG down since for which an
 *          add of a device asked that was dealt with before: such an add is queued as MISSED
 * 0, or a shortage: some are still owed. One system call if none is.
 */
LEA_MUST_CHECK int lea_reader_requeue_owed(struct lea_world *world, int event_fd, bool is_old);

/* For a command that a person runs: a device that answers too late is not queued, because the
 * runner would take the entry for an event, and it is not remembered. Call it before the first
 * scan. */
void lea_reader_for_command(struct lea_reader *reader);

/* Reads each device for @deadline_ms at most, if the configuration allows more, and with @threads;
 * 0: as configured. Call it before the first scan. */
void lea_reader_limit(struct lea_reader *reader, uint32_t deadline_ms, uint32_t threads);

/*
 * lea_reader_remember - for a command that may run often: a device costs one child that hangs
 * The same for devices for which a thread of an earlier command's child still waits. Costs one
 * system call a scan, and one a thread. Call it before the first scan, after
 * lea_reader_for_command.
 */
void lea_reader_remember(struct lea_reader *reader);

/* Has the device given @reader no answer in time, and none since? Its child queues it when it answers.
 * @reader: NULL: false. */
bool lea_reader_is_silent(const struct lea_reader *reader, const struct lea_device *device);

/* The same, also of the reader of a process that has ended, and did an add wait for the answer? Then the
 * child queues that. @hung_fd: from lea_hung_open; negative: nothing hangs. @pvid: the PV that the device
 * is by now, "": not known: an add of another PV, which was missed, is none of this one. 1, 0 or a
 * shortage. */
LEA_MUST_CHECK int lea_reader_owes_add(const struct lea_reader *reader, int hung_fd,
				       const struct lea_device *device, const char *pvid);

/* Does a device wait in the queue that is not known to be slow? @event_fd: /run/lvm/event. */
bool lea_reader_is_awaited(struct lea_reader *reader, int event_fd);

/* Abandons the child, if there is one; the next scan starts another. */
void lea_reader_drop(struct lea_reader *reader);
