/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of users and services on a machine with a disk that gives no answer. */
#include "base/id.h"
#include "flow/machine.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>

#define SICK	  "/sick"  /* while this file exists, a disk named sdc does not answer ... */
#define LATER	  "/later" /* ... or, if this file exists, only from the second open on */
#define TRIES	  3000	   /* a hanging child ends after so many hundredths of a second */
#define NO_ANSWER "/dev/sdc is left out: it did not answer in time."

#define KILLED 1 /* no fault: the process that opens it dies */

static int fault;    /* instead of hanging, opening sdc gives this; 0: it hangs */
static bool *opened; /* sdc was opened; shared with the child, which may not write files */

static bool is_sick(void)
{
	if (machine_has(LATER) && !*opened) {
		*opened = true;
		return false;
	}
	return machine_has(SICK);
}

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (fault == KILLED && strstr(path, "sdc") && is_sick())
		_exit(1);
	if (fault && strstr(path, "sdc") && is_sick())
		return fault;
	for (int i = 0; strstr(path, "sdc") && i < TRIES && is_sick(); i++)
		usleep(10000);
	snprintf(full, sizeof(full), "%s%s", world->root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void begin(void)
{
	machine_begin();
	fault = 0;
	machine.world->open_device = open_sick;
	opened = mmap(NULL, sizeof(*opened), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	tree_put(&machine.tree, SICK, "");
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { probe_deadline_ms = 3000 }");
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

static void end(void)
{
	tree_remove(&machine.tree, SICK);
	munmap(opened, sizeof(*opened));
	machine_end();
}

const struct fixture fixture = {begin, end};

static const struct {
	const char *claim, *words, *out, *err;
} rows[] = {
	{"the other VGs are activated", "vgchange -ay", ONE_ACTIVE, NO_ANSWER},
	{"the VG that may be on it is not", "vgchange -ay", "", "VG vg-two.pvs is not activated"},
	{"nor with -aay", "vgchange -aay vg-two.pvs", "", "VG vg-two.pvs is not activated"},
	{"a mode that is said counts", "vgchange -ay --activationmode complete vg-two.pvs", "",
	 "Refusing activation of partial LV vg-two.pvs/"},
	{"deactivation goes on without it", "vgchange -an vg_one",
	 "  0 logical volume(s) in volume group \"vg_one\" now active\n", NO_ANSWER},
	{"a look at all records the others", "pvscan --cache", "PV /dev/sda online.", NO_ANSWER},
	{"a look at it alone says that", "pvscan --cache 8:48", "/dev/sdc cannot read label.",
	 NO_ANSWER},
};

TEST_EACH(a_disk_that_hangs_is_named_and_left_out, rows)
{
	int code = machine_command(rows[_i].words);

	ck_assert_msg(code == 5, "%s: exit %d\n%s%s", rows[_i].claim, code, machine.out,
		      machine.err);
	ck_assert_msg(strstr(machine.out, rows[_i].out) != NULL, "%s: printed\n%s", rows[_i].claim,
		      machine.out);
	ck_assert_msg(strstr(machine.err, rows[_i].err) != NULL, "%s: said\n%s", rows[_i].claim,
		      machine.err);
}

TEST(explain_names_a_disk_that_hangs)
{
	ck_assert_int_eq(machine_command("explain"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "PV /dev/sdc: not used: hung-disk\n"));
	ck_assert_ptr_nonnull(strstr(machine.out, "VG vg-two.pvs: inactive: incomplete\n"));
}

/* udev may not have finished with it; its record says which PV it is. */
TEST(explain_advises_nothing_without_a_disk_that_hangs)
{
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	ck_assert_int_eq(machine_command("explain vg-two.pvs"), 0);
	ck_assert_msg(strstr(machine.out,
			     " (on /dev/sdc, which is not used: it did not answer in time)\n"
			     "  next: journalctl -k -b\n") != NULL,
		      "%s", machine.out);
}

TEST(a_disk_that_hangs_under_the_lock_is_not_missing)
{
	tree_put(&machine.tree, LATER, "");
	ck_assert_int_eq(machine_command("vgchange -ay vg-two.pvs"), 5);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs: disk /dev/sdc of it does not answer") !=
			      NULL,
		      "%s%s", machine.out, machine.err);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}

TEST(a_disk_that_answers_later_is_no_event)
{
	ck_assert_int_eq(machine_command("vgchange -an vg_one"), 5);
	tree_remove(&machine.tree, SICK);
	usleep(300000);
	ck_assert(!machine_has("/run/lvm/event/queue"));
	tree_put(&machine.tree, SICK, "");
}

/* ---- which PV it is, its record says, or udev */

#define UUID_B	  "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb"
#define TWO	  "vg-two.pvs"
#define HANGS	  "disk /dev/sdc of it does not answer"
#define IS_BROKEN "disk /dev/sdc of it cannot be read: Input/output error"
#define IS_SHORT  "disk /dev/sdc of it could not be read yet: Too many open files"
#define IS_UNREAD "disk /dev/sdc of it could not be read yet: the process that read it died"
#define EVENT	  "vgchange -aay --autoactivation event"

static char *properties(const struct lea_device *device)
{
	return strdup(strstr(device->name, "sdc") ? "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_B
						    "\n"
						  : "");
}

/* Neither is the VG incomplete, nor the PV missing: nobody knows. */
static void check_named(const char *claim, const char *words, const char *why)
{
	const int code = machine_command(words);

	ck_assert_msg(code == 5, "%s: exit %d\n%s%s", claim, code, machine.out, machine.err);
	ck_assert_msg(strstr(machine.err, why) != NULL, "%s: said\n%s%s", claim, machine.out,
		      machine.err);
	ck_assert_msg(!strstr(machine.out, "VG vg-two.pvs is incomplete") &&
			      !strstr(machine.err, "missing") &&
			      !strstr(machine.err, "Couldn't find device with uuid"),
		      "%s: said\n%s%s", claim, machine.out, machine.err);
}

static const struct {
	const char *claim, *words;
	int fault;
	const char *why;
} waits[] = {
	{"an event, a disk that hangs", EVENT " " TWO, 0, "VG " TWO ": " HANGS},
	{"... that is broken", EVENT " " TWO, -EIO, "VG " TWO ": " IS_BROKEN},
	{"... a shortage", EVENT " " TWO, -EMFILE, "VG " TWO ": " IS_SHORT},
	{"... whose readers are killed", EVENT " " TWO, KILLED, "VG " TWO ": " IS_UNREAD},
	{"... of no VG by name, hangs", EVENT, 0, "VG " TWO ": " HANGS},
	{"... of no VG by name, broken", EVENT, -EIO, "VG " TWO ": " IS_BROKEN},
	{"the event's pvscan", "pvscan --cache -aay 8:32", -EIO, "VG " TWO ": " IS_BROKEN},
	{"a person, a disk that hangs", "vgchange -ay " TWO, 0,
	 "VG " TWO " is not activated: " HANGS
	 ". See journalctl -k, and repeat the command when the "
	 "device answers. To activate it without that PV: vgchange -ay --activationmode partial " TWO},
	{"... whose readers are killed", "vgchange -ay " TWO, KILLED,
	 "VG " TWO " is not activated: " IS_UNREAD ". See journalctl -k, and repeat the command. To "
	 "activate it without that PV: vgchange -ay --activationmode partial " TWO},
	{"... a shortage", "vgchange -ay " TWO, -EMFILE,
	 "VG " TWO " is not activated: " IS_SHORT
	 ". Repeat the command when the shortage is over. To "
	 "activate it without that PV: vgchange -ay --activationmode partial " TWO},
};

TEST_EACH(the_vg_of_a_disk_that_gives_no_answer_waits_for_it, waits)
{
	machine_record(PVID_A, TWO, "sdb", 32);
	machine_record(PVID_B, TWO, "sdc", 48);
	if (strstr(waits[_i].words, EVENT)) /* lvm2's rule claims the VG before this command */
		ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), TWO), 0);
	fault = waits[_i].fault;
	check_named(waits[_i].claim, waits[_i].words, waits[_i].why);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/" TWO),
		      "%s: the next event is to try again", waits[_i].claim);
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_B));
}

