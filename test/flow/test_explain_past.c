/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent explain --boot: an earlier boot, by its timeline and the memory of boots. */
#include "base/file.h"
#include "record/boot_memory_file.h"
#include "daemon/timeline_file.h"
#include "flow/machine.h"
#include "unit/suite.h"
#include "world/timeline.h"

#include <errno.h>
#include <sys/stat.h>

#define MACHINE "0123456789abcdef0123456789abcdef"
#define THEN	"11111111-1111-1111-1111-111111111111"
#define NOW	"22222222-2222-2222-2222-222222222222"
#define ID(c)	#c "bcdefghijklmnopqrstuvwxyz012345"

static void teardown(void)
{
	machine_end();
}

static void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}

/* A VG that begins and ends so; NAME: its id begins with another letter for each. */
static void note(const char *id, const char *name, enum lea_ring_kind end)
{
	lea_timeline_note_name(machine.world, LEA_RING_CLAIMED, id, name);
	lea_timeline_note_name(machine.world, LEA_RING_BEGUN, id, name);
	if (end)
		lea_timeline_note_vg(machine.world, end, id, end == LEA_RING_FAILED);
}

static void note_disk(unsigned int minor, const char *name, const char *id, const char *vg,
		      int code)
{
	const struct lea_timeline_note read = {
		.text = name, .device = {8, minor}, .took_us = 5000, .code = code};
	const struct lea_timeline_note recorded = {.vg = id, .text = vg, .device = {8, minor}};

	lea_timeline_note(machine.world, LEA_RING_READ, &read);
	if (id)
		lea_timeline_note(machine.world, LEA_RING_RECORDED, &recorded);
}

/* The memory of that boot knows data; that of an earlier one knows part and gone as well. */
static void remember(void)
{
	put("/etc/machine-id", MACHINE "\n");
	put("/var/lib/lvmevent/boot",
	    "lvmevent-boot 1\nmachine " MACHINE "\nboot " THEN "\n"
	    "vg " ID(a) " 7 900 1 1 data\n"
			"pv " PVID_A " disk 0 32768 800 naa.1 DISK-1 pci0\n"
			"lv 950 home - -\nend\n");
	put("/var/lib/lvmevent/boot.1",
	    "lvmevent-boot 1\nmachine " MACHINE "\nboot b-0\n"
	    "vg " ID(b) " 7 900 2 0 part\n"
			"pv " PVID_A " disk 0 32768 800 naa.1 DISK-1 pci0\n"
			"pv " PVID_B " disk 0 32768 800 naa.2 DISK-2 pci0\n"
			"vg " ID(c) " 7 900 1 0 gone\n"
				    "pv " PVID_ONE " disk 0 32768 800 naa.3 DISK-3 pci0\nend\n");
}

static void setup(void)
{
	machine_begin();
	tree_mkdir(&machine.tree, "/var/lib");
	put("/proc/sys/kernel/random/boot_id", THEN);
	lea_timeline_open(machine.world, "boot");
	note(ID(a), "data", LEA_RING_FAILED);
	note(ID(a), "data", LEA_RING_DONE);
	note(ID(d), "csi", LEA_RING_FAILED);
	note(ID(e), "slow", LEA_RING_NONE);
	note(ID(f), "stuck", LEA_RING_HUNG);
	note_disk(16, "sda", ID(b), "part", 0);
	note_disk(32, "sdb", NULL, NULL, EIO);
	note_disk(48, "sdc", NULL, NULL, ETIMEDOUT);
	ck_assert_int_eq(lea_timeline_keep(machine.world), 0);
	lea_world_done(machine.world);
	put("/proc/sys/kernel/random/boot_id", NOW);
	remember();
}

const struct fixture fixture = {setup, teardown};

static int explain(const char *words)
{
	const struct lea_cmd *cmd = lea_cmd_lvmevent;

	while (strcmp(cmd->name, "explain"))
		cmd++;
	return machine_command(cmd, words);
}

static const struct {
	const char *claim, *target, *out;
	int code;
} rows[] = {
	{"the last activation of a VG counts", "data", "VG data: active\n", 0},
	{"a failure", "csi", "VG csi: inactive: failed\n  its activation failed ", 0},
	{"... with the journal of that boot", "csi",
	 "\n  next: journalctl -b 11111111111111111111111111111111 LVM_VG=csi\n", 0},
	{"what was not at its end", "slow", "VG slow: activating: activating\n", 0},
	{"a worker that hung", "stuck", "VG stuck: inactive: hung-worker\n", 0},
	{"a VG that lacked a PV", "part",
	 "VG part: inactive: incomplete\n  1 of its PVs were recorded, and then no more came; in "
	 "another boot, a good one, it had 2: I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA on a disk of "
	 "16 MiB, DISK-1, yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb on a disk of 16 MiB, DISK-2\n",
	 0},
	{"a VG that did not come", "gone",
	 "VG gone: missing: not-seen\n  no PV of it was recorded; in another boot, a good one, it "
	 "had 1: ",
	 0},
	{"an LV that was active", "data/home", "LV data/home: active\n", 0},
	{"one that was not", "data/none", "LV data/none: inactive: inactive-then\n", 0},
	{"a name that nobody knows", "none", "", 5},
	{"all: a disk that could not be read", "", "PV /dev/sdb: not used: unreadable\n", 0},
	{"all: one that hung", "", "PV /dev/sdc: not used: hung-disk\n", 0},
	{"all: a failure", "", "VG csi: inactive: failed\n", 0},
};

TEST_EACH(what_became_of_it_is_told, rows)
{
	char words[64];

	snprintf(words, sizeof(words), "explain --boot -1 %s", rows[_i].target);
	ck_assert_msg(explain(words) == rows[_i].code, "%s: %s", rows[_i].claim, machine.err);
	ck_assert_msg(strstr(machine.out, rows[_i].out) != NULL, "%s: %s%s", rows[_i].claim,
		      machine.out, machine.err);
}

TEST(what_was_well_is_not_among_all)
{
	ck_assert_int_eq(explain("explain --boot -1"), 0);
	ck_assert_ptr_null(strstr(machine.out, "VG data"));
	ck_assert_int_eq(explain("explain --boot -1 --json"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "{ \"version\": 2, \"answers\": [ { \"type\": "));
}

TEST(a_boot_that_is_not_kept_is_an_error)
{
	ck_assert_int_eq(explain("explain --boot -2"), 5);
	ck_assert_ptr_nonnull(strstr(machine.err, "no timeline of boot -2 is kept"));
	ck_assert_int_eq(explain("explain --boot 1"), 3);
	ck_assert_int_eq(explain("explain --boot x"), 3);
	ck_assert_int_eq(explain("explain --boot -6"), 3);
}

/* With the timeline alone. */
TEST(without_the_memory_less_is_said)
{
	tree_remove(&machine.tree, "/var/lib/lvmevent/boot");
	tree_remove(&machine.tree, "/var/lib/lvmevent/boot.1");
	ck_assert_int_eq(explain("explain --boot -1 part"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "and then no more came\n"));
	ck_assert_int_eq(explain("explain --boot -1 gone"), 5);
}
