/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of lvmevent status, as text and as JSON. */
#include "fake/holder.h"
#include "flow/machine.h"
#include "state/claim.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/queue.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ACTIVE_ID "AAAAAA0000111122223333444455555a"
#define IDLE_ID	  "BBBBBB0000111122223333444455555b"
#define FAILED_ID "CCCCCC0000111122223333444455555c"
#define ONE_ID	  "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define HALVED_ID "DDDDDD0000111122223333444455555d"
#define LOOKUP	  "/run/lvm/pvs_lookup/halved"
#define RULE	  "# SPDX-License-Identifier: GPL-2.0-or-later\n# lvm2-event-activation: ...\n"

static const char *status(const char *words)
{
	ck_assert_int_eq(machine_command(words), 0);
	return machine.out;
}

static void claim(const char *id, const char *vg_name, enum lea_claim_state state,
		  const char *reason)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 0, 0}};
	struct lea_claim claim = {.state = state, .pv = &pv, .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", vg_name);
	snprintf(claim.reason, sizeof(claim.reason), "%s", reason);
	ck_assert_int_eq(lea_claim_finish(&claims, id, &claim), 0);
}

static int event_fd;

static void setup(void)
{
	machine_begin();
	event_fd = machine_queue();
}

static void teardown(void)
{
	close(event_fd);
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void put_vgs(void)
{
	claim(ACTIVE_ID, "active", LEA_CLAIM_DONE, "");
	claim(IDLE_ID, "idle", LEA_CLAIM_DONE, "");
	claim(FAILED_ID, "broken", LEA_CLAIM_FAILED, "table \"x\" refused");
	tree_put(&machine.tree, "/sys/class/block/dm-3/dm/uuid",
		 "LVM-" ACTIVE_ID "zzzzzz0000111122223333444455555z\n");
	tree_put(&machine.tree, "/sys/class/block/dm-4/dm/uuid", "CRYPT-" IDLE_ID "\n");
	tree_mkdir(&machine.tree, "/sys/class/block/sda");
	tree_put(&machine.tree, "/run/lvm/pvs_online/" PVID_A, "8:16\nvg:halved\n");
	tree_put(&machine.tree, LOOKUP, PVID_A "\n" PVID_B "\n");
}

TEST(each_vg_is_counted_as_what_it_is)
{
	put_vgs();
	status("status");
	ck_assert_msg(
		strstr(machine.out,
		       "4 VGs: 1 active, 0 activating, 1 incomplete (halved 1/2), 1 failed, 1 with no "
		       "active LV\n"
		       "failed: VG broken: table \"x\" refused; it is not retried before a PV "
		       "of it is added; to retry now: vgchange -aay broken\n"
		       "incomplete: VG halved: 1 of 2 PVs is there, missing PV "
		       "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb\n"),
		"%s", machine.out);
	ck_assert_ptr_nonnull(strstr(machine.out, "queue: 0 pending, 0 taken, 0 quarantined\n"));
}

TEST(problems_are_printed_if_there_are_any)
{
	claim(ACTIVE_ID, "active", LEA_CLAIM_DONE, "");
	ck_assert_str_eq(status("status --problems"), "");
	ck_assert_str_eq(status("status -x --json"), "");
	claim(FAILED_ID, "broken", LEA_CLAIM_FAILED, "x");
	ck_assert_int_eq(machine_command("status -x"), LEA_EXIT_PROBLEM);
	ck_assert_ptr_nonnull(strstr(machine.out, "failed: VG broken: x; "));
	ck_assert_int_eq(machine_command("status --problems --json"), LEA_EXIT_PROBLEM);
	ck_assert_ptr_nonnull(strstr(machine.out, "\"vgs_failed\": 1"));
}

TEST(json_lists_the_same)
{
	put_vgs();
	ck_assert_str_eq(
		status("status --json"),
		"{ \"version\": 2, \"failed\": [ { \"vg\": \"broken\", \"uuid\": "
		"\"CCCCCC-0000-1111-2222-3333-4444-55555c\", \"retried\": false, \"reason\": "
		"\"table \\\"x\\\" refused\" } ], \"incomplete\": [ { \"vg\": \"halved\", \"pvs\": 2, "
		"\"missing\": [ \"yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb\" ] } ], \"outdated\": [ ], "
		"\"initramfs\": [ ], \"problems\": [ ], \"boot_memory\": { \"vgs\": 0, \"reason\": \"this machine has no "
		"/etc/machine-id\" }, \"boot\": { }, "
		"\"commands\": \"pvscan is lvm2's, vgchange is lvm2's\", \"in_charge\": \"lvm2\", "
		"\"gate\": \"open, never armed\", \"runner\": \"none\", \"boot_scan\": false, "
		"\"pending\": 0, \"taken\": 0, \"quarantined\": 0, "
		"\"running\": false, \"dm_rules\": \"installed\", \"dm_rules_reason\": \"lvmevent is "
		"not in charge\", \"vgs_active\": 1, \"vgs_inactive\": 1, \"vgs_activating\": 0, "
		"\"vgs_failed\": 1, \"vgs_incomplete\": 1, \"vgs_not_monitored\": 0, \"pvs_not_used\": 0, "
		"\"doctor\": { \"reason\": \"no full examination since the boot, or since findings were "
		"accepted or withdrawn\" } }\n");
}

TEST(vg_that_is_active_in_part_is_incomplete)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 16, 0}};
	const struct lea_claim made = {.state = LEA_CLAIM_DONE,
				       .vg_name = "halved",
				       .in_part = "degraded",
				       .pv = &pv,
				       .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	put_vgs();
	ck_assert_int_eq(lea_claim_finish(&claims, HALVED_ID, &made), 0);
	status("status");
	ck_assert_msg(
		strstr(machine.out, "4 VGs: 1 active, 0 activating, 1 incomplete (halved 1/2)"),
		"%s", machine.out);
	ck_assert_msg(strstr(machine.out, "PRhn-ZTfM-zF8qNb; active in part, by incomplete = "
					  "degraded\n"),
		      "%s", machine.out);
	ck_assert_ptr_nonnull(strstr(
		status("status --json"),
		"{ \"vg\": \"halved\", \"pvs\": 2, \"in_part\": \"degraded\", \"missing\": "));
}

