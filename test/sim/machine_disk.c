/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks: sparse files with a label and metadata, and what the kernel shows of them. */
#include "sim/machine_private.h"

#include "base/id.h"
#include "fake/put.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISK_BYTES ((uint64_t)64 << 20)
#define SECTOR	   512U
#define MDA_AT	   4096U
#define MDA_BYTES  1044480U
#define TEXT_BYTES 32768U
#define EXTENTS	   15U
#define NAMES	   26U

struct sim_unit sim_unit[SIM_DISKS];

static int root_fd = -1, image_fd[SIM_DISKS];
static uint64_t last_diskseq, last_instance;

/* ---- files of the tree */

static void put(const char *path, const char *text, size_t bytes)
{
	struct sim_proc *proc = sim_outside();
	struct sim_file *file =
		sim_tree_open(sim_tree_root(), path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file) {
		sim_tree_write(file->inode, text, bytes, 0);
		sim_file_close(file);
	} else {
		sim_break("%s: cannot be written: %s", path, strerror(errno));
	}
	sim_inside(proc);
}

void sim_put(const char *path, const char *format, ...)
{
	char text[4096];
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(path, text, (size_t)bytes);
}

void sim_mkdir(const char *path)
{
	struct sim_proc *proc = sim_outside();

	if (sim_tree_make(sim_tree_root(), path, S_IFDIR | 0755, NULL) < 0 && errno != EEXIST)
		sim_break("%s: %s", path, strerror(errno));
	sim_inside(proc);
}

void sim_unlink(const char *path)
{
	struct sim_proc *proc = sim_outside();

	if (sim_tree_remove(sim_tree_root(), path, false) < 0 && errno == EISDIR)
		sim_tree_remove(sim_tree_root(), path, true);
	sim_inside(proc);
}

void sim_link(const char *path, const char *target)
{
	struct sim_proc *proc = sim_outside();

	sim_tree_make(sim_tree_root(), path, S_IFLNK | 0777, target);
	sim_inside(proc);
}

bool sim_exists(const char *path)
{
	return sim_tree_find(sim_tree_root(), path, true);
}

ino_t sim_number(const char *path)
{
	const struct sim_inode *inode = sim_tree_find(sim_tree_root(), path, true);
	struct stat st = {.st_ino = 0};

	if (inode)
		sim_tree_stat(inode, &st);
	return st.st_ino;
}

void sim_clear(const char *path)
{
	struct sim_proc *proc = sim_outside();
	struct sim_inode *folder = sim_tree_find(sim_tree_root(), path, false);

	if (folder)
		sim_tree_clear(folder);
	sim_inside(proc);
}

int sim_disk_begin(void)
{
	char path[128];

	root_fd = open(sim.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		snprintf(path, sizeof(path), "%s/disk%u", sim.root, disk);
		image_fd[disk] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (image_fd[disk] < 0 || ftruncate(image_fd[disk], (off_t)DISK_BYTES) < 0)
			return -errno;
	}
	return 0;
}

/* ---- content */

