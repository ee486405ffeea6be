/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/scratch.h"
#include "state/online.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Records of another module, put into a table here: PVID, VG, number. */
static const struct {
	const char *pvid, *vg, *device;
	uint32_t minor;
} records[] = {
	{"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "vg", "/dev/sda", 1},
	{"BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", "", "/dev/sdb", 2},
	{"CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "other", "", 3},
};

int lea_online_read(int run_fd, const char *pvid, struct lea_online *ret_online)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		if (!strcmp(records[i].pvid, pvid)) {
			*ret_online = (struct lea_online){.major = 8, .minor = records[i].minor};
			strcpy(ret_online->vg, records[i].vg);
			strcpy(ret_online->device, records[i].device);
			return 0;
		}
	return LEA_ONLINE_ABSENT;
}

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", scratch_root, path);
	*strrchr(full, '/') = '\0';
	scratch_run("mkdir -p", full + strlen(scratch_root) + 1);
	full[strlen(full)] = '/';
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void machine(void)
{
	scratch_setup();
	put("sys/dev/block/8:16/uevent",
	    "MAJOR=8\nMINOR=16\nDEVNAME=sdb\nDEVTYPE=disk\nDISKSEQ=9\n");
	put("sys/class/block/sdb/dev", "8:16\n");
	put("sys/class/block/sdb/uevent", "MAJOR=8\nMINOR=16\nDEVNAME=sdb\nDISKSEQ=9\n");
	put("sys/class/block/cciss!c0d0/dev", "104:0\n");
	put("sys/class/block/cciss!c0d0/uevent", "MAJOR=104\nMINOR=0\nDEVNAME=cciss/c0d0");
	put("sys/class/block/vanished/uevent", "");
	put("dev/sdb", "");
	put("run/lvm/pvs_online/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "");
	put("run/lvm/pvs_online/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", "");
	put("run/lvm/pvs_online/CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "");
	put("run/lvm/pvs_online/.new-17", "");
	put("run/lvm/pvs_lookup/vg",
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\n"
	    "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD\n../../../etc/passwd\n");
}

static const struct {
	const char *claim, *arg;
	int outcome;
	const char *name;
	bool is_gone;
} args[] = {
	{"a path keeps its name", "/dev/sdb", 0, "/dev/sdb", false},
	{"a number gets the kernel's name", "8:16", 0, "/dev/sdb", false},
	{"a number with nothing behind is gone", "8:17", 0, NULL, true},
	{"a path with nothing behind", "/dev/sdz", LEA_DEVICE_NO_ACCESS, NULL, false},
	{"a folder", "/dev", LEA_DEVICE_NOT_BLOCK, NULL, false},
	{"neither path nor number", "sdb", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a negative number", "8:-1", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a number with more behind", "8:16x", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"half a number", "8", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"half a number and a colon", "8:", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a number that no device has", "8:4294967296", LEA_DEVICE_UNPARSABLE, NULL, false},
};

START_TEST(from_arg)
{
	struct lea_device device = {0};
	int r = lea_device_from_arg(&scratch_world, args[_i].arg, &device);

	ck_assert_msg(r == args[_i].outcome, "%s: %d", args[_i].claim, r);
	ck_assert_msg(device.is_gone == args[_i].is_gone, "%s", args[_i].claim);
	ck_assert_pstr_eq(device.name, args[_i].name);
	lea_device_done(&device);
}
END_TEST

START_TEST(instance)
{
	struct lea_device device;

	ck_assert_int_eq(lea_device_from_arg(&scratch_world, "8:16", &device), 0);
	ck_assert_msg(device.major == 8 && device.minor == 16 && device.diskseq == 9,
		      "number and instance are the kernel's");
	lea_device_done(&device);
}
END_TEST

START_TEST(enumerate)
{
	struct lea_device *devices;
	size_t count;

	ck_assert_int_eq(lea_devices_enumerate(&scratch_world, &devices, &count), 0);
	ck_assert_uint_eq(count, 2);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(devices[i].name,
				 devices[i].major == 8 ? "/dev/sdb" : "/dev/cciss/c0d0");
	lea_devices_free(devices, count);
}
END_TEST

static const struct {
	const char *claim, *vg;
	int outcome;
	uint32_t count, sum; /* of the minors */
} vgs[] = {
	{"all that pvs_lookup lists and that is there", "vg", 0, 2, 3},
	{"without pvs_lookup those recorded with the VG", "other", 0, 1, 3},
	{"a VG nobody has seen", "absent", LEA_ONLINE_ABSENT, 0, 0},
	{"no name of a VG", "../x", LEA_ONLINE_ABSENT, 0, 0},
};

START_TEST(of_vg)
{
	struct lea_device *devices = NULL;
	size_t count = 0;
	uint32_t sum = 0;
	int r = lea_devices_of_vg(&scratch_world, vgs[_i].vg, &devices, &count);

	ck_assert_msg(r == vgs[_i].outcome, "%s: %d", vgs[_i].claim, r);
	for (size_t i = 0; i < count; i++)
		sum += devices[i].minor;
	ck_assert_msg(count == vgs[_i].count && sum == vgs[_i].sum, "%s", vgs[_i].claim);
	lea_devices_free(devices, count);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("source");
	TCase *tcase = tcase_create("source");

	tcase_add_checked_fixture(tcase, machine, scratch_teardown);
	tcase_add_loop_test(tcase, from_arg, 0, (int)ARRAY_SIZE(args));
	tcase_add_test(tcase, instance);
	tcase_add_test(tcase, enumerate);
	tcase_add_loop_test(tcase, of_vg, 0, (int)ARRAY_SIZE(vgs));
	suite_add_tcase(suite, tcase);
	return suite;
}
