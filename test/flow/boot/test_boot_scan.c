/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot scan on a machine made of files; a script replaces udev's events. */
#include "base/id.h"
#include "boot/boot_scan.h"
#include "fake/no_descriptor.h"
#include "flow/batch_scratch.h"
#include "memory/boot_memory_file.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/online.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- udev's broadcasts */

enum told {
	OPEN_GATE, /* the end of every script */
	SILENCE,
	RECORDED, /* no event; but this PV is recorded, and no VG is active yet */
	CAME,
	CHANGED, /* udev's entry says that the PV was made on the device while it was in use */
	WRITTEN, /* somebody has written to it */
	WENT,
	LOST,
	UNLOCK,	    /* no event; but the earlier runner ends */
	COMES_BACK, /* no event yet; but a disk is queued again whenever it was read */
	HEARD,	    /* no event; it still comes back, and is seen to no longer */
	OPENS_GATE, /* no event; but the gate opens, and more has been told by then */
	CONF,	    /* no event; but settings change */
	BUSY,	    /* the pass is, until the deadline: it has not called ready by then */
	TAKE_DOWN,  /* no event; but a person takes vg_one down, which was activated */
	IMPORT,	    /* no event; but a person imports the VG of the disk, which was exported */
	SHORTAGE,
	FAULT,
};

struct row {
	enum told told;
	const char *name, *pvid;
	uint32_t minor, diskseq;
};

#define ONE	 "sda", PVID_ONE, 16, 7
#define STRIPE_A "sdb", PVID_A, 32, 2
#define STRIPE_B "sdc", PVID_B, 48, 3
#define PVID_EXPORTED "6tJnDl0dkQnzpB2R76ZpTlEbO0cHezA0"
#define EXPORTED      "sda", PVID_EXPORTED, 16, 7
#define NONE	 NULL, NULL, 0, 0

static const struct row *script; /* what is told next */
static struct row indexed[4];	 /* PVs in udev's tag index; ends with a name of NULL */
static unsigned int enumerated;
static _Atomic unsigned int readied; /* a thread may add to it */

static bool is_short_after; /* a worker meets a shortage after TAKE_DOWN */

static pid_t earlier; /* a runner that has the lock */

