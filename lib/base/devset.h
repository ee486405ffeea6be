/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of device instances. Each has a position, in the order in which they were added, for arrays
 * with what else is known of them. Adding and finding one costs the same however many there are.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"

#include <stddef.h>

/* Zeroed: empty. */
struct lea_devset {
	struct lea_devid *id; /* [count]; owned */
	size_t count;
	uint32_t *slot;	   /* owned, twice as many as ids have room: position + 1, 0 is free */
	size_t room;	   /* of ids, a power of two */
	uint64_t compared; /* pairs of ids compared so far: what adding and finding has cost */
};

#define LEA_DEVSET_NONE SIZE_MAX

enum lea_devset_outcome {
	LEA_DEVSET_THERE = 1, /* it was in the set */
};

/* 0: @id is at the last position now. LEA_DEVSET_THERE, or -ENOMEM: the set stays as it was. */
LEA_MUST_CHECK int lea_devset_add(struct lea_devset *set, const struct lea_devid *id);
/* Its position, or LEA_DEVSET_NONE. */
size_t lea_devset_find(struct lea_devset *set, const struct lea_devid *id);
bool lea_devset_has(struct lea_devset *set, const struct lea_devid *id);
/* Forgets all of them, keeps the memory. */
void lea_devset_clear(struct lea_devset *set);
void lea_devset_done(struct lea_devset *set);
