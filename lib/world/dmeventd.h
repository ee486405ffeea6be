/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers nodes with dmeventd, by libdevmapper-event. The library is opened at first use, because
 * most machines and all device events do without it. Source of numbers and calls:
 * libdevmapper-event.h.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* All borrowed. */
struct lea_dmeventd_watch {
	const char *library;	/* dmeventd's plugin: a file name or a path */
	const char *uuid;	/* of an active node */
	const char *executable; /* dmeventd, if it must be started; NULL: the library's default */
	uint32_t mask;
	int timeout_s;
};

enum lea_dmeventd_outcome {
	LEA_DMEVENTD_ABSENT = 1, /* libdevmapper-event is not installed */
};
/* Registers a node and checks that the registration persists. Blocks, at most some seconds beyond
 * dmeventd's answers. 0, LEA_DMEVENTD_ABSENT, -ETIMEDOUT, -EIO or -ENOMEM. */
LEA_MUST_CHECK int lea_dmeventd_watch(struct lea_world *world,
				      const struct lea_dmeventd_watch *watch);
/* Unregisters a node before it is removed. 0: dmeventd does not monitor it now. Starts a dmeventd
 * if none runs: call lea_dmeventd_lives first. */
LEA_MUST_CHECK int lea_dmeventd_leave(struct lea_world *world,
				      const struct lea_dmeventd_watch *watch);
/* Is dmeventd running? It holds a record lock on its pid file. */
bool lea_dmeventd_lives(const struct lea_world *world);
