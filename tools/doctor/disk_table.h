/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each disk did in the sample, beside what is healthy for it: for people who ask for more than
 * findings. */
#pragma once

#include "base/err.h"
#include "doctor/facts.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * lea_doctor_print_disks - a row for each disk, by name
 * @is_wanted: only disks for which it is true
 * @is_below: something was printed before
 * Returns 0 or -ENOMEM, with nothing printed.
 */
LEA_MUST_CHECK int lea_doctor_print_disks(const struct lea_doctor_facts *facts,
					  bool (*is_wanted)(void *arg,
							    const struct lea_doctor_disk *disk),
					  void *arg, bool is_below, FILE *out);
