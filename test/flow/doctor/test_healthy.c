/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent doctor on machines that lack nothing: VGs that lvm2 made, active, on disks and on what
 * lies on disks. No check may find anything.
 */
#include "base/cleanup.h"
#include "fake/golden.h"
#include "fake/put.h"
#include "fake/quick_clock.h"
#include "flow/machine.h"
#include "unit/suite.h"

#include <inttypes.h>

#define MACHINE	   "0123456789abcdef0123456789abcdef"
#define BELOW	   20U /* the minor of the map or the MD that a PV is */
#define DISKS_MOST 8U

struct layout {
	const char *claim, *shape;
	const char *pv;	    /* name of each PV; NULL: its disk's */
	const char *uuid;   /* of device-mapper, if it is a map */
	const char *status; /* of the node that is asked for it */
	uint32_t disks;	    /* below each PV */
};

static const struct layout layouts[] = {
	{"a single disk", "linear_one", NULL, NULL, NULL, 1},
	{"stripes", "striped", NULL, NULL, NULL, 1},
	{"RAID 1", "raid1", NULL, NULL, NULL, 1},
	{"a thin pool", "thin_basic", NULL, NULL,
	 "2 62/512 0/256 - rw discard_passdown queue_if_no_space - 128", 1},
	{"a cache", "cache_pool", NULL, NULL, NULL, 1},
	{"a snapshot", "snap_linear", NULL, NULL, "16/12288 16", 1},
	{"a partition", "linear_one", "sda1", NULL, NULL, 1},
	{"MD", "linear_one", "md20", NULL, NULL, 2},
	{"LUKS", "linear_one", "dm-20", "CRYPT-LUKS2-0123456789abcdef-data", NULL, 1},
	{"multipath", "linear_one", "dm-20", "mpath-36001405abcdef", NULL, 2},
};

static struct golden golden;
static char stats[8192], memory[4096];

static void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}

static void setup(void)
{
	machine_begin();
	put("/proc/devices", "Block devices:\n  8 sd\n  9 md\n253 device-mapper\n");
	put("/proc/sysvipc/sem", "key semid\n");
	put("/proc/sys/kernel/sem", "32000 1024000000 500 32000\n");
	put("/proc/pressure/io", "some avg10=0.00 avg60=0.00\nfull avg10=0.00 avg60=0.00 x\n");
	put("/proc/uptime", "100000.00 100.00\n"); /* more than a day */
	put("/proc/meminfo", "MemTotal:       2000000 kB\n");
	put("/dev/kmsg", "<6>[    1.0] sd 2:0:0:0: [sda] Attached SCSI disk\n");
	put("/sys/module/dm_snapshot/parameters/snapshot_cow_threshold", "2048\n");
	put("/run/dmeventd.pid", "55\n");
	put("/proc/55/comm", "dmeventd\n");
	put("/etc/machine-id", MACHINE "\n");
	put("/etc/lvm/lvm.conf", "activation {\n\tthin_pool_autoextend_threshold = 80\n}\n");
	tree_put_program(&machine.tree, "/usr/sbin/smartctl",
			 "#!/bin/sh\necho '{ \"smart_status\": { \"passed\": true } }'\n");
	slept_ms = 0;
	machine.world->clock = &quick;
	stats[0] = memory[0] = '\0';
}

