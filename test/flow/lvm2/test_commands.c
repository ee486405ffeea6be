/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vgchange and pvscan as commands: output and exit codes. */
#include "flow/machine.h"
#include "state/gate.h"
#include "state/lock.h"
#include "state/queue.h"
#include "unit/suite.h"

#include <sys/wait.h>

const struct fixture fixture = {machine_begin, machine_end};

#define INCOMPLETE "  VG vg-two.pvs is incomplete.\n"

/* The machine: vg_one without a record; both disks of vg-two.pvs, one of them with a record. */
static const struct {
	const char *claim, *words;
	int code;
	const char *out, *err;
} events[] = {
	{"without a name only what has a record is looked at", "-aay --autoactivation event", 0,
	 INCOMPLETE, ""},
	{"several names: the same, and a VG without a record is not there",
	 "-aay --autoactivation event vg_one vg-two.pvs", 5, INCOMPLETE,
	 "  Volume group \"vg_one\" not found\n  Cannot process volume group vg_one\n"},
	{"a name with a folder: the same", "-aay --autoactivation event /dev/vg_one", 5, "",
	 "  Volume group \"vg_one\" not found\n  Cannot process volume group vg_one\n"},
	{"a tag: the same", "-aay --autoactivation event @nobody", 0, "", ""},
	{"one name without a record: every device is asked", "-aay --autoactivation event vg_one",
	 0, "  PVs online not found for VG vg_one, using all devices.\n" ONE_ACTIVE, ""},
	{"one name with too few records: every device is asked",
	 "-aay --autoactivation event vg-two.pvs", 0,
	 "  PVs online incomplete for VG vg-two.pvs, using all devices.\n" TWO_ACTIVE, ""},
	{"no event: every device is asked", "-aay vg_one", 0, ONE_ACTIVE, ""},
};

TEST_EACH(each_form_of_an_event_command_reads_its_devices, events)
{
	char words[128];
	int code;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	snprintf(words, sizeof(words), "vgchange %s", events[_i].words);
	code = machine_command(words);
	ck_assert_msg(code == events[_i].code, "%s: exit %d\n%s%s", events[_i].claim, code,
		      machine.out, machine.err);
	ck_assert_msg(!strcmp(machine.out, events[_i].out), "%s: printed\n%s", events[_i].claim,
		      machine.out);
	ck_assert_msg(!strcmp(machine.err, events[_i].err), "%s: said\n%s", events[_i].claim,
		      machine.err);
}

/* While the gate is closed the boot scan finds what comes. */
static const struct {
	const char *words;
	bool is_of_event;
} gated[] = {
	{"pvscan --cache -aay --autoactivation event 8:16", true},
	{"pvscan --cache -aay --autoactivation event /dev/sda", true},
	/* as the unit of lvm2 from before its rule */
	{"pvscan --cache --activate ay 8:16", true},
	{"pvscan --cache -aay 8:16 8:32", true},
	{"pvscan --cache -aay /dev/sda", false},
	{"pvscan --cache -aay 8:16 /dev/sda", false},
	{"pvscan --cache -aay", false},
	{"pvscan --cache 8:16", false},
};

TEST_EACH(what_comes_from_an_event_waits_for_the_gate, gated)
{
	machine_plug("one-pv", "sda", 16, 1);
	/* a file in place of a device has no number */
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  0 sd\n  8 sd\n");
	tree_link(&machine.tree, "/sys/dev/block/0:0", "8:16");
	ck_assert_int_eq(lea_gate_begin(lea_world_run(machine.world), lea_world_proc(machine.world),
					LEA_GATE_CLOSED),
			 0);
	machine_command(gated[_i].words);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE) != gated[_i].is_of_event, "%s",
		      gated[_i].words);
	ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	machine_command(gated[_i].words);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE), "%s, open", gated[_i].words);
}

TEST(vgchange_of_events_activates_every_complete_vg)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	ck_assert_int_eq(machine_command("vgchange -aay --autoactivation event"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, ONE_ACTIVE));
	ck_assert_ptr_nonnull(strstr(machine.out, TWO_ACTIVE));
	ck_assert_uint_eq(fake_dm_count(machine.dm), 5);
}

