/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent wait on a machine of files: what is there, what is not and why, and what ends the sleep.
 */
#include "flow/one_pv.h"
#include "state/gate.h"

#include <sys/wait.h>

static int wait_for(const char *words)
{
	return machine_command(words);
}

/* ---- situations */

static void up(const char *lv_id, const char *name, unsigned int minor)
{
	char path[96], text[96];

	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "LVM-" VG_ONE_ID "%s\n", lv_id);
	put(path, text);
	snprintf(path, sizeof(path), "/dev/vg_one/%s", name);
	put(path, "");
	snprintf(path, sizeof(path), "/dev/mapper/vg_one-%s", name);
	put(path, "");
}

static void first_up(void)
{
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	up("zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ", "root", 3);
}

static void all_up(void)
{
	first_up();
	up("PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP", "home", 4);
	up("rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT", "swap", 5);
}

static void claim(enum lea_claim_state state)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	struct lea_claim made = {.state = state, .vg_name = "vg_one", .pv = &pv, .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	if (state == LEA_CLAIM_FAILED)
		snprintf(made.reason, sizeof(made.reason), "no room");
	close(machine_queue());
	if (state == LEA_CLAIM_CLAIMED)
		ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &made), 0);
	else
		ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &made), 0);
}

static void activating(void)
{
	first_up();
	claim(LEA_CLAIM_CLAIMED);
}

static void done(void)
{
	first_up();
	claim(LEA_CLAIM_DONE);
}

static void done_and_down(void)
{
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	claim(LEA_CLAIM_DONE);
}

static void failed(void)
{
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	claim(LEA_CLAIM_FAILED);
}

/* A person has activated what an event could not. */
static void failed_then_up(void)
{
	all_up();
	claim(LEA_CLAIM_FAILED);
}

static void half(void)
{
	machine_unplug("sda", 16);
	machine_plug("stripe-a", "sda", 16, 7);
	machine.properties = "";
}

static void nothing(void)
{
}

static void gate_closed(void)
{
	close(machine_queue());
	put("/run/lvm/event/gate-armed", "");
}

static void pending(void)
{
	close(machine_queue());
	put("/run/lvm/event/queue/8:16-7", "");
}

static void udev_busy(void)
{
	put("/run/udev/queue", "");
	put("/run/udev/control", "");
}

static void fstab(void)
{
	put("/etc/fstab", "/dev/vg_one/home /home ext4 defaults 0 2\n"
			  "UUID=1111-2222 /data ext4 defaults 0 2\n");
}

static void fstab_met(void)
{
	fstab();
	all_up();
	put("/dev/disk/by-uuid/1111-2222", "");
}

static void fstab_half_met(void)
{
	fstab();
	all_up();
}

