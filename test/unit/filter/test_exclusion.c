/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "filter/exclusion.h"
#include "unit/suite.h"

/* Texts are lvm2's; the class decides whether a device is looked at again. */
static const struct {
	enum lea_exclusion exclusion;
	const char *text;
	bool is_momentary;
} rows[] = {
	{LEA_EXCLUDED_NO_SYSFS, "device is missing sysfs info", true},
	{LEA_EXCLUDED_EMPTY, "device is too small (pv_min_size)", true},
	{LEA_EXCLUDED_SUSPENDED, "device is not in a usable state", true},
	{LEA_EXCLUDED_NAME, "device is rejected by filter config", false},
	{LEA_EXCLUDED_TYPE, "device type is unknown", false},
	{LEA_EXCLUDED_NOT_IN_LIST, "device is not in devices list", false},
	{LEA_EXCLUDED_NOT_IN_FILE, "device is not in devices file", false},
	{LEA_EXCLUDED_PVID_NOT_IN_FILE, "by devices file (checking PVID)", false},
	{LEA_EXCLUDED_SMALL, "device is too small (pv_min_size)", false},
	{LEA_EXCLUDED_LV, "device is an LV", false},
	{LEA_EXCLUDED_RESERVED, "device is not in a usable state", false},
	{LEA_EXCLUDED_MULTIPATH, "device is a multipath component", false},
	{LEA_EXCLUDED_MOUNTED, "device is mounted", false},
	{LEA_EXCLUDED_PARTITIONED, "device is partitioned", false},
	{LEA_EXCLUDED_SIGNATURE, "device has a signature", false},
	{LEA_EXCLUDED_MD, "device is an md component", false},
	{LEA_EXCLUDED_FIRMWARE_RAID, "device is filtered", false},
	{LEA_EXCLUDED_OTHER_CONTENT, "libblkid finds something else on the device", false},
};

TEST_EACH(each_exclusion_has_a_text_and_a_class, rows)
{
	ck_assert_str_eq(lea_exclusion_text(rows[_i].exclusion), rows[_i].text);
	ck_assert_msg(lea_exclusion_is_momentary(rows[_i].exclusion) == rows[_i].is_momentary, "%s",
		      rows[_i].text);
}

TEST(all_exclusions_are_in_the_table_and_nothing_else)
{
	ck_assert_uint_eq(ARRAY_SIZE(rows) + 1, LEA_EXCLUSIONS);
	ck_assert(!lea_exclusion_text(LEA_NOT_EXCLUDED));
	ck_assert(!lea_exclusion_is_momentary(LEA_NOT_EXCLUDED));
}
