/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/original.h"

#include "unit/suite.h"

#include <string.h>

#define PVID  "abcdefghijklmnopqrstuvwxyz012345"
#define OTHER "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
#define VG_ID "00000000000000000000000000000001"

static struct lea_boot_pv pv, twin;
static struct lea_boot_vg vgs[2];
static struct lea_boot_memory memory;
static struct lea_original_vg names;
static struct lea_original_device one, two;

static void setup(void)
{
	pv = (struct lea_boot_pv){.pvid = PVID, .wwid = "naa.1", .size_sectors = 100};
	twin = pv;
	vgs[0] = (struct lea_boot_vg){.id = VG_ID, .seqno = 7, .pv = &pv, .pv_count = 1};
	vgs[1] = (struct lea_boot_vg){.id = OTHER, .pv = &twin, .pv_count = 1};
	memory = (struct lea_boot_memory){.vg = vgs, .vg_count = 1};
	names = (struct lea_original_vg){VG_ID, 7};
	one = (struct lea_original_device){"naa.1", 0, 100};
	two = (struct lea_original_device){"naa.2", 0, 100};
}

const struct fixture fixture = {setup, NULL};

static void nothing(void)
{
}
static void swap(void)
{
	one.wwid = "naa.2";
	two.wwid = "naa.1";
}
static void be_newer(void)
{
	names.seqno = 9;
}
static void have_no_metadata(void)
{
	names = (struct lea_original_vg){0};
}
static void be_partitions(void)
{
	pv.kind = LEA_BOOT_PARTITION;
	pv.partition = one.partition = two.partition = 2;
}
static void be_another_partition(void)
{
	be_partitions();
	one.partition = 3;
}
static void be_older(void)
{
	names.seqno = 6;
}
static void be_of_another_vg(void)
{
	names.id = OTHER;
}
static void be_one_disk(void)
{
	two.wwid = "naa.1";
}
static void lack_an_id(void)
{
	two.wwid = "";
}
static void be_strangers(void)
{
	pv.wwid = "naa.3";
}
static void have_grown(void)
{
	one.size_sectors = 200;
}
static void have_no_size(void)
{
	pv.size_sectors = one.size_sectors = two.size_sectors = 0;
}
static void be_a_map(void)
{
	pv.kind = LEA_BOOT_MULTIPATH;
}
static void be_unknown(void)
{
	memcpy(pv.pvid, OTHER, 32);
}
static void be_in_two_vgs(void)
{
	memory.vg_count = 2;
}

static const struct {
	const char *claim;
	void (*change)(void);
	enum lea_original original;
} rows[] = {
	{"the first has the wwid", nothing, LEA_ORIGINAL_FIRST},
	{"the second has it", swap, LEA_ORIGINAL_SECOND},
	{"the metadata is newer", be_newer, LEA_ORIGINAL_FIRST},
	{"a PV without metadata", have_no_metadata, LEA_ORIGINAL_FIRST},
	{"partitions with one number", be_partitions, LEA_ORIGINAL_FIRST},
	{"another partition of that disk", be_another_partition, LEA_ORIGINAL_UNSURE},
	{"the metadata is older", be_older, LEA_ORIGINAL_UNSURE},
	{"another VG has the PV", be_of_another_vg, LEA_ORIGINAL_UNSURE},
	{"both have one wwid", be_one_disk, LEA_ORIGINAL_UNSURE},
	{"one has none", lack_an_id, LEA_ORIGINAL_UNSURE},
	{"neither has the remembered one", be_strangers, LEA_ORIGINAL_UNSURE},
	{"the disk has grown", have_grown, LEA_ORIGINAL_UNSURE},
	{"sizes are unknown", have_no_size, LEA_ORIGINAL_UNSURE},
	{"it was on a map of multipath", be_a_map, LEA_ORIGINAL_UNSURE},
	{"the PV is not remembered", be_unknown, LEA_ORIGINAL_UNSURE},
	{"two VGs had it", be_in_two_vgs, LEA_ORIGINAL_UNSURE},
};

TEST_EACH(which_of_two_devices_is_the_pv, rows)
{
	rows[_i].change();
	ck_assert_msg(lea_original_by_memory(&memory, PVID, &names, &one, &two) ==
			      rows[_i].original,
		      "%s", rows[_i].claim);
}

/* ---- is it on another disk? */

static void be_elsewhere(void)
{
	one.wwid = "naa.3";
}
static void have_no_id(void)
{
	one.wwid = "";
}
static void be_on_no_disk(void)
{
	be_elsewhere();
	pv.kind = LEA_BOOT_MULTIPATH;
}
static void be_remembered_without_an_id(void)
{
	be_elsewhere();
	pv.wwid = "";
}

static const struct {
	const char *claim;
	void (*be)(void);
	bool is_other;
} places[] = {
	{"where it was", nothing, false},
	{"on another disk", be_elsewhere, true},
	{"on a disk without an id", have_no_id, true},
	{"on another partition", be_another_partition, true},
	{"on the same disk, which has grown", have_grown, false},
	{"it was on no plain disk", be_on_no_disk, false},
	{"its disk had no id", be_remembered_without_an_id, false},
};

TEST_EACH(a_pv_on_another_disk_is_known, places)
{
	places[_i].be();
	ck_assert_msg(lea_original_is_other(&pv, &one) == places[_i].is_other, "%s",
		      places[_i].claim);
}