static const struct {
	const char *claim, *goals;
	void (*make)(void);
	int code;
	const char *text; /* of the line for what is missing */
} rows[] = {
	{"a VG that an event has activated", "vg:vg_one", done, 0, ""},
	{"a VG that is being activated", "vg:vg_one", activating, 75,
	 "vg:vg_one is not there: activating: a worker has been activating it"},
	{"a VG that a person has deactivated", "vg:vg_one", done_and_down, 75,
	 "vg:vg_one is not there: deactivated: "},
	{"a VG that has failed", "vg:vg_one", failed, 75,
	 "vg:vg_one is not there: failed: no room; "},
	{"... and that a person has activated", "vg:vg_one", failed_then_up, 0, ""},
	{"a VG without a claim, all of it active", "vg:vg_one", all_up, 0, ""},
	{"... a part of it", "vg:vg_one", first_up, 75, "vg:vg_one is not there: "},
	{"a VG that lacks a PV", "vg:vg-two.pvs", half, 75,
	 "vg:vg-two.pvs is not there: incomplete: 1 of 2 PVs found; missing: PV yENn7p-"},
	{"a VG that no device has", "vg:none", nothing, 75,
	 "vg:none is not there: not-seen: VG not found on devices that LVM may use; next: "},
	{"an LV with its device", "lv:vg_one/root", first_up, 0, ""},
	{"an LV of a VG that has failed", "lv:vg_one/home", failed, 75,
	 "lv:vg_one/home is not there: failed: no room"},
	{"an LV that nobody knows", "lv:vg_one/none", done, 75,
	 "lv:vg_one/none is not there: not-seen: /dev/mapper/vg_one-none does not exist"},
	{"enough PVs", "pvs:1", done, 0, ""},
	{"not enough PVs", "pvs:2", done, 75, "pvs:2 is not there: too-few: 1 PVs are recorded"},
	{"a machine at rest", "settled", done, 0, ""},
	{"a VG that is being activated", "settled", activating, 75,
	 "settled is not there: busy: a VG is being activated"},
	{"a boot", "settled", gate_closed, 75, "settled is not there: busy: the gate is closed"},
	{"a queue", "settled", pending, 75,
	 "settled is not there: busy: 1 devices are pending, 0 are being processed"},
	{"udev", "settled", udev_busy, 75, "settled is not there: busy: udev is busy"},
	{"all is well", "healthy", all_up, 0, ""},
	{"a failure", "healthy", failed, 75, "healthy is not there: vg_one: failed: no room"},
	{"a PV that is missing", "healthy", half, 75,
	 "healthy is not there: vg-two.pvs: incomplete: 1 of 2 PVs"},
	{"what fstab names is there", "needed", fstab_met, 0, ""},
	{"a file system is not", "needed", fstab_half_met, 75,
	 "needed: /data (1111-2222) is not there: not-seen: "
	 "/dev/disk/by-uuid/1111-2222 does not exist"},
	{"nothing of it is", "needed", fstab, 75, "needed: /home (vg_one/home) is not there: "},
	{"what the records do not tell, beside what is absent", "vg:vg_one pvs:9", all_up, 75,
	 "  pvs:9 is not there: too-few: 1 PVs are recorded"},
	{"all goals must be there", "pvs:1 vg:none", done, 75, "vg:none is not there: "},
	{"the name of a VG", "vg_one", done, 0, ""},
	{"... that is not there", "none", nothing, 75, "vg:none is not there: not-seen: "},
	{"the name of an LV", "vg_one/root", first_up, 0, ""},
	{"its path", "/dev/vg_one/root", first_up, 0, ""},
	{"the UUID of a VG", "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21", all_up, 0, ""},
	{"... a part of which is up", "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21", first_up, 75,
	 "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21 is not there: vg_one: "},
	{"the UUID of an LV", "zh5EYG-ofOo-WnB0-RvfB-w4uj-Hxzi-qpRtLZ", first_up, 0, ""},
	{"... that is down", "PcQcBZ-wJhn-j1Hd-GL2O-Bxm3-m3lq-xqbUNP", first_up, 75,
	 "PcQcBZ-wJhn-j1Hd-GL2O-Bxm3-m3lq-xqbUNP is not there: "},
	{"a PV", "/dev/sda", nothing, 0, ""},
	{"a disk that is not there", "/dev/sdz", nothing, 75,
	 "/dev/sdz is not there: not-seen: VG, LV or PV not found on devices that LVM may use"},
	{"a tag that nothing has", "@none", nothing, 75, "@none is not there: not-seen: "},
	{"a mount point", "/home", fstab_met, 0, ""},
	{"... of an LV that is down", "/home", fstab, 75, "/home is not there: vg_one: "},
	{"a word that is none", "VG:data", nothing, 3, ""},
	{"no word", "", nothing, 3, ""},
};

TEST_EACH(what_is_not_there_is_named_with_the_reason, rows)
{
	char words[128];

	rows[_i].make();
	snprintf(words, sizeof(words), "wait --timeout 0 %s", rows[_i].goals);
	ck_assert_msg(wait_for(words) == rows[_i].code, "%s, %s: %s%s", rows[_i].goals,
		      rows[_i].claim, machine.out, machine.err);
	ck_assert_msg(strstr(machine.err, rows[_i].text) != NULL, "%s, %s: %s%s", rows[_i].goals,
		      rows[_i].claim, machine.out, machine.err);
	ck_assert_str_eq(machine.out, "");
}

/* ---- what ends the sleep */

static void gate_opens(void)
{
	ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
}

static void queue_empties(void)
{
	tree_remove(&machine.tree, "/run/lvm/event/queue/8:16-7");
}

