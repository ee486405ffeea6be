/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While another device is read, under the VG's lock, its disks may be made something else: by a
 * command that takes no lock of the VG, as pvcreate -ff, or by a disk that gets the number of one.
 */
#include "activate/transaction.h"
#include "base/id.h"
#include "flow/scanned.h"
#include "state/newest.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define VG "vg_nomda" /* a PV with metadata on sda, and one without on sdb */

static const struct row *row;

static int open_other(struct lea_world *world, const char *path, uint32_t major, uint32_t minor);

static void setup(void)
{
	machine_begin();
	machine_plug("nomda-a", "sda", 16, 1);
	machine_plug("nomda-b", "sdb", 32, 2);
	machine_plug("orphan", "sdc", 48, 3);
	tree_mkdir(&machine.tree, "/run/lvm/event");
	scanned_begin();
	row = NULL;
	machine.world->open_device = open_other;
}

static void teardown(void)
{
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

/* ---- what is read besides the VG's disks */

static struct lea_scan_vg *find_vg(void)
{
	for (size_t i = 0; i < vg_count; i++)
		if (!strcmp(vgs[i].vg->name, VG))
			return &vgs[i];
	ck_abort_msg("no " VG);
	return NULL;
}

/* udev says that sdc is a copy of this PV, as it was before it was made another one. */
static void claim_by_link(const char *pvid)
{
	char uuid[39], path[256];

	lea_id_format(pvid, uuid);
	snprintf(path, sizeof(path),
		 "/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-%s/.lock", uuid);
	tree_put(&machine.tree, path, "");
	snprintf(strstr(path, ".lock"), 32, "b8:48");
	tree_link(&machine.tree, path, "0:/dev/8:48");
}

static void is_copy_with(void)
{
	claim_by_link(find_vg()->vg->pvs[find_vg()->pv[0]->vg ? 0 : 1].id);
}

static void is_copy_without(void)
{
	claim_by_link(find_vg()->vg->pvs[find_vg()->pv[0]->vg ? 1 : 0].id);
}

static void showed_newer(void)
{
	struct lea_newest newest = {.seqno = find_vg()->vg->seqno + 1,
				    .shown_by = {.id = {8, 48, 3}}};

	snprintf(newest.vg_id, sizeof(newest.vg_id), "%s", find_vg()->vg->id);
	snprintf(newest.vg_name, sizeof(newest.vg_name), VG);
	memset(newest.shown_by.pvid, 'x', LEA_ID_CHARS);
	ck_assert_int_eq(lea_newest_note(lea_world_run(machine.world), &newest), 0);
}

/* ---- what happens meanwhile */

static void nothing(void)
{
}

static void without_is_made_another(void)
{
	machine_unplug("sdb", 32);
	machine_plug("orphan", "sdb", 32, 2);
}

static void with_is_made_another(void)
{
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 1);
}

static void number_gets_another(void)
{
	machine_unplug("sdb", 32);
	machine_plug("stripe-b", "sdb", 32, 4);
}

static void without_goes(void)
{
	machine_unplug("sdb", 32);
}

/* Each read of the disk: that is no proof that it is another one. */
#define FAILS "/run/lvm/fails"

static void without_fails(void)
{
	tree_put(&machine.tree, FAILS, "");
}

static const struct row {
	const char *claim;
	void (*other)(void), (*happens)(void);
	int outcome;
} rows[] = {
	{"nothing happens", is_copy_with, nothing, 0},
	{"nor beside the other PV", is_copy_without, nothing, 0},
	{"nor while newer metadata are looked for", showed_newer, nothing, 0},
	{"the disk without metadata is another PV", is_copy_with, without_is_made_another,
	 LEA_ACTIVATE_CHANGED},
	{"and while its own copy is read", is_copy_without, without_is_made_another,
	 LEA_ACTIVATE_CHANGED},
	{"and while newer metadata are looked for", showed_newer, without_is_made_another,
	 LEA_ACTIVATE_CHANGED},
	{"the disk with metadata is another PV", is_copy_with, with_is_made_another,
	 LEA_ACTIVATE_CHANGED},
	{"its number is another disk's", is_copy_with, number_gets_another, LEA_ACTIVATE_CHANGED},
	{"the disk without metadata goes", is_copy_with, without_goes, LEA_ACTIVATE_CHANGED},
	{"the disk without metadata gives no answer", is_copy_with, without_fails,
	 LEA_ACTIVATE_FAILED},
};

/* The reader of sdc is another process, which may write only below /run: it asks for what happens
 * meanwhile, and waits for it. */
#define ASKED "/run/lvm/asked"
#define DONE  "/run/lvm/done"

static void wait_for(const char *path)
{
	while (!machine_has(path))
		usleep(1000);
}

static int open_other(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (row && strstr(path, "sdc")) {
		tree_put(&machine.tree, ASKED, "");
		wait_for(DONE);
	}
	if (row && strstr(path, "sdb") && machine_has(FAILS))
		return -EIO;
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static pid_t start_other(void)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	wait_for(ASKED);
	row->happens();
	tree_put(&machine.tree, DONE, "");
	_exit(0);
}

static void expect_that_it_was_asked(pid_t pid)
{
	int status;

	if (!machine_has(DONE))
		kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(!status, "%s: sdc is not read", row->claim);
}

static void activate(struct lea_activate_options *options, int outcome)
{
	struct lea_activation_run *run;
	struct lea_activate_result result;
	pid_t other = start_other();

	options->what = LEA_ACTIVATE_AUTO;
	options->only_complete = options->checks_duplicates = options->quiet_success = true;
	ck_assert_int_eq(lea_activation_start(machine.world, conf, options, &run), 0);
	ck_assert_msg(lea_activation_vg(run, VG, find_vg(), &result) == outcome, "%s", row->claim);
	ck_assert_int_eq(lea_activation_finish(run), 0);
	expect_that_it_was_asked(other);
	ck_assert_msg(!fake_dm_count(machine.dm) == !!outcome, "%s: tables", row->claim);
}

TEST_EACH(what_is_not_the_vgs_any_more_gets_no_table, rows)
{
	struct lea_activate_options options = {0};

	row = &rows[_i];
	row->other();
	activate(&options, row->outcome);
}

static const char *why_not(void *arg, const struct lea_scan_vg *scanned, const bool *is_used)
{
	return arg;
}

static void unlock(void *arg, const struct lea_vg *vg)
{
}

/* Which reads the disks once more before their use. */
TEST(what_the_caller_has_locked_its_guard_judges)
{
	static char why[] = "the guard";
	const struct lea_activate_guard guard = {why_not, unlock, why};
	struct lea_activate_options options = {.guard = &guard};

	row = &rows[3];
	row->other();
	activate(&options, LEA_ACTIVATE_REFUSED);
}