static void teardown(void)
{
	golden_close(&golden);
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void add_to(char *text, size_t bytes, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	ck_assert_int_lt(vsnprintf(text + used, bytes - used, format, args), (int)(bytes - used));
	va_end(args);
}

/* ---- devices */

/* @folder: below /sys/devices */
static void show(const char *folder, const char *name, uint32_t major, uint32_t minor,
		 uint64_t sectors)
{
	char path[192], text[192];

	snprintf(path, sizeof(path), "/sys/devices/%s/size", folder);
	snprintf(text, sizeof(text), "%" PRIu64 "\n", sectors);
	put(path, text);
	snprintf(path, sizeof(path), "/sys/devices/%s/dev", folder);
	snprintf(text, sizeof(text), "%u:%u\n", major, minor);
	put(path, text);
	snprintf(path, sizeof(path), "/sys/devices/%s/uevent", folder);
	snprintf(text, sizeof(text), "MAJOR=%u\nMINOR=%u\nDEVNAME=%s\n", major, minor, name);
	put(path, text);
	snprintf(text, sizeof(text), "../../devices/%s", folder);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	tree_link(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	tree_link(&machine.tree, path, text);
	/* used, but not written: of an origin of thick snapshots that would be a finding */
	add_to(stats, sizeof(stats), " %u %u %s 1000 0 8000 100 0 0 0 0 0 100 100\n", major, minor,
	       name);
}

static void put_queue(const char *folder)
{
	static const char *const queue[][2] = {{"rotational", "0\n"},
					       {"write_cache", "write back\n"},
					       {"discard_max_bytes", "1073741824\n"}};
	char path[192];

	for (size_t i = 0; i < ARRAY_SIZE(queue); i++) {
		snprintf(path, sizeof(path), "/sys/devices/%s/queue/%s", folder, queue[i][0]);
		put(path, queue[i][1]);
	}
}

/* "sda" is 8:0, "sdb" 8:16 ... */
static void disk_folder(uint32_t i, char folder[static 96])
{
	snprintf(folder, 96, "pci0/host2/target2:0:%u/2:0:%u:0/block/sd%c", i, i, 'a' + (int)i);
}

static void put_disk(uint32_t i, uint64_t sectors)
{
	char folder[96], path[160], name[8];

	disk_folder(i, folder);
	snprintf(name, sizeof(name), "sd%c", 'a' + (int)i);
	show(folder, name, 8, 16 * i, sectors);
	put_queue(folder);
	snprintf(path, sizeof(path), "/sys/devices/pci0/host2/target2:0:%u/2:0:%u:0/state", i, i);
	put(path, "running\n");
	snprintf(path, sizeof(path), "/sys/devices/pci0/host2/target2:0:%u/2:0:%u:0/iotmo_cnt", i,
		 i);
	put(path, "0x0\n");
	snprintf(path, sizeof(path), "/sys/devices/%s/device", folder);
	tree_link(&machine.tree, path, "../..");
	snprintf(path, sizeof(path), "/sys/class/scsi_disk/2:0:%u:0/cache_type", i);
	put(path, "write back\n");
	snprintf(path, sizeof(path), "/dev/%s", name);
	put(path, "");
}

/* What the kernel shows of a PV that is no whole disk. */
static void put_above(const struct layout *layout, uint64_t sectors)
{
	const bool is_part = !strcmp(layout->pv, "sda1");
	char folder[128], disk[96], path[192], target[192];

	disk_folder(0, disk);
	snprintf(folder, sizeof(folder), "%s/%s", is_part ? disk : "virtual/block", layout->pv);
	show(folder, layout->pv, is_part ? 8 : layout->uuid ? 253 : 9, is_part ? 1 : BELOW,
	     sectors);
	if (is_part) {
		snprintf(path, sizeof(path), "/sys/devices/%s/partition", folder);
		put(path, "1\n");
		return;
	}
	put_queue(folder);
	snprintf(path, sizeof(path), "/sys/devices/%s/%s", folder,
		 layout->uuid ? "dm/uuid" : "md/level");
	put(path, layout->uuid ? layout->uuid : "raid1\n");
	for (uint32_t i = 0; i < layout->disks; i++) {
		disk_folder(i, disk);
		snprintf(path, sizeof(path), "/sys/devices/%s/slaves/sd%c", folder, 'a' + (int)i);
		snprintf(target, sizeof(target), "../../../../%s", disk);
		tree_link(&machine.tree, path, target);
		snprintf(path, sizeof(path), "/sys/devices/%s/holders/%s", disk, layout->pv);
		snprintf(target, sizeof(target), "../../../../../../../%s", folder);
		tree_link(&machine.tree, path, target);
	}
}

static void write_pv(const char *name, const struct lea_pv *pv, const char *text)
{
	struct sample sample;
	char path[128];

	sample_load(&sample, "one-pv");
	sample_set_text(&sample, text);
	sample.device_bytes = pv->dev_sectors * 512;
	memcpy(sample.head + 512 + 32, pv->id, 32);
	put_le(sample.head + 512 + 64, sample.device_bytes, 8);
	seal_label(sample.head + 512);
	snprintf(path, sizeof(path), "/dev/%s", name);
	put(path, "");
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

static void put_pv(const struct layout *layout, uint32_t i, const char *text)
{
	const struct lea_pv *pv = &golden.vg->pvs[i];
	char disk[8];

	for (uint32_t d = 0; d < layout->disks; d++)
		put_disk(i + d, pv->dev_sectors);
	snprintf(disk, sizeof(disk), "sd%c", 'a' + (int)i);
	if (layout->pv)
		put_above(layout, pv->dev_sectors);
	write_pv(layout->pv ? layout->pv : disk, pv, text);
	/* the paths of a multipath disk show what it has */
	for (uint32_t d = 0; layout->uuid && layout->disks > 1 && d < layout->disks; d++) {
		snprintf(disk, sizeof(disk), "sd%c", 'a' + (int)(i + d));
		write_pv(disk, pv, text);
	}
}

/* ---- LVs */

/* A line of info.txt: NAME|UUID|Writeable|OPEN|SEGMENTS|MAJOR|MINOR|... */
static void put_node(const char *line)
{
	struct fake_dm_node *node;
	char name[128], uuid[160], folder[64], path[128];
	unsigned int opens, minor;

	ck_assert_int_eq(sscanf(line, "%127[^|]|%159[^|]|%*[^|]|%u|%*u|%*u|%u", name, uuid, &opens,
				&minor),
			 4);
	node = fake_dm_add(machine.dm, name, uuid, "0 8 linear 8:0 0\n");
	node->info.open_count = (int32_t)opens;
	snprintf(folder, sizeof(folder), "virtual/block/dm-%u", minor);
	snprintf(path, sizeof(path), "dm-%u", minor);
	show(folder, path, 253, minor, 8);
	snprintf(path, sizeof(path), "/sys/devices/%s/dm/uuid", folder);
	put(path, uuid);
	snprintf(path, sizeof(path), "/sys/devices/%s/dm/name", folder);
	put(path, name);
}

static void put_nodes(const char *shape)
{
	LEA_AUTO(lea_freep) char *text = golden_read(shape, "info.txt");
	char *next = text, *line;

	ck_assert_ptr_nonnull(text);
	while ((line = strsep(&next, "\n")))
		if (*line)
			put_node(line);
}

static void put_machine(const struct layout *layout)
{
	LEA_AUTO(lea_freep) char *text = golden_read(layout->shape, "metadata.ondisk.txt");
	const struct lea_vg *vg;

	golden_open(layout->shape, &golden);
	vg = golden.vg;
	ck_assert_uint_le(vg->pv_count * layout->disks, DISKS_MOST);
	add_to(memory, sizeof(memory),
	       "lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\nvg %s %u %u 0 %s\n", vg->id,
	       vg->seqno, vg->pv_count, vg->name);
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		put_pv(layout, i, text);
		add_to(memory, sizeof(memory), "pv %s disk 0 %" PRIu64 " 0 - - -\n", vg->pvs[i].id,
		       vg->pvs[i].dev_sectors);
	}
	add_to(memory, sizeof(memory), "end\n");
	put("/etc/lvm/lvmevent/boot", memory);
	put_nodes(layout->shape);
	machine.dm->status = layout->status;
	put("/proc/diskstats", stats);
}

TEST_EACH(a_layout_without_fault_has_no_finding, layouts)
{
	put_machine(&layouts[_i]);
	ck_assert_msg(!machine_command("doctor --measure") &&
			      !strcmp(machine.out, "16 checks, 0 findings\n"),
		      "%s: %s%s", layouts[_i].claim, machine.out, machine.err);
}

/* Each disk of a layout is examined: a fault of one is found. */
TEST_EACH(each_layout_is_seen_to_its_disks, layouts)
{
	const struct layout *layout = &layouts[_i];
	char folder[96], path[160];
	uint32_t count;

	put_machine(layout);
	count = golden.vg->pv_count * layout->disks;
	for (uint32_t i = 0; i < count; i++) {
		disk_folder(i, folder);
		snprintf(path, sizeof(path), "/sys/devices/%s/queue/write_cache", folder);
		put(path, "write through\n");
	}
	ck_assert_int_eq(machine_command("doctor --only D4 --sample 0"), 2);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "2  D4  /dev/sd%c%s", 'a' + (int)i,
			 layout->pv && !strcmp(layout->pv, "sda1") ? "1 (" : " (");
		ck_assert_msg(strstr(machine.out, path) != NULL, "%s: %s", layout->claim,
			      machine.out);
	}
}
