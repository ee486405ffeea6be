/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables name numbers: while they are made, each disk that they name is open, so that it keeps its number. */
#include "activate/hold.h"
#include "activate/transaction.h"
#include "flow/scanned.h"
#include "unit/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define VG "vg-two.pvs"

static int fault;	      /* instead of a disk that it holds, this process gets this */
static void (*happens)(void); /* at the last moment before */
static uint32_t opened;	      /* so often sdc was opened: to be read, then to be held */
static uint32_t loads;	      /* of tables */
static int (*load)(struct lea_dm *dm, const struct lea_dm_node *node,
		   const struct lea_table *table);

/* Has this process the file open? */
static bool is_open(const char *name)
{
	DIR *dir = opendir("/proc/self/fd");
	char link[64], target[512];
	struct dirent *entry;
	bool is = false;

	while ((entry = readdir(dir))) {
		ssize_t len;

		snprintf(link, sizeof(link), "/proc/self/fd/%.20s", entry->d_name);
		len = readlink(link, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		is |= len > 0 && strstr(target, name);
	}
	closedir(dir);
	return is;
}

static int load_checked(struct lea_dm *dm, const struct lea_dm_node *node,
			const struct lea_table *table)
{
	ck_assert(is_open("/dev/sdb") && is_open("/dev/sdc"));
	ck_assert_msg(!is_open("/dev/sda"), "of another VG");
	loads++;
	return load(dm, node, table);
}

static int open_here(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	opened += strstr(path, "sdc") != NULL;
	if (opened == 2 && happens)
		happens();
	if (opened == 2 && fault)
		return fault;
	snprintf(full, sizeof(full), "%s%s", world->root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	scanned_begin();
	fault = 0;
	happens = NULL;
	opened = loads = 0;
	machine.world->open_device = open_here;
	load = machine.world->dm->load;
	machine.world->dm->load = load_checked;
}

static void teardown(void)
{
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static struct lea_scan_vg *find_vg(void)
{
	for (size_t i = 0; i < vg_count; i++)
		if (!strcmp(vgs[i].vg->name, VG))
			return &vgs[i];
	ck_abort_msg("no " VG);
	return NULL;
}

static int activate(void)
{
	const struct lea_activate_options options = {.what = LEA_ACTIVATE_AUTO,
						     .only_complete = true};
	struct lea_activation_run *run;
	struct lea_activate_result result;
	int r;

	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	r = lea_activation_vg(run, VG, find_vg(), &result);
	ck_assert_int_eq(lea_activation_finish(run), 0);
	ck_assert_msg(!is_open("/dev/sdb") && !is_open("/dev/sdc"), "they are left open");
	return r;
}

TEST(disks_are_open_while_tables_name_them)
{
	ck_assert_int_eq(activate(), 0);
	ck_assert_uint_gt(loads, 0);
}

/* ---- between the last look at the disks and the moment when they are held */

static void nothing(void)
{
}

static void gets_another(void)
{
	happens = NULL;
	machine_unplug("sdc", 48);
	machine_plug("orphan", "sdc", 48, 4);
}

static void goes(void)
{
	happens = NULL;
	machine_unplug("sdc", 48);
}

static const struct {
	const char *claim;
	void (*happens)(void);
	int fault, outcome;
} rows[] = {
	{"nothing happens", nothing, 0, 0},
	{"another disk gets the number", gets_another, 0, LEA_ACTIVATE_CHANGED},
	{"a disk goes", goes, 0, LEA_ACTIVATE_CHANGED},
	{"the number is another's when it is opened", nothing, -ENODEV, LEA_ACTIVATE_CHANGED},
	{"the disk is off when it is opened", nothing, -ENXIO, LEA_ACTIVATE_CHANGED},
	{"the disk cannot be opened", nothing, -EIO, LEA_NOT_NOW},
	{"there is no descriptor", nothing, -EMFILE, -EMFILE},
	{"there is no memory", nothing, -ENOMEM, -ENOMEM},
};

TEST_EACH(a_number_that_may_be_anothers_gets_no_table, rows)
{
	int r;

	happens = rows[_i].happens;
	fault = rows[_i].fault;
	r = activate();
	ck_assert_msg(r == rows[_i].outcome, "%s: %d", rows[_i].claim, r);
	ck_assert_msg(!fake_dm_count(machine.dm) == !!r, "%s: tables", rows[_i].claim);
}

/* ---- a VG of more disks than a process has files by default */

static bool is_limited;

/* In place of libc's: in a container root may not raise the hard limit. */
int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	errno = EPERM;
	return is_limited ? -1 : prlimit(0, resource, limit, NULL);
}

/* Rows: the limit can be raised; it cannot. */
TEST_TIMES(a_vg_of_many_disks_raises_the_limit, 2)
{
	const uint32_t count = 1500;
	struct rlimit few;
	struct lea_scan_vg many = *find_vg();
	struct lea_vg vg = *many.vg;
	struct lea_hold hold = {0};
	bool *uses = calloc(count, sizeof(*uses));

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	few.rlim_cur = 1024;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	vg.pv_count = count;
	many.vg = &vg;
	many.pv = calloc(count, sizeof(*many.pv));
	for (uint32_t i = 0; i < count; i++) {
		many.pv[i] = find_vg()->pv[i % 2];
		uses[i] = i != 7;
	}
	is_limited = _i;
	ck_assert_int_eq(lea_hold_pvs(machine.world, &many, uses, &hold),
			 _i ? LEA_HOLD_TOO_MANY : 0);
	ck_assert_uint_eq(hold.count, _i ? 0 : count - 1);
	lea_hold_done(&hold);
	free(uses);
	free(many.pv);
}
