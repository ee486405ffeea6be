/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One question after the other fails, once, for want of memory or of a descriptor: whether a mark is
 * set, what a file says, whether the owner of a claim lives. That is neither "yes" nor "no": what is
 * repeated ends as if nothing had failed. */
#include "base/err.h"
#include "daemon/reconcile.h"
#include "fake/no_descriptor.h"
#include "flow/batch_scratch.h"
#include "record/recorded_marker.h"
#include "state/flag.h"
#include "state/mark.h"
#include "state/online.h"
#include "unit/suite.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

const struct fixture fixture = {setup, teardown};
const double timeout_s = 300;

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define MEMBER	 "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\nLVMEVENT_FIRST=" UUID_ONE "\n"
#define REFUSED	 "8:48-3"

#define MANY 1000000U

static pid_t boot_scan; /* 0: none runs */

/* In place of libc's; counted with the calls of openat. */
int faccessat(int dir_fd, const char *path, int mode, int flags)
{
	if (calls_until_fault && !--calls_until_fault) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_faccessat2, dir_fd, path, mode, flags);
}

static int told(enum lea_entry_kind kind, const char *name, uint32_t minor, uint64_t diskseq,
		const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = kind;
	return run_pass(&entry, 1);
}

static int reconciled(void)
{
	const struct lea_reconcile_options options = {
		.world = machine.world, .conf = conf, .event_fd = batch_options.event_fd};
	struct lea_reconcile_result result;

	return lea_reconcile(&options, &result);
}

static int leave(void *arg, const struct lea_entry *entry)
{
	return 0;
}

static int reconciled_beside_boot_scan(void)
{
	const struct lea_reconcile_options options = {.world = machine.world,
						      .conf = conf,
						      .event_fd = batch_options.event_fd,
						      .left = leave};
	struct lea_reconcile_result result;

	return lea_reconcile(&options, &result);
}

static void plug_two(void)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

static void refuse(const char *key)
{
	ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, key), 0);
}

static void is_there(void)
{
	machine.properties = MEMBER;
	machine_plug("one-pv", "sda", 16, 7);
}

/* Another process: a flag says nothing to who holds it. */
static void boot_scan_has_it(void)
{
	int fd;

	is_there();
	boot_scan = fork();
	if (!boot_scan) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (lea_flag_raise(batch_options.event_fd, LEA_FLAG_BOOT, &fd))
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_gt(boot_scan, 0);
	while (lea_flag_ask(batch_options.event_fd, LEA_FLAG_BOOT) <= 0)
		usleep(1000);
}

static void one_came(void)
{
	is_there();
	ck_assert_int_eq(told(LEA_ENTRY_ADD, "sda", 16, 7, PVID_ONE), 0);
}

static void an_add_waits(void)
{
	plug_two();
	ck_assert_int_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), 0);
}

static void an_add_met_a_refused_one(void)
{
	an_add_waits();
	refuse(REFUSED);
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_A);
}

static void was_refused(void)
{
	is_there();
	refuse("8:16-7");
}

static void was_recorded(void)
{
	one_came();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
}

static void lost_its_record(void)
{
	was_recorded();
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
}

static void number_went_to_another(void)
{
	one_came();
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 8);
}

static int add_one(void)
{
	return told(LEA_ENTRY_ADD, "sda", 16, 7, PVID_ONE);
}

static int change_one(void)
{
	return told(LEA_ENTRY_CHANGE, "sda", 16, 7, PVID_ONE);
}

static int miss_one(void)
{
	return told(LEA_ENTRY_MISSED, "sda", 16, 7, PVID_ONE);
}

static int change_c(void)
{
	return told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B);
}

static int remove_late(void)
{
	struct lea_entry entries[] = {event("sda", 16, 7, PVID_ONE, true),
				      event("sda", 16, 8, PVID_ONE, false)};

	return run_pass(entries, 2);
}

static const struct {
	const char *claim;
	void (*before)(void);
	int (*last)(void);
	const char *want;
} rows[] = {
	{"a PV that comes", is_there, add_one, "vg_one "},
	{"a change of a PV that was refused", was_refused, change_one, ""},
	{"what a reconcile finds, and was refused", was_refused, miss_one, ""},
	{"an add of what was refused", was_refused, add_one, "vg_one "},
	{"a change completes what an add waits for", an_add_waits, change_c, "vg-two.pvs "},
	{"a change of a refused PV does not", an_add_met_a_refused_one, change_c, ""},
	{"the number went to another disk", number_went_to_another, remove_late, "vg_one "},
	{"a reconcile where all is done", was_recorded, reconciled, ""},
	{"a reconcile of a PV that was refused", was_refused, reconciled, ""},
	{"a reconcile of a PV without its record", lost_its_record, reconciled, ""},
	{"a reconcile beside the boot scan", boot_scan_has_it, reconciled_beside_boot_scan, ""},
};

static void begin(void (*before)(void))
{
	if (boot_scan) {
		kill(boot_scan, SIGKILL);
		waitpid(boot_scan, NULL, 0);
		boot_scan = 0;
	}
	setup();
	before();
	activated[0] = '\0';
}

/* Does the last step, again if it failed, and what it has queued. Returns the calls that were left
 * until the fault. */
static unsigned int do_last(int row, unsigned int until_fault)
{
	unsigned int left;
	int r;

	calls_until_fault = until_fault;
	r = rows[row].last();

	left = calls_until_fault;
	calls_until_fault = 0;
	ck_assert_msg(!r || lea_is_shortage(r), "%s: %d", rows[row].claim, r);
	if (r)
		ck_assert_int_eq(rows[row].last(), 0);
	ck_assert_int_eq(run_queue(), 0);
	return left;
}

/* What fails after the activation repeats it. */
static bool is_wanted(const char *got, const char *want)
{
	const size_t len = strlen(want);

	return !strncmp(got, want, len) && (!got[len] || (len && !strcmp(got + len, want)));
}

TEST_EACH(what_is_not_known_is_not_guessed, rows)
{
	unsigned int calls;

	teardown();
	begin(rows[_i].before);
	calls = MANY - do_last(_i, MANY);
	ck_assert_str_eq(activated, rows[_i].want);
	ck_assert_uint_gt(calls, 0);
	for (unsigned int at = 1; at <= calls; at++) {
		teardown();
		begin(rows[_i].before);
		do_last(_i, at);
		ck_assert_msg(is_wanted(activated, rows[_i].want), "%s: the %uth of %u: \"%s\"",
			      rows[_i].claim, at, calls, activated);
	}
}

/* Whether another process's child owes the add of a device that has changed. Rows: the folder of such
 * notes, one of them; there is an answer. */
static const char *const unread_notes[] = {"hung", "0-8:32", NULL};

TEST_EACH(what_children_owe_is_asked_again_after_a_shortage, unread_notes)
{
	struct lea_entry entry = event("sdb", 32, 2, PVID_ONE, false);
	struct lea_reader *reader = NULL;
	uint32_t room;

	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &reader), 0);
	batch_options.reader = reader;
	close(lea_hung_begin(machine.world, &room));
	tree_put(&machine.tree, "/run/lvm/event/hung/0-8:32", "of nobody");
	entry.kind = LEA_ENTRY_CHANGE;
	end_until_fault = unread_notes[_i];
	ck_assert_int_eq(run_pass(&entry, 1), unread_notes[_i] ? -ENFILE : 0);
	ck_assert_int_eq(machine_has("/run/lvm/pvs_online/" PVID_ONE), !unread_notes[_i]);
	batch_options.reader = NULL;
	lea_reader_free(reader);
	lea_device_done(&entry.device);
}
