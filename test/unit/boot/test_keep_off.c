/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/keep_off.h"

#include "unit/suite.h"

#include <string.h>

#define ID "abcdefghijklmnopqrstuvwxyz012345"

static const struct lea_boot_pv plain = {
	.pvid = ID, .size_sectors = 64, .wwid = "naa.5", .serial = "", .address = "pci0"};
static const struct lea_boot_pv nameless = {
	.pvid = ID, .size_sectors = 64, .wwid = "", .serial = "", .address = "pci0"};
static const struct lea_boot_pv part = {.pvid = ID,
					.kind = LEA_BOOT_PARTITION,
					.partition = 2,
					.size_sectors = 64,
					.wwid = "naa.5",
					.serial = "",
					.address = "pci0"};
#define AS_IT_WAS .is_there = true, .wwid = "naa.5", .with_wwid = 1, .size_sectors = 64

/* why: part of the text, after "udev: " if udev is to process the disk first; NULL: the device is
 * read. */
static const struct {
	const char *claim;
	const struct lea_boot_pv *pv;
	struct lea_keep_off_device device;
	const char *why;
} devices[] = {
	{"a disk as it was", &plain, {AS_IT_WAS}, NULL},
	{"a partition as it was", &part, {AS_IT_WAS}, NULL},
	{"a disk without a wwid, at its address",
	 &nameless,
	 {.is_there = true, .wwid = "", .size_sectors = 64},
	 NULL},
	{"a disk that is absent", &plain, {.wwid = ""}, "not there yet"},
	{"another disk at the address",
	 &plain,
	 {.is_there = true, .wwid = "naa.6", .with_wwid = 1, .size_sectors = 64},
	 "another disk"},
	{"a disk at the address that has lost its wwid",
	 &plain,
	 {.is_there = true, .wwid = "", .size_sectors = 64},
	 "another disk"},
	{"a disk at the address that has a wwid now", &nameless, {AS_IT_WAS}, "another disk"},
	{"two paths to a disk",
	 &plain,
	 {.is_there = true, .wwid = "naa.5", .with_wwid = 2, .size_sectors = 64},
	 "udev: several disks"},
	{"a plain disk by its wwid, though multipathd is enabled",
	 &plain,
	 {AS_IT_WAS, .has_multipathd = true, .had_multipathd = true},
	 NULL},
	{"... but was not when it was remembered",
	 &plain,
	 {AS_IT_WAS, .has_multipathd = true},
	 "udev: multipath, which was not there"},
	{"multipathd was enabled then", &plain, {AS_IT_WAS, .had_multipathd = true}, NULL},
	{"a disk without a wwid, and multipathd is enabled",
	 &nameless,
	 {.is_there = true, .wwid = "", .size_sectors = 64, .has_multipathd = true},
	 "udev: multipath"},
	{"a disk that has grown",
	 &plain,
	 {.is_there = true, .wwid = "naa.5", .with_wwid = 1, .size_sectors = 65},
	 "another size"},
	{"a disk that was partitioned", &plain, {AS_IT_WAS, .is_partitioned = true}, "partitioned"},
	{"a component of an array that was assembled",
	 &plain,
	 {AS_IT_WAS, .is_held = true},
	 "udev: lies on"},
	{"filters that may name links", &plain, {AS_IT_WAS, .has_filters = true}, "udev: filters"},
	{"filters, and the links are known",
	 &plain,
	 {AS_IT_WAS, .has_filters = true, .has_links = true},
	 NULL},
};

static void check_why(const char *claim, const char *why, const char *expected)
{
	ck_assert_msg(expected ? why && strstr(why, expected) : !why, "%s: %s", claim,
		      why ? why : "nothing against it");
}

TEST_EACH(a_device_is_read_only_if_it_is_what_it_was, devices)
{
	static const char mark[] = "udev: ";
	const char *why = devices[_i].why;
	const bool want_udev = why && !strncmp(why, mark, strlen(mark));
	bool is_for_udev;

	check_why(devices[_i].claim,
		  lea_keep_off_device(devices[_i].pv, &devices[_i].device, &is_for_udev),
		  want_udev ? why + strlen(mark) : why);
	ck_assert_msg(is_for_udev == want_udev, "%s", devices[_i].claim);
}

TEST(only_plain_disks_are_read_before_udev_has_processed_them)
{
	const struct lea_keep_off_device device = {AS_IT_WAS};
	bool is_for_udev;

	for (int kind = LEA_BOOT_DISK; kind <= LEA_BOOT_OTHER; kind++) {
		const bool is_plain = kind == LEA_BOOT_DISK || kind == LEA_BOOT_PARTITION;
		struct lea_boot_pv pv = plain;

		pv.kind = (enum lea_boot_kind)kind;
		for (pv.below_count = 0; pv.below_count < 2; pv.below_count++) {
			ck_assert_msg(!lea_keep_off_device(&pv, &device, &is_for_udev) == is_plain,
				      "%s", lea_boot_kind_name(pv.kind));
			ck_assert_msg(is_for_udev == (!is_plain && pv.below_count), "%s",
				      lea_boot_kind_name(pv.kind));
		}
	}
}

#define MEMBER .is_read = true, .type = "LVM2_member", .pvid = ID, .vg_id = ID
static const struct {
	const char *claim;
	struct lea_keep_off_content content;
	const char *why;
} contents[] = {
	{"the PV that it was", {MEMBER}, NULL},
	{"a PV without metadata",
	 {.is_read = true, .type = "LVM2_member", .pvid = ID, .vg_id = ""},
	 NULL},
	{"a disk that hangs", {.type = "", .pvid = "", .vg_id = ""}, "in time"},
	{"an MD component",
	 {MEMBER, .excluded_why = "device is an md component"},
	 "device is an md component"},
	{"a path that multipath lists",
	 {MEMBER, .excluded_why = "device is a multipath component"},
	 "multipath"},
	{"signatures that contradict each other",
	 {.is_read = true, .type = "", .pvid = ID, .vg_id = ID},
	 "another signature"},
	{"an encrypted device",
	 {.is_read = true, .type = "crypto_LUKS", .pvid = ID, .vg_id = ID},
	 "another signature"},
	{"another PV",
	 {.is_read = true,
	  .type = "LVM2_member",
	  .pvid = "00000000000000000000000000000000",
	  .vg_id = ID},
	 "another PV"},
	{"a PV of another VG",
	 {.is_read = true,
	  .type = "LVM2_member",
	  .pvid = ID,
	  .vg_id = "00000000000000000000000000000000"},
	 "another VG"},
};

TEST_EACH(a_vg_is_left_alone_unless_its_pvs_are_what_they_were, contents)
{
	const struct lea_boot_vg vg = {.id = ID, .name = "data"};

	check_why(contents[_i].claim, lea_keep_off_content(&vg, &plain, &contents[_i].content),
		  contents[_i].why);
}