void sim_new_id(char id[static 33])
{
	static const char chars[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (int i = 0; i < 32; i++)
		id[i] = chars[sim_draw(62)];
	id[32] = '\0';
}

static void dashed(const char *id, char text[static 40])
{
	lea_id_format(id, text);
}

static void lv_id(const struct sim_vg *vg, uint32_t lv, char text[static 40])
{
	static const char chars[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t x = vg->lv_salt * 31U + lv + 1;
	char id[33];

	for (int i = 0; i < 32; i++) {
		x = x * 6364136223846793005U + 1442695040888963407U;
		id[i] = chars[(x >> 33) % 62];
	}
	id[32] = '\0';
	dashed(id, text);
}

struct text {
	char *at;
	size_t bytes, used;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->used +=
		(size_t)vsnprintf(text->at + text->used, text->bytes - text->used, format, args);
	va_end(args);
}

static void begin_lv(struct text *text, const struct sim_vg *vg, uint32_t lv, const char *name,
		     bool is_visible, uint32_t segments)
{
	char id[40];

	lv_id(vg, lv, id);
	add(text,
	    "%s {\nid = \"%s\"\nstatus = [\"READ\", \"WRITE\"%s]\nflags = []\n"
	    "creation_time = 1795229910\ncreation_host = \"lab\"\nsegment_count = %u\n",
	    name, id, is_visible ? ", \"VISIBLE\"" : "", segments);
}

static void add_stripe(struct text *text, uint32_t number, uint32_t start, uint32_t count,
		       uint32_t pv, uint32_t extent)
{
	add(text,
	    "segment%u {\nstart_extent = %u\nextent_count = %u\ntype = \"striped\"\n"
	    "stripe_count = 1\nstripes = [\n\"pv%u\", %u\n]\n}\n",
	    number, start, count, pv, extent);
}

/* Two extents on each PV in use. */
static void add_spread(struct text *text, const struct sim_vg *vg, uint32_t lv, const char *name,
		       bool is_visible, uint32_t extent)
{
	begin_lv(text, vg, lv, name, is_visible, vg->used_pvs);
	for (uint32_t i = 0; i < vg->used_pvs; i++)
		add_stripe(text, i + 1, 2 * i, 2, i, extent);
	add(text, "}\n");
}

static void add_one(struct text *text, const struct sim_vg *vg, uint32_t lv, const char *name,
		    bool is_visible, uint32_t pv, uint32_t extent, uint32_t count)
{
	begin_lv(text, vg, lv, name, is_visible, 1);
	add_stripe(text, 1, 0, count, pv, extent);
	add(text, "}\n");
}

static void add_raid(struct text *text, const struct sim_vg *vg)
{
	char name[32];

	begin_lv(text, vg, 0, "r", true, 1);
	add(text,
	    "segment1 {\nstart_extent = 0\nextent_count = 2\ntype = \"raid1\"\n"
	    "device_count = %u\nregion_size = 4096\nraids = [\n",
	    vg->used_pvs);
	for (uint32_t i = 0; i < vg->used_pvs; i++)
		add(text, "\"r_rmeta_%u\", \"r_rimage_%u\"%s\n", i, i,
		    i + 1 < vg->used_pvs ? "," : "");
	add(text, "]\n}\n}\n");
	for (uint32_t i = 0; i < vg->used_pvs; i++) {
		snprintf(name, sizeof(name), "r_rimage_%u", i);
		add_one(text, vg, 10 + i, name, false, i, 1, 2);
		snprintf(name, sizeof(name), "r_rmeta_%u", i);
		add_one(text, vg, 20 + i, name, false, i, 0, 1);
	}
}

static void add_thin(struct text *text, const struct sim_vg *vg)
{
	begin_lv(text, vg, 0, "pool", true, 1);
	add(text,
	    "segment1 {\nstart_extent = 0\nextent_count = %u\ntype = \"thin-pool\"\n"
	    "metadata = \"pool_tmeta\"\npool = \"pool_tdata\"\ntransaction_id = 1\n"
	    "chunk_size = 128\ndiscards = \"passdown\"\nzero_new_blocks = 1\n}\n}\n",
	    2 * vg->used_pvs);
	begin_lv(text, vg, 1, "t1", true, 1);
	add(text, "segment1 {\nstart_extent = 0\nextent_count = 4\ntype = \"thin\"\n"
		  "thin_pool = \"pool\"\ntransaction_id = 0\ndevice_id = 1\n}\n}\n");
	add_one(text, vg, 2, "pool_tmeta", false, 0, 0, 1);
	add_spread(text, vg, 3, "pool_tdata", false, 1);
}

static void add_snapshot(struct text *text, const struct sim_vg *vg)
{
	add_spread(text, vg, 0, "org", true, 0);
	add_one(text, vg, 1, "sn", false, vg->used_pvs - 1, 2, 1);
	begin_lv(text, vg, 2, "snapshot0", true, 1);
	add(text,
	    "segment1 {\nstart_extent = 0\nextent_count = %u\ntype = \"snapshot\"\n"
	    "chunk_size = 8\norigin = \"org\"\ncow_store = \"sn\"\n}\n}\n",
	    2 * vg->used_pvs);
}

static void add_lvs(struct text *text, const struct sim_vg *vg)
{
	if (!vg->used_pvs)
		return;
	add(text, "logical_volumes {\n");
	if (vg->type == SIM_RAID1 && vg->used_pvs > 1)
		add_raid(text, vg);
	else if (vg->type == SIM_THIN)
		add_thin(text, vg);
	else if (vg->type == SIM_SNAPSHOT)
		add_snapshot(text, vg);
	else {
		add_spread(text, vg, 0, "lin", true, 0);
		add_one(text, vg, 1, "one", true, 0, 2, 1);
	}
	add(text, "}\n");
}

int sim_disk_text(const struct sim_vg *vg, char *at, size_t bytes)
{
	struct text text = {at, bytes, 0};
	char id[40];

	dashed(vg->id, id);
	add(&text,
	    "%s {\nid = \"%s\"\nseqno = %u\nformat = \"lvm2\"\nstatus = [\"RESIZEABLE\", "
	    "\"READ\", \"WRITE\"%s]\nflags = []\n",
	    vg->name, id, vg->seqno, vg->is_exported ? ", \"EXPORTED\"" : "");
	if (vg->is_foreign)
		add(&text, "system_id = \"elsewhere\"\n");
	add(&text, "extent_size = 8192\nmax_lv = 0\nmax_pv = 0\nmetadata_copies = 0\n"
		   "physical_volumes {\n");
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		dashed(vg->pv[i], id);
		add(&text,
		    "pv%u {\nid = \"%s\"\ndevice = \"/dev/sd%c\"\nstatus = [\"ALLOCATABLE\"]\n"
		    "flags = [%s]\ndev_size = %" PRIu64 "\npe_start = 2048\npe_count = %u\n}\n",
		    i, id, 'a' + (int)i, vg->is_missing[i] ? "\"MISSING\"" : "",
		    DISK_BYTES / SECTOR, EXTENTS);
	}
	add(&text, "}\n");
	add_lvs(&text, vg);
	add(&text,
	    "}\n# Generated by LVM2 version 2.03.16(2) (2022-05-18)\n\n"
	    "contents = \"Text Format Volume Group\"\nversion = 1\n\n"
	    "description = \"seqno %u\"\n\ncreation_host = \"lab\"\ncreation_time = 1795230253\n\n",
	    vg->seqno);
	return text.used < bytes ? (int)text.used + 1 : -1;
}

static void fill_label(const struct sim_content *on, uint8_t *sector)
{
	uint8_t *pv = sector + 32;

	memcpy(sector, "LABELONE", 8);
	put_le(sector + 8, 1, 8);
	put_le(sector + 20, 32, 4);
	memcpy(sector + 24, "LVM2 001", 8);
	memcpy(pv, on->pvid, 32);
	put_le(pv + 32, DISK_BYTES, 8);
	put_le(pv + 40, (uint64_t)1 << 20, 8); /* data area; its end */
	put_le(pv + 72, MDA_AT, 8);
	put_le(pv + 80, MDA_BYTES, 8);
	put_le(pv + 104, 2, 4); /* extension: version, in use */
	put_le(pv + 108, on->has_vg ? 1 : 0, 4);
	seal_label(sector);
}

static size_t fill_mda(const struct sim_content *on, uint8_t *area)
{
	int bytes = 0;

	if (on->has_vg)
		bytes = sim_disk_text(&on->vg, (char *)area + SECTOR, TEXT_BYTES - SECTOR);
	if (bytes < 0)
		sim_break("metadata too long");
	memcpy(area + 4, " LVM2 x[5A%r0N*>", 16);
	put_le(area + 20, 1, 4);
	put_le(area + 24, MDA_AT, 8);
	put_le(area + 32, MDA_BYTES, 8);
	if (bytes > 0) {
		put_le(area + 40, SECTOR, 8);
		put_le(area + 48, (uint64_t)bytes, 8);
		put_crc(area + 56, area + SECTOR, (size_t)bytes);
	}
	seal_header(area);
	return SECTOR + (size_t)(bytes > 0 ? bytes : 0);
}

static bool is_path(const struct sim_unit *a, const struct sim_unit *b)
{
	return a != b && a->wwid[0] && !strcmp(a->wwid, b->wwid);
}

/* What is written by one path of a disk is read by the others. */
static void write_paths(uint32_t disk, const uint8_t *head, size_t bytes)
{
	for (uint32_t other = 0; other < SIM_DISKS; other++) {
		if (!is_path(&sim_unit[disk], &sim_unit[other]))
			continue;
		sim_unit[other].on = sim_unit[disk].on;
		if (pwrite(image_fd[other], head, bytes, 0) != (ssize_t)bytes)
			sim_break("disk %u cannot be written", other);
	}
}

void sim_disk_write(uint32_t disk)
{
	static uint8_t head[MDA_AT + TEXT_BYTES];
	struct sim_proc *proc = sim_outside();
	const struct sim_content *on = &sim_unit[disk].on;
	size_t bytes = MDA_AT;

	memset(head, 0, MDA_AT + SECTOR);
	if (on->is_pv) {
		fill_label(on, head + SECTOR);
		bytes += fill_mda(on, head + MDA_AT);
	}
	if (pwrite(image_fd[disk], head, bytes, 0) != (ssize_t)bytes)
		sim_break("disk %u cannot be written", disk);
	write_paths(disk, head, bytes);
	sim_inside(proc);
}

/* ---- the kernel */

const char *sim_disk_name(const struct sim_unit *unit)
{
	static char name[4][8];
	static unsigned int next;
	char *text = name[next++ % 4];

	snprintf(text, 8, "sd%c", 'a' + (int)unit->index);
	return text;
}

uint32_t sim_disk_minor(const struct sim_unit *unit)
{
	return unit->index * 16;
}

int sim_disk_at(uint32_t minor)
{
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		if (sim_unit[disk].is_there && sim_disk_minor(&sim_unit[disk]) == minor)
			return (int)disk;
	return -1;
}

/* While a program has a disk open, or a table names it, its number stays its own. */
static bool is_held(uint32_t index)
{
	for (uint32_t fd = 0; fd < SIM_FDS; fd++)
		if (sim_fds[fd].owners && sim_fds[fd].kind == SIM_FD_DISK &&
		    sim_fds[fd].index == index)
			return true;
	return sim_dm_holds(index * 16);
}

static bool is_index_free(uint32_t index)
{
	return sim_disk_at(index * 16) < 0 && !is_held(index);
}

static void show_files(uint32_t disk)
{
	const struct sim_unit *unit = &sim_unit[disk];
	const char *name = sim_disk_name(unit);
	const uint32_t minor = sim_disk_minor(unit);
	char path[128], target[64], seq[64] = "";

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u", minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device", minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/holders", minor);
	sim_mkdir(path);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/size", minor);
	sim_put(path, "%" PRIu64 "\n", DISK_BYTES / SECTOR);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/dev", minor);
	sim_put(path, "8:%u\n", minor);
	if (unit->wwid[0]) {
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device/wwid", minor);
		sim_put(path, "%s\n", unit->wwid);
	}
	if (!(sim.history->conf & SIM_CONF_NO_DISKSEQ)) {
		snprintf(path, sizeof(path), "/sys/dev/block/8:%u/diskseq", minor);
		sim_put(path, "%" PRIu64 "\n", unit->diskseq);
		snprintf(seq, sizeof(seq), "DISKSEQ=%" PRIu64 "\n", unit->diskseq);
	}
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/uevent", minor);
	sim_put(path, "MAJOR=8\nMINOR=%u\nDEVNAME=%s\nDEVTYPE=disk\n%s", minor, name, seq);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../dev/block/8:%u", minor);
	sim_link(path, target);
}

static void list_partitions(void)
{
	char text[1024] = "major minor  #blocks  name\n\n";
	size_t used = strlen(text);

	if (!sim.history->boot)
		return; /* only the needed wave reads it */
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		if (sim_unit[disk].is_there)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "   8 %8u %10u %s\n",
				sim_disk_minor(&sim_unit[disk]), (unsigned)(DISK_BYTES / 1024),
				sim_disk_name(&sim_unit[disk]));
	sim_put("/proc/partitions", "%s", text);
}