static void udev_rests(void)
{
	tree_remove(&machine.tree, "/run/udev/queue");
}

static void second_pv(void)
{
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
}

static void uuid_comes(void)
{
	put("/dev/disk/by-uuid/1111-2222", "");
}

static void claim_ends(void)
{
	claim(LEA_CLAIM_DONE);
}

static void rest_comes_up(void)
{
	up("PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP", "home", 4);
	up("rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT", "swap", 5);
}

static const struct {
	const char *goals;
	void (*before)(void), (*change)(void);
} changes[] = {
	{"vg:vg_one", activating, claim_ends},
	{"vg:vg_one", nothing, done}, /* no folder of claims at first, nor one in /dev */
	{"vg:vg_one", first_up, rest_comes_up},
	{"lv:vg_one/root", nothing, first_up},
	{"pvs:2", done, second_pv},
	{"pvs:1", nothing, done},
	{"settled", gate_closed, gate_opens},
	{"settled", pending, queue_empties},
	{"settled", udev_busy, udev_rests},
	{"settled", activating, claim_ends},
	{"needed", fstab_half_met, uuid_comes},
	{"needed", fstab, fstab_met},
	{"vg:vg_one pvs:1 lv:vg_one/root settled", nothing, done},
};

TEST_EACH(a_change_ends_the_sleep, changes)
{
	char words[128];
	pid_t child;
	int status, code;

	changes[_i].before();
	child = fork();
	if (!child) {
		usleep(300000);
		tree_put_process(&machine.tree, getpid(), "test", 'S', 4242);
		changes[_i].change();
		_exit(0);
	}
	snprintf(words, sizeof(words), "wait --timeout 40 %s", changes[_i].goals);
	code = wait_for(words);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_msg(code == 0, "%s: %d: %s", changes[_i].goals, code, machine.err);
}

TEST(the_limit_ends_the_sleep)
{
	const uint64_t began = machine.world->clock->now_ms(machine.world->clock);

	ck_assert_int_eq(wait_for("wait --timeout 1 vg:none"), 75);
	ck_assert_uint_ge(machine.world->clock->now_ms(machine.world->clock) - began, 1000);
}

TEST(a_limit_that_is_no_number_is_refused)
{
	ck_assert_int_eq(wait_for("wait --timeout 1s settled"), 3);
	ck_assert_int_eq(wait_for("wait --timeout -1 settled"), 3);
	ck_assert_int_eq(wait_for("wait --timeout infinity settled"), 0);
}

TEST(json_has_every_target)
{
	done();
	ck_assert_int_eq(wait_for("wait --timeout 0 --json vg:vg_one pvs:2"), 75);
	ck_assert_str_eq(
		machine.out,
		"{ \"version\": 2, \"there\": false, \"targets\": [ { \"target\": \"vg:vg_one\", "
		"\"what\": \"vg:vg_one\", \"there\": true, \"cause\": \"\", \"evidence\": \"\", "
		"\"next\": \"\", \"next_class\": \"\" }, { \"target\": \"pvs:2\", \"what\": \"pvs:2\", "
		"\"there\": false, \"cause\": \"too-few\", \"evidence\": \"1 PVs are recorded\", "
		"\"next\": \"lvmevent explain\", \"next_class\": \"look\" } ] }\n");
}

/* The metadata of the VG is read for its answer at the end only. */
TEST(a_vg_that_is_there_is_not_called_absent)
{
	all_up();
	ck_assert_int_eq(wait_for("wait --timeout 0 --json vg:vg_one pvs:9"), 75);
	ck_assert_ptr_nonnull(strstr(machine.out, "\"what\": \"vg:vg_one\", \"there\": true"));
	ck_assert_ptr_null(strstr(machine.err, "vg:vg_one is not there"));
}

TEST(progress_is_shown_where_it_is_asked_for)
{
	done();
	ck_assert_int_eq(wait_for("wait --timeout 0 pvs:2"), 75);
	ck_assert_ptr_null(strstr(machine.err, "of 1 there"));
	ck_assert_int_eq(wait_for("wait --timeout 0 --progress pvs:2"), 75);
	ck_assert_ptr_nonnull(strstr(machine.err, "0 of 1 there; waiting for pvs:2\n"));
}