/* Nobody knows which PV it is. Rows: its readers are killed; a shortage; it hangs. */
TEST_TIMES(a_disk_that_was_not_read_is_named, 3)
{
	fault = _i == 2 ? 0 : _i ? -EMFILE : KILLED;
	ck_assert_int_eq(machine_command("vgchange -ay " TWO), 5);
	ck_assert_msg(strstr(machine.err, "/dev/sdc") != NULL, "said\n%s", machine.err);
}

TEST(udev_knows_the_pv_of_a_disk_that_hangs)
{
	machine.udev.properties = properties;
	check_named("without a record", "vgchange -ay " TWO, "is not activated: " HANGS);
	ck_assert_int_eq(machine_command("explain"), 0);
	ck_assert_msg(strstr(machine.out, "1 of 2 PVs found; no answer: PV " UUID_B
					  " (on /dev/sdc, which is not used") != NULL,
		      "%s", machine.out);
}

TEST(the_disk_of_another_vg_that_hangs_does_not_matter)
{
	machine_unplug("sda", 16);
	machine_unplug("sdb", 32);
	machine_unplug("sdc", 48);
	machine_plug("stripe-b", "sdb", 32, 2);
	machine_plug("one-pv", "sdc", 16, 1);
	machine_record(PVID_ONE, "vg_one", "sdc", 16);
	ck_assert_int_eq(machine_command("vgchange -ay " TWO), 5);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs is missing PV") &&
			      !strstr(machine.err, "is not activated"),
		      "%s", machine.err);
}

