/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runner that lives long, on a machine whose disks come and go: what it and its run files take
 * after 100,000 events is what they took after 1,000.
 */
#include "batch/pass_cache.h"
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "record/outdated.h"
#include "record/recorded_marker.h"
#include "scan/reader.h"
#include "unit/suite.h"

#include <dirent.h>
#include <ftw.h>
#include <malloc.h>
#include <sys/stat.h>

#define FIRST	   1000U
#define LAST	   100000U
#define DISKS	   64U
#define COPY	   3U /* a copy of disk 0; the disks behind it are blank */
#define VG_ID	   "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-"
#define EVERY	   40U /* rounds from one reconcile to the next */
#define SETTLES_IN 3   /* reconciles until the claims of what is gone are dropped */

const double timeout_s = 900;

static struct sample sample; /* of disk 0 */
static const char *const sample_names[] = {"one-pv", "stripe-a", "stripe-b"};
static const char *const pvids[] = {PVID_ONE, PVID_A, PVID_B, PVID_ONE};
static char vg_id[39] = VG_ID "OFEu21";
static uint64_t diskseq;
static unsigned int events;

static void machine_of_disks(void)
{
	static const uint8_t blank[16384];
	char name[16], path[64];

	if (!access("/dev/shm", W_OK))
		folder_place = "/dev/shm"; /* a tmpfs, as /run is */
	setup();
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	tree_mkdir(&machine.tree, "/sys/away");
	sample_load(&sample, "one-pv");
	for (unsigned int i = 0; i < DISKS; i++) {
		snprintf(name, sizeof(name), "sd%u", i);
		machine_plug(i < COPY ? sample_names[i] : "one-pv", name, i, 1);
		snprintf(path, sizeof(path), "/dev/%s", name);
		if (i > COPY)
			tree_put_bytes(&machine.tree, path, blank, sizeof(blank));
	}
}

static void end_machine(void)
{
	sample_done(&sample);
	lea_reader_free(batch_options.reader);
	teardown();
}

/* glibc counts what each thread keeps of freed memory as in use, and reads this only at the start.
 */
__attribute__((constructor)) static void keep_nothing_freed(int argc, char *argv[])
{
	(void)argc;
	if (!getenv("GLIBC_TUNABLES") &&
	    !setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1))
		execv("/proc/self/exe", argv);
}

const struct fixture fixture = {machine_of_disks, end_machine};

/* ---- disks */

static void move(const char *from, const char *to, const char *prefix, unsigned int disk)
{
	char old[128], new[128];

	snprintf(old, sizeof(old), "%s%s/%s%u", machine.tree.root, from, prefix, disk);
	snprintf(new, sizeof(new), "%s%s/%s%u", machine.tree.root, to, prefix, disk);
	ck_assert_int_eq(rename(old, new), 0);
}

static void unplug(unsigned int disk)
{
	move("/sys/class/block", "/sys/away", "sd", disk);
	move("/sys/dev/block", "/sys/away", "8:", disk);
}

static void plug(unsigned int disk)
{
	char path[128], text[32];

	move("/sys/away", "/sys/dev/block", "8:", disk);
	move("/sys/away", "/sys/class/block", "sd", disk);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/diskseq", disk);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)diskseq + disk);
	tree_put(&machine.tree, path, text);
}

/* A VG that nobody has seen before. */
static void make_vg(unsigned int round)
{
	char next[39], path[64];

	snprintf(next, sizeof(next), VG_ID "%06u", round % 1000000);
	sample_change_text(&sample, vg_id, next);
	memcpy(vg_id, next, sizeof(vg_id));
	for (unsigned int i = 0; i <= COPY; i += COPY) {
		snprintf(path, sizeof(path), "%s/dev/sd%u", machine.tree.root, i);
		sample_write(&sample, path);
	}
}

/* ---- events */

static void put(enum lea_entry_kind kind, unsigned int disk, bool is_gone)
{
	struct lea_entry entry;
	char name[16];

	snprintf(name, sizeof(name), "sd%u", disk);
	entry = event(name, disk, diskseq + disk, disk <= COPY ? pvids[disk] : "", is_gone);
	entry.kind = kind;
	ck_assert_int_eq(lea_queue_put(batch_options.event_fd, &entry), 0);
	lea_device_done(&entry.device);
	events++;
}

static void put_all(enum lea_entry_kind kind, bool is_gone, bool has_copy)
{
	for (unsigned int i = 0; i < DISKS; i++)
		if (i != COPY || has_copy)
			put(kind, i, is_gone);
}

static void compare(void)
{
	const struct lea_reconcile_options options = {
		.world = machine.world, .conf = conf, .event_fd = batch_options.event_fd};
	struct lea_reconcile_result result;

	lea_marker_tidy(machine.world, batch_options.event_fd);
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	drain();
}

/* All disks come, are changed, and go; with every third time a copy of one. */
static void play(unsigned int round)
{
	const bool has_copy = round % 3 == 0;

	diskseq += DISKS;
	make_vg(round);
	for (unsigned int i = 0; i < DISKS; i++)
		if (i != COPY || has_copy)
			plug(i);
	/* An incomplete VG, and a copy beside an active one. */
	put(LEA_ENTRY_ADD, 1, false);
	put(LEA_ENTRY_ADD, 0, false);
	drain();
	put_all(LEA_ENTRY_ADD, false, has_copy);
	drain();
	put_all(LEA_ENTRY_CHANGE, false, has_copy);
	drain();
	if (round % EVERY == 0)
		compare();
	for (unsigned int i = 0; i < DISKS; i++)
		if (i != COPY || has_copy)
			unplug(i);
	put_all(LEA_ENTRY_ADD, true, has_copy);
	drain();
	lea_incomplete_log(batch_options.waiting, machine.world);
	if (round % EVERY == 0)
		compare();
	/* Otherwise what was logged would be what grows. */
	rewind(machine.err_file);
	rewind(machine.out_file);
}

/* ---- what it takes */

struct taken {
	size_t bytes;
	unsigned int descriptors, files;
};

static unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static unsigned int files;

static int count_file(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)path, (void)st, (void)kind, (void)place;
	files++;
	return 0;
}

static struct taken measure(void)
{
	char path[64];

	for (int i = 0; i < SETTLES_IN; i++)
		compare();
	lea_pass_cache_forget(batch_options.cache); /* as the runner does when it rests */
	snprintf(path, sizeof(path), "%s/run/lvm", machine.tree.root);
	files = 0;
	ck_assert_int_eq(nftw(path, count_file, 8, FTW_PHYS), 0);
	return (struct taken){mallinfo2().uordblks + mallinfo2().hblkhd, descriptors(), files};
}

TEST(nothing_grows_with_the_events)
{
	struct taken first, last;
	unsigned int round = 0;

	for (unsigned int i = 0; i < DISKS; i++)
		unplug(i);
	while (events < FIRST)
		play(round++);
	first = measure();
	while (events < LAST)
		play(round++);
	last = measure();
	ck_assert_uint_eq(last.files, first.files);
	ck_assert_uint_eq(last.descriptors, first.descriptors);
	ck_assert_msg(last.bytes <= first.bytes, "memory: %zu bytes after %u events, then %zu",
		      first.bytes, FIRST, last.bytes);
	ck_assert_msg(summary.vgs_active >= 2 * (round - 2), "%u VGs active", summary.vgs_active);
}
