/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by hanging.c (the parent) and hanging_child.c. A request is a frame: the number of threads
 * that it may use, then each item's index and what its kind packs. Answers come in frames of one or
 * more, each as its kind puts it.
 */
#pragma once

#include "world/hanging.h"

#include <stdatomic.h>
#include <stdint.h>

/* Of one thread; written by the child. */
struct lea_hanging_slot {
	_Atomic uint32_t item; /* index + 1; 0: none */
	_Atomic int32_t thread, process;
	_Atomic uint64_t start_ms;
};

/* What lea_hanging_child gets. */
struct lea_hanging_start {
	struct lea_hanging *hanging;
	int fd; /* the child's end */
};

/* All that a child does. @arg: struct lea_hanging_start. Returns its exit code. */
int lea_hanging_child(void *arg);
