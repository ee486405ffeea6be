/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold at rest besides what is active: files with owners, PVs with records, bounds. */
#pragma once

#include "sim/course.h"
#include "sim/finding.h"

/* @course: of the whole history; its state is that at rest. */
void sim_invariants(const struct sim_history *history, const struct sim_course *course,
		    const struct sim_end *end, struct sim_findings *findings);
