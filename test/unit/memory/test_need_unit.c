/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of device units. test/install/generator compares them with systemd-escape. */
#include "memory/need_unit.h"

#include "unit/suite.h"

#include <string.h>

static const struct {
	enum lea_need_kind kind;
	const char *value, *want; /* NULL: there is no unit */
} rows[] = {
	{LEA_NEED_WORD, "vg/lv", "dev-mapper-vg\\x2dlv.device"},
	{LEA_NEED_WORD, "my-vg/a_lv.1", "dev-mapper-my\\x2d\\x2dvg\\x2da_lv.1.device"},
	{LEA_NEED_WORD, "v+g/l+v", "dev-mapper-v\\x2bg\\x2dl\\x2bv.device"},
	{LEA_NEED_WORD, "vg", NULL},
	{LEA_NEED_WORD, "@tag", NULL},
	{LEA_NEED_WORD, "@tag/x", NULL},
	{LEA_NEED_IDS, "LVM-aB", "dev-disk-by\\x2did-dm\\x2duuid\\x2dLVM\\x2daB.device"},
	{LEA_NEED_UUID, "1-aB", "dev-disk-by\\x2duuid-1\\x2daB.device"},
	{LEA_NEED_LABEL, "my data", "dev-disk-by\\x2dlabel-my\\x5cx20data.device"},
	{LEA_NEED_LABEL, "a/b", "dev-disk-by\\x2dlabel-a\\x5cx2fb.device"},
	{LEA_NEED_LABEL, "%n$\\", "dev-disk-by\\x2dlabel-\\x5cx25n\\x5cx24\\x5cx5c.device"},
	{LEA_NEED_LABEL, "d\xc3\xa4", "dev-disk-by\\x2dlabel-d\\xc3\\xa4.device"},
	{LEA_NEED_PARTUUID, "1", "dev-disk-by\\x2dpartuuid-1.device"},
	{LEA_NEED_PARTLABEL, "p=1", "dev-disk-by\\x2dpartlabel-p\\x3d1.device"},
};

TEST_EACH(each_need_has_its_unit, rows)
{
	const struct lea_need need = {.kind = rows[_i].kind, .value = rows[_i].value};
	char unit[LEA_NEED_UNIT_BYTES];

	ck_assert_msg(lea_need_unit(&need, unit) == (rows[_i].want != NULL), "%s", rows[_i].value);
	if (rows[_i].want)
		ck_assert_str_eq(unit, rows[_i].want);
}

/* fstab may name an LV by each of its links. */
TEST(lv_has_a_unit_for_each_of_its_links)
{
	const struct lea_need lv = {.kind = LEA_NEED_WORD, .value = "my-vg/a_lv"};
	const struct lea_need others[] = {
		{.kind = LEA_NEED_WORD, .value = "vg"},
		{.kind = LEA_NEED_WORD, .value = "@a/b"},
		{.kind = LEA_NEED_LABEL, .value = "vg/lv"},
	};
	char unit[LEA_NEED_UNIT_BYTES];

	ck_assert(lea_need_other_unit(&lv, 0, unit));
	ck_assert_str_eq(unit, "dev-my\\x2dvg-a_lv.device");
	ck_assert(lea_need_other_unit(&lv, 1, unit));
	ck_assert_str_eq(unit, "dev-disk-by\\x2did-dm\\x2dname\\x2dmy\\x2d\\x2dvg\\x2da_lv.device");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		for (unsigned int which = 0; which < LEA_NEED_OTHER_UNITS; which++)
			ck_assert(!lea_need_other_unit(&others[i], which, unit));
}

TEST(overlong_unit_is_none)
{
	char value[256], unit[LEA_NEED_UNIT_BYTES];
	const struct lea_need need = {.kind = LEA_NEED_LABEL, .value = value};
	size_t bytes = LEA_NEED_UNIT_BYTES - sizeof("dev-disk-by\\x2dlabel-.device");

	memset(value, 'a', sizeof(value));
	value[bytes] = '\0';
	ck_assert(lea_need_unit(&need, unit));
	ck_assert_uint_eq(strlen(unit), LEA_NEED_UNIT_BYTES - 1);
	value[bytes] = 'a';
	value[bytes + 1] = '\0';
	ck_assert(!lea_need_unit(&need, unit));
}

static const struct {
	const char *path, *want;
} mounts[] = {
	{"/run/lock", "run-lock.mount"},
	{"/run/lock/lvm", "run-lock-lvm.mount"},
	{"/srv/my-data", "srv-my\\x2ddata.mount"},
};

TEST_EACH(each_path_has_its_mount, mounts)
{
	char unit[LEA_NEED_UNIT_BYTES];

	ck_assert(lea_mount_unit(mounts[_i].path, unit));
	ck_assert_str_eq(unit, mounts[_i].want);
}
