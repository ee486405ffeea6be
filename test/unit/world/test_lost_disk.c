/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/lost_disk.h"

#include "fake/tree.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#define VG    "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define ROOT  "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define HOME  "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define IMAGE "rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT"
#define NODE  "/sys/class/block/"

static struct tree tree;
static struct lea_active_vgs active;

static void add(const char *node, const char *uuid, const char *name)
{
	char path[96], text[200];

	snprintf(path, sizeof(path), NODE "%s/dm/uuid", node);
	snprintf(text, sizeof(text), "%s\n", uuid);
	tree_put(&tree, path, text);
	snprintf(path, sizeof(path), NODE "%s/dm/name", node);
	snprintf(text, sizeof(text), "%s\n", name);
	tree_put(&tree, path, text);
	snprintf(path, sizeof(path), NODE "%s/dev", node);
	snprintf(text, sizeof(text), "253:%s\n", node + strlen("dm-"));
	tree_put(&tree, path, text);
}

/* @below is there, or has gone. */
static void put_below(const char *node, const char *below, bool is_there)
{
	char path[96], target[64];

	snprintf(path, sizeof(path), NODE "%s/slaves/%s", node, below);
	snprintf(target, sizeof(target), "%s%s", is_there ? "../../" : "../../../gone/", below);
	tree_link(&tree, path, target);
}

/* root on sda; home, RAID of which an image is on sdb. */
static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, NODE "sda");
	tree_mkdir(&tree, NODE "sdb");
	add("dm-0", "LVM-" VG ROOT, "my--vg-root");
	put_below("dm-0", "sda", true);
	add("dm-1", "LVM-" VG IMAGE, "my--vg-home_rimage_0");
	add("dm-2", "LVM-" VG HOME, "my--vg-home");
	put_below("dm-2", "dm-1", true);
	tree_put(&tree, "/sys/dev/block/253:1/holders/dm-2/dm/uuid", "LVM-" VG HOME "\n");
}

static void teardown(void)
{
	lea_active_vgs_done(&active);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* "my-vg/root:sda " for each LV that is told */
static char told[256];

static int note(void *arg, const struct lea_active_lv *lv, const char *name, const char *disk)
{
	const size_t used = strlen(told);

	(void)arg;
	ck_assert(!lv->is_part);
	snprintf(told + used, sizeof(told) - used, "%s:%s ", name, disk);
	return 0;
}

static const char *ask(void)
{
	told[0] = '\0';
	lea_active_vgs_done(&active);
	ck_assert_int_eq(lea_active_vgs_read(&tree.world, &active), 0);
	ck_assert_int_eq(lea_lost_disk_each(&tree.world, &active, note, NULL), 0);
	return told;
}

TEST(disks_that_are_there_are_not_lost)
{
	put_below("dm-1", "sdb", true);
	ck_assert_str_eq(ask(), "");
}

TEST(an_lv_is_told_with_the_name_that_its_disk_had)
{
	put_below("dm-0", "sdc", false);
	ck_assert_str_eq(ask(), "my-vg/root:sdc ");
}

TEST(of_an_image_its_lv_is_told)
{
	put_below("dm-1", "sdb", false);
	ck_assert_str_eq(ask(), "my-vg/home:sdb ");
}

TEST(what_a_map_or_an_array_has_lost_is_its_own_affair)
{
	add("dm-3", "mpath-3600508b400105e21", "mpatha");
	put_below("dm-3", "sdc", false);
	put_below("dm-0", "dm-3", true);
	ck_assert_str_eq(ask(), "");
}

TEST(so_is_what_an_lv_of_another_vg_has_lost)
{
	add("dm-3", "LVM-abcdefghijklmnopqrstuvwxyz012345" ROOT, "host-disk");
	put_below("dm-3", "sdc", false);
	put_below("dm-0", "dm-3", true);
	ck_assert_str_eq(ask(), "host/disk:sdc ");
}

TEST(a_device_without_a_name_of_lvms_is_left_out)
{
	add("dm-3", "LVM-" VG "x", "odd");
	put_below("dm-3", "sdc", false);
	ck_assert_str_eq(ask(), "");
}

TEST(devices_that_lie_on_each_other_end_the_search)
{
	char disk[LEA_LOST_DISK_BYTES];

	put_below("dm-1", "dm-2", true);
	ck_assert_str_eq(ask(), "");
	ck_assert_int_lt(lea_lost_disk_of(&tree.world, &active.lv[1], disk), 0);
}
