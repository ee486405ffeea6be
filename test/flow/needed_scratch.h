/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The needed wave on a machine made of files: what is remembered, what has changed since, and what
 * is active before the coldplug. Include it once.
 */
#pragma once

#include "boot/needed.h"

#include "base/id.h"
#include "flow/machine.h"
#include "memory/boot_memory_file.h"
#include "state/claim.h"
#include "state/lock.h"
#include "unit/suite.h"
#include "world/udevmon.h"

#include <blkid/blkid.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE	  "0123456789abcdef0123456789abcdef"
#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_HOME_ID "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define FSTAB	  "/dev/vg_one/home /home ext4 defaults 0 2\n"

static struct lea_session session;
static struct lea_boot_pv pvs[2];
static struct lea_boot_lv lvs[] = {
	{.name = "home", .fs_uuid = "ab-12", .fs_label = "", .id = LV_HOME_ID}};
static struct lea_boot_vg vgs[2];
static struct lea_boot_memory memory;
static _Atomic unsigned int *probes; /* shared with children */
static char partitions[1024];

/* Lists a disk or a partition in /proc/partitions. */
static inline void list_as(const char *name, uint32_t minor)
{
	const size_t used = strlen(partitions);

	snprintf(partitions + used, sizeof(partitions) - used, "   8 %8u      65536 %s\n", minor,
		 name);
	tree_put(&machine.tree, "/proc/partitions", partitions);
}

static inline void plug(const char *sample, const char *name, uint32_t minor, const char *wwid)
{
	char path[128];

	machine_plug(sample, name, minor, minor);
	list_as(name, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device/wwid", minor);
	tree_put(&machine.tree, path, wwid);
}

/* ---- udev, as far as it finds PVs before the coldplug */

static struct told {
	const char *name, *pvid;
	uint32_t minor, major; /* major 0: 8 */
} told[3];
static size_t told_count, heard_count;
static void (*udev_work)(void); /* when it is asked first */

static inline int udev_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, "lvmevent");
	*ret_monitor = NULL;
	return 0;
}

static inline void udev_close(struct lea_udevmon *monitor)
{
}

static inline int udev_fd(const struct lea_udevmon *monitor)
{
	return -1;
}

static inline void fill(const struct told *from, struct lea_udevmon_event *event)
{
	const struct lea_devid id = {from->major ? from->major : 8, from->minor, from->minor};
	char path[64];

	*event = (struct lea_udevmon_event){.is_pv = true};
	snprintf(path, sizeof(path), "/dev/%s", from->name);
	ck_assert_int_eq(lea_device_make(&id, path, &event->device), 0);
	event->device.properties = strdup("ID_FS_TYPE=LVM2_member\n");
	event->device.devlinks = strdup("");
	lea_id_format(from->pvid, event->fs_uuid);
}

static inline int udev_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	if (udev_work)
		udev_work();
	udev_work = NULL;
	if (heard_count == told_count)
		return LEA_UDEVMON_NONE;
	fill(&told[heard_count++], ret_event);
	return 0;
}

static inline int udev_enumerate(struct lea_udevmon *monitor,
				 int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct lea_udevmon_event event;
	int r = 0;

	for (size_t i = 0; !r && i < told_count; i++) {
		fill(&told[i], &event);
		r = tell(arg, &event);
	}
	return r;
}

static inline void tell(const char *name, uint32_t minor, const char *pvid)
{
	told[told_count++] = (struct told){name, pvid, minor, 0};
}

/* Makes a device of device-mapper on a disk. */
static inline void map(const char *sample, const char *name, uint32_t minor, const char *uuid,
		       const char *disk, uint32_t disk_minor, const char *pvid)
{
	char path[128], text[64];

	machine_plug(sample, name, minor, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "%s\n", uuid);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/slaves/%s/dev", minor, disk);
	snprintf(text, sizeof(text), "8:%u\n", disk_minor);
	tree_put(&machine.tree, path, text);
	tell(name, minor, pvid);
}

