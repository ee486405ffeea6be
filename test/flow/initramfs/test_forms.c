/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each form in which a boot names what it needs: what the image activates at first, and when it has
 * what was meant. The rule of stock lvm2 activates all complete VGs as they come, so it has all of
 * them; ours must, too, or hand over to the real lvm at two thirds of the wait.
 */
#include "flow/image_scratch.h"
#include "flow/outdated_scratch.h"
#include "unit/suite.h"
#include "unit/vg_text.h"

#define LV_SWAP "rjMNvFPVwWp1fFztlDxJU8IIWt4dnxpT"
#define LV_HOME "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define BY_ID	"/dev/disk/by-id/dm-uuid-LVM-"
#define ROOT	"vg_one-root LVM-" VG_ONE LV_ROOT " 1-2 rootfs\n"
#define SWAP	"vg_one-swap LVM-" VG_ONE LV_SWAP " 6-6 -\n"
#define DISK	"pv " PVID_ONE " 131072 0 naa.1\n"
#define TRUTH	ROOT SWAP "- - 7-7 -\n"

enum when {
	AT_ONCE,
	THIRD,
	HALF,
	BY_LVM, /* or at two thirds, by the real one */
	NEVER,	/* and nothing else is activated: it is known not to be on LVM */
};

static void crypttab(void)
{
	tree_put(&machine.tree, "/cryptroot/crypttab", "crypt UUID=8-8 none luks\n");
}

static void wants_swap(void)
{
	tree_put(&machine.tree, "/cryptroot/crypttab", "crypt /dev/vg_one/swap none luks\n");
}

static void needed(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf",
		 "event { needed = [ \"vg_one/home\" ] }\n");
}

static void needed_vg(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf",
		 "event { needed = [ \"vg-two.pvs\" ] }\n");
}

static void put_tag(const char *from, const char *to, const char *needed_word)
{
	struct sample sample;
	char text[128];

	sample_load(&sample, "one-pv");
	sample_change_text(&sample, from, to);
	snprintf(text, sizeof(text), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, text);
	sample_done(&sample);
	snprintf(text, sizeof(text), "event { needed = [ \"%s\" ] }\n", needed_word);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
}

static void tagged_lv(void)
{
	put_tag("creation_host = \"host1\"", "tags = [\"early\"]       ", "@early");
}

static void tagged_vg(void)
{
	put_tag("flags = []", "tags=[\"e\"]", "@e");
}

static void named_lv(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "root=x rd.lvm.lv=vg_one/home\n");
}

static void named_vg(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "rd.lvm.vg=vg-two.pvs quiet\n");
}

static void second_device(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "rootflags=device=/dev/vg_one/home,rw\n");
}

static void log_device(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "rootflags=logdev=/dev/vg_one/home\n");
}

static void usr(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "mount.usr=UUID=6-6 ro\n");
}

static void lose_half(void)
{
	machine_unplug("sdb", 32);
	tree_remove(&machine.tree, "/run/udev/tags/lvmevent/b8:32");
}

static void usr_by_ids(void)
{
	tree_put(&machine.tree, "/proc/cmdline", "mount.usr=" BY_ID VG_ONE LV_HOME "\n");
}

#define PART(name, id, pv, at, count)                                                              \
	name " { id=" ID(id) " status=[\"READ\",\"WRITE\"] " ONE                                   \
			     "s { start_extent=0 extent_count=" count                              \
			     " type=\"striped\" stripe_count=1 stripes=[\"" pv "\"," at "] } } "
#define LEG(id, pv) "pv" pv " { id=\"" id "\" status=[\"ALLOCATABLE\"] pe_start=2048 pe_count=15 } "

/* "fast" is a RAID1 LV with a leg on each disk. */
static const char mirrored[] =
	"vg-two.pvs { id=\"VqoF2z-8DLr-9uB4-DSmt-7k8I-RGz3-GndTHh\" seqno=4 format=\"lvm2\" "
	"status=[\"READ\",\"WRITE\"] extent_size=8192 max_lv=0 max_pv=0 physical_volumes { " LEG(
		"I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA", "0")
		LEG("yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb", "1") "} logical_volumes { " LV(
			"fast", "a",
			ONE
			"s { start_extent=0 extent_count=2 type=\"raid1\" device_count=2 region_size=4096 "
			"raids=[\"fast_rmeta_0\",\"fast_rimage_0\",\"fast_rmeta_1\",\"fast_rimage_1\"] }")
			PART("fast_rmeta_0", "b", "pv0", "0", "1") PART("fast_rimage_0", "c", "pv0",
									"1", "2")
				PART("fast_rmeta_1", "d", "pv1", "0", "1")
					PART("fast_rimage_1", "e", "pv1", "1", "2") "} " TAIL;