TEST(an_active_lv_does_not_lose_a_disk_that_is_silent_for_now)
{
	tree_put(&machine.tree, "/sys/class/block/dm-4/dm/uuid",
		 "LVM-VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh0Dnd3V0xgR8jNLvF61MZHCwp1g1k8LeU\n");
	tree_put(&machine.tree, "/dev/vg-two.pvs/fast", "");
	fault = -EIO;
	machine.udev.properties = properties;
	ck_assert_int_eq(machine_command("explain " TWO "/fast"), 0);
	ck_assert_msg(strstr(machine.out, "LV vg-two.pvs/fast: active") &&
			      !strstr(machine.out, "missing PV"),
		      "%s", machine.out);
}

static const struct {
	const char *claim, *words;
} unseen[] = {
	{"an event", EVENT " vg_one"},
	{"a person", "vgchange -ay vg_one"},
};

TEST_EACH(a_vg_of_which_no_disk_answers_may_be_there, unseen)
{
	const bool is_event = strstr(unseen[_i].words, EVENT);

	machine_unplug("sda", 16);
	machine_unplug("sdc", 48);
	machine_plug("one-pv", "sdc", 16, 1);
	machine_record(PVID_ONE, "vg_one", "sdc", 16);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg_one"), 0);
	fault = -EIO;
	ck_assert_int_eq(machine_command(unseen[_i].words), 5);
	ck_assert_msg(strstr(machine.err, "VG vg_one may be on /dev/sdc, which gives no answer") !=
			      NULL,
		      "%s: said\n%s", unseen[_i].claim, machine.err);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one") == !is_event,
		      "%s: the next event is to try again", unseen[_i].claim);
}

/* lvm2 does without a disk that cannot be read: so do we, but say what it is. */
static const struct {
	const char *claim, *words, *said;
} without[] = {
	{"a broken disk", "vgchange -ay " TWO, IS_BROKEN},
	{"listed by name", "vgchange -ay --devices /dev/sdb,/dev/sdc " TWO, IS_BROKEN},
	{"the mode was said", "vgchange -ay --activationmode partial " TWO, IS_BROKEN},
	{"deactivation", "vgchange -an " TWO, IS_BROKEN},
};