/* Rows: settings, arguments for both commands, and the result. */
static const struct {
	const char *claim;
	const char *file, *text; /* NULL: none */
	const char *words;
	int code;
	const char *out, *err; /* parts of the output; NULL: anything */
} settings[] = {
	{"a filter pattern that is wrong ends with 5 and is named", "/etc/lvm/lvm.conf",
	 "devices { filter = [ \"x|a|\" ] }", "vgchange -ay vg_one", 5, "",
	 "  Invalid filter pattern \"x|a|\" in devices/filter (/etc/lvm/lvm.conf:1).\n"},
	{"for pvscan, too", "/etc/lvm/lvm.conf", "devices { filter = [ \"x|a|\" ] }",
	 "pvscan --cache /dev/sda", 5, "",
	 "  Invalid filter pattern \"x|a|\" in devices/filter (/etc/lvm/lvm.conf:1).\n"},
	{"an empty filter is as wrong", "/etc/lvm/lvm.conf", "devices { global_filter = [ ] }",
	 "vgchange -ay", 5, "", "devices/global_filter (/etc/lvm/lvm.conf:1).\n"},
	{"a folder in place of the devices file ends with 5 and is named",
	 "/etc/lvm/devices/system.devices/x", "",
	 "vgchange -ay --devicesfile system.devices vg_one", 5, "",
	 "  Devices file /etc/lvm/devices/system.devices: "},
	{"for pvscan, too", "/etc/lvm/devices/system.devices/x", "",
	 "pvscan --cache --devicesfile system.devices /dev/sda", 5, "",
	 "  Devices file /etc/lvm/devices/system.devices: "},
	{"a devices file that is named must be there", NULL, NULL,
	 "vgchange -ay --devicesfile nosuch vg_one", 5, "",
	 "  Devices file not found: /etc/lvm/devices/nosuch\n"},
	{"an event's pvscan does without", NULL, NULL,
	 "pvscan --cache --devicesfile nosuch /dev/sda", 0, "PV /dev/sda online.\n", ""},
	{"an empty name of a devices file is none", "/etc/lvm/devices/system.devices", "",
	 "vgchange -ay --devicesfile= vg_one", 0, ONE_ACTIVE, ""},
	{"with a devices file a filter is ignored, and said to be", "/etc/lvm/lvm.conf",
	 "devices { use_devicesfile = 1 devicesfile = \"mine\" filter = [ \"r|.*|\" ] }",
	 "vgchange -ay vg_one", 0, ONE_ACTIVE,
	 "  Please remove the lvm.conf filter, it is ignored with the devices file.\n"},
	{"a name of --devices that is no device is told of", NULL, NULL,
	 "vgchange -ay --devices /dev/sda,/dev/sdq vg_one", 0, ONE_ACTIVE,
	 "  Device not found for /dev/sdq.\n"},
	{"by pvscan, too", NULL, NULL, "pvscan --cache --devices /dev/sda,/dev/sdq /dev/sda", 0,
	 "PV /dev/sda online.\n", "  Device not found for /dev/sdq.\n"},
	{"an empty --devices names none, and is not all", NULL, NULL,
	 "vgchange -ay --devices= vg_one", 5, "", "  Device not found for .\n"},
	{"a name of --devices must be a path", NULL, NULL, "vgchange -ay --devices sda vg_one", 5,
	 "", "sda"},
	{"items of a volume list that mean nothing are told of once", "/etc/lvm/lvm.conf",
	 "activation { volume_list = [ \"\", \"@\", \"vg_one\" ] }", "vgchange -ay vg_one", 0,
	 "  Ignoring empty string in config file activation/volume_list.\n"
	 "  Ignoring empty tag in config file activation/volume_list\n" ONE_ACTIVE,
	 ""},
	{"by pvscan, too, when it activates", "/etc/lvm/lvm.conf",
	 "activation { auto_activation_volume_list = [ \"@\", \"vg_one\" ] }",
	 "pvscan --cache -aay 8:16", 0,
	 "VG vg_one run autoactivation.\n"
	 "  Ignoring empty tag in config file activation/auto_activation_volume_list\n" ONE_ACTIVE,
	 ""},
	{"not where LVs go down", "/etc/lvm/lvm.conf", "activation { volume_list = [ \"\" ] }",
	 "vgchange -an vg_one", 0, "  0 logical volume(s) in volume group \"vg_one\" now active\n",
	 ""},
	{"LVs of a test run are printed as tables", NULL, NULL, "vgchange -ay -t -v vg_one", 0, "",
	 "vg_one-home: 0 "},
};

