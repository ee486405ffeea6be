/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image is told of the machine that it is built on: a line for each LV that it needs, and
 * for each disk of its VG. */
#include "conf/setup.h"
#include "flow/machine.h"
#include "initramfs/list.h"
#include "initramfs/wants.h"
#include "unit/suite.h"

#define VG	"GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV(c)	c c c c c c c c "123456789012345678901234"
#define UUID(c) "LVM-" VG LV(c)

/* What udev knows, by the kernel's name */
static const struct {
	const char *name, *properties;
} known[] = {
	{"/dev/dm-0", "ID_FS_UUID=r-1\nID_FS_LABEL_ENC=rootfs\n"},
	{"/dev/dm-1", "ID_FS_UUID=s-1\nID_FS_LABEL_ENC=a\\x20b\n"},
	{"/dev/dm-2", "ID_FS_UUID=l-1\n"},
	{"/dev/dm-3", "ID_FS_UUID=f-1\n"},
	{"/dev/dm-5", "ID_FS_UUID=b-1\n"},
	{"/dev/dm-6", "ID_FS_UUID=b-1\n"},
	{"/dev/sdx", "ID_FS_UUID=x-1\n"},
};

static char *properties(const struct lea_device *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, device->name))
			return strdup(known[i].properties);
	return strdup("");
}

static void put(uint32_t major, uint32_t minor, const char *attribute, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major, minor, attribute);
	tree_put(&machine.tree, path, text);
}

