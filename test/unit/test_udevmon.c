/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev's broadcasts, by a real monitor of libudev: read as they are, and by libudev when their form
 * is another. In a network and with a /run of its own: udev's listeners hear nothing of it.
 */
#include "unit/suite.h"
#include "world/udevmon.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_OF_BLOCK                                                                              \
	0xf0031db7U /* MurmurHash2 of "block", by which the kernel filters for libudev */

#define DISK                                                                                       \
	"ACTION=change\0DEVPATH=/devices/x/block/sdb\0SUBSYSTEM=block\0DEVNAME=/dev/sdb\0"         \
	"DEVTYPE=disk\0MAJOR=8\0MINOR=16\0DISKSEQ=12\0SEQNUM=34\0USEC_INITIALIZED=5\0"             \
	"DEVLINKS=/dev/disk/by-id/a /dev/disk/by-path/b\0ID_MODEL=two words\0"                     \
	"ID_FS_TYPE=LVM2_member\0ID_FS_UUID=abc-def\0TAGS=:lvmevent:\0"
#define TAGGED DISK "CURRENT_TAGS=:lvmevent:\0"

struct header {
	char prefix[8];
	uint32_t magic, header_bytes, properties_at, properties_bytes, subsystem, devtype, tags[2];
};

static struct lea_udevmon *monitor;
static struct lea_udevmon_event event;
static int speaker;

static void setup(void)
{
	ck_assert_msg(unshare(CLONE_NEWNET | CLONE_NEWNS) == 0, "unshare: %s", strerror(errno));
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	ck_assert_int_eq(mount("none", "/run", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(mkdir("/run/udev", 0755), 0);
	/* without it libudev takes it that there is no udev to listen to */
	ck_assert_int_eq(mknod("/run/udev/control", S_IFREG | 0600, 0), 0);
	speaker = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	ck_assert_int_ge(speaker, 0);
	ck_assert_int_eq(lea_udevmon_open("lvmevent", &monitor), 0);
}

static void teardown(void)
{
	lea_udevmon_close(monitor);
	lea_device_done(&event.device);
	close(speaker);
}

static void say(const char *prefix, const char *properties, size_t size)
{
	struct sockaddr_nl udev = {.nl_family = AF_NETLINK, .nl_groups = 2};
	struct header header = {
		.magic = htobe32(0xfeedcafe),
		.header_bytes = sizeof(header),
		.properties_at = sizeof(header),
		.properties_bytes = (uint32_t)size,
		.subsystem = htobe32(HASH_OF_BLOCK),
		.tags = {UINT32_MAX, UINT32_MAX},
	};
	char bytes[4096];

	memcpy(header.prefix, prefix, sizeof(header.prefix));
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), properties, size);
	ck_assert_msg(sendto(speaker, bytes, sizeof(header) + size, 0, (struct sockaddr *)&udev,
			     sizeof(udev)) > 0,
		      "sendto: %s", strerror(errno));
}
#define SAY(properties) say("libudev", properties, sizeof(properties) - 1)

static void say_unknown(void)
{
	say("libudex", TAGGED, sizeof(TAGGED) - 1);
}

static int receive(void)
{
	lea_device_done(&event.device);
	memset(&event, 0, sizeof(event));
	return lea_udevmon_receive(monitor, &event);
}

static bool has_line(const char *line)
{
	const char *at = strstr(event.device.properties, line);

	return at && (at == event.device.properties || at[-1] == '\n') && at[strlen(line)] == '\n';
}

/* In either order: libudev keeps links in a hash table whose seed is new in each process. */
static void has_both_links(void)
{
	const char *links = event.device.devlinks;

	if (strcmp(links, "/dev/disk/by-path/b /dev/disk/by-id/a") != 0)
		ck_assert_str_eq(links, "/dev/disk/by-id/a /dev/disk/by-path/b");
}

static void is_the_disk(void)
{
	ck_assert_uint_eq(event.device.major, 8);
	ck_assert_uint_eq(event.device.minor, 16);
	ck_assert_uint_eq(event.device.diskseq, 12);
	ck_assert_uint_eq(event.device.seqnum, 34);
	ck_assert(!event.device.is_gone && !event.is_activation);
	ck_assert_str_eq(event.device.name, "/dev/sdb");
	has_both_links();
	ck_assert_str_eq(event.fs_uuid, "abc-def");
	ck_assert(has_line("ID_FS_TYPE=LVM2_member") && has_line("ID_MODEL=two words"));
	ck_assert(has_line("DEVTYPE=disk"));
	ck_assert_msg(!strstr(event.device.properties, "USEC"), "no more than filters ask for");
}

/* The same by either way: first as they are, then by libudev. */
START_TEST(a_disk)
{
	for (int by_library = 0; by_library < 2; by_library++) {
		ck_assert_int_eq(receive(), LEA_UDEVMON_NONE);
		SAY(TAGGED);
		SAY(DISK);
		ck_assert_int_eq(receive(), 0);
		is_the_disk();
		ck_assert(event.is_pv);
		ck_assert_int_eq(receive(), 0);
		is_the_disk();
		ck_assert_msg(!event.is_pv, "the last event did not set the tag");
		ck_assert_int_eq(receive(), LEA_UDEVMON_NONE);
		say_unknown();
		ck_assert_int_eq(receive(), by_library ? LEA_UDEVMON_NONE : LEA_UDEVMON_UNKNOWN);
	}
}
END_TEST

START_TEST(other_events)
{
#define BARE                                                                                       \
	"DEVPATH=/devices/x/block/dm-0\0SUBSYSTEM=block\0TAGS=:lvmevent:\0SEQNUM=1\0MAJOR=254\0MINOR=0\0"
	for (int by_library = 0; by_library < 2; by_library++) {
		SAY(BARE "ACTION=remove\0");
		ck_assert_int_eq(receive(), 0);
		ck_assert(event.device.is_gone && !event.is_pv);
		ck_assert_str_eq(event.device.devlinks, "");
		ck_assert_str_eq(event.device.properties, "");
		ck_assert_str_eq(event.fs_uuid, "");
		SAY(BARE "ACTION=change\0DM_ACTIVATION=1\0DM_NAME=x\0");
		ck_assert_int_eq(receive(), 0);
		ck_assert(!event.device.is_gone && event.is_activation);
		ck_assert_uint_eq(event.device.major, 254);
		ck_assert(has_line("DM_NAME=x"));
		say_unknown();
		ck_assert_int_eq(receive(), by_library ? LEA_UDEVMON_NONE : LEA_UDEVMON_UNKNOWN);
	}
}
END_TEST

START_TEST(what_is_passed_over)
{
	for (int by_library = 0; by_library < 2; by_library++) {
		ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
		SAY(TAGGED);
		SAY(DISK);
		ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
		SAY(DISK "UDEV_WORKER_FAILED=1\0");
		SAY(TAGGED);
		ck_assert_int_eq(lea_udevmon_drain(monitor), LEA_UDEVMON_FAILED);
		ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
		say_unknown();
		ck_assert_int_eq(lea_udevmon_drain(monitor), by_library ? 0 : LEA_UDEVMON_FAILED);
	}
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("udevmon");
	TCase *tcase = tcase_create("udevmon");

	suite_add_tcase(suite, tcase);
	/* Messages of other users are not root's, in whatever network. */
	if (geteuid() != 0)
		return suite;
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_disk);
	tcase_add_test(tcase, other_events);
	tcase_add_test(tcase, what_is_passed_over);
	return suite;
}
