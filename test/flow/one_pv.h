/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of a command on a machine of files that has one PV, that of VG vg_one. */
#pragma once

#include "flow/machine.h"
#include "unit/suite.h"

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define UUID_ONE  "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define MEMBER	  "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"

static void setup(void)
{
	machine_begin();
	machine.properties = MEMBER;
	machine_plug("one-pv", "sda", 16, 7);
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}
