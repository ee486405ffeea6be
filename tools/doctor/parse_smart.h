/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What smartctl prints. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * lea_doctor_parse_smart - what `smartctl -j -H -A` printed
 * @ret_wear_percent: of the life that is used up; LEA_DOCTOR_UNKNOWN: not said
 * False: neither is said. Source: smartmontools 7.3, scsiprint.cpp and nvmeprint.cpp; 7.4 has
 * endurance_used for disks of each kind.
 */
bool lea_doctor_parse_smart(const char *text, bool *ret_failing, uint64_t *ret_wear_percent);