/* Its PV is back, and what lies on it could not be activated. */
TEST(vg_that_is_active_in_part_has_failed_if_its_rest_has)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 16, 0}};
	const struct lea_claim made = {.state = LEA_CLAIM_FAILED,
				       .vg_name = "halved",
				       .in_part = "degraded",
				       .reason = "x",
				       .pv = &pv,
				       .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	put_vgs();
	tree_remove(&machine.tree, LOOKUP);
	ck_assert_int_eq(lea_claim_finish(&claims, HALVED_ID, &made), 0);
	status("status");
	ck_assert_msg(strstr(machine.out, "4 VGs: 1 active, 0 activating, 0 incomplete, 2 failed"),
		      "%s", machine.out);
}

#define MEMORY	"/etc/lvm/lvmevent/boot"
#define MACHINE "0123456789abcdef0123456789abcdef"
#define BOOT	"11111111-2222-3333-4444-555555555555"
#define HEAD	"lvmevent-boot 2\nmachine " MACHINE "\nboot "
#define TWO_VGS "\nvg " ACTIVE_ID " 1 0 0 active\nvg " IDLE_ID " 1 0 0 idle away 1 0\nend\n"

static const struct {
	const char *path, *memory, *text, *json;
} memories[] = {
	{MEMORY, HEAD BOOT TWO_VGS, "boot memory: of this boot, written 2",
	 "\"boot_memory\": { \"vgs\": 2, \"this_boot\": true, \"written\": 1"},
	{MEMORY, HEAD "before" TWO_VGS, "boot memory: of an earlier boot, written 2",
	 "\"boot_memory\": { \"vgs\": 2, \"this_boot\": false, "},
	{"/etc/lvm/lvm.conf", "", "boot memory: none: no boot has been remembered yet\n",
	 "\"boot_memory\": { \"vgs\": 0, \"reason\": \"no boot has been remembered yet\" }"},
	{MEMORY, HEAD, "boot memory: none: its file is damaged, or of another machine or version\n",
	 "\"reason\": \"its file"},
	{"/etc/machine-id", "", "boot memory: none: this machine has no /etc/machine-id\n", ""},
	{"/etc/lvm", "a file", "boot memory: none: /etc/lvm cannot be written, nor can", ""},
};