/* A block device with its node, and its link below /dev, unless that is NULL. */
static void add_device(uint32_t major, uint32_t minor, const char *name, const char *link)
{
	char path[128], text[128];

	snprintf(text, sizeof(text), "%u:%u\n", major, minor);
	put(major, minor, "dev", text);
	snprintf(text, sizeof(text), "MAJOR=%u\nMINOR=%u\nDEVNAME=%s\n", major, minor, name);
	put(major, minor, "uevent", text);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	snprintf(text, sizeof(text), "../../dev/block/%u:%u", major, minor);
	tree_link(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/dev/%s", name);
	tree_put(&machine.tree, path, "");
	if (link) {
		snprintf(path, sizeof(path), "/dev/%s", link);
		snprintf(text, sizeof(text), "%s%s",
			 strchr(strchr(link, '/') + 1, '/') ? "../../" : "../", name);
		tree_link(&machine.tree, path, text);
	}
}

/* @below: a number; NULL: nothing */
static void add_dm(uint32_t minor, const char *dm_name, const char *uuid, const char *below)
{
	char name[16], text[128];

	snprintf(name, sizeof(name), "dm-%u", minor);
	snprintf(text, sizeof(text), "mapper/%s", dm_name);
	add_device(253, minor, name, text);
	snprintf(text, sizeof(text), "%s\n", dm_name);
	put(253, minor, "dm/name", text);
	snprintf(text, sizeof(text), "%s\n", uuid);
	put(253, minor, "dm/uuid", text);
	if (below) {
		snprintf(text, sizeof(text), "%s\n", below);
		put(253, minor, "slaves/below/dev", text);
	}
}

/* dm-0 to dm-2, dm-4 to dm-6: LVs on sda; dm-3: LUKS on dm-2; sdx: a disk without LVM */
static void setup(void)
{
	machine_begin();
	machine.udev.properties = properties;
	machine_plug("one-pv", "sda", 16, 1);
	put(8, 16, "wwid", "naa.5000c50000000001\n");
	add_dm(0, "vg_one-root", UUID("r"), "8:16");
	add_dm(1, "vg_one-swap", UUID("s"), "8:16");
	add_dm(2, "vg_one-crypt", UUID("l"), "8:16");
	add_dm(3, "opened", "CRYPT-LUKS2-l1-opened", "253:2");
	add_dm(4, "vg_one-key", UUID("k"), "8:16");
	add_dm(5, "vg_one-b1", UUID("b"), "8:16");
	add_dm(6, "vg_one-b2", UUID("c"), "8:16");
	add_device(8, 80, "sdx", "disk/by-uuid/x-1");
	tree_link(&machine.tree, "/dev/disk/by-uuid/r-1", "../../dm-0");
	tree_link(&machine.tree, "/dev/disk/by-uuid/f-1", "../../dm-3");
	tree_link(&machine.tree, "/dev/disk/by-id/dm-uuid-" UUID("s"), "../../dm-1");
	tree_mkdir(&machine.tree, "/proc/1");
	tree_link(&machine.tree, "/proc/1/root", "../..");
	tree_put(&machine.tree, "/proc/swaps", "Filename Type Size Used Priority\n");
	tree_put(&machine.tree, "/etc/fstab", "");
	tree_put(&machine.tree, "/etc/crypttab", "");
}

#define ROOT			      "vg_one-root " UUID("r") " r-1 rootfs\n"
#define SWAP			      "vg_one-swap " UUID("s") " s-1 -\n"
/* Of the file system, and of the encrypted device that crypttab names */
#define LUKS			      "vg_one-crypt " UUID("l") " f-1 -\nvg_one-crypt " UUID("l") " l-1 -\n"
#define BOTH			      "vg_one-b1 " UUID("b") " b-1 -\nvg_one-b2 " UUID("c") " b-1 -\n"
#define KEY			      "vg_one-key " UUID("k") " - -\n"
#define DISK			      "pv " PVID_ONE " 131072 0 naa.5000c50000000001\n"
/* ... needed for a file system, whose UUID has them activated, too */
#define OF_ROOT(lv, c)		      "vg_one-" lv " " UUID(c) " r-1 -\n"
#define OF_LUKS(lv, c)		      "vg_one-" lv " " UUID(c) " f-1 -\n"
#define NONE			      "- - - -\n"
#define MOUNTED(number, type, source) "1 1 " number " / / rw - " type " " source " rw\n"

static void make_chroot(void)
{
	tree_remove(&machine.tree, "/proc/1/root");
	tree_mkdir(&machine.tree, "/proc/1/root");
}

/* As for a service with few rights, and in some sandboxes */
static void hide_first_process(void)
{
	tree_remove(&machine.tree, "/proc/1/root");
}

static void make_btrfs(void)
{
	tree_mkdir(&machine.tree, "/sys/fs/btrfs/features");
	tree_put(&machine.tree, "/sys/fs/btrfs/b-1/devices/dm-5", "");
	tree_put(&machine.tree, "/sys/fs/btrfs/b-1/devices/dm-6", "");
}

static void make_journals(void)
{
	tree_mkdir(&machine.tree, "/proc/fs/jbd2/dm-0-8");
	tree_mkdir(&machine.tree, "/proc/fs/jbd2/dm-4");
	tree_mkdir(&machine.tree, "/proc/fs/jbd2/sdx");
}

static void make_array(void)
{
	add_device(9, 0, "md0", NULL);
	put(9, 0, "slaves/dm-5/dev", "253:5\n");
	put(9, 0, "slaves/dm-6/dev", "253:6\n");
}

/* What lvm2 puts below a RAID LV has names and ids like an LV's. */
static void make_raid(void)
{
	add_dm(7, "vg_one-r", UUID("g"), "253:8");
	add_dm(8, "vg_one-r_rimage_0", UUID("h"), "253:9");
	add_dm(9, "vg_one-tp-real", UUID("i") "-real", "8:16");
}

static void lose_links(void)
{
	tree_remove(&machine.tree, "/dev/mapper/vg_one-root");
	tree_remove(&machine.tree, "/dev/disk/by-uuid/r-1");
}

static const struct {
	const char *claim;
	void (*make)(void); /* NULL: nothing */
	const char *mounted, *swaps, *fstab, *crypttab, *resume, *want;
} rows[] = {
	{"nothing", NULL, "", "", "", "", NULL, NONE},
	{"root by its mount", NULL, MOUNTED("253:0", "ext4", "/dev/mapper/vg_one-root"), "", "", "",
	 NULL, ROOT DISK},
	{"... by its number alone", NULL, MOUNTED("253:0", "ext4", "/dev/root"), "", "", "", NULL,
	 ROOT DISK},
	{"another mount point", NULL, "1 1 253:0 / /srv rw - ext4 /dev/dm-0 rw\n", "", "", "", NULL,
	 NONE},
	{"a swap that is on", NULL, "", "/dev/dm-1 partition 1 0 -2\n", "", "", NULL, SWAP DISK},
	{"fstab by name, UUID and ids", NULL, "", "",
	 "/dev/mapper/vg_one-root / ext4\nUUID=r-1 /usr ext4\n/dev/disk/by-id/dm-uuid-" UUID(
		 "s") " none swap sw 0 0",
	 "", NULL, ROOT SWAP DISK},
	{"the last line without its end", NULL, "", "", "/dev/vg_one/none / ext4", "", NULL,
	 "vg_one-none - - -\n"},
	{"lines that the initramfs does not mount", NULL, "", "",
	 "/dev/dm-0 /srv ext4\n/dev/dm-1 /var ext4 nofail\n", "", NULL, NONE},
	{"... and one that it does", NULL, "", "", "/dev/dm-1 /var ext4 rw,x-initrd.mount\n", "",
	 NULL, SWAP DISK},
	{"root that is not on LVM", NULL, MOUNTED("8:80", "ext4", "/dev/sdx"), "", "", "", NULL,
	 "- - x-1 -\n"},
	{"... in fstab", NULL, "", "", "UUID=x-1 / ext4\n", "", NULL, "- - x-1 -\n"},
	{"resume by name", NULL, "", "", "", "", "/dev/mapper/vg_one-swap", SWAP DISK},
	{"resume that is not there", NULL, "", "", "", "", "/dev/my-vg/swap",
	 "my--vg-swap - - -\n"},
	{"resume in no form of ours", NULL, "", "", "", "", "fd01", NONE},
	{"root on LUKS on an LV", NULL, MOUNTED("253:3", "ext4", "/dev/mapper/opened"), "", "", "",
	 NULL, LUKS DISK},
	{"... and its header on another LV", NULL, MOUNTED("253:3", "ext4", "/dev/mapper/opened"), "",
	 "", "opened UUID=l-1 none luks,header=/header:/dev/mapper/vg_one-key\n", NULL,
	 LUKS KEY OF_LUKS("key", "k") DISK},
	{"... and its key on another LV", NULL, MOUNTED("253:3", "ext4", "/dev/mapper/opened"), "",
	 "", "opened UUID=l-1 /dev/mapper/vg_one-key:/key:5 luks,keyscript=passdev\n", NULL,
	 LUKS KEY OF_LUKS("key", "k") DISK},
	{"what crypttab has the initramfs open", NULL, "", "", "",
	 "a /dev/mapper/vg_one-b1 none luks\nb /dev/mapper/vg_one-key none luks,x-initrd.attach\n"
	 "c /dev/mapper/vg_one-root none luks,initramfs\n",
	 NULL, KEY ROOT DISK},
	{"btrfs on two LVs", make_btrfs, MOUNTED("0:33", "btrfs", "/dev/mapper/vg_one-b1"), "", "",
	 "", NULL, BOTH DISK},
	{"... by one of them in fstab", make_btrfs, "", "", "/dev/mapper/vg_one-b2 / btrfs\n", "",
	 NULL, BOTH DISK},
	{"... in a chroot without sysfs of it", make_chroot, "", "",
	 "/dev/mapper/vg_one-b1 / btrfs device=/dev/mapper/vg_one-b2\n", "", NULL, BOTH DISK},
	{"bcachefs on two LVs", NULL, MOUNTED("0:34", "bcachefs", "/dev/dm-5:/dev/dm-6"), "", "",
	 "", NULL, BOTH DISK},
	{"log and realtime device of XFS", NULL, "", "",
	 "/dev/dm-0 / xfs logdev=/dev/mapper/vg_one-swap,rtdev=/dev/mapper/vg_one-key\n", "", NULL,
	 ROOT SWAP OF_ROOT("swap", "s") KEY OF_ROOT("key", "k") DISK},
	{"a journal on another LV", make_journals,
	 MOUNTED("253:0", "ext4", "/dev/mapper/vg_one-root"), "", "", "", NULL,
	 ROOT KEY OF_ROOT("key", "k") DISK},
	{"an array on LVs", make_array, MOUNTED("9:0", "ext4", "/dev/md0"), "", "", "", NULL,
	 "vg_one-b1 " UUID("b") " - -\nvg_one-b1 " UUID(
		 "b") " b-1 -\n"
		      "vg_one-b2 " UUID("c") " - -\nvg_one-b2 " UUID("c") " b-1 -\n" DISK},
	{"a RAID LV, without its parts", make_raid, MOUNTED("253:7", "ext4", "/dev/dm-7"), "", "",
	 "", NULL, "vg_one-r " UUID("g") " - -\n" DISK},
	{"a chroot: mounts and swaps do not count", make_chroot,
	 MOUNTED("253:0", "ext4", "/dev/mapper/vg_one-root"), "/dev/dm-1 partition 1 0 -2\n", "",
	 "", NULL, ""},
	{"what may be a chroot is one", hide_first_process,
	 MOUNTED("253:0", "ext4", "/dev/mapper/vg_one-root"), "", "", "", NULL, ""},
	{"... but fstab", make_chroot, "", "", "UUID=r-1 / ext4\n", "", NULL, ROOT DISK},
	{"... nor that nothing is on LVM", make_chroot, "", "", "UUID=x-1 / ext4\n", "", NULL, ""},
	{"without links only a name says it", lose_links, "", "",
	 "UUID=r-1 / ext4\n/dev/mapper/vg_one-root /usr ext4\n", "", NULL, "vg_one-root - - -\n"},
};

enum { LINES_MOST = 64 };

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cuts @text into lines and sorts them: a file system says in which order a folder is listed. */
static size_t sort_lines(char *text, char *lines[static LINES_MOST])
{
	char *next = NULL;
	size_t count = 0;

	for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		ck_assert_uint_lt(count, LINES_MOST);
		lines[count++] = line;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	return count;
}

static bool are_same_lines(const char *one, const char *other)
{
	char *lines[2][LINES_MOST], *copies[2] = {strdup(one), strdup(other)};
	const size_t count = sort_lines(copies[0], lines[0]);
	bool same = sort_lines(copies[1], lines[1]) == count;

	for (size_t i = 0; same && i < count; i++)
		same = !strcmp(lines[0][i], lines[1][i]);
	free(copies[0]);
	free(copies[1]);
	return same;
}

/* Each once. */
static void check_lines(const char *claim, const char *got, const char *want)
{
	ck_assert_msg(are_same_lines(got, want), "%s:\n%swanted:\n%s%s", claim, got, want, machine.err);
}

static void list(const char *resume, char **needs, char **nodes)
{
	const struct lea_conf_options settings = {.forgive = true};
	const struct lea_conf *conf = NULL;

	ck_assert_int_eq(lea_setup(machine.world, &settings, &conf), 0);
	ck_assert_int_eq(lea_initramfs_list(machine.world, conf, resume, needs, nodes), 0);
	lea_conf_free(conf);
}

TEST_EACH(an_image_knows_what_it_needs, rows)
{
	char *needs = NULL, *nodes = NULL;

	if (rows[_i].make)
		rows[_i].make();
	tree_put(&machine.tree, "/proc/self/mountinfo", rows[_i].mounted);
	tree_put(&machine.tree, "/proc/swaps", rows[_i].swaps);
	tree_put(&machine.tree, "/etc/fstab", rows[_i].fstab);
	tree_put(&machine.tree, "/etc/crypttab", rows[_i].crypttab);
	list(rows[_i].resume, &needs, &nodes);
	check_lines(rows[_i].claim, needs, rows[_i].want);
	free(needs);
	free(nodes);
}

TEST(all_nodes_of_a_stack_are_named_for_their_modules)
{
	char *needs = NULL, *nodes = NULL;

	tree_put(&machine.tree, "/etc/fstab", "UUID=f-1 / ext4\n");
	list(NULL, &needs, &nodes);
	ck_assert_str_eq(nodes, "opened\nvg_one-crypt\n");
	free(needs);
	free(nodes);
}

/* Root lies on the first PV of the VG alone; the other is found by udev's links. */
TEST(all_pvs_of_a_vg_are_known)
{
	char *needs = NULL, *nodes = NULL;

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	put(8, 32, "device/serial", "A 1\n");
	put(8, 48, "serial", "B1\n");
	tree_put(
		&machine.tree,
		"/run/udev/links/disk\\x2fby-id\\x2flvm-pv-uuid-yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb/"
		"b8:48",
		"");
	add_dm(7, "vg--two.pvs-fast", "LVM-" LV("v") LV("f"), "8:32");
	tree_put(&machine.tree, "/etc/fstab", "/dev/dm-7 / ext4\n");
	list(NULL, &needs, &nodes);
	check_lines("two PVs", needs,
		    "vg--two.pvs-fast LVM-" LV("v") LV("f") " - -\npv " PVID_A " 131072 0 A_1\n"
							    "pv " PVID_B " 131072 0 B1\n");
	free(needs);
	free(nodes);
}

const struct fixture fixture = {setup, machine_end};
