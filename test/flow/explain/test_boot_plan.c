/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent plan on a machine of files: every VG and LV, what is left alone and why, whose it is. */
#include "flow/one_pv.h"

static int plan(const char *words)
{
	return machine_command(words);
}

/* What a plan must not depend on: it failed in this boot, it is active, its entry is pending. */
static void used(void)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	const struct lea_claim failed = {.state = LEA_CLAIM_FAILED,
					 .vg_name = "vg_one",
					 .reason = "no room",
					 .pv = &pv,
					 .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	close(machine_queue());
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &failed), 0);
	put("/run/lvm/event/gate-armed", "");
	put("/run/lvm/event/queue/8:16-7", "");
	put("/run/lvm/event/failed/8:16-7", "");
	put("/sys/class/block/dm-3/dm/uuid", "LVM-" VG_ONE_ID "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ\n");
}

static void on_lv(void)
{
	put("/sys/dev/block/8:16/dm/uuid", "LVM-" VG_ONE_ID "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ\n");
}

static void remembered(void)
{
	put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	put("/etc/lvm/lvmevent/boot",
	    "lvmevent-boot 2\nmachine 0123456789abcdef0123456789abcdef\nboot b-1\n"
	    "vg abcdefghijklmnopqrstuvwxyz012345 7 1 1 gone\n"
	    "pv " PVID_B " disk 0 32768 0 naa.5000c500 GUEST-1 pci0/host2/2:0:0:0\n"
	    "lv home 1111-2222 my\\x20home\nend\n");
}

static void fstab(void)
{
	put("/etc/fstab", "/dev/vg_one/home /home ext4 defaults 0 2\n");
}

static void last(void)
{
	put("/etc/lvm/lvmevent.conf", "event { last = [ \"vg_one\" ] }");
}

static void other_lvm_conf(void)
{
	put("/etc/lvm/lvm.conf", "global { event_activation = 0 }");
	put("/other", "# mine\nactivation { auto_activation_volume_list = [ \"vg_one/root\" ] }");
}

static void other_own_conf(void)
{
	put("/other", "event {\n\tneeded = [ \"vg_one\" ]\n}\n");
}

static void other_devices(void)
{
	put("/other", "VERSION=1.1.1\nIDTYPE=devname IDNAME=/dev/sdz DEVNAME=/dev/sdz PVID=.\n");
}

static void bad_file(void)
{
	put("/other", "activation {\n");
}

/* As of its kind, it would take the place of the other file. */
static void bad_own_file(void)
{
	put("/bad", "event {\n\tneeded = [\n");
	other_lvm_conf();
}

#define LONG_NAME "a-name-that-is-much-too-long-for-device-mapper-once-its-hyphens-are-doubled-and-its-VG-is-in-front-of-it"

static void long_name(void)
{
	static const char *const pairs[] = {"home {", LONG_NAME " {", NULL};

	machine_change("one-pv", "sda", pairs);
}

static void long_vg_name(void)
{
	static const char *const pairs[] = {"vg_one {", LONG_NAME "-of-a-VG {", NULL};

	machine_change("one-pv", "sda", pairs);
}

