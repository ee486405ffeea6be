/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worst finding of lvmevent doctor's last full examination, as lvmevent status shows it. Reads
 * what doctor has kept, and examines nothing. */
#pragma once

#include "base/err.h"
#include "cli/json.h"
#include "doctor/latest_file.h"
#include "world/world.h"

#include <stdio.h>

struct lea_status_doctor {
	struct lea_latest latest;
	uint64_t age_s;
	int outcome; /* 0, or enum lea_latest_file_outcome: nothing is known */
};

/* Returns 0 or -errno: a shortage. */
LEA_MUST_CHECK int lea_status_doctor_read(struct lea_world *world,
					  struct lea_status_doctor *ret_doctor);
void lea_status_doctor_print(const struct lea_status_doctor *doctor, FILE *out);
/* Adds the member "doctor" to the object. */
void lea_status_doctor_json(const struct lea_status_doctor *doctor, struct lea_json *json,
			    struct json_object *to);