TEST_EACH(a_person_goes_without_a_broken_disk_that_is_named, without)
{
	machine.udev.properties = properties;
	fault = -EIO;
	/* a file in place of a device has no number */
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  0 sd\n  8 sd\n");
	tree_link(&machine.tree, "/sys/dev/block/0:0", "8:32");
	machine_command(without[_i].words);
	ck_assert_msg(strstr(machine.err, "WARNING: VG " TWO " is used without PV " UUID_B ": ") &&
			      strstr(machine.err, without[_i].said) &&
			      !strstr(machine.err, "is missing PV"),
		      "%s: said\n%s", without[_i].claim, machine.err);
	ck_assert_ptr_nonnull(strstr(machine.out, "in volume group \"" TWO "\" now active"));
}

TEST(a_person_who_says_so_goes_without_a_disk_that_hangs)
{
	machine.udev.properties = properties;
	ck_assert_int_eq(machine_command("vgchange -ay --activationmode partial " TWO), 5);
	ck_assert_msg(strstr(machine.err, "is used without PV " UUID_B ": " HANGS) != NULL, "%s",
		      machine.err);
	ck_assert_uint_gt(fake_dm_count(machine.dm), 0);
}

static const struct {
	const char *claim, *words;
	int fault;
	const char *out;
} looks[] = {
	{"a look at all speaks of a PV that cannot be read", "pvscan --cache", -EIO,
	 "/dev/sdc cannot read label."},
	{"a PV that could not be read for a shortage is there", "inventory", -EMFILE,
	 "  vg-two.pvs  wz--n-    2    2  "},
	{"a PV that cannot be read is missing, as in pvs", "inventory", -EIO,
	 "  vg-two.pvs  wz-pn-  1 of 2    2  "},
};

TEST_EACH(what_udev_knows_counts_where_a_disk_is_silent, looks)
{
	machine.udev.properties = properties;
	fault = looks[_i].fault;
	ck_assert_int_eq(machine_command(looks[_i].words), 0);
	ck_assert_msg(strstr(machine.out, looks[_i].out) != NULL, "%s: printed\n%s",
		      looks[_i].claim, machine.out);
}

static const struct {
	const char *claim;
	int fault;
} lost[] = {{"it cannot be read", -EIO}, {"it is suspended", 0}};

TEST_EACH(doctor_does_not_say_that_a_silent_disk_is_not_there, lost)
{
	machine_record(PVID_B, TWO, "sdc", 48);
	fault = lost[_i].fault;
	if (!fault) {
		tree_remove(&machine.tree, SICK);
		tree_put(&machine.tree, "/etc/lvm/lvm.conf",
			 "devices { ignore_suspended_devices = 1 }");
		tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 device-mapper\n");
		tree_put(&machine.tree, "/sys/dev/block/8:48/dm/uuid", "mpath-1\n");
		tree_put(&machine.tree, "/sys/dev/block/8:48/dm/suspended", "1\n");
	}
	ck_assert_int_eq(machine_command("doctor --sample 0 --only D12"), 0);
	ck_assert_msg(strstr(machine.out, "1 check, 0 findings") != NULL, "%s: %s", lost[_i].claim,
		      machine.out);
	tree_put(&machine.tree, SICK, "");
}

/* ---- many commands, one after the other */

#define HUNG	 "/run/lvm/event/hung"
#define OUTPUT_BYTES 8192U
#define BOUND_MS 15000 /* a hanging child takes twice as long */

/* One of each verb at least. */
static const struct {
	const char *words;
	int code;
	const char *said; /* on either stream */
	bool reads;	  /* disks */
} repeats[] = {
	{"status", 0, "/dev/sdc: did not answer in time", true},
	{"explain", 0, "PV /dev/sdc: not used: hung-disk\n", true},
	{"plan", 0, "PV /dev/sdc: not used: hung-disk: ", true},
	{"inventory", 0, "/dev/sdc: did not answer in time", true},
	{"doctor --sample 0 --only D4", 0, "1 check, 0 findings", true},
	{"timeline", 5, "no timeline of this boot", false},
	{"enable", 0, "is in charge of", false},
	{"disable", 0, "lvm2 is in charge of ", false},
	{"wait --timeout 1 vg-two.pvs", 75, "vg:vg-two.pvs is not there: ", true},
	{"throttle --list", 0, "No command was throttled", false},
	{"retry", 0, "0 device(s) pending again\n", false},
	{"sweep", 0, "3 devices compared, ", false},
	{"refresh", 0, "lvmevent is not in charge: no rule was written\n", false},
	{"gate status", 0, "gate: open, never armed\n", false},
	{"pvscan --cache", 5, NO_ANSWER, true},
	{"vgchange -an vg_one", 5, NO_ANSWER, true},
};

