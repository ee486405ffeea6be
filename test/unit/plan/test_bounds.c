/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/bounds.h"
#include "unit/suite.h"

static const struct {
	const char *claim;
	uint32_t set, cpus;
	uint32_t workers, lvs, lvs_alone;
} rows[] = {
	{"a small machine", 0, 1, 2, 8, 512},
	{"two CPUs", 0, 2, 4, 8, 512},
	{"four CPUs", 0, 4, 8, 16, 512},
	{"a server: workers have an end, LVs grow on", 0, 64, 10, 256, 512},
	{"LVs have an end as well", 0, 1024, 10, 512, 512},
	{"more CPUs than fit", 0, UINT32_MAX, 10, 512, 512},
	{"what is set is so", 3, 64, 3, 3, 3},
	{"even if it is much", 10000, 1, 10000, 10000, 10000},
};

TEST_EACH(workers_and_lvs_are_bounded_by_cpus, rows)
{
	const uint32_t set = rows[_i].set, cpus = rows[_i].cpus;

	ck_assert_msg(lea_bound_workers(set, cpus) == rows[_i].workers, "%s", rows[_i].claim);
	ck_assert_msg(lea_bound_lvs(set, cpus, false) == rows[_i].lvs, "%s", rows[_i].claim);
	ck_assert_msg(lea_bound_lvs(set, cpus, true) == rows[_i].lvs_alone, "%s", rows[_i].claim);
}
