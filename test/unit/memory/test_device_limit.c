/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bound of a wait for a device that nobody ends. */
#include "memory/device_limit.h"

#include "unit/suite.h"

const struct fixture fixture = {NULL, NULL};

#define HOUR	 LEA_DEVICE_LIMIT_MS
#define INFINITE UINT32_MAX

static const struct {
	const char *text;
	uint32_t want_ms;
} confs[] =
	{
		{"", HOUR},
		{"[Manager]\nDefaultTimeoutStartSec=3h\n", HOUR},
		{"[Manager]\n#DefaultDeviceTimeoutSec=3h\n", HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=15min\n", HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=2h\n", 2 * HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=2h", 2 * HOUR},
		{"[Manager]\n  DefaultDeviceTimeoutSec = 1h 30min \r\n", HOUR * 3 / 2},
		{"[Manager]\nDefaultDeviceTimeoutSec=2h\nDefaultDeviceTimeoutSec=20\n", 2 * HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=infinity\n", INFINITE},
		{"[Manager]\nDefaultDeviceTimeoutSec=0\n", INFINITE},
		{"[Manager]\nDefaultDeviceTimeoutSec=5 minutes\n", HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=2hours\n", 2 * HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=.5d\n", 12 * HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=7200000000us\n", 2 * HOUR},
		/* systemd does not take it either, and keeps its own. */
		{"[Manager]\nDefaultDeviceTimeoutSec=1 fortnight\n", HOUR},
		{"[Manager]\nDefaultDeviceTimeoutSec=\n", HOUR},
},
  cmdlines[] = {
	  {"quiet\n", HOUR},
	  {"systemd.default_device_timeout_sec=7200\n", 2 * HOUR},
	  {"quiet systemd.default_device_timeout_sec=30 splash\n", HOUR},
	  {"quiet systemd.default_device_timeout_sec=infinity\n", INFINITE},
	  {"quiet systemd.default_device_timeout_sec\n", HOUR},
	  {"systemd.default-device-timeout-sec=7200\n", 2 * HOUR},
	  {"quiet xsystemd.default_device_timeout_sec=7200\n", HOUR},
};

TEST_EACH(longest_limit_in_a_file_counts, confs)
{
	const uint32_t ms = lea_device_limit_of_conf(HOUR, confs[_i].text);

	ck_assert_msg(ms == confs[_i].want_ms, "%s: %u", confs[_i].text, ms);
}

TEST_EACH(longest_limit_on_the_command_line_counts, cmdlines)
{
	const uint32_t ms = lea_device_limit_of_cmdline(HOUR, cmdlines[_i].text);

	ck_assert_msg(ms == cmdlines[_i].want_ms, "%s: %u", cmdlines[_i].text, ms);
}

TEST(longer_one_of_another_file_stays)
{
	ck_assert_uint_eq(lea_device_limit_of_conf(3 * HOUR, confs[4].text), 3 * HOUR);
}

TEST(any_file_system_may_be_on_an_lv_unless_the_last_boot_had_it_elsewhere)
{
	const struct lea_need lv = {.kind = LEA_NEED_WORD, .value = "vg/lv"};
	const struct lea_need uuid = {.kind = LEA_NEED_UUID, .value = "1-2"};
	const struct lea_need other = {.kind = LEA_NEED_UUID, .value = "3-4"};
	const struct lea_need part = {.kind = LEA_NEED_PARTUUID, .value = "1-2"};
	const struct lea_need ids = {.kind = LEA_NEED_IDS, .value = "LVM-1"};
	struct lea_boot_lv on = {.name = "lv", .fs_uuid = "1-2", .fs_label = ""};
	struct lea_boot_vg vg = {.name = "vg", .lv = &on, .lv_count = 1};
	const struct lea_boot_memory memory = {.vg = &vg, .vg_count = 1};

	ck_assert(lea_device_limit_applies(&lv, NULL) && lea_device_limit_applies(&lv, &memory));
	ck_assert(lea_device_limit_applies(&uuid, NULL) &&
		  lea_device_limit_applies(&uuid, &memory));
	ck_assert(lea_device_limit_applies(&other, NULL) &&
		  !lea_device_limit_applies(&other, &memory));
	ck_assert(lea_device_limit_applies(&ids, NULL) && lea_device_limit_applies(&ids, &memory));
	ck_assert(!lea_device_limit_applies(&part, NULL));
}