static inline bool was_announced(uint32_t minor)
{
	char path[128], text[4] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/dev/block/8:%u/uevent", machine.tree.root, minor);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	return !strcmp(text, "add");
}

static inline void read_conf(void)
{
	const struct lea_conf_options options = {0};

	lea_conf_free(session.conf);
	session.conf = NULL;
	ck_assert_int_eq(lea_conf_read(machine.world, &options, &session.conf), 0);
}

static inline void remember(void)
{
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

static inline void setup(void)
{
	machine_begin();
	probes = mmap(NULL, sizeof(*probes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(probes, MAP_FAILED);
	machine.udev.listen = udev_open;
	machine.udev.close = udev_close;
	machine.udev.fd = udev_fd;
	machine.udev.receive = udev_receive;
	machine.udev.enumerate = udev_enumerate;
	told_count = heard_count = 0;
	udev_work = NULL;
	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&machine.tree, "/etc/fstab", FSTAB);
	tree_put(&machine.tree, "/proc/cmdline", "quiet\n");
	tree_put(&machine.tree, "/run/lvm/event/gate-armed", "");
	tree_mkdir(&machine.tree, "/var/lib");
	snprintf(partitions, sizeof(partitions), "major minor  #blocks  name\n\n");
	plug("one-pv", "sda", 16, "naa.1\n");
	plug("stripe-a", "sdb", 32, "naa.2\n");
	plug("stripe-b", "sdc", 48, "naa.3\n");
	pvs[0] = (struct lea_boot_pv){.pvid = PVID_ONE,
				      .size_sectors = 131072,
				      .wwid = "naa.1",
				      .serial = "",
				      .address = ""};
	vgs[0] = (struct lea_boot_vg){.id = VG_ONE_ID,
				      .name = "vg_one",
				      .pv = pvs,
				      .pv_count = 1,
				      .lv = lvs,
				      .lv_count = 1};
	memory = (struct lea_boot_memory){
		.machine = MACHINE, .boot = "before", .vg = vgs, .vg_count = 1};
	session = (struct lea_session){.world = machine.world, .event_fd = -1};
	read_conf();
}

static inline void teardown(void)
{
	lea_session_end(&session);
	munmap(probes, sizeof(*probes));
	machine_end();
}

static inline void ready(void *arg)
{
	(void)arg;
}

static inline int run(void)
{
	int r = lea_needed_run(&session, ready, NULL);

	fflush(machine.out_file);
	fflush(machine.err_file);
	return r;
}

static inline bool was_said(const char *words)
{
	return machine.out && strstr(machine.out, words);
}

static inline void have_a_filter(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"a|.*|\" ] }\n");
	read_conf();
}

/* Remembers vg-two.pvs in the place @at: LV fast lies on both PVs, plain-1 on the second. @needed:
 * a word of event/needed. */
static inline void need_two_pvs(uint32_t at, const char *needed)
{
	static struct lea_boot_pv two[2];
	struct sample sample;
	char text[128];

	snprintf(text, sizeof(text), "event { needed = [ \"%s\" ] }\n", needed);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_conf();
	sample_load(&sample, "stripe-a");
	two[0] = two[1] = pvs[0];
	memcpy(two[0].pvid, PVID_A, 33);
	memcpy(two[1].pvid, PVID_B, 33);
	two[0].wwid = "naa.2";
	two[1].wwid = "naa.3";
	two[0].size_sectors = two[1].size_sectors = sample.device_bytes / 512;
	vgs[at] = vgs[0];
	memcpy(vgs[at].id, sample_value(&sample, "vg.id"), 32);
	vgs[at].name = "vg-two.pvs";
	vgs[at].pv = two;
	vgs[at].pv_count = 2;
	vgs[at].lv_count = 0;
	memory.vg_count = at + 1;
	sample_done(&sample);
	remember();
}