TEST_EACH(each_setting_and_option_has_its_effect, settings)
{
	int code;

	machine_plug("one-pv", "sda", 16, 1);
	/* a file in place of a device has no number */
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  0 sd\n  8 sd\n");
	tree_link(&machine.tree, "/sys/dev/block/0:0", "8:16");
	tree_put(&machine.tree, "/etc/lvm/devices/mine",
		 "VERSION=1.1.1\nIDTYPE=devname IDNAME=/dev/sda DEVNAME=/dev/sda PVID=" PVID_ONE
		 "\n");
	if (settings[_i].file)
		tree_put(&machine.tree, settings[_i].file, settings[_i].text);
	code = machine_command(settings[_i].words);
	ck_assert_msg(code == settings[_i].code, "%s: exit %d\n%s%s", settings[_i].claim, code,
		      machine.out, machine.err);
	ck_assert_msg(settings[_i].out[0] ? strstr(machine.out, settings[_i].out) != NULL
					  : !strstr(machine.out, "now active\n  "),
		      "%s: printed\n%s", settings[_i].claim, machine.out);
	ck_assert_msg(!strstr(machine.out, "Ignoring") == !strstr(settings[_i].out, "Ignoring"),
		      "%s: printed\n%s", settings[_i].claim, machine.out);
	ck_assert_msg(settings[_i].err[0] ? strstr(machine.err, settings[_i].err) != NULL
					  : !machine.err[0],
		      "%s: said\n%s", settings[_i].claim, machine.err);
}

/* Rows: sources of settings. /etc/lvm/lvm.conf accepts no device, /rescue/lvm.conf all. */
static const struct {
	const char *claim, *entry, *words;
	int code;
} folders[] = {
	{"/etc/lvm counts", NULL, "vgchange -ay vg_one", 5},
	{"LVM_SYSTEM_DIR counts instead", "LVM_SYSTEM_DIR=/rescue", "vgchange -ay vg_one", 0},
	{"an empty one is no file at all", "LVM_SYSTEM_DIR=", "vgchange -ay vg_one", 0},
	{"one that is not there, too", "LVM_SYSTEM_DIR=/nowhere", "vgchange -ay vg_one", 0},
};

TEST_EACH(the_system_dir_is_the_one_of_the_caller, folders)
{
	int code;

	machine_plug("one-pv", "sda", 16, 1);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|.*|\" ] }");
	tree_put(&machine.tree, "/rescue/lvm.conf", "devices { filter = [ \"a|.*|\" ] }");
	if (folders[_i].entry)
		tree_env(&machine.tree, folders[_i].entry);
	code = machine_command(folders[_i].words);
	ck_assert_msg(code == folders[_i].code, "%s: exit %d\n%s", folders[_i].claim, code,
		      machine.err);
	machine_command("pvscan --cache 8:16");
	ck_assert_msg(!code == (strstr(machine.out, "PV /dev/sda online.") != NULL), "%s: pvscan",
		      folders[_i].claim);
}

/* A record is compared with the device that it names, under the same filters as the current
 * device. */
TEST(a_stale_record_is_replaced_under_a_devices_list)
{
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("orphan", "sdb", 32, 2);
	machine_record(PVID_ONE, "vg_one", "sdb", 32);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"x|a|\" ] }");
	ck_assert_int_eq(machine_command("pvscan --cache --devices /dev/sda 8:16"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "PV /dev/sda online.\n"));
	ck_assert_str_eq(machine.err, "");
}

