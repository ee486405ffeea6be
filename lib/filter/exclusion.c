/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure. */
#include "filter/exclusion.h"

#include <stddef.h>

static const struct {
	const char *text;
	const char *silence;
} rows[LEA_EXCLUSIONS] = {
	[LEA_EXCLUDED_NO_SYSFS] = {"device is missing sysfs info", NULL},
	[LEA_EXCLUDED_EMPTY] = {"device is too small (pv_min_size)", "has no size yet"},
	[LEA_EXCLUDED_SUSPENDED] = {"device is not in a usable state", "is suspended"},
	[LEA_EXCLUDED_NAME] = {"device is rejected by filter config", NULL},
	[LEA_EXCLUDED_TYPE] = {"device type is unknown", NULL},
	[LEA_EXCLUDED_NOT_IN_LIST] = {"device is not in devices list", NULL},
	[LEA_EXCLUDED_NOT_IN_FILE] = {"device is not in devices file", NULL},
	[LEA_EXCLUDED_PVID_NOT_IN_FILE] = {"by devices file (checking PVID)", NULL},
	[LEA_EXCLUDED_SMALL] = {"device is too small (pv_min_size)", NULL},
	[LEA_EXCLUDED_LV] = {"device is an LV", NULL},
	[LEA_EXCLUDED_RESERVED] = {"device is not in a usable state", NULL},
	[LEA_EXCLUDED_MULTIPATH] = {"device is a multipath component", NULL},
	[LEA_EXCLUDED_MOUNTED] = {"device is mounted", NULL},
	[LEA_EXCLUDED_PARTITIONED] = {"device is partitioned", NULL},
	[LEA_EXCLUDED_SIGNATURE] = {"device has a signature", NULL},
	[LEA_EXCLUDED_MD] = {"device is an md component", NULL},
	[LEA_EXCLUDED_FIRMWARE_RAID] = {"device is filtered", NULL},
	[LEA_EXCLUDED_OTHER_CONTENT] = {"libblkid finds something else on the device", NULL},
};

const char *lea_exclusion_text(enum lea_exclusion exclusion)
{
	return rows[exclusion].text;
}

const char *lea_exclusion_silence(enum lea_exclusion exclusion)
{
	return rows[exclusion].silence;
}
