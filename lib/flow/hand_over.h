/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a worker that has the real lvm activate VGs: many in one process. */
#ifndef LEA_FLOW_HAND_OVER_H
#define LEA_FLOW_HAND_OVER_H

#include "flow/job_wire.h"
#include "flow/worker.h"

/* All borrowed. */
struct lea_hand_over {
	const struct lea_worker_setting *setting;
	struct lea_job_vg **vg;
	struct lea_worker_report *report; /* one for each VG: filled in */
};

/* The first @count of them; VGs with a copied PV are left out. Blocks until lvm has ended. */
void lea_hand_over(const struct lea_hand_over *over, uint32_t count);

#endif