TEST_EACH(what_the_next_boot_will_know_is_shown, memories)
{
	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&machine.tree, "/proc/sys/kernel/random/boot_id", BOOT "\n");
	tree_put(&machine.tree, memories[_i].path, memories[_i].memory);
	ck_assert_msg(strstr(status("status"), memories[_i].text), "%s", machine.out);
	ck_assert_msg(strstr(status("status --json"), memories[_i].json), "%s", machine.out);
}

TEST(pvs_without_a_record_are_counted)
{
	machine.properties = "ID_FS_TYPE=LVM2_member\nID_FS_UUID="
			     "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap\n";
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_ptr_nonnull(strstr(
		status("status"),
		"1 VG: 0 active, 0 activating, 0 incomplete, 0 failed, 1 with no active LV; 1 PV not used (why: lvmevent explain)\n"));
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	ck_assert_ptr_nonnull(strstr(status("status --json"), "\"pvs_not_used\": 0"));
}

/* As where lvm2 is in charge: there are no claims. */
TEST(vgs_that_no_event_has_led_to_are_counted)
{
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 2);
	ck_assert_msg(strstr(status("status"), "2 VGs: 0 active, 0 activating, 1 incomplete (vg-two.pvs "
					       "1/2), 0 failed, 1 with no active LV\n"),
		      "%s", machine.out);
	ck_assert_ptr_nonnull(strstr(status("status --json"), "\"vgs_inactive\": 1"));
	claim(ONE_ID, "vg_one", LEA_CLAIM_FAILED, "x");
	ck_assert_msg(strstr(status("status"), "2 VGs: 0 active, 0 activating, 1 incomplete (vg-two.pvs "
					       "1/2), 1 failed\n"),
		      "%s", machine.out);
	tree_put(&machine.tree, "/sys/class/block/dm-3/dm/uuid",
		 "LVM-" ONE_ID "zzzzzz0000111122223333444455555z\n");
	tree_remove(&machine.tree, "/run/lvm/event/claims/" ONE_ID);
	ck_assert_msg(strstr(status("status"), "2 VGs: 1 active, "), "%s", machine.out);
}

/* Of a VG whose metadata nobody can read it is not known that it is well. */
TEST(what_cannot_be_read_is_a_problem)
{
	machine_plug("damaged/text-crc", "sda", 16, 7);
	ck_assert_int_eq(machine_command("status -x"), LEA_EXIT_PROBLEM);
	ck_assert_msg(strstr(machine.out, "\nproblem: VG ") != NULL, "%s", machine.out);
	ck_assert_msg(strstr(machine.out, "\n0 VGs: ") != NULL, "%s", machine.out);
}

/* Whether all disks of a VG that is shared by lvmlockd are there is its own matter. */
TEST(an_lv_on_a_disk_that_has_gone_is_a_problem)
{
	claim(ACTIVE_ID, "active", LEA_CLAIM_DONE, "");
	tree_put(&machine.tree, "/sys/class/block/dm-3/dm/uuid",
		 "LVM-" ACTIVE_ID "zzzzzz0000111122223333444455555z\n");
	tree_put(&machine.tree, "/sys/class/block/dm-3/dm/name", "active-home\n");
	tree_link(&machine.tree, "/sys/class/block/dm-3/slaves/sdc", "../../../../gone");
	ck_assert_int_eq(machine_command("status -x"), LEA_EXIT_PROBLEM);
	ck_assert_msg(strstr(machine.out, "\nproblem: LV active/home: it is active on a disk that "
					  "has gone: sdc; see: lvmevent explain active/home\n"),
		      "%s", machine.out);
}