bool sim_disk_plug(uint32_t disk, bool same_number)
{
	struct sim_unit *unit = &sim_unit[disk];
	struct sim_proc *proc = sim_outside();
	const uint32_t before = unit->index;
	char path[128];

	unit->index = 1;
	while (!is_index_free(unit->index) ||
	       (!same_number && unit->instance && unit->index == before))
		unit->index++;
	if (same_number && unit->instance && is_index_free(before))
		unit->index = before;
	unit->diskseq = ++last_diskseq;
	unit->instance = ++last_instance;
	unit->is_known = unit->has_tag = false;
	unit->first[0] = unit->link[0] = '\0';
	unit->initialized_us = unit->skipped = 0;
	show_files(disk);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/uevent", sim_disk_minor(unit));
	unit->uevent = sim_number(path);
	snprintf(path, sizeof(path), "/dev/%s", sim_disk_name(unit));
	sim_put(path, "%s", "");
	unit->is_there = true;
	list_partitions();
	sim_inside(proc);
	return true;
}

void sim_disk_unplug(uint32_t disk)
{
	struct sim_unit *unit = &sim_unit[disk];
	struct sim_proc *proc = sim_outside();
	char path[128];

	unit->is_there = unit->hangs = unit->fails = unit->is_suspended = false;
	unit->slow_ms = 0;
	unit->uevent = 0;
	list_partitions();
	snprintf(path, sizeof(path), "/dev/%s", sim_disk_name(unit));
	sim_unlink(path);
	snprintf(path, sizeof(path), "/sys/class/block/%s", sim_disk_name(unit));
	sim_unlink(path);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u", sim_disk_minor(unit));
	sim_clear(path);
	sim_unlink(path);
	sim_inside(proc);
}

