/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of the reader that were abandoned because a disk did not answer. One that is killed
 * while it waits queues nothing; its end is noticed here, and what it owed is queued. Children of
 * an earlier runner are not followed: what these owed a reconcile queues.
 */
#pragma once

#include "scan/reader.h"

struct lea_reader_watch;
struct sd_event;

/* Follows the children of @reader in @loop for as long as it lives. All borrowed; free it before
 * the loop. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_reader_watch_new(struct lea_world *world, int event_fd,
					struct sd_event *loop, struct lea_reader *reader,
					struct lea_reader_watch **ret_watch);
/* @watch may be NULL. */
void lea_reader_watch_free(struct lea_reader_watch *watch);
