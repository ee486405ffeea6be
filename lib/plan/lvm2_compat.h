/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences in how lvm2's versions create nodes. We do as the installed version does, because its
 * commands must find the nodes that they would have created. lvm2 and libdevmapper are released
 * together, and the library's version (1.02.N) is known without running a program. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lea_compat {
	/* A second resume announces snapshots to udev, after their origin (2.03.19). */
	bool snapshots_twice;
	/* Both parts of a cache volume are hidden from udev's rules (2.03.19). */
	bool hides_cachevol_parts;
	/* uuids of pvmove and of images, logs and metadata of raid, mirror and integrity end in
	 * -real (2.03.36). */
	bool parts_are_real;
	/* Reports show the data of an image with integrity as an image, too (after 2.03.16, at the
	 * latest in 2.03.31). */
	bool integrity_data_is_image;
	/* The cache policy in the metadata also applies to cache volumes (2.03.40). */
	bool cachevol_policy;
};

/* @dm_release: N of the library's version 1.02.N; 0: unknown, treated as the newest. */
struct lea_compat lea_compat_of(uint32_t dm_release);
