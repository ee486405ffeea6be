/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "filter/exclusion.h"
#include "unit/suite.h"

/* Texts are lvm2's; silence decides whether the device may still be the PV that it was. */
static const struct {
	enum lea_exclusion exclusion;
	const char *text;
	const char *silence;
} rows[] = {
	{LEA_EXCLUDED_NO_SYSFS, "device is missing sysfs info", NULL},
	{LEA_EXCLUDED_EMPTY, "device is too small (pv_min_size)", "has no size yet"},
	{LEA_EXCLUDED_SUSPENDED, "device is not in a usable state", "is suspended"},
	{LEA_EXCLUDED_NAME, "device is rejected by filter config", NULL},
	{LEA_EXCLUDED_TYPE, "device type is unknown", NULL},
	{LEA_EXCLUDED_NOT_IN_LIST, "device is not in devices list", NULL},
	{LEA_EXCLUDED_NOT_IN_FILE, "device is not in devices file", NULL},
	{LEA_EXCLUDED_PVID_NOT_IN_FILE, "by devices file (checking PVID)", NULL},
	{LEA_EXCLUDED_SMALL, "device is too small (pv_min_size)", NULL},
	{LEA_EXCLUDED_LV, "device is an LV", NULL},
	{LEA_EXCLUDED_RESERVED, "device is not in a usable state", NULL},
	{LEA_EXCLUDED_MULTIPATH, "device is a multipath component", NULL},
	{LEA_EXCLUDED_MOUNTED, "device is mounted", NULL},
	{LEA_EXCLUDED_PARTITIONED, "device is partitioned", NULL},
	{LEA_EXCLUDED_SIGNATURE, "device has a signature", NULL},
	{LEA_EXCLUDED_MD, "device is an md component", NULL},
	{LEA_EXCLUDED_FIRMWARE_RAID, "device is filtered", NULL},
	{LEA_EXCLUDED_OTHER_CONTENT, "libblkid finds something else on the device", NULL},
};

TEST_EACH(each_exclusion_has_a_text_and_may_be_silence, rows)
{
	ck_assert_str_eq(lea_exclusion_text(rows[_i].exclusion), rows[_i].text);
	ck_assert_pstr_eq(lea_exclusion_silence(rows[_i].exclusion), rows[_i].silence);
}

TEST(all_exclusions_are_in_the_table_and_nothing_else)
{
	ck_assert_uint_eq(ARRAY_SIZE(rows) + 1, LEA_EXCLUSIONS);
	ck_assert(!lea_exclusion_text(LEA_NOT_EXCLUDED));
	ck_assert(!lea_exclusion_silence(LEA_NOT_EXCLUDED));
}
