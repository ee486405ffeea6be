/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reasons that lvmevent delegated --explain gives for VGs that events do not activate. */
#include "command/explain.h"
#include "flow/reconcile_scratch.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

#define MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"

static int explain(const char *words)
{
	const struct lea_cmd *cmd = lea_cmd_lvmevent;

	while (strcmp(cmd->name, "delegated"))
		cmd++;
	return machine_command(cmd, words);
}

static const struct {
	const char *claim, *sample, *conf, *text;
} rows[] = {
	{"a VG that events activate", "one-pv", "", "VG vg_one: activated here\n"},
	{"an empty list of volumes", "one-pv", "activation { auto_activation_volume_list = [] }",
	 "VG vg_one: not activated: LVs "},
	{"... with the setting that keeps them down", "one-pv",
	 "activation { auto_activation_volume_list = [] }",
	 ": not in activation/auto_activation_volume_list\n"},
	{"a list with one LV of it", "one-pv",
	 "activation { auto_activation_volume_list = [ \"vg_one/root\" ] }",
	 "VG vg_one: activated here: but not LVs home, swap: not in "
	 "activation/auto_activation_volume_list\n"},
	{"volume_list counts, too", "one-pv", "activation { volume_list = [ \"other\" ] }",
	 "VG vg_one: not activated: LVs "},
	{"a VG that waits for a PV", "stripe-a", "",
	 "VG vg-two.pvs: not activated: incomplete: 1 of 2 PVs is there, missing PV "
	 "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb\n"},
	{"a PV that a filter keeps out", "one-pv", "devices { filter = [ \"r|.*|\" ] }",
	 "PV /dev/sda (" UUID_ONE "): not used: device is rejected by filter config\n"},
	{"a PV that is damaged", "damaged/text-crc", "",
	 "PV /dev/sda (" UUID_ONE
	 " of VG vg_one): damaged: metadata text checksum mismatch at byte "
	 "10240; check it by: pvck /dev/sda\n"},
	{"a VG with its autoactivation property off", "flags", "",
	 "VG vg_flags: not activated: its autoactivation property is off (vgchange "
	 "--setautoactivation y turns it on)\n"},
	{"another host's VG", "foreign", "", ": left alone: "},
	{"events that activate nothing at all", "one-pv", "global { event_activation = 0 }",
	 "event_activation is 0: events activate nothing. If it were 1:\n"},
};

static void plug(int i)
{
	machine.properties = MEMBER;
	machine_unplug("sda", 16);
	machine_plug(rows[i].sample, "sda", 16, 7);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", rows[i].conf);
}

TEST_EACH(what_an_event_would_do_is_said_with_the_reason, rows)
{
	plug(_i);
	ck_assert_int_eq(explain("delegated --explain"), 0);
	ck_assert_msg(strstr(machine.out, rows[_i].text) != NULL, "%s: %s%s", rows[_i].claim,
		      machine.out, machine.err);
}

/* If a user names a VG on a damaged or filtered device, the answer is more than "not found". */
static const int hidden[] = {6, 7};

TEST_EACH(a_vg_that_is_not_seen_is_explained_by_its_devices, hidden)
{
	plug(hidden[_i]);
	ck_assert_int_eq(explain("delegated --explain vg_one"), 5);
	ck_assert_msg(strstr(machine.out, rows[hidden[_i]].text) != NULL, "%s%s", machine.out,
		      machine.err);
}

TEST(json_has_reasons_and_devices)
{
	plug(7);
	ck_assert_int_eq(explain("delegated --explain --json"), 0);
	ck_assert_str_eq(machine.out,
			 "{ \"version\": 2, \"vgs\": [ ], \"devices\": [ \"PV /dev/sda (" UUID_ONE
			 " of VG vg_one): damaged: metadata text checksum mismatch at "
			 "byte 10240; check it by: pvck /dev/sda\" ] }\n");
}

/* LVs "noauto", "skip" and three others, in a VG that events activate. */
TEST(lvs_that_stay_down_are_named_with_their_reasons)
{
	const struct lea_conf_options conf_options = {0};
	const struct lea_scan_options options = {0};
	struct lea_arena *arena = lea_arena_new(1U << 20);
	struct lea_explain explained;
	struct lea_conf *read_conf;
	struct lea_device *devices;
	struct lea_scan_vg *vgs;
	struct lea_scan *scan;
	size_t count;

	machine_unplug("sda", 16);
	machine_plug("flags", "sda", 16, 7);
	ck_assert_ptr_nonnull(arena);
	ck_assert_int_eq(lea_conf_read(machine.world, &conf_options, &read_conf), 0);
	ck_assert_int_eq(lea_scan_new(machine.world, read_conf, &options, &scan), 0);
	ck_assert_int_eq(lea_devices_enumerate(machine.world, &devices, &count), 0);
	ck_assert_int_eq(lea_scan_add(scan, devices, count), 0);
	lea_devices_free(devices, count);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_uint_eq(count, 1);
	vgs[0].vg->flags &= ~LEA_FLAG_NOAUTOACTIVATE;
	ck_assert_int_eq(lea_explain_vg(machine.world, read_conf, arena, &vgs[0], &explained), 0);
	ck_assert_int_eq(explained.verdict, LEA_EXPLAIN_ACTIVATED);
	ck_assert_str_eq(explained.why, "but not LV noauto: its autoactivation property is off; LV "
					"skip: its activation skip flag is set");
	lea_scan_free(scan);
	lea_conf_free(read_conf);
	lea_arena_free(arena);
}