TEST(a_vg_that_is_not_ours_lacks_nothing_here)
{
	struct sample sample;
	char path[256];

	machine_plug("stripe-a", "sdb", 32, 2);
	ck_assert_int_eq(machine_command("status -x"), LEA_EXIT_PROBLEM);
	sample_load(&sample, "stripe-a");
	sample_change_text(&sample, "metadata_copies = 0\n", "lock_type   = \"dlm\"\n");
	snprintf(path, sizeof(path), "%s/dev/sdb", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	ck_assert_int_eq(machine_command("status -x"), 0);
}

TEST(the_end_of_a_boot_is_one_line)
{
	put_vgs();
	ck_assert_int_eq(lea_gate_begin(lea_world_run(machine.world), lea_world_proc(machine.world),
					LEA_GATE_CLOSED),
			 0);
	claim(FAILED_ID, "broken", LEA_CLAIM_FAILED, "table \"x\" refused");
	ck_assert_int_eq(machine_command("gate open"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out,
				     "boot: 2 VGs: 0 active, 0 activating, 1 incomplete (halved "
				     "1/2), 1 failed (broken: table \"x\" refused)\n"));
	machine_command("gate open");
	ck_assert_ptr_null(strstr(strstr(machine.out, "boot: ") + 1, "boot: "));
}

/* Whose udev rule is in place, judging by the files. */
static const struct {
	const char *claim, *etc, *run, *text;
} charges[] = {
	{"nothing but lvm2's", NULL, NULL, "in charge: stock lvm2: our udev rule is not in place"},
	{"ours in /run", NULL, RULE, "in charge: lvm2-event-activation\n"},
	{"the administrator's counts before ours", "# mine\n", RULE,
	 "in charge: a rule of the adm"},
	{"one in /run that is not ours", NULL, "# theirs\n", "in charge: a rule of the adm"},
};

TEST_EACH(who_is_in_charge_is_said, charges)
{
	tree_put(&machine.tree, "/usr/lib/udev/rules.d/69-lvm.rules", "# lvm2\n");
	if (charges[_i].etc)
		tree_put(&machine.tree, "/etc/udev/rules.d/69-lvm.rules", charges[_i].etc);
	if (charges[_i].run)
		tree_put(&machine.tree, "/run/udev/rules.d/69-lvm.rules", charges[_i].run);
	ck_assert_msg(strstr(status("status"), charges[_i].text) == machine.out, "%s: %s",
		      charges[_i].claim, machine.out);
}

/* Whose commands people get, by the folder that stands before lvm2's in PATH. */
static const struct {
	const char *name, *target, *text;
} typed[] = {
	{NULL, NULL, "\nwhen typed: pvscan is lvm2's, vgchange is lvm2's\n"},
	{"vgchange", LEA_LIBEXECDIR "/vgchange", "pvscan is lvm2's, vgchange is lvmevent's\n"},
	{"pvscan", "/opt/pvscan", "pvscan is another one's, vgchange is lvm2's\n"},
};

TEST_EACH(whose_commands_are_typed_is_said, typed)
{
	char path[64];

	if (typed[_i].name && syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0) && errno == ENOSYS) {
		printf("skip: test_status: there is no openat2 here\n"); /* as with qemu-user */
		return;
	}
	snprintf(path, sizeof(path), "/usr/local/sbin/%s", typed[_i].name ? typed[_i].name : "other");
	tree_link(&machine.tree, path, typed[_i].target ? typed[_i].target : "/nowhere");
	ck_assert_msg(strstr(status("status"), typed[_i].text) != NULL, "%s", machine.out);
}