static uint64_t real_ms(void)
{
	return lea_clock_kernel()->now_ms(lea_clock_kernel());
}

static void repeat(size_t n)
{
	const size_t err = machine.err_bytes;
	const uint64_t begun_ms = real_ms();
	const char *words = repeats[n].words;
	char output[OUTPUT_BYTES];
	const int code = machine_output(words, output, sizeof(output));
	const uint64_t took_ms = real_ms() - begun_ms;

	ck_assert_msg(code == repeats[n].code, "%s: exit %d\n%s%s", words, code, output,
		      machine.err + err);
	ck_assert_msg(strstr(output, repeats[n].said) ||
			      strstr(machine.err + err, repeats[n].said),
		      "%s:\n%s%s", words, output, machine.err + err);
	ck_assert_msg(took_ms < BOUND_MS, "%s: %" PRIu64 " ms", words, took_ms);
}

TEST_EACH(each_call_beside_a_hung_disk_leaves_no_process_of_its_own, repeats)
{
	tree_mkdir(&machine.tree, "/run/lvm/event");
	tree_put(&machine.tree, LEA_UNITDIR "/lvmevent.target", "");
	machine.properties = "ID_FS_TYPE=LVM2_member\nUSEC_INITIALIZED=1000\n";
	for (int i = 0; i < 4; i++)
		repeat(_i);
	ck_assert_msg(machine_children() == repeats[_i].reads, "%s: %u children",
		      repeats[_i].words, machine_children());
}

TEST(commands_share_what_they_know_of_a_hung_disk)
{
	tree_mkdir(&machine.tree, "/run/lvm/event");
	for (size_t i = 0; i < 3 * ARRAY_SIZE(repeats); i++)
		if (repeats[i % ARRAY_SIZE(repeats)].reads)
			repeat(i % ARRAY_SIZE(repeats));
	ck_assert_uint_eq(machine_children(), 1);
	ck_assert(machine_has(HUNG "/8:48"));
}

static bool is_tried(const char *verb)
{
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(repeats); i++) {
		rest = lea_after(repeats[i].words, verb);
		if (rest && (!*rest || *rest == ' '))
			return true;
	}
	return false;
}

TEST(each_verb_is_tried_beside_a_hung_disk)
{
	unsigned int count = 0;

	for (const struct lea_group *group = lea_lvmevent.group; group->cmd; group++)
		for (size_t i = 0; group->cmd[i]; i++, count++)
			ck_assert_msg(is_tried(group->cmd[i]->name), "%s has no row above",
				      group->cmd[i]->name);
	ck_assert_uint_ge(count, 16);
}

TEST(a_disk_that_answers_again_is_read_again)
{
	tree_mkdir(&machine.tree, "/run/lvm/event");
	ck_assert_int_eq(machine_command("vgchange -an vg_one"), 5);
	tree_remove(&machine.tree, SICK);
	for (int i = 0; i < TRIES && machine_children(); i++)
		usleep(10000);
	ck_assert_uint_eq(machine_children(), 0);
	/* on a machine that is busy a healthy disk may take longer than a sick one is waited for */
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { probe_deadline_ms = 60000 }");
	ck_assert_msg(!machine_command("explain"), "%s", machine.err);
	ck_assert_ptr_null(strstr(machine.out, "hung-disk"));
	ck_assert_msg(!machine_has(HUNG), "nothing hangs: nothing is remembered");
	tree_put(&machine.tree, SICK, "");
}
