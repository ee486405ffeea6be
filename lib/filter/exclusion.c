/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure. */
#include "filter/exclusion.h"

#include <stddef.h>

static const struct {
	const char *text;
	bool is_momentary;
} rows[LEA_EXCLUSIONS] = {
	[LEA_EXCLUDED_NO_SYSFS] = {"device is missing sysfs info", true},
	[LEA_EXCLUDED_EMPTY] = {"device is too small (pv_min_size)", true},
	[LEA_EXCLUDED_SUSPENDED] = {"device is not in a usable state", true},
	[LEA_EXCLUDED_NAME] = {"device is rejected by filter config", false},
	[LEA_EXCLUDED_TYPE] = {"device type is unknown", false},
	[LEA_EXCLUDED_NOT_IN_LIST] = {"device is not in devices list", false},
	[LEA_EXCLUDED_NOT_IN_FILE] = {"device is not in devices file", false},
	[LEA_EXCLUDED_PVID_NOT_IN_FILE] = {"by devices file (checking PVID)", false},
	[LEA_EXCLUDED_SMALL] = {"device is too small (pv_min_size)", false},
	[LEA_EXCLUDED_LV] = {"device is an LV", false},
	[LEA_EXCLUDED_RESERVED] = {"device is not in a usable state", false},
	[LEA_EXCLUDED_MULTIPATH] = {"device is a multipath component", false},
	[LEA_EXCLUDED_MOUNTED] = {"device is mounted", false},
	[LEA_EXCLUDED_PARTITIONED] = {"device is partitioned", false},
	[LEA_EXCLUDED_SIGNATURE] = {"device has a signature", false},
	[LEA_EXCLUDED_MD] = {"device is an md component", false},
	[LEA_EXCLUDED_FIRMWARE_RAID] = {"device is filtered", false},
	[LEA_EXCLUDED_OTHER_CONTENT] = {"libblkid finds something else on the device", false},
};

const char *lea_exclusion_text(enum lea_exclusion exclusion)
{
	return rows[exclusion].text;
}

bool lea_exclusion_is_momentary(enum lea_exclusion exclusion)
{
	return rows[exclusion].is_momentary;
}
