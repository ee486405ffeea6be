/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has systemd started udevd? */
#include "world/udevd.h"

#include "fake/tree.h"
#include "unit/suite.h"

static struct tree tree;

static void setup(void)
{
	tree_init(&tree);
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

#define UNIT "/system.slice/systemd-udevd.service/cgroup.events"

/* Rows: what is in which file. */
static const struct {
	const char *file, *text;
	bool runs;
} rows[] = {
	{"/sys/fs/cgroup" UNIT, "populated 1\nfrozen 0\n", true},
	{"/sys/fs/cgroup/unified" UNIT, "populated 1\n", true},
	{"/sys/fs/cgroup" UNIT, "populated 0\nfrozen 0\n", false}, /* left by an initramfs */
	{"/sys/fs/cgroup/system.slice/other.service/cgroup.events", "populated 1\n", false},
	{"/run/udev/control", "", false}, /* systemd's socket is there before it */
};

TEST_EACH(its_control_group_says_so, rows)
{
	tree_put(&tree, "/sys/none", "");
	tree_put(&tree, rows[_i].file, rows[_i].text);
	ck_assert_msg(lea_udevd_runs(&tree.world) == rows[_i].runs, "%s", rows[_i].file);
}
