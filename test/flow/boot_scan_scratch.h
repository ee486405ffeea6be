/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot scan on a machine made of files; a script replaces udev's events. Include it once. */
#pragma once

#include "base/id.h"
#include "boot/boot_scan.h"
#include "fake/no_descriptor.h"
#include "flow/batch_scratch.h"
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
	ACTIVE,	    /* no event; but vg_one is active, and no other VG yet; held_vg ends now */
	TAKE_DOWN,  /* no event; but a person takes vg_one down, which was activated */
	IMPORT,	    /* no event; but a person imports the VG of the disk, which was exported */
	QUEUED,	    /* the gate opens, and the rule's enqueuer has an event */
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

static inline void start_earlier(void)
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

static inline void end_earlier(void)
{
	ck_assert_int_eq(kill(earlier, SIGKILL), 0);
	ck_assert_int_eq(waitpid(earlier, NULL, 0), earlier);
}

static int heard_fds[2] = {-1, -1};

/* In the reader child: a thread of an earlier one queues the disk meanwhile. */
static inline int open_again(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
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

static inline void come_back(void)
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

static inline void check_heard(void)
{
	ck_assert_msg(lea_queue_has_pending(batch_options.event_fd), "it still comes back");
	tree_remove(&machine.tree, "/run/lvm/again");
	close(heard_fds[0]);
	close(heard_fds[1]);
	heard_fds[0] = -1;
}

static inline int udev_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, "lvmevent");
	*ret_monitor = NULL;
	return 0;
}

static inline void udev_close(struct lea_udevmon *monitor)
{
}

static inline int udev_fd(const struct lea_udevmon *monitor)
{
	return heard_fds[0]; /* -1: polled whenever the boot scan wakes up */
}

static inline void fill(const struct row *row, struct lea_udevmon_event *told)
{
	*told = (struct lea_udevmon_event){.is_pv = true,
					   .is_change = row->told == CHANGED ||
							row->told == WRITTEN,
					   .was_in_use = row->told == CHANGED,
					   .is_written = row->told == WRITTEN};
	told->device = event(row->name, row->minor, row->diskseq, "", row->told == WENT).device;
	lea_id_format(row->pvid, told->fs_uuid);
}

/* What is enumerated again then are all disks. */
static inline void take_down(void)
{
	ck_assert_str_eq(activated, "vg_one ");
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	workers_fault = is_short_after ? -EMFILE : 0;
	held_vg = NULL;
	indexed[0] = (struct row){CAME, ONE};
	indexed[1] = (struct row){CAME, STRIPE_A};
	indexed[2] = (struct row){CAME, STRIPE_B};
}

static inline void check_recorded(const char *pvid)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/lvm/pvs_online/%s", pvid);
	ck_assert_msg(machine_has(path) && !activated[0], "%s", activated);
}

static inline void end_held(void)
{
	ck_assert_str_eq(activated, "vg_one ");
	held_vg = NULL;
}

static inline void wait_until_ready(void)
{
	for (unsigned int i = 0; i < 500 && !readied; i++)
		usleep(10000);
	ck_assert_msg(readied == 1, "the boot waits no longer than the deadline");
}

static inline void import(const char *name)
{
	static const char *const pairs[] = {"[\"EXPORTED\", \"RESI", "[            \"RESI",
					    ", \"EXPORTED\"]", "            ]", NULL};

	machine_change("exported", name, pairs);
}

static inline void queue(const struct row *row)
{
	struct lea_entry told = event(row->name, row->minor, row->diskseq, row->pvid, false);

	ck_assert_int_eq(lea_queue_put_device(batch_options.event_fd, LEA_ENTRY_ADD, &told.device,
					      row->pvid),
			 0);
	lea_device_done(&told.device);
}

static inline void open_gate(const struct row *row)
{
	if (row->told == OPEN_GATE || row->told == OPENS_GATE || row->told == QUEUED)
		ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	if (row->told == QUEUED)
		queue(row);
}

static inline int udev_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	const struct row *row = script;

	open_gate(row);
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
		check_recorded(row->pvid);
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
	case ACTIVE:
		end_held();
		break;
	case TAKE_DOWN:
		take_down();
		break;
	case IMPORT:
		import(row->name);
		break;
	case BUSY:
		wait_until_ready();
		break;
	case OPEN_GATE:
	case OPENS_GATE:
	case QUEUED:
	case SILENCE:
		break;
	}
	return LEA_UDEVMON_NONE;
}

static inline int udev_enumerate(struct lea_udevmon *monitor,
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

static inline void say_ready(void *arg)
{
	readied++;
}

static inline void setup_boot(void)
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

static inline void teardown_boot(void)
{
	lea_device_queue_done(&done);
	done = (struct lea_device_queue){0};
	teardown();
}

const struct fixture fixture = {setup_boot, teardown_boot};

/* Runs a boot scan with the events in @rows; returns its result. */
static inline int boot_only(const struct row *rows)
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

static inline int boot(const struct row *rows)
{
	const int r = boot_only(rows);
	int flag_fd = -1;

	ck_assert_msg(lea_flag_raise(batch_options.event_fd, LEA_FLAG_RUNNER, &flag_fd) == 0,
		      "the lock is free when it has ended");
	close(flag_fd);
	return r;
}
