/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "fake/tree.h"
#include "world/blkid.h"
#include "world/clock_kernel.h"
#include "world/device.h"
#include "world/device_find.h"
#include "world/place.h"
#include "world/sysfs.h"
#include "world/udevdb.h"
#include "world/udevlinks.h"

static struct tree tree;
static const struct lea_devno sda = {8, 0};

static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/sys/dev/block/8:0/size", "65536\n");
	tree_put(&tree, "/sys/dev/block/8:0/bad", "12x\n");
	tree_put(&tree, "/sys/dev/block/8:0/negative", "-12\n");
	tree_put(&tree, "/sys/dev/block/8:0/device/wwid", "t10.A  B  \n");
	tree_put(&tree, "/sys/dev/block/8:0/holders/dm-1/dm/uuid", "LVM-x\n");
	tree_put(&tree, "/sys/dev/block/8:0/holders/dm-2/dm/uuid", "mpath-x\n");
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

TEST(the_run_folder_is_made_0700_and_opened_once)
{
	struct stat st;
	int fd = lea_world_run(&tree.world);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(lea_world_run(&tree.world), fd);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
}

TEST(a_planted_link_is_no_run_folder)
{
	tree_mkdir(&tree, "/elsewhere");
	tree_link(&tree, "/run/lvm", "../elsewhere");
	ck_assert_int_lt(lea_world_run(&tree.world), 0);
}

TEST(a_folder_that_is_missing_is_a_fault)
{
	ck_assert_int_eq(lea_world_dev(&tree.world), -ENOENT);
	ck_assert_int_ge(lea_world_sys(&tree.world), 0);
}

TEST(the_environment_is_the_one_handed_in)
{
	tree_env(&tree, "DEVLINKSX=no");
	tree_env(&tree, "DEVLINKS=/dev/x=y");
	ck_assert_str_eq(lea_world_env(&tree.world, "DEVLINKS"), "/dev/x=y");
	ck_assert_ptr_null(lea_world_env(&tree.world, "DEVLINK"));
	ck_assert_ptr_null(lea_world_env(&tree.world, "PATH"));
}

TEST(the_clock_goes_forward)
{
	struct lea_clock *clock = lea_clock_kernel();
	uint64_t before = clock->now_ms(clock);

	clock->sleep_ms(clock, 3);
	ck_assert_uint_ge(clock->now_ms(clock), before + 2);
}

