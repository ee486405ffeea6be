/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/parse_smart.h"

#include "cli/json.h"
#include "doctor/facts.h"

#define WEAR_MOST 255U /* of a field of one byte */

static const char *const wear_paths[] = {
	"/nvme_smart_health_information_log/percentage_used",
	"/scsi_percentage_used_endurance_indicator",
	"/endurance_used/current_percent",
};

bool lea_doctor_parse_smart(const char *text, bool *ret_failing, uint64_t *ret_wear_percent)
{
	struct json_object *said = lea_json_read(text);
	uint64_t wear = LEA_DOCTOR_UNKNOWN;
	bool passed = true, has_status;

	has_status = said && lea_json_find_bool(said, "/smart_status/passed", &passed);
	for (size_t i = 0; said && wear == LEA_DOCTOR_UNKNOWN && i < ARRAY_SIZE(wear_paths); i++)
		if (lea_json_find_number(said, wear_paths[i], &wear) && wear > WEAR_MOST)
			wear = LEA_DOCTOR_UNKNOWN;
	lea_json_free(said);
	*ret_failing = !passed;
	*ret_wear_percent = wear;
	return has_status || wear != LEA_DOCTOR_UNKNOWN;
}
