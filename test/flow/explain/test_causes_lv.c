/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent explain: causes of LVs that are active where they should not be, or never can be; as
 * test_causes.c. */
#include "flow/causes_machine.h"

#define POOL_ID "0Dnd3V0xgR8jNLvF61MZHCwp1g1k8LeU"

/* What the kernel leaves of a disk that goes while a device lies on it. */
static void lose(const char *node, const char *disk)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/block/%s/slaves/%s", node, disk);
	tree_link(&machine.tree, path, "../../../../gone");
}

static void lost(void)
{
	up_one();
	lose("dm-3", "sdc");
}

static void lost_below_part(void)
{
	up_one();
	put("/sys/class/block/dm-3/slaves/dm-6/dev", "253:6\n");
	put("/sys/class/block/dm-6/dm/uuid", "LVM-" VG_ONE_ID POOL_ID "-tpool\n");
	put("/sys/class/block/dm-6/slaves/sda/dev", "8:0\n");
	lose("dm-6", "sdc");
}

/* The map has other paths. */
static void lost_path(void)
{
	up_one();
	put("/sys/class/block/dm-3/slaves/dm-6/dev", "253:6\n");
	put("/sys/class/block/dm-6/dm/uuid", "mpath-3600508b400105e21\n");
	lose("dm-6", "sdc");
}

/* The only disk of a VG went, and the VG is active. */
static void lost_vg(void)
{
	machine_unplug("sda", 16);
	up(VG_ONE_ID, ROOT_ID, "vg_one/root", 3);
	put("/sys/class/block/dm-3/dm/name", "vg_one-root\n");
	lose("dm-3", "sda");
	put("/sys/class/block/dm-4/dm/uuid", "LVM-" VG_ONE_ID HOME_ID "-real\n");
	put("/sys/class/block/dm-4/dm/name", "vg_one-home-real\n");
	lose("dm-4", "sda");
}

static void lost_and_remembered(void)
{
	remembered("vg " VG_ONE_ID " 7 1 1 vg_one\n");
	lost_vg();
}

#define LONG_NAME "a-name-that-is-much-too-long-for-device-mapper-once-its-hyphens-are-doubled-and-its-VG-is-in-front-of-it"

static void long_name(void)
{
	static const char *const pairs[] = {"home {", LONG_NAME " {", NULL};

	machine_change("one-pv", "sda", pairs);
	in_charge();
}

static void long_name_beside(void)
{
	long_name();
	up(VG_ONE_ID, ROOT_ID, "vg_one/root", 3);
	up(VG_ONE_ID, SWAP_ID, "vg_one/swap", 5);
	claim(LEA_CLAIM_FAILED, "an LV could not be activated", false);
}

static const struct cause_row rows[] = {
	{"an LV on a disk that has gone", lost, "", "LV vg_one/root: active: lost-disk\n",
	 "it is active on a disk that has gone: sdc; its VG is complete again, on /dev/sda\n",
	 "next: lsblk /dev/dm-3\n"},
	{"... asked for by its VG", lost, "vg_one",
	 "VG vg_one: active\nLV vg_one/root: active: lost-disk\n", "", NULL},
	{"a part of an LV on such a disk", lost_below_part, "",
	 "LV vg_one/root: active: lost-disk\n", "has gone: sdc", NULL},
	{"a map that has lost a path", lost_path, "", "Everything is as it should be.\n", "", NULL},
	{"an active VG of which no disk is left", lost_vg, "",
	 "LV vg_one/root: active: lost-disk\n  it is active on a disk that has gone: sda\n",
	 "", "next: lsblk /dev/dm-3\n"},
	{"... asked for by its name", lost_vg, "vg_one", "LV vg_one/root: active: lost-disk\n", "",
	 NULL},
	{"... or by that of the LV", lost_vg, "vg_one/root", "LV vg_one/root: active: lost-disk\n",
	 "", NULL},
	{"... or by its id", lost_vg, VG_ONE_ID, "LV vg_one/root: active: lost-disk\n", "", NULL},
	{"... and it is remembered", lost_and_remembered, "vg_one",
	 "VG vg_one: missing: not-seen\n", "LV vg_one/root: active: lost-disk\n", NULL},
	{"an LV with too long a name", long_name, "vg_one/" LONG_NAME,
	 "LV vg_one/" LONG_NAME ": inactive: impossible\n",
	 "no command can activate it: The device name of vg_one/" LONG_NAME
	 " is longer than device-mapper allows.\n",
	 "next: lvs -o name,dm_path vg_one/" LONG_NAME "\n"},
	{"... the only one that is down", long_name_beside, "",
	 "VG vg_one: partly active: impossible\n",
	 "no command can activate 1 of its 3 LVs: The device name of ",
	 "next: lvs -o name,dm_path vg_one\n"},
};

TEST_EACH(each_cause_is_named_with_its_evidence, rows)
{
	compare_answer(&rows[_i]);
}