/* Each machine has free loop devices. */
TEST(no_vg_is_looked_for_on_a_device_without_a_size)
{
	machine_plug("one-pv", "sda", 16, 1);
	tree_put(&machine.tree, "/sys/dev/block/8:16/size", "0\n");
	ck_assert_int_eq(machine_command("vgchange -aay vg_one"), 5);
	ck_assert_str_eq(machine.err, "  Volume group \"vg_one\" not found\n"
				      "  Cannot process volume group vg_one\n");
}

static void pending_are(int event_fd, size_t pending)
{
	size_t count[3] = {0};

	ck_assert_int_eq(lea_queue_count(event_fd, "queue", &count[0]), 0);
	ck_assert_int_eq(lea_queue_count(event_fd, "taken", &count[1]), 0);
	ck_assert_int_eq(lea_queue_count(event_fd, "failed", &count[2]), 0);
	ck_assert_uint_eq(count[0], pending);
	ck_assert_uint_eq(count[1] + count[2], 0);
}

/* With wrong settings the runner loses no event; once they are corrected, it continues. */
TEST(a_wrong_filter_loses_no_entry)
{
	struct lea_entry entry = {
		.kind = LEA_ENTRY_ADD,
		.device = {.name = (char[]){"/dev/sda"}, .major = 8, .minor = 16, .diskseq = 1},
		.pvid = PVID_ONE};
	int event_fd = machine_queue();

	machine_plug("one-pv", "sda", 16, 1);
	lea_entry_set_key(&entry);
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"x|a|\" ] }");
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(machine_command("run"), 5);
	ck_assert_ptr_nonnull(strstr(machine.err, "Invalid filter pattern"));
	pending_are(event_fd, 1);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	ck_assert_int_eq(machine_command("run"), 0);
	pending_are(event_fd, 0);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_ptr_nonnull(strstr(machine.out,
				     "  1 device(s), 1 PV(s), 0 removed, 1 VG(s) active "
				     "(3 LVs), 0 failed\n"));
	close(event_fd);
}

static int lock(const char *name, bool wait, struct lea_lock **ret_lock)
{
	char dir[128];
	const struct lea_lock_options options = {
		.dir = dir, .mode = LEA_LOCK_EXCLUSIVE, .wait = wait};

	snprintf(dir, sizeof(dir), "%s/run/lock/lvm", machine.tree.root);
	return lea_lock_take(&options, name, ret_lock);
}

/* A child that has the lock of @own for a while. Exits with 1 if that of @other is held then. */
static pid_t start_holder(const char *own, const char *other)
{
	struct lea_lock *lock_own, *lock_other = NULL;
	pid_t pid = fork();
	int code;

	if (pid)
		return pid;
	if (lock(own, true, &lock_own))
		_exit(2);
	tree_put(&machine.tree, "/held", "");
	usleep(500000);
	code = lock(other, false, &lock_other) != 0;
	lea_lock_release(lock_other);
	lea_lock_release(lock_own);
	_exit(code);
}

/* Otherwise two commands could wait for each other. */
TEST(a_command_waits_for_a_lock_only_while_it_holds_none)
{
	int status;
	pid_t pid;

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	tree_mkdir(&machine.tree, "/run/lock/lvm");
	pid = start_holder("V_vg-two.pvs", "V_vg_one");
	ck_assert_int_gt(pid, 0);
	for (int i = 0; i < 500 && !machine_has("/held"); i++)
		usleep(10000);
	ck_assert_int_eq(machine_command("pvscan --cache -aay"), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 5);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

TEST(a_folder_of_records_that_is_none_is_named)
{
	machine_plug("one-pv", "sda", 16, 1);
	tree_put(&machine.tree, "/run/lvm/pvs_online", "");
	ck_assert_int_eq(machine_command("pvscan --cache 8:16"), 5);
	ck_assert_msg(strstr(machine.err, "  /run/lvm/pvs_online is a file and not a folder; "
					  "remove it: rm -r /run/lvm/pvs_online.\n") != NULL,
		      "%s", machine.err);
}