TEST(attributes_come_by_number)
{
	char text[32];
	uint64_t number = 0;

	ck_assert(lea_sysfs_has_device(&tree.world, sda));
	ck_assert(!lea_sysfs_has_device(&tree.world, (struct lea_devno){8, 16}));
	ck_assert_int_eq(lea_sysfs_number(&tree.world, sda, "size", &number), 0);
	ck_assert_uint_eq(number, 65536);
	ck_assert_int_eq(lea_sysfs_text(&tree.world, sda, "device/wwid", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "t10.A  B");
	ck_assert_int_eq(lea_sysfs_text(&tree.world, sda, "none", text, sizeof(text)),
			 LEA_SYSFS_ABSENT);
	ck_assert_int_eq(lea_sysfs_number(&tree.world, sda, "bad", &number), LEA_SYSFS_MALFORMED);
	ck_assert_int_eq(lea_sysfs_number(&tree.world, sda, "negative", &number),
			 LEA_SYSFS_MALFORMED);
}

TEST(a_device_is_not_absent_because_nobody_can_look)
{
	struct tree blind;

	tree_init(&blind);
	ck_assert_int_lt(lea_world_sys(&blind.world), 0);
	ck_assert(lea_sysfs_has_device(&blind.world, sda));
	tree_mkdir(&blind, "/sys");
	ck_assert(!lea_sysfs_has_device(&blind.world, sda));
	tree_done(&blind);
}

static int find(uint32_t major, uint32_t minor, uint64_t diskseq)
{
	const struct lea_devid id = {major, minor, diskseq};

	return lea_sysfs_find_instance(&tree.world, &id);
}

static uint64_t diskseq_of(struct lea_devno devno)
{
	uint64_t diskseq = 99;

	ck_assert_int_eq(lea_sysfs_diskseq(&tree.world, devno, &diskseq), 0);
	return diskseq;
}

/* A copy that nobody sees for want of a descriptor would be no copy. */
TEST_TIMES(a_shortage_says_nothing_of_the_links_of_a_pv, 2)
{
	static const char pvid[] = "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap";
	struct rlimit before, none;
	struct lea_devno devnos[2];
	size_t count = 7;
	int r;

	if (_i)
		tree_put(&tree,
			 "/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-"
			 "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap/b8:0",
			 "");
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 3, .rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = lea_udevlinks_pv(&tree.world, pvid, devnos, ARRAY_SIZE(devnos), &count);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(r, -EMFILE);
	ck_assert_int_eq(
		lea_udevlinks_pv(&tree.world, pvid, devnos, ARRAY_SIZE(devnos), &count), 0);
	ck_assert_uint_eq(count, (size_t)_i);
}

TEST(a_partition_has_the_instance_of_its_disk)
{
	uint64_t unknown = 1;

	tree_put(&tree, "/sys/dev/block/8:0/diskseq", "5\n");
	tree_put(&tree, "/sys/dev/block/8:1/partition", "1\n");
	ck_assert_uint_eq(diskseq_of(sda), 5);
	ck_assert_int_eq(find(8, 0, 5), 0);
	ck_assert_msg(!find(8, 0, 0), "not numbered");
	ck_assert_int_eq(find(8, 0, 4), LEA_SYSFS_ABSENT);
	ck_assert_int_eq(find(8, 1, 5), LEA_SYSFS_ABSENT);
	ck_assert_uint_eq(diskseq_of((struct lea_devno){8, 1}), 0);
	tree_put(&tree, "/sys/dev/block/diskseq", "7\n"); /* the parent folder is the disk */
	ck_assert_uint_eq(diskseq_of(sda), 5);
	ck_assert_uint_eq(diskseq_of((struct lea_devno){8, 1}), 7);
	ck_assert_int_eq(find(8, 1, 7), 0);
	close(tree.world.sys_fd);
	tree.world.sys_fd = 9999;
	ck_assert_msg(find(8, 2, 7) < 0, "not asked is not absent");
	ck_assert_msg(lea_sysfs_diskseq(&tree.world, sda, &unknown) < 0 && unknown == 1,
		      "nor is it not numbered");
}

TEST(holders_are_found_by_the_beginning_of_their_uuid)
{
	bool has = false;

	ck_assert_int_eq(lea_sysfs_holder(&tree.world, sda, "holders", "mpath-", &has), 0);
	ck_assert(has);
	ck_assert_int_eq(lea_sysfs_holder(&tree.world, sda, "holders", "CRYPT-", &has), 0);
	ck_assert(!has);
	ck_assert_int_eq(lea_sysfs_holder(&tree.world, sda, "none", "x", &has), LEA_SYSFS_ABSENT);
}

TEST(properties_are_found_by_their_whole_name)
{
	struct lea_device device = {0};
	char value[8] = "old";

	device.properties = strdup("A=1\nID_FS_TYPE=LVM2_member\nXA=2\nE=\n");
	ck_assert(lea_udevdb_is(&device, "A", "1"));
	ck_assert(!lea_udevdb_is(&device, "A", "12"));
	ck_assert(!lea_udevdb_is(&device, "ID_FS", "LVM2_member"));
	ck_assert(lea_udevdb_is(&device, "E", ""));
	ck_assert(lea_udevdb_property(&device, "ID_FS_TYPE", value, sizeof(value)));
	ck_assert_str_eq(value, "LVM2_me");
	ck_assert(!lea_udevdb_property(&device, "B", value, sizeof(value)));
	lea_device_done(&device);
	ck_assert_ptr_null(device.properties);
	ck_assert(!lea_udevdb_is(&device, "A", "1"));
}

TEST(links_come_out_of_the_properties_at_hand)
{
	struct lea_device device = {.major = 8};

	device.properties = strdup("A=1\nDEVLINKS=/dev/a /dev/b\nB=2\n");
	ck_assert_int_eq(lea_udevdb_fill(&tree.world, &device), 0);
	ck_assert_str_eq(device.devlinks, "/dev/a /dev/b");
	lea_device_done(&device);
}

TEST(a_scratch_tree_has_no_udev)
{
	struct lea_device device = {.major = 8};

	ck_assert_int_eq(lea_udevdb_fill(&tree.world, &device), 0);
	ck_assert_str_eq(device.properties, "");
	ck_assert_str_eq(device.devlinks, "");
	lea_device_done(&device);
}

/* Signatures, each by the bytes that libblkid wants to see. */
#define EXT2                                                                                       \
	{                                                                                          \
		1024 + 56, 2, "\x53\xef"                                                           \
	}
#define IMAGE_BYTES (4 * 1024 * 1024) /* libblkid looks for less on a floppy disk */
#define MD_0_90                                                                                    \
	{                                                                                          \
		IMAGE_BYTES - 65536, 12, "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0"                      \
	}
#define BFS                                                                                        \
	{                                                                                          \
		0, 4, "\xce\xfa\xad\x1b"                                                           \
	}

static const struct {
	const char *claim, *type;
	struct {
		size_t at, bytes;
		const char *signature;
	} part[2];
} contents[] = {
	{"nothing is on it", "", {{0}}},
	{"a file system", "ext2", {EXT2}},
	{"two file systems contradict each other", "", {EXT2, BFS}},
	{"a member of an array", "linux_raid_member", {MD_0_90}},
	{"an array's superblock outdoes a file system's", "linux_raid_member", {EXT2, MD_0_90}},
};

TEST_EACH(libblkid_names_what_is_there, contents)
{
	static uint8_t image[IMAGE_BYTES];
	char type[LEA_BLKID_TYPE_BYTES] = "left over", path[128];
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(contents[_i].part); i++)
		if (contents[_i].part[i].bytes)
			memcpy(image + contents[_i].part[i].at, contents[_i].part[i].signature,
			       contents[_i].part[i].bytes);
	tree_put_bytes(&tree, "/disk", image, sizeof(image));
	snprintf(path, sizeof(path), "%s/disk", tree.root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(lea_blkid_type(fd, type), 0);
	ck_assert_msg(!strcmp(type, contents[_i].type), "%s: %s", contents[_i].claim, type);
	close(fd);
	ck_assert_int_lt(lea_blkid_type(-1, type), 0);
}

TEST(a_device_is_announced_as_added)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	int sys_fd;

	tree_put(&tree, "/sys/dev/block/8:0/uevent", "");
	ck_assert_int_eq(lea_sysfs_announce(&tree.world, sda), 0);
	sys_fd = lea_world_sys(&tree.world);
	ck_assert_int_eq(lea_file_read(sys_fd, "dev/block/8:0/uevent", 99, &text, NULL), 0);
	ck_assert_str_eq(text, "add");
	ck_assert_int_eq(lea_sysfs_announce(&tree.world, (struct lea_devno){8, 1}),
			 LEA_SYSFS_ABSENT);
}

