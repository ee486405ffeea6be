/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev's broadcasts, by a real monitor of libudev. In a network and with a /run of its own: udev's
 * listeners hear nothing of it.
 */
#include "unit/suite.h"
#include "world/property.h"
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
#include <sys/wait.h>
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
static int speaker = -1;

/* Messages of other users are not root's, in whatever network. */
static void setup(void)
{
	if (!suite_has_namespaces())
		return;
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

const struct fixture fixture = {setup, teardown};

static void say(const char *properties, size_t size)
{
	struct sockaddr_nl udev = {.nl_family = AF_NETLINK, .nl_groups = 2};
	struct header header = {
		.prefix = "libudev",
		.magic = htobe32(0xfeedcafe),
		.header_bytes = sizeof(header),
		.properties_at = sizeof(header),
		.properties_bytes = (uint32_t)size,
		.subsystem = htobe32(HASH_OF_BLOCK),
		.tags = {UINT32_MAX, UINT32_MAX},
	};
	char bytes[4096];

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), properties, size);
	ck_assert_msg(sendto(speaker, bytes, sizeof(header) + size, 0, (struct sockaddr *)&udev,
			     sizeof(udev)) > 0,
		      "sendto: %s", strerror(errno));
}
#define SAY(properties) say(properties, sizeof(properties) - 1)

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

TEST_IN_NAMESPACE(a_disk_is_received_with_its_properties)
{
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
}

TEST_IN_NAMESPACE(each_kind_of_event_is_received)
{
#define BARE                                                                                       \
	"DEVPATH=/devices/x/block/dm-0\0SUBSYSTEM=block\0TAGS=:lvmevent:\0SEQNUM=1\0MAJOR=254\0MINOR=0\0"
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
}

static const struct {
	const char *what, *properties;
	size_t size;
	bool was_in_use;
} changes[] = {
#define ROW(what, properties, was_in_use)                                                          \
	{                                                                                          \
		what, properties, sizeof(properties) - 1, was_in_use                               \
	}
	ROW("in use before this PV was made", TAGGED "LVMEVENT_FIRST=old\0", true),
	ROW("the same PV as before", TAGGED "LVMEVENT_FIRST=abc-def\0", false),
	ROW("nothing is known of before", TAGGED, false),
	ROW("a new device", TAGGED "LVMEVENT_FIRST=old\0LVMEVENT_NEW=1\0", false),
	ROW("an activation", TAGGED "LVMEVENT_FIRST=old\0DM_ACTIVATION=1\0", false),
};

TEST_TIMES(a_pv_made_on_a_device_in_use_is_a_change, suite_has_namespaces() ? ARRAY_SIZE(changes) : 0)
{
	say(changes[_i].properties, changes[_i].size);
	ck_assert_int_eq(receive(), 0);
	ck_assert_msg(event.was_in_use == changes[_i].was_in_use, "%s", changes[_i].what);
	ck_assert_msg(event.is_change == (!strstr(changes[_i].what, "a new device") &&
					  !strstr(changes[_i].what, "an activation")),
		      "%s", changes[_i].what);
}

/* Rows: the number of the change that our rule has left to a reconcile. */
static const struct {
	const char *what, *properties;
	size_t size;
	bool was_in_use; /* is_written */
} writes[] = {
	ROW("nothing was left", TAGGED "SYNTH_UUID=0\0", true),
	ROW("an earlier one was", TAGGED "SYNTH_UUID=0\0LVMEVENT_SKIPPED=33\0", true),
	ROW("this one was", TAGGED "SYNTH_UUID=0\0LVMEVENT_SKIPPED=34\0", false),
	ROW("the kernel says that it has another size", TAGGED, false),
};

TEST_TIMES(a_device_that_was_written_to_is_to_be_read, suite_has_namespaces() ? ARRAY_SIZE(writes) : 0)
{
	say(writes[_i].properties, writes[_i].size);
	ck_assert_int_eq(receive(), 0);
	ck_assert_msg(event.is_written == writes[_i].was_in_use, "%s", writes[_i].what);
}

TEST_IN_NAMESPACE(events_are_passed_over_but_failures_count)
{
	ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
	SAY(TAGGED);
	SAY(DISK);
	ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
	SAY(DISK "UDEV_WORKER_FAILED=1\0");
	SAY(TAGGED);
	ck_assert_int_eq(lea_udevmon_drain(monitor), LEA_UDEVMON_FAILED);
	ck_assert_int_eq(lea_udevmon_drain(monitor), 0);
}

static void say_too_many(void)
{
	const int least = 1;

	ck_assert_int_eq(
		setsockopt(lea_udevmon_fd(monitor), SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)),
		0);
	for (int i = 0; i < 100; i++)
		SAY(TAGGED);
}

TEST_IN_NAMESPACE(lost_broadcasts_are_noticed)
{
	say_too_many();
	ck_assert_int_eq(receive(), LEA_UDEVMON_OVERFLOW);
	ck_assert_int_eq(receive(), 0);
	is_the_disk();
	say_too_many();
	ck_assert_int_eq(lea_udevmon_drain(monitor), LEA_UDEVMON_FAILED);
}

TEST_IN_NAMESPACE(the_receive_buffer_is_large)
{
	socklen_t len = sizeof(int);
	int bytes = 0;

	ck_assert_int_eq(getsockopt(lea_udevmon_fd(monitor), SOL_SOCKET, SO_RCVBUF, &bytes, &len),
			 0);
	ck_assert_int_ge(bytes, 128 * 1024 * 1024);
}

TEST_IN_NAMESPACE(a_broadcast_of_another_user_is_ignored)
{
	const pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		/* with the capabilities that a service may have, and another user */
		ck_assert_int_eq(setresuid(1, 0, 0), 0);
		SAY(TAGGED);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(receive(), LEA_UDEVMON_NONE);
}

TEST(properties_that_filters_ask_for_are_kept)
{
	ck_assert(lea_property_is_kept("ID_FS_TYPE", "x") && lea_property_is_kept("DM_NAME", "x"));
	ck_assert(lea_property_is_kept("DEVTYPE", "disk"));
	ck_assert(!lea_property_is_kept("USEC_INITIALIZED", "1"));
	ck_assert_msg(!lea_property_is_kept("ID_MODEL", "a\nID_FS_TYPE=LVM2_member"), "a line end");
}
