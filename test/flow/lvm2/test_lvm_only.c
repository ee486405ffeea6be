/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings and files that leave VGs to the real lvm. */
#include "flow/machine.h"
#include "unit/suite.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#define LVM "/sbin/lvm"

static void begin(void)
{
	static char setting[160];

	machine_begin();
	machine_plug("one-pv", "sda", 16, 1);
	tree_put_program(&machine.tree, LVM, "#!/bin/sh\necho \"$*\" >$0.got\n");
	snprintf(setting, sizeof(setting), "LVMEVENT_LVM=%s" LVM, machine.tree.root);
	tree_env(&machine.tree, setting);
}

const struct fixture fixture = {begin, machine_end};

/* Puts the root file system on an LV of this VG. */
static void put_root(const char *vg_id)
{
	char path[128], uuid[128];
	struct stat st;

	ck_assert_int_eq(stat(machine.tree.root, &st), 0);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm/uuid", major(st.st_dev),
		 minor(st.st_dev));
	snprintf(uuid, sizeof(uuid), "LVM-%s12345678901234567890123456789012\n", vg_id);
	tree_put(&machine.tree, path, uuid);
}

/* A verb of lvmevent. */
static void run(const char *verb)
{
	ck_assert_int_eq(machine_command(verb), 0);
}

static const struct {
	const char *claim;
	bool has_mark, has_devices, is_root;
	const char *words;
	bool is_handed, is_planned; /* to lvm: by this command, by an event */
} imports[] = {
	{"the root VG of an image is lvm's", true, false, true, "vgchange -aay", true, true},
	{"not without the mark", false, false, true, "vgchange -aay", false, false},
	{"not when its devices are known", true, true, true, "vgchange -aay", false, false},
	{"another VG is not", true, false, false, "vgchange -aay", false, false},
	{"nor is -ay an autoactivation", true, false, true, "vgchange -ay", false, true},
};

TEST_EACH(root_vg_whose_devices_are_to_be_imported, imports)
{
	struct sample sample;

	if (imports[_i].has_mark)
		tree_put(&machine.tree, "/etc/lvm/devices/auto-import-rootvg", "");
	if (imports[_i].has_devices)
		tree_put(&machine.tree, "/etc/lvm/devices/system.devices", "");
	sample_load(&sample, "one-pv");
	put_root(imports[_i].is_root ? sample_value(&sample, "vg.id")
				     : "abcdefghijklmnopqrstuvwxyz012345");
	sample_done(&sample);
	run("plan");
	ck_assert_msg(!strstr(machine.out, "VG vg_one: handed to lvm: delegated: only the real lvm "
					   "activates it: its devices are to be imported") ==
			      !imports[_i].is_planned,
		      "%s: %s", imports[_i].claim, machine.out);
	ck_assert_int_eq(machine_command(imports[_i].words), 0);
	ck_assert_msg(machine_has(LVM ".got") == imports[_i].is_handed, "%s: %s%s",
		      imports[_i].claim, machine.out, machine.err);
	ck_assert_msg((fake_dm_count(machine.dm) == 0) == imports[_i].is_handed, "%s",
		      imports[_i].claim);
}

static const struct {
	const char *text, *why; /* NULL: it is activated here */
} settings[] = {
	{"global { metadata_read_only = 1 }", "global/metadata_read_only is set"},
	{"global { locking_type = 0 }", "global/locking_type asks for another kind"},
	{"global { locking_type = 4 }", "global/locking_type asks for another kind"},
	{"global { locking_type = 5 }", "global/locking_type asks for another kind"},
	{"global { locking_type = 1 }", NULL},
	{"devices { scan = [ \"/dev/disk\" ] }", "devices/scan names other folders"},
	{"devices { scan = [ \"/dev\", \"/srv\" ] }", "devices/scan names other folders"},
	{"devices { scan = [ \"/dev\" ] }", NULL},
};

TEST_EACH(settings_that_leave_every_vg_to_lvm, settings)
{
	char expected[160];

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", settings[_i].text);
	snprintf(expected, sizeof(expected), "VG vg_one: %s%s",
		 settings[_i].why ? "handed to lvm: delegated: only the real lvm activates it: "
				  : "activated\n",
		 settings[_i].why ? settings[_i].why : "");
	run("plan");
	ck_assert_msg(strstr(machine.out, expected) != NULL, "%s: %s", settings[_i].text,
		      machine.out);
}

#define SERVICE "/usr/share/dbus-1/system-services/com.redhat.lvmdbus1.service"
#define BUS	"/run/dbus/system_bus_socket"

static const struct {
	const char *claim, *conf, *first, *words;
	bool has_service, has_bus, is_told;
} notes[] = {
	{"told of what came up", "", NULL, "vgchange -aay", true, true, true},
	{"told of what went down", "", "vgchange -aay -t", "vgchange -an", true, true, true},
	{"not told in a trial run", "", NULL, "vgchange -aay -t", true, true, false},
	{"not told if that is switched off", "global { notify_dbus = 0 }", NULL, "vgchange -aay",
	 true, true, false},
	{"not told where it is not installed", "", NULL, "vgchange -aay", false, true, false},
	{"not told before the bus is there", "", NULL, "vgchange -aay", true, false, false},
};

TEST_EACH(lvmdbusd_is_told_of_changes, notes)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", notes[_i].conf);
	if (notes[_i].has_service)
		tree_put(&machine.tree, SERVICE, "");
	if (notes[_i].has_bus)
		tree_put(&machine.tree, BUS, "");
	if (notes[_i].first)
		ck_assert_int_eq(machine_command(notes[_i].first), 0);
	ck_assert_int_eq(machine_command(notes[_i].words), 0);
	for (int i = 0; i < (notes[_i].is_told ? 300 : 30) && !machine_has(LVM ".got"); i++)
		usleep(10000);
	ck_assert_msg(machine_has(LVM ".got") == notes[_i].is_told, "%s", notes[_i].claim);
}