static const struct {
	const char *claim, *sample;
	void (*make)(void); /* NULL: nothing */
	const char *words;
	int code;
	const char *out, *more; /* parts of the output, or of the complaint */
} rows[] = {
	{"a VG", "one-pv", NULL, "", 0, "VG vg_one: activated\n  on /dev/sda\n  LV vg_one/root: activated\n",
	 "1 VG: 1 activated, 0 handed to lvm, 0 left alone; 3 of 3 LVs\n"},
	{"... whatever has become of it in this boot", "one-pv", used, "", 0,
	 "VG vg_one: activated\n  on /dev/sda\n  LV vg_one/root: activated\n",
	 "1 VG: 1 activated, 0 handed to lvm, 0 left alone; 3 of 3 LVs\n"},
	{"a type that only lvm knows", "damaged/text-unknown-segtype", NULL, "", 0,
	 "VG vg_one: handed to lvm: delegated: only the real lvm activates it: unknown segment "
	 "type; LVs: root (type newtype)\n  on /dev/sda\n  LV vg_one/root: handed to lvm\n",
	 "1 VG: 0 activated, 1 handed to lvm, 0 left alone; 3 of 3 LVs\n"},
	{"a property that is off", "flags", NULL, "", 0,
	 "VG vg_flags: left alone: autoactivation-off: its autoactivation property is off\n",
	 "0 of "},
	{"another host's", "foreign", NULL, "", 0,
	 " (other-host): left alone: foreign: ", "1 left alone"},
	{"an exported VG", "exported", NULL, "", 0, " (other-host): left alone: exported: ", ""},
	{"a cluster's", "damaged/text-clustered", NULL, "", 0,
	 " (cluster): left alone: clustered: ", ""},
	{"a VG of lvmlockd", "damaged/text-lock-sanlock", NULL, "", 0,
	 " (cluster): left alone: shared: ", ""},
	{"a VG that lacks a PV", "stripe-a", NULL, "", 0,
	 "VG vg-two.pvs: left alone: incomplete: 1 of 2 PVs found", "0 of 2 LVs"},
	{"a damaged PV", "damaged/text-crc", NULL, "", 0,
	 "PV /dev/sda of VG vg_one: not used: damaged: ", "0 VGs"},
	{"a guest's", "one-pv", on_lv, "", 0, "VG vg_one (guest): activated\n", ""},
	{"a VG of the last good boot", "one-pv", remembered, "", 0,
	 "VG gone: missing: not-seen: no device that LVM may use has its metadata", ""},
	{"what comes first", "one-pv", fstab, "--boot", 0, "VG vg_one (first): activated\n", ""},
	{"... is not said without --boot", "one-pv", fstab, "", 0, "VG vg_one: activated\n", ""},
	{"what comes last", "one-pv", last, "--boot", 0, "VG vg_one (last): activated\n", ""},
	{"another lvm.conf", "one-pv", other_lvm_conf, "--config /other", 0,
	 "VG vg_one: activated\n",
	 "  LV vg_one/home: left alone: auto-list: it is not in "
	 "activation/auto_activation_volume_list (/other:2)\n"},
	{"... and not the one in its place", "one-pv", other_lvm_conf, "", 0,
	 "VG vg_one: left alone: event-activation-off: global/event_activation is 0 "
	 "(/etc/lvm/lvm.conf:1)",
	 ""},
	{"another lvmevent.conf", "one-pv", other_own_conf, "--boot --config /other", 0,
	 "VG vg_one (first): activated\n", ""},
	{"another devices file", "one-pv", other_devices, "--config /other", 0,
	 "PV /dev/sda: not used: devices-file: it is not used: by devices file (checking PVID): "
	 "/other",
	 "0 VGs"},
	{"a file that is none", "one-pv", bad_file, "--config /other", 4,
	 "--config /other:2: ", ""},
	{"a file with an error beside a good one", "one-pv", bad_own_file, "--config /bad,/other",
	 4, "--config /bad:3: ", ""},
	{"a file that is not there", "one-pv", NULL, "--config /none", 4, "", ""},
	{"two of a kind", "one-pv", other_own_conf, "--config /other,/other", 3, "", ""},
	{"a VG that is meant", "one-pv", NULL, "vg_one", 0, "VG vg_one: activated\n",
	 "3 of 3 LVs\n"},
	{"an LV that is meant", "one-pv", NULL, "/dev/vg_one/home", 0,
	 "VG vg_one: activated\n  on /dev/sda\n  LV vg_one/home: activated\n1 VG: ",
	 "1 of 1 LV\n"},
	{"both", "one-pv", NULL, "vg_one vg_one/home", 0, "VG vg_one: activated\n", "3 of 3 LVs\n"},
	{"a PV that is meant", "one-pv", NULL, "/dev/sda", 0, "VG vg_one: activated\n",
	 "3 of 3 LVs\n"},
	{"a VG of the last good boot", "one-pv", remembered, "gone", 0, "VG gone: missing: ",
	 "1 VG: 0 activated"},
	{"what is not there", "one-pv", NULL, "vg_one none/lv", 5,
	 "none/lv: VG, LV, PV or tag not found", "lvmevent explain none/lv"},
	{"a name that is too long for device-mapper", "one-pv", long_name, "", 0,
	 "  LV vg_one/" LONG_NAME
	 ": left alone: impossible: no command can activate it: The device name of ",
	 "1 VG: 1 activated, 0 handed to lvm, 0 left alone; 2 of 3 LVs\n"},
	{"... of the VG", "one-pv", long_vg_name, "", 0,
	 "VG " LONG_NAME
	 "-of-a-VG: left alone: impossible: no command can activate 3 of its 3 LVs: ",
	 "1 VG: 0 activated, 0 handed to lvm, 1 left alone; 0 of 3 LVs\n"},
	{"an LV with the reason of its VG", "stripe-a", NULL, "", 0,
	 "  LV vg-two.pvs/fast: left alone\n", "  on /dev/sda\n"},
};

TEST_EACH(the_plan_names_what_is_left_alone_and_why, rows)
{
	const char *said;
	char words[128];

	machine_unplug("sda", 16);
	machine_plug(rows[_i].sample, "sda", 16, 7);
	if (rows[_i].make)
		rows[_i].make();
	snprintf(words, sizeof(words), "plan %s", rows[_i].words);
	ck_assert_msg(plan(words) == rows[_i].code, "%s: %s%s", rows[_i].claim, machine.out,
		      machine.err);
	said = rows[_i].code ? machine.err : machine.out;
	ck_assert_msg(strstr(said, rows[_i].out) && strstr(said, rows[_i].more), "%s: %s%s",
		      rows[_i].claim, machine.out, machine.err);
}

TEST(json_has_marks_and_order)
{
	on_lv();
	fstab();
	ck_assert_int_eq(plan("plan --json"), 0);
	ck_assert_msg(strstr(machine.out, "\"order\": \"first\", \"marks\": [ \"guest\" ], "
				     "\"devices\": [ \"/dev/sda\" ] }") != NULL,
		      "%s", machine.out);
	ck_assert_ptr_null(strstr(machine.out, "VG vg_one"));
}

TEST(a_pv_of_no_vg_has_no_order)
{
	machine_plug("orphan", "sdb", 32, 8);
	ck_assert_int_eq(plan("plan --json /dev/sdb"), 0);
	ck_assert_msg(strstr(machine.out, "\"type\": \"pv\"") != NULL, "%s", machine.out);
	ck_assert_msg(!strstr(machine.out, "\"order\""), "%s", machine.out);
}

TEST(nothing_is_touched)
{
	const int run_fd = lea_world_run(machine.world);

	ck_assert_int_eq(plan("plan --boot"), 0);
	ck_assert(!faccessat(run_fd, ".", F_OK, 0));
	ck_assert_int_ne(faccessat(run_fd, "event", F_OK, 0), 0);
	ck_assert_int_ne(faccessat(run_fd, "pvs_online", F_OK, 0), 0);
	ck_assert(!machine_has("/etc/lvm/lvmevent"));
	ck_assert_uint_eq(machine.dm->step_count, 0);
}
