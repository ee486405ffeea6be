/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child that reads devices for all scans of a process, one after the other. A child that a
 * device hangs, or that died, is left alone: the next scan has another one.
 */
#ifndef LEA_FLOW_PROBER_H
#define LEA_FLOW_PROBER_H

#include "base/err.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_prober;

/* @world, @conf: borrowed. Starts no process before a scan has a device to read. */
LEA_MUST_CHECK int lea_prober_new(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_prober **ret_prober);
/* The child ends by itself; nobody waits for it, but a command for one that is idle. NULL is fine. */
void lea_prober_free(struct lea_prober *prober);
void lea_prober_freep(struct lea_prober **prober);

/*
 * lea_prober_listen - whom to ask whether somebody waits for the end of a scan
 * Asked now and then while devices of it don't answer; these then have to do with the time of those
 * that others wait for. Devices that are slow themselves don't count: they would keep each other
 * from being read to the end, for ever.
 */
void lea_prober_listen(struct lea_prober *prober, bool (*others_wait)(void *arg), void *arg);

/* For a command of people's: a device that answers too late is not left in the queue, where the runner
 * would take it for an event. Before the first scan. */
void lea_prober_for_command(struct lea_prober *prober);

/* Does somebody wait in the queue who is not slow? @event_fd: /run/lvm/event. */
bool lea_prober_is_awaited(struct lea_prober *prober, int event_fd);

/* No child any more: the next scan starts one. */
void lea_prober_drop(struct lea_prober *prober);

/* How many children were started so far. */
uint32_t lea_prober_children(const struct lea_prober *prober);
/* Our end of the way to the child, -1: no child now. Any other child of ours has to close it: this
 * one ends when nobody has it open any more. Borrowed, also the place: it changes with each child.
 */
const int *lea_prober_fd(const struct lea_prober *prober);

#endif