/* A node of device-mapper, which has been in use. */
static int open_node(uint32_t minor)
{
	struct sim_proc *proc;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/dev/block/253:%u/dev", minor);
	if (!sim_exists(path))
		return -ENODEV;
	fd = sim_fd_new(SIM_FD_FILE);
	proc = sim_outside();
	if (fd >= 0 && (pwrite(fd, "used", 4, 0) != 4 || ftruncate(fd, 1 << 20) < 0))
		sim_break("a file in memory cannot be written");
	sim_inside(proc);
	return fd;
}

/* As lea_blockdev_open: by the path, if the device there has this number, else by the number. */
int sim_disk_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	const int disk = major == 8 ? sim_disk_at(minor) : -1;
	struct sim_proc *proc;
	char image[128];
	int fd;

	(void)world;
	(void)path;
	sim.use.calls++;
	if (major == 253)
		return open_node(minor);
	if (sim_strikes())
		return -EMFILE;
	if (disk < 0)
		return -ENODEV;
	sim.use.devices_read++;
	proc = sim_outside();
	snprintf(image, sizeof(image), "disk%d", disk);
	fd = openat(root_fd, image, O_RDONLY | O_CLOEXEC);
	sim_inside(proc);
	if (fd < 0)
		return -errno;
	sim_fd_note(fd, SIM_FD_DISK);
	sim_fds[fd].disk = (uint32_t)disk;
	sim_fds[fd].index = sim_unit[disk].index;
	sim_fds[fd].instance = sim_unit[disk].instance;
	return fd;
}

/* The kernel finds them anew, often in another order. */
void sim_disk_reboot(void)
{
	const uint32_t first = sim_draw(2) ? sim_draw(SIM_DISKS) : 0;

	sim_clear("/sys/class/block");
	sim_clear("/sys/dev/block");
	sim_clear("/dev");
	last_diskseq = 0;
	for (uint32_t i = 0; i < SIM_DISKS; i++) {
		struct sim_unit *unit = &sim_unit[(first + i) % SIM_DISKS];

		unit->returns = unit->is_there;
		unit->is_there = false;
		unit->instance = 0;
	}
	for (uint32_t i = 0; i < SIM_DISKS; i++)
		if (sim_unit[(first + i) % SIM_DISKS].returns)
			sim_disk_plug((first + i) % SIM_DISKS, false);
}

void sim_disk_reset(void)
{
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		sim_unit[disk] = (struct sim_unit){.of = -1};
		sim_disk_write(disk);
		snprintf(sim_unit[disk].wwid, sizeof(sim_unit[disk].wwid), "naa.5000c500000000%02x",
			 disk);
		snprintf(sim_unit[disk].serial, sizeof(sim_unit[disk].serial),
			 "35000c500000000%02x", disk);
	}
	last_diskseq = last_instance = 0;
}
