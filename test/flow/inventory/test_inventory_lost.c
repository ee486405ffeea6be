/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent inventory names LVs that are active on a disk that has gone, and no other. */
#include "flow/machine.h"
#include "unit/suite.h"

#define ROOT_UUID "LVM-GUetLOo5Gp19A2XKrJeENXFnMeOFEu21zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define FAST_UUID "LVM-VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh0Dnd3V0xgR8jNLvF61MZHCwp1g1k8LeU"

static void setup(void)
{
	machine_begin_vg_one();
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static bool says(const char *words, const char *text)
{
	size_t begun;

	fflush(machine.out_file);
	begun = machine.out_bytes;
	ck_assert_msg(!machine_command(words), "%s", machine.err);
	return strstr(machine.out + begun, text) != NULL;
}

/* The LV root, above the disk @below; sda is the PV by now. */
static void activate_above(const char *below, bool is_there)
{
	struct lea_dm_info info;
	char path[64], target[64];

	fake_dm_add(machine.dm, "vg_one-root", ROOT_UUID, "0 8 linear 8:16 2048\n");
	ck_assert_int_eq(machine.world->dm->info(machine.world->dm, ROOT_UUID, &info), 0);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/slaves/%s", info.minor, below);
	snprintf(target, sizeof(target), "../../../%s/%s", is_there ? "block" : "gone", below);
	tree_link(&machine.tree, path, target);
	if (!is_there)
		return;
	snprintf(path, sizeof(path), "/sys/dev/block/8:16/holders/dm-%u", info.minor);
	tree_link(&machine.tree, path, "../../../../dm-0");
}

TEST(an_lv_on_a_disk_that_has_gone_is_a_problem)
{
	activate_above("sdq", false);
	ck_assert(says("inventory",
		      "LV vg_one/root: problem: it is active on a disk that has gone: sdq\n"));
	ck_assert(says("inventory --json vg_one/root", "\"lost_disk\": \"sdq\""));
	ck_assert(says("inventory --json vg_one/home", "\"lost_disk\": \"\""));
	ck_assert(!says("inventory vg_one/home", "disk that has gone"));
	ck_assert(says("inventory --openmetrics", "\nlvmevent_lv_lost_disk{vg=\"vg_one\""));
}

TEST(an_lv_on_a_disk_that_is_there_is_none)
{
	activate_above("sda", true);
	ck_assert(!says("inventory", "problem"));
	ck_assert(says("inventory --json vg_one/root", "\"lost_disk\": \"\""));
}

/* A part of a VG whose other PV is missing; the kernel knows all disks below it. */
TEST(an_lv_that_was_activated_without_a_pv_lost_no_disk)
{
	struct lea_dm_info info;
	char path[64];

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	fake_dm_add(machine.dm, "vg--two.pvs-fast", FAST_UUID, "0 8 linear 8:32 2048\n");
	ck_assert_int_eq(machine.world->dm->info(machine.world->dm, FAST_UUID, &info), 0);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/slaves/sdb", info.minor);
	tree_link(&machine.tree, path, "../../sdb");
	ck_assert(says("inventory", "vg-two.pvs  -wi-a---p-"));
	ck_assert(!says("inventory", "disk that has gone"));
}