static void set_text(const char *name, const char *path)
{
	struct sample sample;
	char full[256];

	sample_load(&sample, name);
	sample_set_text(&sample, mirrored);
	snprintf(full, sizeof(full), "%s%s", machine.tree.root, path);
	sample_write(&sample, full);
	sample_done(&sample);
}

static void mirror(void)
{
	set_text("stripe-a", "/dev/sdb");
	set_text("stripe-b", "/dev/sdc");
}

static void lose_leg(void)
{
	mirror();
	lose_half();
}

static void copy(void)
{
	machine_plug("one-pv", "sdd", 8, 4);
	tree_put(&machine.tree, "/sys/dev/block/8:16/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:8/wwid", "naa.2\n");
	tag(8);
}

static void copy_both(void)
{
	machine_plug("stripe-a", "sdd", 24, 4);
	machine_plug("stripe-b", "sde", 64, 5);
	tag(24);
	tag(64);
}

static const struct {
	const char *claim;
	void (*make)(void); /* NULL: nothing */
	const char *needs, *words;
	const char *meant; /* the LVs without which the boot does not go on */
	const char *first; /* what the first pass activates */
	enum when when;	   /* all that was meant is active */
} forms[] = {
	{"its mapper name", NULL, TRUTH, "/dev/mapper/vg_one-root", "root", "root", AT_ONCE},
	{"its path", NULL, TRUTH, "/dev/vg_one/root", "root", "root", AT_ONCE},
	{"its name in by-id", NULL, TRUTH, "/dev/disk/by-id/dm-name-vg_one-root", "root", "root",
	 AT_ONCE},
	{"its ids", NULL, TRUTH, BY_ID VG_ONE LV_ROOT, "root", "root", AT_ONCE},
	{"the ids of an LV that is younger than the image", NULL, TRUTH, BY_ID VG_ONE LV_HOME,
	 "home", "home", AT_ONCE},
	{"UUID=", NULL, TRUTH, "UUID=1-2", "root", "root", AT_ONCE},
	{"by-uuid", NULL, TRUTH, "/dev/disk/by-uuid/1-2", "root", "root", AT_ONCE},
	{"LABEL=", NULL, TRUTH, "LABEL=rootfs", "root", "root", AT_ONCE},
	{"by-label", NULL, TRUTH, "/dev/disk/by-label/rootfs", "root", "root", AT_ONCE},
	{"a UUID that is younger than the image", NULL, TRUTH, "UUID=3-4", "home",
	 "root swap home fast plain--1", AT_ONCE},
	{"a label that is", NULL, TRUTH, "LABEL=new", "home", "root swap home fast plain--1",
	 AT_ONCE},
	{"a UUID that was elsewhere", NULL, TRUTH, "UUID=7-7", "home", "", THIRD},
	{"PARTUUID=", NULL, TRUTH, "PARTUUID=1-2", "root", "root swap", AT_ONCE},
	{"PARTUUID= of another LV", NULL, TRUTH, "PARTUUID=1-2", "home", "root swap", THIRD},
	{"PARTLABEL=", NULL, TRUTH, "PARTLABEL=rootfs", "root", "root swap", AT_ONCE},
	{"by-partuuid", NULL, TRUTH, "/dev/disk/by-partuuid/1", "root", "root swap", AT_ONCE},
	{"by-path", NULL, TRUTH, "/dev/disk/by-path/pci-0-part2", "root", "root swap", AT_ONCE},
	{"by-id of something", NULL, TRUTH, "/dev/disk/by-id/wwn-0x5", "home", "root swap", THIRD},
	{"dm-N", NULL, TRUTH, "/dev/dm-0", "root", "root swap", AT_ONCE},
	{"dm-N of another LV", NULL, TRUTH, "/dev/dm-4", "fast", "root swap", THIRD},
	{"a number of old", NULL, TRUTH, "fd00", "root", "root swap", AT_ONCE},
	{"major:minor", NULL, TRUTH, "253:0", "root", "root swap", AT_ONCE},
	{"by its number in /dev/block", NULL, TRUTH, "/dev/block/253:0", "root", "root swap",
	 AT_ONCE},
	{"an array on LVs", NULL, TRUTH, "/dev/md0", "fast", "root swap", THIRD},
	{"an array by its name", NULL, TRUTH, "/dev/md/root", "fast", "root swap", THIRD},
	{"bcache on an LV", NULL, TRUTH, "/dev/bcache0", "home", "root swap", THIRD},
	{"a loop on an LV", NULL, TRUTH, "/dev/loop0", "home", "root swap", THIRD},
	{"a pool of ZFS on an LV", NULL, TRUTH, "ZFS=pool/root", "home", "root swap", THIRD},
	{"a live system on an LV", NULL, TRUTH, "live:/dev/vg_one/root", "root", "root swap",
	 AT_ONCE},
	{"LUKS on an LV that the image's crypttab names", crypttab,
	 TRUTH "vg_one-home - - -\nvg_one-home LVM-" VG_ONE LV_HOME " 8-8 -\n", "/dev/mapper/crypt",
	 "home", "root home swap", AT_ONCE},
	{"LUKS on an LV, by what is on it", NULL,
	 TRUTH "vg_one-home LVM-" VG_ONE LV_HOME " 9-9 -\n", "UUID=9-9", "home", "home", AT_ONCE},
	{"LUKS that nobody names", NULL, TRUTH, "/dev/mapper/crypt", "home", "root swap", THIRD},
	{"LUKS below the PV: its partition's UUID in crypttab", crypttab, TRUTH, "/dev/vg_one/root",
	 "root", "root", AT_ONCE},
	{"an LV of another name than when the image was built", NULL,
	 "old-gone LVM-" VG_ONE LV_ROOT " 1-2 -\n", "UUID=1-2", "root", "root", AT_ONCE},
	{"btrfs on two LVs, by UUID", NULL,
	 "vg_one-root LVM-" VG_ONE LV_ROOT " 5-5 -\nvg--two.pvs-fast - 5-5 -\n", "UUID=5-5",
	 "root fast", "root fast", AT_ONCE},
	{"btrfs on two LVs, by the name of one", NULL,
	 "vg_one-root LVM-" VG_ONE LV_ROOT " 5-5 -\nvg--two.pvs-fast - 5-5 -\n",
	 "/dev/mapper/vg_one-root", "root fast", "root fast", AT_ONCE},
	{"btrfs: another device on the command line", second_device, TRUTH, "UUID=1-2", "root home",
	 "root home", AT_ONCE},
	{"XFS: its log on the command line", log_device, TRUTH, "UUID=1-2", "root home",
	 "root home", AT_ONCE},
	{"/usr on the command line", usr, TRUTH, "UUID=1-2", "root swap", "root swap", AT_ONCE},
	{"/usr by its ids, of an LV that is younger than the image", usr_by_ids, TRUTH, "UUID=1-2",
	 "root home", "root home", AT_ONCE},
	{"rd.lvm.lv=", named_lv, TRUTH, "UUID=1-2", "root home", "root home", AT_ONCE},
	{"rd.lvm.vg=", named_vg, TRUTH, "UUID=1-2", "root fast plain--1", "root fast plain--1",
	 AT_ONCE},
	{"rd.lvm.lv= as dracut passes it on", NULL, TRUTH, "--lv vg_one/home UUID=1-2", "root home",
	 "root home", AT_ONCE},
	{"all that the image was built for, as dracut wants it", NULL, TRUTH,
	 "--all-needs /dev/vg_one/home", "root swap home", "root home swap", AT_ONCE},
	{"event/needed, an LV", needed, TRUTH, "UUID=1-2", "root home", "root home", AT_ONCE},
	{"event/needed, a VG", needed_vg, TRUTH, "UUID=1-2", "root fast plain--1",
	 "root fast plain--1", AT_ONCE},
	{"event/needed, an LV's tag", tagged_lv, "", "--lv vg_one/home", "root home", "root home",
	 AT_ONCE},
	{"event/needed, a VG's tag", tagged_vg, "", "--lv vg-two.pvs/fast", "fast root home swap",
	 "fast root home swap", AT_ONCE},
	{"an empty needs file: by UUID", NULL, "", "UUID=1-2", "root",
	 "root home swap fast plain--1", AT_ONCE},
	{"... by number", NULL, "", "fd00", "root", "root home swap fast plain--1", AT_ONCE},
	{"... by name", NULL, "", "/dev/vg_one/root", "root", "root", AT_ONCE},
	{"... resume by UUID", NULL, "", "--resume UUID=6-6", "swap", "", THIRD},
	{"resume by name", NULL, TRUTH, "--resume /dev/mapper/vg_one-swap", "swap", "swap",
	 AT_ONCE},
	{"resume by UUID", NULL, TRUTH, "--resume UUID=6-6", "swap", "swap", AT_ONCE},
	{"resume by ids", NULL, TRUTH, "--resume " BY_ID VG_ONE LV_SWAP, "swap", "swap", AT_ONCE},
	{"resume by a UUID that is younger than the image", NULL, TRUTH, "--resume UUID=3-4",
	 "home", "root swap", THIRD},
	{"resume by a label that is", NULL, TRUTH, "--resume LABEL=new", "home", "root swap",
	 THIRD},
	{"resume by an unknown UUID beside named LVs", NULL, TRUTH,
	 "--lv vg_one/root --resume UUID=3-4", "home", "root", THIRD},
	{"resume by dm-N", NULL, TRUTH, "--resume /dev/dm-3", "fast", "root swap", THIRD},
	{"resume from LUKS on an LV", wants_swap, ROOT, "--resume /dev/mapper/crypt", "swap",
	 "root swap", AT_ONCE},
	{"resume by a UUID that was elsewhere", NULL, TRUTH, "--resume UUID=7-7", "", "", NEVER},
	{"resume from a disk", NULL, TRUTH, "--resume /dev/sda2", "", "", NEVER},
	{"a disk", NULL, TRUTH, "/dev/nvme0n1p2", "", "", NEVER},
	{"a share of NFS", NULL, TRUTH, "server:/export", "", "", NEVER},
	{"a share of SMB", NULL, TRUTH, "//server/share", "", "", NEVER},
	{"a whole LV of an incomplete VG", lose_half, TRUTH, "/dev/vg-two.pvs/plain-1", "plain--1",
	 "", HALF},
	{"an LV that lacks a disk", lose_half, TRUTH, "/dev/vg-two.pvs/fast", "fast", "", BY_LVM},
	{"a RAID LV", mirror, TRUTH, "/dev/vg-two.pvs/fast", "fast",
	 "fast_rmeta_0 fast_rimage_0 fast_rmeta_1 fast_rimage_1 fast", AT_ONCE},
	{"a RAID LV that lacks a leg", lose_leg, TRUTH, "/dev/vg-two.pvs/fast", "fast", "", HALF},
	{"a copy of a disk that the image knows", copy, TRUTH DISK, "UUID=1-2", "root", "root",
	 AT_ONCE},
	{"a copy of a disk that it does not know", copy, TRUTH, "UUID=1-2", "root", "", HALF},
	{"copies of two disks that it does not know", copy_both, TRUTH, "/dev/vg-two.pvs/fast",
	 "fast", "", BY_LVM},
};

