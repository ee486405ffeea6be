/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each fault that device-mapper may return, and its class: a shortage may go away, all else (0) is
 * a verdict on the VG.
 */
#include "flow/types.h"

#include <errno.h>

static const struct {
	const char *claim, *shape, *step;
	int fault, want_shortage;
	const char *lacks_target;
} rows[] = {
	{"no memory for a device", "linear_one", "create vg-lv0", -ENOMEM, -ENOMEM, NULL},
	{"no driver", "linear_one", "create vg-lv0", -ENODEV, LEA_NOT_NOW, NULL},
	{"the name is taken", "linear_one", "create vg-lv0", -EBUSY, 0, NULL},
	{"a table that the kernel refuses", "linear_one", "load vg-lv0", -EINVAL, 0, NULL},
	{"a PV that has gone", "linear_one", "load vg-lv0", -ENXIO, 0, NULL},
	{"a PV that somebody uses", "linear_one", "load vg-lv0", -EBUSY, LEA_NOT_NOW, NULL},
	{"a disk that does not answer", "raid1", "load vg-m2", -ETIMEDOUT, LEA_NOT_NOW, NULL},
	{"no memory for a table", "linear_one", "load vg-lv0", -ENOMEM, -ENOMEM, NULL},
	{"a target that is not loaded", "raid1", "load vg-m2", -EINVAL, LEA_NOT_NOW, "raid"},
	{"a pool's target", "thin_basic", "load vg-pool-tpool", -EINVAL, LEA_NOT_NOW, "thin-pool"},
	{"resuming is refused", "raid1", "resume vg-m2", -EINVAL, 0, NULL},
	{"no answer when it goes live", "raid1", "resume vg-m2", -ETIMEDOUT, LEA_NOT_NOW, NULL},
	{"no semaphore for udev", "linear_one", "resume vg-lv0", -ENOSPC, -ENOSPC, NULL},
	{"a snapshot's second resume", "v31-snap_two", "suspend", -EIO, LEA_NOT_NOW, NULL},
	{"a pool that does not say its state", "thin_basic", "status", -EIO, LEA_NOT_NOW, NULL},
	{"a udev that is too late", "thin_basic", "wait", -EIO, LEA_NOT_NOW, NULL},
};

TEST_EACH(each_failure_has_its_class, rows)
{
	struct lea_activate_result result;

	open_shape(rows[_i].shape);
	fake->fail_on = rows[_i].step;
	fake->fault = rows[_i].fault;
	fake->lacks_target = rows[_i].lacks_target;
	ck_assert_msg(run(&result) == LEA_ACTIVATE_FAILED, "%s", rows[_i].claim);
	ck_assert_msg(result.shortage == rows[_i].want_shortage, "%s: %d", rows[_i].claim,
		      result.shortage);
	ck_assert_msg(*tree.logged, "%s", rows[_i].claim);
}

/* A retry may succeed: a verdict on another LV must not hide that. */
TEST(one_shortage_among_verdicts_counts)
{
	struct lea_activate_result result;

	open_shape("minor");
	fake_dm_add(fake, "vg-plain", "CRYPT-x", "0 8 error \n");
	fake->fail_on = "load vg-fixed2";
	fake->fault = -ENOMEM;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 2);
	ck_assert_int_eq(result.shortage, -ENOMEM);
}
