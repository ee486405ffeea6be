/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where lvm2's versions make nodes differently, we do as the installed one does: its own commands
 * must find what they would have made. lvm2 and libdevmapper are released together, and the
 * library's number (1.02.N) can be had for nothing. Pure.
 */
#ifndef LEA_POLICY_WAYS_H
#define LEA_POLICY_WAYS_H

#include <stdbool.h>
#include <stdint.h>

struct lea_ways {
	/* Snapshots are resumed for udev only after their origin, by a second resume (2.03.19). */
	bool snapshots_twice;
	/* The two parts of a cache volume are hidden from udev's rules (2.03.19). */
	bool hides_cachevol_parts;
	/* Images, logs and metadata of raid, mirror and integrity, and pvmove: uuid with -real
	 * (2.03.36). */
	bool parts_are_real;
	/* The cache policy named in the metadata counts for cache volumes, too (2.03.40). */
	bool cachevol_policy;
};

/* @dm_release: N of the library's version 1.02.N; 0: not known, taken for the newest. */
struct lea_ways lea_ways_of(uint32_t dm_release);

#endif