static void start_earlier(void)
{
	int told[2], lock_fd;
	char byte;

	ck_assert_int_eq(pipe(told), 0);
	earlier = fork();
	if (!earlier) {
		if (lea_queue_lock(batch_options.event_fd, &lock_fd) || write(told[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(told[0], &byte, 1), 1);
	close(told[0]);
	close(told[1]);
}

static void end_earlier(void)
{
	ck_assert_int_eq(kill(earlier, SIGKILL), 0);
	ck_assert_int_eq(waitpid(earlier, NULL, 0), earlier);
}

static int heard_fds[2] = {-1, -1};

/* In the reader child: a thread of an earlier one queues the disk meanwhile. */
static int open_again(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	struct lea_entry entry = event("sdb", 32, 2, PVID_A, false);
	static unsigned int times;
	char full[256];
	int fd, event_fd = lea_queue_open(lea_world_run(world));

	(void)major;
	entry.kind = LEA_ENTRY_MISSED;
	if (minor == 32 && machine_has("/run/lvm/again") && times++ < 300 &&
	    lea_queue_put_if_absent(event_fd, &entry) < 0)
		times = 300;
	lea_device_done(&entry.device);
	close(event_fd);
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void come_back(void)
{
	struct lea_entry entry = event("sdb", 32, 2, PVID_A, false);

	entry.kind = LEA_ENTRY_MISSED;
	machine.world->open_device = open_again;
	tree_put(&machine.tree, "/run/lvm/again", "");
	ck_assert_int_eq(pipe(heard_fds), 0);
	ck_assert_int_eq(write(heard_fds[1], "", 1), 1);
	ck_assert_int_ge(lea_queue_put(batch_options.event_fd, &entry), 0);
	lea_device_done(&entry.device);
}

static void check_heard(void)
{
	ck_assert_msg(lea_queue_has_pending(batch_options.event_fd), "it still comes back");
	tree_remove(&machine.tree, "/run/lvm/again");
	close(heard_fds[0]);
	close(heard_fds[1]);
	heard_fds[0] = -1;
}

static int udev_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, "lvmevent");
	*ret_monitor = NULL;
	return 0;
}

static void udev_close(struct lea_udevmon *monitor)
{
}

static int udev_fd(const struct lea_udevmon *monitor)
{
	return heard_fds[0]; /* -1: polled whenever the boot scan wakes up */
}

static void fill(const struct row *row, struct lea_udevmon_event *told)
{
	*told = (struct lea_udevmon_event){.is_pv = true,
					   .is_change = row->told == CHANGED ||
							row->told == WRITTEN,
					   .is_changed = row->told == CHANGED,
					   .is_written = row->told == WRITTEN};
	told->device = event(row->name, row->minor, row->diskseq, "", row->told == WENT).device;
	lea_id_format(row->pvid, told->fs_uuid);
}

/* What is enumerated again then are all disks. */
static void take_down(void)
{
	ck_assert_str_eq(activated, "vg_one ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	workers_fault = is_short_after ? -EMFILE : 0;
	held_vg = NULL;
	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	indexed[2] = (struct row){CAME, STRIPE_B};
}

static void import(const char *name)
{
	static const char *const pairs[] = {"[\"EXPORTED\", \"RESI", "[            \"RESI",
					    ", \"EXPORTED\"]", "            ]", NULL};

	machine_change("exported", name, pairs);
}

static int udev_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	const struct row *row = script;
	char path[64];

	if (row->told == OPEN_GATE || row->told == OPENS_GATE)
		ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	if (row->told != OPEN_GATE)
		script++;
	switch (row->told) {
	case LOST:
		return LEA_UDEVMON_OVERFLOW;
	case SHORTAGE:
		return -ENOMEM;
	case FAULT:
		return -EBADF;
	case WENT:
		machine_unplug(row->name, row->minor);
		/* fall through */
	case CAME:
	case CHANGED:
	case WRITTEN:
		fill(row, ret_event);
		return 0;
	case RECORDED:
		snprintf(path, sizeof(path), "/run/lvm/pvs_online/%s", row->pvid);
		ck_assert_msg(machine_has(path) && !activated[0], "%s", activated);
		break;
	case SILENCE:
		break;
	case UNLOCK:
		ck_assert_str_eq(activated, "");
		end_earlier();
		break;
	case COMES_BACK:
		come_back();
		break;
	case HEARD:
		check_heard();
		break;
	case CONF:
		tree_put(&machine.tree, "/etc/lvm/lvm.conf",
			 "devices { filter = [ \"r|sdc|\" ] }\n");
		break;
	case TAKE_DOWN:
		take_down();
		break;
	case IMPORT:
		import(row->name);
		break;
	case BUSY:
		for (unsigned int i = 0; i < 500 && !readied; i++)
			usleep(10000);
		ck_assert_msg(readied == 1, "the boot waits no longer than the deadline");
		break;
	case OPEN_GATE:
	case OPENS_GATE:
		break;
	}
	return LEA_UDEVMON_NONE;
}

static int udev_enumerate(struct lea_udevmon *monitor,
			  int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct lea_udevmon_event told;
	int r = 0;

	enumerated++;
	for (const struct row *row = indexed; !r && row->name; row++) {
		fill(row, &told);
		r = tell(arg, &told);
	}
	return r;
}

/* ---- the boot scan */

static void say_ready(void *arg)
{
	readied++;
}

static void setup_boot(void)
{
	setup();
	machine.udev.listen = udev_open;
	machine.udev.close = udev_close;
	machine.udev.fd = udev_fd;
	machine.udev.receive = udev_receive;
	machine.udev.enumerate = udev_enumerate;
	memset(indexed, 0, sizeof(indexed));
	enumerated = readied = 0;
	ck_assert_int_eq(lea_gate_begin(lea_world_run(machine.world), lea_world_proc(machine.world),
					LEA_GATE_CLOSED),
			 0);
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

static struct lea_device_queue done; /* what runs with earlier settings have scanned */

static void teardown_boot(void)
{
	lea_device_queue_done(&done);
	done = (struct lea_device_queue){0};
	teardown();
}

const struct fixture fixture = {setup_boot, teardown_boot};

/* Runs a boot scan with the events in @rows; returns its result. */
static int boot_only(const struct row *rows)
{
	struct lea_queue_watch watch;
	struct lea_boot_scan_options pass_options = {
		.ready = say_ready, .done = &done, .watch = &watch};
	char dir[160];
	int r;

	snprintf(dir, sizeof(dir), "%s/etc/lvm", machine.tree.root);
	ck_assert_int_eq(lea_queue_watch_begin(dir, &watch), 0);

	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
	batch_options.is_boot = true;
	pass_options.batch = batch_options;
	script = rows;
	r = lea_boot_scan_run(&pass_options);
	lea_queue_watch_close(&watch);
	lea_reader_free(batch_options.reader);
	fflush(machine.out_file);
	fflush(machine.err_file);
	return r;
}

static int boot(const struct row *rows)
{
	const int r = boot_only(rows);
	int flag_fd = -1;

	ck_assert_msg(lea_flag_raise(batch_options.event_fd, LEA_FLAG_RUNNER, &flag_fd) == 0,
		      "the lock is free when it has ended");
	close(flag_fd);
	return r;
}

TEST(pvs_there_before_and_pvs_that_come_are_activated)
{
	const struct row rows[] = {{SILENCE, NONE},  {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE},  {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	ck_assert_uint_eq(enumerated, 1);
	ck_assert_uint_eq(readied, 1);
	ck_assert_str_eq(machine.err, "");
}

/* udev has started no process for it. */
TEST(what_was_told_before_the_gate_opened_is_an_add)
{
	static const struct row rows[] = {
		{SILENCE, NONE}, {OPENS_GATE, NONE}, {CAME, ONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* It begins again as after any shortage, and remembers what was done. */
TEST(a_shortage_when_the_gate_has_opened_repeats_nothing)
{
	static const struct row rows[] = {
		{CAME, ONE},	 {SILENCE, NONE},   {SILENCE, NONE},	{SILENCE, NONE},  {SILENCE, NONE},
		{TAKE_DOWN, NONE}, {OPENS_GATE, NONE}, {SHORTAGE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

TEST(lost_broadcasts_make_it_enumerate_again)
{
	const struct row rows[] = {
		{SILENCE, NONE}, {LOST, NONE}, {SILENCE, NONE}, {LOST, NONE}, {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_eq(enumerated, 3);
	ck_assert_str_eq(machine.err, "");
	ck_assert_msg(strstr(machine.out, "1 device(s), 1 PV(s)") != NULL,
		      "it is looked at once: %s", machine.out);
}

/* By the kernel and by coldplug. Row 1: for what was written to it since it was read. */
TEST_TIMES(a_pv_announced_twice_is_read_once, 2)
{
	const struct row rows[] = {{CAME, ONE},	     {SILENCE, NONE},
				   {SILENCE, NONE},  {_i ? WRITTEN : CAME, ONE},
				   {CAME, STRIPE_A}, {SILENCE, NONE},
				   {CAME, STRIPE_A}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_msg(strstr(machine.out, _i ? "3 device(s), 3 PV(s)" : "2 device(s), 2 PV(s)"), "%s",
		      machine.out);
}

/* What comes after that is not judged by the old ones; what is in flight ends. */
TEST(a_pass_after_settings_have_changed_does_not_begin)
{
	const struct row rows[] = {{CAME, ONE},	     {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {CONF, NONE},
				   {CAME, STRIPE_B}, {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "vg_one ");
	read_settings();
	indexed[0] = (struct row){CAME, STRIPE_A};
	indexed[1] = (struct row){CAME, STRIPE_B};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_B));
}

/* What was activated with the settings before is not, once a person has taken it down; what they
 * excluded is added then. */
TEST(a_scan_with_new_settings_leaves_what_is_recorded)
{
	const struct row rows[] = {{CAME, ONE},	  {CAME, STRIPE_A}, {CAME, STRIPE_B},
				   {SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE},
				   {CONF, NONE},    {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE}, {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"r|sdc|\" ] }\n");
	read_settings();
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "vg_one ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	read_settings();
	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	indexed[2] = (struct row){CAME, STRIPE_B};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* vgremove meanwhile took the record: what was made of the disk since is a change. */
TEST(a_scan_with_new_settings_adds_no_disk_that_lost_its_record)
{
	const struct row rows[] = {{CAME, ONE},	    {SILENCE, NONE}, {SILENCE, NONE},
				   {CONF, NONE},    {CAME, STRIPE_A}, {SILENCE, NONE},
				   {SILENCE, NONE}, {OPEN_GATE, NONE}};
	const struct row later[] = {
		{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	read_settings();
	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(boot(later), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
}

/* Other VGs may be ours then. */
TEST(a_host_that_has_another_name_now_is_a_changed_setting)
{
	const struct row rows[] = {
		{CAME, ONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	char name[] = "name of the system ID";

	conf->host_name = name;
	ck_assert_int_eq(boot(rows), LEA_BOOT_SCAN_CONF);
	ck_assert_str_eq(activated, "");
	conf->host_name = NULL;
}

/* After a soft reboot udev's database still says how the device came into use in the boot before.
 */
TEST(an_add_after_an_old_entry_of_udev_is_an_add)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {CAME, ONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CHANGED, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_str_eq(machine.err, "");
}

TEST(a_pv_that_was_made_at_boot_is_a_change_whatever_is_repeated)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {CHANGED, ONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CHANGED, ONE};
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(strstr(machine.out, "1 device(s), 1 PV(s)") != NULL, "it is read once: %s",
		      machine.out);
}

/* It was read, and has neither a record nor a marker. */
TEST(an_exported_vg_that_is_imported_at_boot_waits_for_an_add)
{
	const struct row rows[] = {{CAME, EXPORTED}, {SILENCE, NONE},	 {SILENCE, NONE},
				   {SILENCE, NONE},  {IMPORT, EXPORTED}, {WRITTEN, EXPORTED},
				   {SILENCE, NONE},  {SILENCE, NONE},	 {OPEN_GATE, NONE}};

	machine_unplug("sda", 16);
	machine_plug("exported", "sda", 16, 7);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_EXPORTED), "it was read again");
}

/* Where instances are not numbered, an announcement may be of another disk; a change is none. */
TEST(a_change_where_instances_are_not_numbered_is_no_add)
{
	const struct row rows[] = {{CAME, "sda", PVID_ONE, 16, 0},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {TAKE_DOWN, NONE},
				   {WRITTEN, "sda", PVID_ONE, 16, 0},
				   {SILENCE, NONE},
				   {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	tree_remove(&machine.tree, "/sys/dev/block/8:16/diskseq");
	is_short_after = false;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* The PVs were never present at the same time. */
TEST(pvs_never_there_together_activate_nothing)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {SILENCE, NONE},  {SILENCE, NONE},
				   {WENT, STRIPE_A}, {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, STRIPE_B}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_A));
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_B));
	ck_assert_msg(strstr(machine.out, "2 PV(s), 1 removed") != NULL, "%s", machine.out);
}

/* Other devices are read while workers are busy. */
TEST(slow_workers_do_not_hold_up_other_disks)
{
	const struct row rows[] = {{CAME, ONE},		 {SILENCE, NONE},  {SILENCE, NONE},
				   {CAME, STRIPE_A},	 {SILENCE, NONE},  {SILENCE, NONE},
				   {RECORDED, STRIPE_A}, {CAME, STRIPE_B}, {OPEN_GATE, NONE}};

	workers_lag = 5;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* reconcile queued the entry; only the boot scan takes entries while the gate is closed. */
TEST(an_entry_queued_at_boot_is_taken)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

	ck_assert_int_ge(lea_queue_put(batch_options.event_fd, &entry), 0);
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(!lea_queue_has_work(batch_options.event_fd));
	lea_device_done(&entry.device);
}

/* A slow disk is queued again by its reader while it is read once more. */
TEST(a_disk_that_comes_back_for_ever_does_not_hold_up_others)
{
	const struct row rows[] = {{COMES_BACK, NONE}, {HEARD, NONE},	{CAME, ONE},
				   {SILENCE, NONE},    {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* Memory runs out during a broadcast and during a worker's start: one retry, nothing lost. */
TEST(a_shortage_at_boot_loses_nothing)
{
	const struct row rows[] = {{CAME, STRIPE_A},
				   {SHORTAGE, NONE},
				   {CAME, STRIPE_B},
				   {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	workers_fault = -EMFILE;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_ge(enumerated, 2);
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_ptr_nonnull(strstr(activated, "vg_one "));
	ck_assert_ptr_nonnull(strstr(activated, "vg-two.pvs "));
}

/* What earlier passes have activated stays as it is: a person may have taken it down. The one whose
 * pass a shortage ends is activated. Rows: a broadcast meets the shortage; a worker does. */
TEST_TIMES(a_shortage_at_boot_repeats_nothing, 2)
{
	const struct row rows[] = {{CAME, ONE},		{SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},	{TAKE_DOWN, NONE}, {CAME, STRIPE_A},
				   {CAME, STRIPE_B},	{_i ? SILENCE : SHORTAGE, NONE},
				   {SILENCE, NONE},	{SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	indexed[0] = (struct row){CAME, ONE};
	is_short_after = _i;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_uint_ge(enumerated, 2);
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* The same if another pass is in flight all the time: what that has begun is given up, and comes up. */
TEST(a_shortage_beside_a_pass_in_flight_repeats_nothing)
{
	const struct row rows[] = {{CAME, STRIPE_A}, {CAME, STRIPE_B}, {SILENCE, NONE},
				   {SILENCE, NONE},  {CAME, ONE},      {SILENCE, NONE},
				   {SILENCE, NONE},  {TAKE_DOWN, NONE}, {SHORTAGE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},  {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	held_vg = "vg-two.pvs";
	is_short_after = false;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(strstr(machine.err, "retrying in") != NULL, "%s", machine.err);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
}

/* Rows: two shortages in a row; a disk has been read in between. */
TEST_TIMES(pauses_after_shortages_grow, 2)
{
	const struct row rows[] = {{SHORTAGE, NONE}, {_i ? CAME : SILENCE, ONE},
				   {SILENCE, NONE},  {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE},
				   {SHORTAGE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_ptr_nonnull(strstr(machine.err, "retrying in 0.5 s"));
	ck_assert((strstr(machine.err, "retrying in 1.0 s") != NULL) == !_i);
}

/* A detached worker ends while no device is being read. */
TEST(workers_are_heard_when_no_vg_is_open)
{
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "", 1), 1);
	workers_fd = fds[0];
	ck_assert_int_eq(boot(rows), 0);
	workers_fd = -1;
	ck_assert_uint_gt(stepped, 0);
	close(fds[0]);
	close(fds[1]);
}

TEST(vgs_of_workers_that_still_hang_are_handed_over_at_the_end)
{
	const struct row rows[] = {{SILENCE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(!stepped, "nothing was heard of workers");
	ck_assert_uint_eq(handed_over, 1);
}

TEST(a_vg_that_lacks_a_pv_is_named_at_the_end)
{
	const struct row rows[] = {
		{CAME, STRIPE_A}, {SILENCE, NONE}, {CAME, ONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs: not activated, incomplete: 1 of 2 PVs is "
					  "there, missing PV yENn7p-") != NULL,
		      "%s", machine.err);
}

TEST(the_boot_goes_on_at_the_deadline_though_a_pass_is_busy)
{
	const struct row rows[] = {{CAME, ONE}, {BUSY, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	conf->boot_deadline_ms = 20;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
}

/* Devices are gathered meanwhile. */
TEST(an_earlier_runner_is_waited_for)
{
	const struct row rows[] = {{CAME, ONE},	     {SILENCE, NONE}, {CAME, STRIPE_A},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {UNLOCK, NONE},  {CAME, STRIPE_B},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	start_earlier();
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_ptr_nonnull(strstr(activated, "vg_one "));
	ck_assert_ptr_nonnull(strstr(activated, "vg-two.pvs "));
}

/* It gets the devices. The reconcile of who opens the gate knows of one only that its record is
 * gone. */
TEST(an_earlier_runner_is_waited_for_until_the_gate_opens)
{
	const struct row rows[] = {{CAME, ONE},	    {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_entry found = event("sda", 16, 7, PVID_ONE, false), *entries;
	size_t count;
	int lock_fd;

	start_earlier();
	ck_assert_int_eq(lea_queue_put_device(batch_options.event_fd, LEA_ENTRY_CHANGE,
					      &found.device, PVID_ONE),
			 0);
	ck_assert_int_eq(boot_only(rows), 0);
	ck_assert_str_eq(activated, "");
	end_earlier();
	ck_assert_int_eq(lea_queue_lock(batch_options.event_fd, &lock_fd), 0);
	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(entries->kind, LEA_ENTRY_ADD);
	ck_assert_str_eq(entries->pvid, PVID_ONE);
	lea_entries_free(entries, count);
	lea_device_done(&found.device);
	close(lock_fd);
}

/* The service manager starts it again. */
TEST(a_failing_socket_ends_it_with_the_gate_closed)
{
	const struct row rows[] = {
		{CAME, ONE}, {SILENCE, NONE}, {SILENCE, NONE}, {FAULT, NONE}, {OPEN_GATE, NONE}};

	ck_assert_int_eq(boot(rows), -EBADF);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(lea_gate_is_closed(lea_world_run(machine.world)));
}

/* ---- what the last boot knew */

#define MACHINE "0123456789abcdef0123456789abcdef"
#define COPY	"sdd", PVID_ONE, 64, 9

/* sda has wwid naa.1, sdd naa.2; the last good boot had the PV on @wwid. */
static void remember(const char *wwid)
{
	struct lea_boot_pv pv = {.pvid = PVID_ONE,
				 .size_sectors = 131072,
				 .wwid = wwid,
				 .serial = "",
				 .address = ""};
	struct lea_boot_vg vg = {.id = VG_ONE_ID, .name = "vg_one", .pv = &pv, .pv_count = 1};
	const struct lea_boot_memory memory = {
		.machine = MACHINE, .boot = "before", .vg = &vg, .vg_count = 1};

	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_mkdir(&machine.tree, "/var/lib");
	machine_plug("one-pv", "sdd", 64, 9);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:64/device/wwid", "naa.2\n");
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

static void expect_record(const char *device)
{
	struct lea_online online;

	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &online), 0);
	ck_assert_str_eq(online.device, device);
}

/* udev finishes with a fast copy first. */
TEST(a_copy_waits_for_the_disk_of_the_last_boot)
{
	/* Each silence is a pause of a step: a pass has begun long before the last of them. */
	const struct row rows[] = {
		{CAME, COPY},	 {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {CAME, STRIPE_A}, {SILENCE, NONE}, {CAME, ONE},
		{SILENCE, NONE}, {SILENCE, NONE},  {SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("naa.1");
	tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sda");
	ck_assert_msg(!strstr(machine.err, "vg_one: not activated"), "%s", machine.err);
	ck_assert(machine_has("/run/lvm/event/duplicates/" PVID_ONE "/8:64-9"));
}

/* Rows: what cannot be opened, once: what the memory depends on; the id of the copy's disk. */
TEST_TIMES(a_copy_waits_if_a_shortage_hides_that_it_is_one, 2)
{
	const struct row rows[] = {
		{CAME, COPY},	{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {SILENCE, NONE}, {CAME, ONE},	  {SILENCE, NONE}, {SILENCE, NONE},
		{SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("naa.1");
	tree_put(&machine.tree, "/run/udev/queue", "");
	end_until_fault = _i ? "8:64/device/wwid" : "/etc/fstab";
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_msg(!end_until_fault, "it was opened");
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sda");
}

/* Rows: does udev become idle before the gate opens? */
TEST_TIMES(a_pv_that_has_moved_is_activated_when_udev_is_idle, 2)
{
	const struct row rows[] = {{CAME, COPY},     {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {OPEN_GATE, NONE}};

	remember("naa.1");
	if (_i)
		tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	expect_record("/dev/sdd");
	ck_assert_ptr_nonnull(strstr(machine.out, "1 PV(s) are not on the disk that they were on"));
}

/* What comes after that waits for nothing. */
TEST(a_pv_that_comes_late_is_not_held_back)
{
	const struct row rows[] = {{SILENCE, NONE},  {SILENCE, NONE}, {SILENCE, NONE},
				   {CAME, COPY},     {SILENCE, NONE}, {SILENCE, NONE},
				   {SILENCE, NONE},  {SILENCE, NONE}, {RECORDED, COPY},
				   {OPEN_GATE, NONE}};

	remember("naa.1");
	workers_lag = 9;
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_ptr_null(strstr(machine.out, "they were on"));
}

/* A serial number can be the same for many disks, and changes with the virtual machine. */
TEST(an_id_that_is_not_unique_holds_nothing_back)
{
	const struct row rows[] = {
		{CAME, COPY}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};

	remember("t10.QEMU 1");
	ck_assert_int_eq(boot(rows), 0);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_ptr_null(strstr(machine.out, "they were on"));
}
