/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2 2.03.16 comes with 1.02.185, 2.03.19 with 1.02.191, 2.03.31 with 1.02.205; from then on both
 * numbers grow by one per release.
 */
#include "plan/lvm2_compat.h"

#define RELEASE_2_03_19 191U
#define RELEASE_2_03_36 210U
#define RELEASE_2_03_40 214U

struct lea_compat lea_compat_of(uint32_t dm_release)
{
	if (!dm_release)
		dm_release = UINT32_MAX;
	return (struct lea_compat){
		.snapshots_twice = dm_release >= RELEASE_2_03_19,
		.hides_cachevol_parts = dm_release >= RELEASE_2_03_19,
		.integrity_data_is_image = dm_release >= RELEASE_2_03_19,
		.parts_are_real = dm_release >= RELEASE_2_03_36,
		.cachevol_policy = dm_release >= RELEASE_2_03_40,
	};
}