static bool has(const char *list, const char *word)
{
	const size_t chars = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += chars)
		if ((at == list || at[-1] == ' ') && (!at[chars] || at[chars] == ' '))
			return true;
	return false;
}

static bool has_all(const char *there, const char *meant)
{
	char words[ACTIVE_BYTES], *state = NULL;

	snprintf(words, sizeof(words), "%s", meant);
	for (char *word = strtok_r(words, " ", &state); word; word = strtok_r(NULL, " ", &state))
		if (!has(there, word))
			return false;
	return true;
}

/* The pass in which each form has what it means, in order. */
static const struct {
	uint32_t pass;
	enum when when;
} steps[] = {{0, AT_ONCE}, {9, AT_ONCE}, {10, THIRD}, {14, THIRD}, {15, HALF}, {20, BY_LVM}};

static void check_step(int row, size_t step)
{
	const bool is_due = steps[step].when >= forms[row].when && forms[row].when < BY_LVM;
	char line[160], there[ACTIVE_BYTES];
	int code;

	snprintf(line, sizeof(line), "--pass %u %s", steps[step].pass, forms[row].words);
	code = initramfs(line);
	list_active(there);
	if (!step || forms[row].when == NEVER)
		check_active(forms[row].claim, forms[row].first);
	ck_assert_msg(forms[row].when == NEVER || has_all(there, forms[row].meant) == is_due,
		      "%s, pass %u: active are %s\n%s", forms[row].claim, steps[step].pass, there,
		      machine.err);
	/* Then the scripts run the real lvm. */
	ck_assert_msg(forms[row].when != BY_LVM || code != 0, "%s: exit 0", forms[row].claim);
	ck_assert_msg(forms[row].when != NEVER || code == 0, "%s: exit %d", forms[row].claim, code);
}

TEST_EACH(each_form_finds_what_it_means, forms)
{
	tree_put(&machine.tree, NEEDS, forms[_i].needs);
	tree_mkdir(&machine.tree, "/cryptroot");
	if (forms[_i].make)
		forms[_i].make();
	for (size_t step = 0; step < ARRAY_SIZE(steps); step++)
		check_step(_i, step);
}

const struct fixture fixture = {setup, machine_end};