TEST(the_root_of_process_1_is_the_running_system)
{
	tree_mkdir(&tree, "/proc/self");
	ck_assert_msg(!lea_place_check(&tree.world), "process 1 is hidden: nobody knows");
	ck_assert(!lea_place_is_machine(&tree.world));
	tree_link(&tree, "/proc/1/root", "../..");
	ck_assert_int_eq(lea_place_check(&tree.world), 0);
	ck_assert(lea_place_is_machine(&tree.world));
	tree_put(&tree, "/run/systemd/container", "lxc\n");
	ck_assert_int_eq(lea_place_check(&tree.world), LEA_PLACE_CONTAINER);
	ck_assert(!lea_place_is_machine(&tree.world));
}

TEST(another_root_than_that_of_process_1_is_a_chroot)
{
	ck_assert_msg(lea_place_check(&tree.world) == LEA_PLACE_CHROOT, "/proc is not mounted");
	tree_mkdir(&tree, "/elsewhere");
	tree_link(&tree, "/proc/1/root", "../../elsewhere");
	ck_assert_int_eq(lea_place_check(&tree.world), LEA_PLACE_CHROOT);
}

static const struct {
	const char *claim, *uevent;
	uint64_t diskseq;
	int outcome;
	const char *name;
} wanted[] = {
	{"the kernel's name", "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDISKSEQ=5\n", 0, 0, "/dev/sda"},
	{"the name of a disk in a folder", "DEVNAME=cciss/c0d0\n", 0, 0, "/dev/cciss/c0d0"},
	{"the very instance", "DEVNAME=sda\nDISKSEQ=5\n", 5, 0, "/dev/sda"},
	{"another instance", "DEVNAME=sda\nDISKSEQ=5\n", 4, LEA_DEVICE_GONE, NULL},
	{"an instance of a kernel that counts none", "DEVNAME=sda\n", 4, LEA_DEVICE_GONE, NULL},
	{"a device that is just going", "MAJOR=8\n", 0, LEA_DEVICE_GONE, NULL},
};

TEST_EACH(a_number_finds_its_device, wanted)
{
	const struct lea_devid id = {sda.major, sda.minor, wanted[_i].diskseq};
	struct lea_device device = {0};

	tree_put(&tree, "/sys/dev/block/8:0/uevent", wanted[_i].uevent);
	ck_assert_msg(lea_device_find(&tree.world, &id, &device) == wanted[_i].outcome, "%s",
		      wanted[_i].claim);
	ck_assert_pstr_eq(device.name, wanted[_i].name);
	ck_assert_msg(!device.name || (device.major == 8 && device.minor == 0), "%s",
		      wanted[_i].claim);
	lea_device_done(&device);
}

TEST(a_number_without_a_device_finds_none)
{
	struct lea_device device = {0};

	ck_assert_int_eq(lea_device_find(&tree.world, &(struct lea_devid){8, 99, 0}, &device),
			 LEA_DEVICE_GONE);
	ck_assert_int_eq(lea_device_find_name(&tree.world, "sdz", &device), LEA_DEVICE_GONE);
	ck_assert_int_eq(lea_device_make(&(struct lea_devid){8, 99, 0}, "", &device), 0);
	ck_assert(lea_device_is_nameless(&device));
	ck_assert_str_eq(device.name, "8:99");
	lea_device_done(&device);
}
