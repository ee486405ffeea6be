/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive ROOT COMMAND [ARGUMENT...]: runs a verb of our programs in a tree that stands for /, with
 * files for devices, device-mapper and udev (see drive.h). "drive ROOT dm" prints the active nodes.
 */
#include "crash/drive.h"
#include "fake/drive.h"

static bool equip(struct lea_world *world, const char *root)
{
	world->dm = drive_dm_open(root);
	world->udev = drive_udev_open(root);
	return world->dm;
}

int main(int argc, char *argv[])
{
	if (argc == 3 && argv[1][0] == '/' && !strcmp(argv[2], "dm"))
		return drive_dm_print(argv[1]);
	return drive_main(argc, argv, equip);
}
