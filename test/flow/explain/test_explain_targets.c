/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvmevent explain finds by a word, and in which order it answers. */
#include "flow/causes_machine.h"

static const struct {
	const char *word, *line;
} by_id[] = {
	{"GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21", "VG vg_one: inactive: "},
	{"GUetLOo5Gp19A2XKrJeENXFnMeOFEu21", "VG vg_one: inactive: "},
	{"PcQcBZ-wJhn-j1Hd-GL2O-Bxm3-m3lq-xqbUNP", "LV vg_one/home: inactive\n"},
	{"/dev/mapper/vg_one-home", "LV vg_one/home: inactive\n"},
};

TEST_EACH(a_uuid_is_found, by_id)
{
	char words[128];

	snprintf(words, sizeof(words), "explain %s", by_id[_i].word);
	ck_assert_int_eq(explain(words), 0);
	ck_assert_msg(has(by_id[_i].line), "%s", machine.out);
}

/* fstab may know nothing of it. Rows: what is mounted there; a word of the answer; its exit code. */
static const struct {
	const char *mounted, *line;
	int code;
} by_hand[] = {
	{"22 1 253:4 / /srv/x rw - ext4 /dev/mapper/vg_one-home rw\n", "LV vg_one/home: inactive\n",
	 0},
	{"22 1 8:16 / /srv/x rw - ext4 /dev/sda rw\n", "PV /dev/sda of VG vg_one: ", 0},
	{"22 1 0:40 / /srv/x rw - tmpfs tmpfs rw\n", "", 5},
	{"22 1 253:4 / /srv rw - ext4 /dev/mapper/vg_one-home rw\n", "", 5},
};

TEST_EACH(what_is_mounted_by_hand_is_found, by_hand)
{
	put("/proc/self/mountinfo", by_hand[_i].mounted);
	ck_assert_int_eq(explain("explain /srv/x/"), by_hand[_i].code);
	ck_assert_msg(has(by_hand[_i].line), "%s", machine.out);
}

TEST(vgs_and_pvs_are_sorted_by_name)
{
	const char *one, *two;

	machine_plug("stripe-a", "sdc", 48, 3);
	machine_plug("orphan", "sdb", 32, 4);
	ck_assert_int_eq(explain("explain"), 0);
	one = strstr(machine.out, "VG vg-two.pvs: ");
	two = strstr(machine.out, "VG vg_one: ");
	ck_assert_msg(one && two && one < two, "%s", machine.out);
}

TEST(pvs_with_one_cause_are_counted)
{
	for (unsigned int i = 0; i < 9; i++) {
		const char name[] = {'s', 'd', (char)('c' + i), '\0'};

		machine_plug("stripe-a", name, 48 + i, 20 + i);
	}
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(has("\nPVs: 4 more: duplicate"), "%s", machine.out);
	ck_assert_int_eq(explain("explain --json"), 0);
	ck_assert_msg(has("\"/dev/sdk\""), "%s", machine.out);
}
