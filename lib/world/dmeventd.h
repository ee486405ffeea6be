/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling dmeventd what to watch, by libdevmapper-event. The library is opened when it is first
 * needed: most machines and all events of devices never do.
 * Source of numbers and calls: libdevmapper-event.h.
 */
#ifndef LEA_WORLD_DMEVENTD_H
#define LEA_WORLD_DMEVENTD_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* All borrowed. */
struct lea_dmeventd_watch {
	const char *library;	/* of dmeventd's that does the watching: a file name or a path */
	const char *uuid;	/* of an active node */
	const char *executable; /* dmeventd, should it not run; NULL: the library's own default */
	uint32_t mask;
	int timeout_s;
};

enum lea_dmeventd_outcome {
	LEA_DMEVENTD_ABSENT = 1, /* there is no such library here */
};
/* Returns when dmeventd says that it watches: 0, LEA_DMEVENTD_ABSENT, -ETIMEDOUT, -EIO. */
LEA_MUST_CHECK int lea_dmeventd_watch(struct lea_world *world,
				      const struct lea_dmeventd_watch *watch);
/* Before the node goes. 0: dmeventd does not watch it any more, or never did. Asking starts a
 * dmeventd: not without lea_dmeventd_lives. */
LEA_MUST_CHECK int lea_dmeventd_leave(struct lea_world *world,
				      const struct lea_dmeventd_watch *watch);
/* Does a dmeventd run? It has a record lock on its pid file. */
bool lea_dmeventd_lives(const struct lea_world *world);
/* Asks the service manager for it, without waiting for an answer. false: there is none to ask. */
bool lea_dmeventd_start(const struct lea_world *world);

#endif
