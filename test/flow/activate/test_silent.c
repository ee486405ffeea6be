/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PVs that cannot be read again under the VG's lock. */
#include "activate/transaction.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

#include <fcntl.h>

static const char *sick; /* these devices */
static int fault;
static bool is_sick_before; /* before the VG is locked, too */

static int open_sick(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	char full[256];
	int fd;

	if (sick && strstr(path, sick))
		return fault;
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void begin(void)
{
	setup();
	sick = NULL;
	is_sick_before = false;
	machine.world->open_device = open_sick;
}

const struct fixture fixture = {begin, teardown};

/* Activates the VG of the plugged devices 8:32 and 8:48, of which some get sick before the lock, or
 * are so from the beginning. */
static int activate(bool is_event, int of_fault, const char *of, struct lea_activate_result *result)
{
	const struct lea_activate_options options = {.what = LEA_ACTIVATE_AUTO,
						     .only_complete = is_event,
						     .named = !is_event,
						     .mode = is_event ? NULL : "partial"};
	const struct lea_scan_options scan_options = {0};
	struct lea_activation_run *run;
	struct lea_scan_vg *vgs;
	struct lea_scan_device device[] = {{.expected = PVID_A}, {.expected = PVID_B}};
	struct lea_scan *scan;
	size_t count;
	int r;

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_scan_new(machine.world, conf, &scan_options, &scan), 0);
	ck_assert_int_eq(lea_device_from_arg(machine.world, "8:32", &device[0].device), 0);
	ck_assert_int_eq(lea_device_from_arg(machine.world, "8:48", &device[1].device), 0);
	sick = is_sick_before ? of : NULL;
	fault = of_fault;
	ck_assert_int_eq(lea_scan_add_expected(scan, device, 2), 0);
	ck_assert_int_eq(lea_scan_vgs(scan, &vgs, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert(lea_scan_vg_is_complete(&vgs[0]) == !is_sick_before);
	sick = of;
	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	r = lea_activation_vg(run, "vg-two.pvs", &vgs[0], result);
	fflush(machine.err_file);
	if (result->why) /* it may lie in memory of the run */
		ck_assert_msg(strstr(machine.err, result->why) != NULL, "%s", machine.err);
	ck_assert_int_eq(lea_activation_finish(run), 0);
	lea_scan_free(scan);
	return r;
}

static const struct row {
	const char *sick;
	int fault;
	const char *said;
	int shortage;
} rows[] = {
	{"sd", -EIO, "VG vg-two.pvs: disk /dev/sdb of it cannot be read: Input/output error",
	 LEA_NOT_NOW},
	{"sdc", -EIO, "VG vg-two.pvs: disk /dev/sdc of it cannot be read: Input/output error",
	 LEA_NOT_NOW},
	{"sdc", -ETIMEDOUT, "VG vg-two.pvs: disk /dev/sdc of it does not answer", LEA_NOT_NOW},
	{"sd", -EMFILE, "VG vg-two.pvs: disk /dev/sdb of it could not be read yet", -EMFILE},
};

/* Neither has another command changed the VG, nor was a PV removed. */
TEST_EACH(a_disk_that_cannot_be_read_has_not_gone, rows)
{
	struct lea_activate_result result;

	ck_assert_int_eq(activate(true, rows[_i].fault, rows[_i].sick, &result),
			 LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(result.shortage, rows[_i].shortage);
	ck_assert_msg(strstr(machine.err, rows[_i].said) != NULL, "%s", machine.err);
}

/* Nobody asks it once more while others wait for the lock. */
TEST(a_disk_that_gave_no_answer_before_the_lock_has_not_gone_either)
{
	struct lea_activate_result result;

	is_sick_before = true;
	ck_assert_int_eq(activate(true, -EIO, "sdc", &result), LEA_ACTIVATE_FAILED);
	ck_assert_int_eq(result.shortage, LEA_NOT_NOW);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs: disk /dev/sdc of it cannot be read") !=
			      NULL,
		      "%s", machine.err);
}

/* Rows: it is sick from the lock on, or was so before. */
TEST_TIMES(what_a_person_asks_for_is_activated_without_it, 2)
{
	struct lea_activate_result result;

	is_sick_before = _i;
	ck_assert_int_ne(activate(false, -EIO, "sdc", &result), LEA_ACTIVATE_CHANGED);
	ck_assert_msg(!result.why, "%s", machine.err);
	ck_assert_msg(strstr(machine.err, "VG vg-two.pvs is used without PV") != NULL, "%s",
		      machine.err);
	ck_assert_msg(!strstr(machine.err, "missing"), "%s", machine.err);
}

TEST(not_even_a_person_loses_a_vg_of_which_nothing_can_be_read)
{
	struct lea_activate_result result;

	ck_assert_int_eq(activate(false, -EIO, "sd", &result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(!strstr(machine.err, "not found"), "%s", machine.err);
}
