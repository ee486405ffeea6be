/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/scratch.h"
#include "state/online.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
	put("run/lvm/pvs_online/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "8:1\nvg:vg\ndev:/dev/sda\n");
	put("run/lvm/pvs_online/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", "8:2\ndev:/dev/sdb\n");
	put("run/lvm/pvs_online/CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "8:3\nvg:other\n");
	put("run/lvm/pvs_online/.new-17", "");
	put("run/lvm/pvs_lookup/vg",
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\n"
	    "DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD\n../../../etc/passwd\n");
}

const struct fixture fixture = {machine, scratch_teardown};

static const struct {
	const char *claim, *arg;
	int outcome;
	const char *name;
	bool is_gone;
} args[] = {
	{"a path keeps its name", "/dev/sdb", 0, "/dev/sdb", false},
	{"a number gets the kernel's name", "8:16", 0, "/dev/sdb", false},
	{"a number with nothing behind is gone", "8:17", 0, "8:17", true},
	{"a path with nothing behind", "/dev/sdz", LEA_DEVICE_NO_ACCESS, NULL, false},
	{"a folder", "/dev", LEA_DEVICE_NOT_BLOCK, NULL, false},
	{"neither path nor number", "sdb", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a negative number", "8:-1", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a number with more behind", "8:16x", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"half a number", "8", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"half a number and a colon", "8:", LEA_DEVICE_UNPARSABLE, NULL, false},
	{"a number that no device has", "8:4294967296", LEA_DEVICE_UNPARSABLE, NULL, false},
};

TEST_EACH(each_argument_names_a_device_or_none, args)
{
	struct lea_device device = {0};
	int r = lea_device_from_arg(&scratch_world, args[_i].arg, &device);

	ck_assert_msg(r == args[_i].outcome, "%s: %d", args[_i].claim, r);
	ck_assert_msg(device.is_gone == args[_i].is_gone, "%s", args[_i].claim);
	ck_assert_pstr_eq(device.name, args[_i].name);
	lea_device_done(&device);
}

TEST(a_number_is_completed_with_its_instance)
{
	struct lea_device device;

	ck_assert_int_eq(lea_device_from_arg(&scratch_world, "8:16", &device), 0);
	ck_assert_msg(device.major == 8 && device.minor == 16 && device.diskseq == 9,
		      "number and instance are the kernel's");
	lea_device_done(&device);
}

TEST(every_block_device_is_enumerated)
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

static char told[256];

static void tell(struct lea_log *log, enum lea_log_level level, const char *line)
{
	snprintf(told, sizeof(told), "%s", line);
}

/* A root for builds often has no sysfs, and what people call says nothing but the error. */
TEST(without_sysfs_its_folder_is_named)
{
	struct lea_device *devices;
	size_t count;

	scratch_log.write = tell;
	scratch_log.max_level = LEA_LOG_ERROR;
	scratch_run("rm -r", "sys/class");
	ck_assert_int_eq(lea_devices_enumerate(&scratch_world, &devices, &count), -ENOENT);
	ck_assert_str_eq(told, "/sys/class/block: No such file or directory");
}

/* Its device went and another one got it while the list was read: the later line is right. */
TEST(a_number_that_is_listed_twice_is_one_device)
{
	struct lea_device *devices;
	size_t count;

	put("sys/class/block/sdc/uevent", "MAJOR=8\nMINOR=16\nDEVNAME=sdb\nDISKSEQ=9\n");
	put("sys/class/block/sdd/uevent", "MAJOR=8\nMINOR=16\nDEVNAME=sdb\nDISKSEQ=9\n");
	ck_assert_int_eq(lea_devices_enumerate(&scratch_world, &devices, &count), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(devices[0].major + devices[1].major, 8 + 104);
	lea_devices_free(devices, count);
}

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

TEST_EACH(the_devices_of_a_vg_come_from_its_records, vgs)
{
	struct lea_scan_device *devices = NULL;
	size_t count = 0;
	uint32_t sum = 0;
	int r = lea_devices_of_vg(&scratch_world, vgs[_i].vg, &devices, &count);

	ck_assert_msg(r == vgs[_i].outcome, "%s: %d", vgs[_i].claim, r);
	for (size_t i = 0; i < count; i++)
		sum += devices[i].device.minor;
	ck_assert_msg(count == vgs[_i].count && sum == vgs[_i].sum, "%s", vgs[_i].claim);
	lea_scan_devices_free(devices, count);
}

/* Of one that has no record by that, udev says which devices may carry it. */
TEST(no_answer_about_a_record_fails)
{
	struct lea_pv pv = {.id = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
	const struct lea_vg vg = {.pvs = &pv, .pv_count = 1};
	const int run_fd = lea_world_run(&scratch_world);
	struct lea_scan_device *devices = NULL;
	size_t count = 0;

	ck_assert_int_eq(lea_devices_claimed(&scratch_world, &vg, &devices, &count),
			 LEA_ONLINE_ABSENT);
	ck_assert_int_eq(renameat(run_fd, "pvs_online", run_fd, "away"), 0);
	ck_assert_int_eq(symlinkat("pvs_online", run_fd, "pvs_online"), 0);
	ck_assert_int_eq(lea_devices_claimed(&scratch_world, &vg, &devices, &count), -ELOOP);
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online", 0), 0);
	ck_assert_int_eq(renameat(run_fd, "away", run_fd, "pvs_online"), 0);
	lea_scan_devices_free(devices, count);
}