/* Flags that a living process holds. */
static const struct {
	const char *claim, *flags[2], *runner, *running;
} runners[] = {
	{"a resident runner that sleeps is idle", {LEA_FLAG_RESIDENT}, "idle", "false"},
	{"one with the lock works", {LEA_FLAG_RESIDENT, LEA_FLAG_RUNNER}, "working", "true"},
	{"so does one that does not stay", {LEA_FLAG_RUNNER}, "working", "true"},
	{"the boot pass is no runner", {LEA_FLAG_BOOT, LEA_FLAG_RUNNER}, "none", "true"},
	{"the runner waits beside the boot pass",
	 {LEA_FLAG_RESIDENT, LEA_FLAG_BOOT},
	 "idle",
	 "false"},
};

static int raise_flags(const void *arg)
{
	const char *const *flags = arg;
	int r = 0, fd;

	for (int i = 0; i < 2 && flags[i] && !r; i++)
		r = !strcmp(flags[i], LEA_FLAG_RESIDENT) ? lea_flag_show(event_fd, flags[i], &fd)
							 : lea_flag_raise(event_fd, flags[i], &fd);
	return r ? -1 : 0;
}

TEST_EACH(a_resident_runner_is_seen, runners)
{
	char want[64];
	int taken;
	pid_t pid = holder_start(raise_flags, runners[_i].flags, &taken);

	status("status --json");
	snprintf(want, sizeof(want), "\"runner\": \"%s\"", runners[_i].runner);
	ck_assert_msg(strstr(machine.out, want) != NULL, "%s: %s", runners[_i].claim, machine.out);
	snprintf(want, sizeof(want), "\"running\": %s", runners[_i].running);
	ck_assert_msg(strstr(machine.out, want) != NULL, "%s: %s", runners[_i].claim, machine.out);
	holder_kill(pid);
}

static const struct {
	const char *claim, *note, *text, *json;
} notes[] = {
	{"what an initramfs did", "lvmevent-initramfs 1\n4.20 activated \"x\"\n9.00 lvm\033[1m\n",
	 "initramfs: 4.20 activated \"x\"\ninitramfs: 9.00 lvm?[1m\n",
	 "\"initramfs\": [ \"4.20 activated \\\"x\\\"\", \"9.00 lvm?[1m\" ]"},
	{"a note of a later version", "lvmevent-initramfs 2\n4.20 x\n", NULL, "\"initramfs\": [ ]"},
	{"an empty note", "", NULL, "\"initramfs\": [ ]"},
};

TEST_EACH(the_note_of_the_initramfs_is_shown, notes)
{
	tree_put(&machine.tree, "/run/initramfs/lvmevent", notes[_i].note);
	status("status");
	if (notes[_i].text)
		ck_assert_msg(strstr(machine.out, notes[_i].text) != NULL, "%s: %s",
			      notes[_i].claim, machine.out);
	else
		ck_assert_msg(!strstr(machine.out, "initramfs"), "%s: %s", notes[_i].claim,
			      machine.out);
	status("status --json");
	ck_assert_msg(strstr(machine.out, notes[_i].json) != NULL, "%s: %s", notes[_i].claim,
		      machine.out);
}

/* Rows: the file; what is said of it. */
static const struct {
	const char *text, *line;
} broken[] = {
	{"devices { filter = [ \"a\" \n", "problem: lvm2's configuration is broken, so nothing is "
					  "activated, and VGs are not counted; the line: lvmconfig\n"},
	{"devices { filter = [ \"x|a|\" ] }\n", "problem: VGs that no event has led to are not "
						 "counted: "},
};

TEST_EACH(settings_that_cannot_be_read_are_a_problem, broken)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", broken[_i].text);
	ck_assert_int_eq(machine_command("status -x"), 1);
	ck_assert_msg(strstr(machine.out, broken[_i].line) != NULL, "%s%s", machine.out,
		      machine.err);
}
