/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers that nobody waits for any more: they hang, and can't be killed. One that gets on after
 * all says itself what became of its VGs (flow/worker.c). One that ends without having done so is
 * heard of here, and its VGs are looked at again.
 */
#ifndef LEA_FLOW_WORKER_LEFT_H
#define LEA_FLOW_WORKER_LEFT_H

#include "flow/worker.h"

#include <stdint.h>

/* Zeroed, but for what is borrowed: empty. */
struct lea_left {
	struct lea_worker *first; /* owned, each too */
	uint32_t count;
	uint32_t untold_count; /* of these: their end wakes nobody, or is still to be told */
	int epoll_fd;	       /* borrowed; wakes when one of them ends; its event has no data */
};

/*
 * lea_left_add - from now on nobody waits for @worker, which is taken over
 * It was told so, and its end of the socket is closed. Of its VGs those count whose job it has.
 */
void lea_left_add(struct lea_left *left, struct lea_worker *worker);

/*
 * lea_left_reap - sees to those that have ended
 * @lost: called for each VG of one that did not end by itself, as in lea_workers_options; what it
 * could not do is done by the next call. Never blocks.
 */
void lea_left_reap(struct lea_left *left, const struct lea_worker_setting *setting);

/* This process ends: all their VGs are told as lost. Somebody else may then wait for them. */
void lea_left_hand_over(struct lea_left *left, const struct lea_worker_setting *setting);

/* Frees all; processes that have not ended are init's, when this one has. */
void lea_left_forget(struct lea_left *left);

#endif
