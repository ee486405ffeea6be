/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent doctor on a machine made of files: what it reads of /sys, /proc and the disks, and
 * prints. */
#include "base/cleanup.h"
#include "base/file.h"
#include "fake/holder.h"
#include "fake/quick_clock.h"
#include "flow/machine.h"
#include "flow/no_pairs.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/json_tokener.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define ROOT_ID	  "zh5EYGofOoWnB0RvfBw4ujHxziqpRtLZ"
#define DISK	  "/sys/devices/pci0/host2/target2:0:0/2:0:0:0/block/sda"
#define LOOP	  "/sys/devices/virtual/block/loop0"
#define MACHINE	  "0123456789abcdef0123456789abcdef"
#define STATS(io) "   8 16 sda " io "\n"

static void put(const char *path, const char *text)
{
	tree_put(&machine.tree, path, text);
}

/* The disk is where the kernel puts a SCSI disk: sysfs's folders by number are links. */
static void move_disk(const char *folder, const char *number, const char *name)
{
	static const char *const attributes[] = {"size", "dev", "diskseq", "uevent"};
	char from[128], to[160], text[256] = "";
	FILE *file;

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		snprintf(from, sizeof(from), "%s/sys/dev/block/%s/%s", machine.tree.root, number,
			 attributes[i]);
		file = fopen(from, "r");
		ck_assert_ptr_nonnull(file);
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		snprintf(to, sizeof(to), "%s/%s", folder, attributes[i]);
		put(to, text);
		tree_remove(&machine.tree, from + strlen(machine.tree.root));
	}
	snprintf(from, sizeof(from), "/sys/dev/block/%s", number);
	tree_remove(&machine.tree, from);
	snprintf(to, sizeof(to), "../../%s", folder + strlen("/sys/"));
	tree_link(&machine.tree, from, to);
	snprintf(from, sizeof(from), "/sys/class/block/%s", name);
	tree_remove(&machine.tree, from);
	tree_link(&machine.tree, from, to);
}

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 7);
	move_disk(DISK, "8:16", "sda");
	put(DISK "/queue/rotational", "0\n");
	put(DISK "/queue/write_cache", "write back\n");
	put("/sys/devices/pci0/host2/target2:0:0/2:0:0:0/state", "running\n");
	put("/sys/devices/pci0/host2/target2:0:0/2:0:0:0/iotmo_cnt", "0x0\n");
	put("/sys/devices/pci0/host2/target2:0:0/2:0:0:0/model", "QEMU HARDDISK   \n");
	tree_link(&machine.tree, DISK "/device", "../..");
	put("/sys/class/scsi_disk/2:0:0:0/cache_type", "write back\n");
	put("/proc/diskstats", STATS("100 0 800 10 5 0 40 1 0 10 11"));
	put("/proc/sysvipc/sem", "key semid\n");
	put("/proc/sys/kernel/sem", "32000 1024000000 500 32000\n");
	put("/proc/pressure/io", "some avg10=0.00 avg60=0.00\nfull avg10=0.00 avg60=0.00 x\n");
	put("/proc/uptime", "600.00 100.00\n");
	put("/proc/meminfo", "MemTotal:       2000000 kB\n");
	put("/dev/kmsg", "<6>[    1.0] sd 2:0:0:0: [sda] Attached SCSI disk\n");
	put("/usr/sbin/smartctl", "");
	tree_mkdir(&machine.tree, "/etc/lvm");
	slept_ms = 0;
	pairs_left = UINT_MAX;
	machine.world->clock = &quick;
}

static void teardown(void)
{
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static int doctor(const char *words)
{
	return machine_command(words);
}

/* ---- troubles */

static void setup_nothing(void)
{
}

static void cache_off(void)
{
	put("/sys/class/scsi_disk/2:0:0:0/cache_type", "write through\n");
	put(DISK "/queue/write_cache", "write through\n");
}

static void no_flush(void)
{
	put(DISK "/queue/write_cache", "write through\n");
}

static void nonsense(void)
{
	put("/sys/class/scsi_disk/2:0:0:0/cache_type", "\n");
	put(DISK "/queue/rotational", "perhaps\n");
	put("/sys/devices/pci0/host2/target2:0:0/2:0:0:0/iotmo_cnt", "many\n");
}

static void io_error(void)
{
	put("/dev/kmsg", "<3>[    9.0] I/O error, dev sda, sector 2048 op 0x0:(READ)\n"
			 "<3>[    9.1] I/O error, dev sdz, sector 2048 op 0x0:(READ)\n");
}

/* The disk came after the error. */
static void old_error(void)
{
	machine.properties = "USEC_INITIALIZED=9000001\n";
	put("/dev/kmsg", "<3>[    9.000000] I/O error, dev sda, sector 2048 op 0x0:(READ)\n");
}

static void new_error(void)
{
	old_error();
	machine.properties = "USEC_INITIALIZED=9000000\n";
}

static void timeouts(void)
{
	put("/sys/devices/pci0/host2/target2:0:0/2:0:0:0/iotmo_cnt", "0x1f\n");
}

static void smart(const char *answer)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "#!/bin/sh\n[ \"$*\" = '-j -n standby -H -A /dev/sda' ] && echo '%s'\n", answer);
	tree_put_program(&machine.tree, "/usr/sbin/smartctl", text);
}

static void smart_fails(void)
{
	smart("{ \"smart_status\": { \"passed\": false } }");
}

static void smart_passes(void)
{
	smart("{ \"smart_status\": { \"passed\": true } }");
}

static void smart_hangs(void)
{
	tree_put_program(&machine.tree, "/usr/sbin/smartctl", "#!/bin/sh\nsleep 60\n");
}

static void blocked(void)
{
	tree_put_process(&machine.tree, 42, "jbd2/dm-3-8", 'D', 99);
	put("/proc/42/status", "Name:\tjbd2\nvoluntary_ctxt_switches:\t7\n");
	put("/proc/42/wchan", "jbd2_journal_commit_transaction");
	tree_put_process(&machine.tree, 43, "bash", 'S', 99);
}

static void semaphores(void)
{
	put("/proc/sys/kernel/sem", "32000 1024000000 500 3\n");
	put("/proc/sysvipc/sem", "key semid perms nsems uid gid cuid cgid otime ctime\n"
				 " 223158272 0 600 1 0 0 0 0 0 1000\n 1 1 600 1 0 0 0 0 0 1000\n");
}

static void pressure(void)
{
	put("/proc/pressure/io", "some avg10=0.00\nfull avg10=0.00 avg60=33.10 avg300=1.00\n");
}

static void remembered(void)
{
	put("/etc/machine-id", MACHINE "\n");
	put("/etc/lvm/lvmevent/boot",
	    "lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\n"
	    "vg VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh 7 1 0 vg-two.pvs\n"
	    "pv " PVID_B " disk 0 32768 0 naa.5000c500 GUEST-1 pci0/host2/2:0:0:0\nend\n");
}

static void stripe(void)
{
	machine_plug("stripe-a", "sdb", 32, 8);
}

static void orphan(void)
{
	machine_plug("orphan", "sdb", 32, 8);
}

static void node(void)
{
	put("/sys/class/block/dm-9/dm/uuid", "LVM-" VG_ONE_ID "00000000000000000000000000000000\n");
	put("/sys/class/block/dm-9/dm/name", "vg_one-gone\n");
}

/* Of a VG that no disk shows any more. */
static void lost(void)
{
	put("/sys/class/block/dm-9/dm/uuid",
	    "LVM-abcdefghijklmnopqrstuvwxyz01234500000000000000000000000000000000\n");
	put("/sys/class/block/dm-9/dm/name", "data-home\n");
	tree_link(&machine.tree, "/sys/class/block/dm-9/slaves/sdc", "../../../../gone");
}

static void link_only(void)
{
	tree_mkdir(&machine.tree, "/dev/vg_one");
	tree_link(&machine.tree, "/dev/vg_one/root", "../dm-7");
}

static void cluster(void)
{
	put("/var/lib/pacemaker/cib/cib.xml",
	    "<nvpair id=\"x\" name=\"vgname\" value=\"vg_one\"/>\n");
}

static const struct {
	const char *claim;
	void (*make)(void);
	const char *words;
	int code;
	const char *said;
} rows[] = {
	{"a cache that is off", cache_off, "--only D4", 1,
	 "1  D4  /dev/sda (PV of vg_one): the write cache of this solid-state disk is off"},
	{"... with the disk's model in the rule", cache_off, "--only D4", 1,
	 "ATTRS{model}==\"QEMU HARDDISK\""},
	{"no flushes", no_flush, "--only D4", 2,
	 "2  D4  /dev/sda (PV of vg_one): the kernel sends no flushes"},
	{"nonsense in sysfs", nonsense, "--only D4,D5", 0,
	 "2 checks, 0 findings, 2 not known (D4: 1 disk does not say whether writes are cached"},
	{"an error in the ring", io_error, "--only d5", 2,
	 "2  D5  /dev/sda (PV of vg_one): 1 I/O error in the kernel's messages of this boot\n"},
	{"... of a disk that had the name before", old_error, "--only d5", 0,
	 "1 check, 0 findings"},
	{"... and one since then", new_error, "--only d5", 2,
	 "2  D5  /dev/sda (PV of vg_one): 1 I/O error in the kernel's messages of this boot\n"},
	{"timeouts", timeouts, "--only D5", 1,
	 "1  D5  /dev/sda (PV of vg_one): 31 commands timed out since the disk came\n"},
	{"smartctl", smart_fails, "--only D5", 2,
	 "2  D5  /dev/sda (PV of vg_one): SMART: the disk says that it is failing"},
	{"smartctl finds nothing", smart_passes, "--only D5", 0, "1 check, 0 findings\n"},
	{"a task that stays blocked", blocked, "--only D3", 1,
	 "1  D3  jbd2/dm-3-8 (pid 42): blocked in the kernel for 10 s or longer "
	 "(jbd2_journal_commit_transaction), uses /dev/dm-3\n"},
	{"semaphores", semaphores, "--only D13", 1, "1  D13  semaphores: 2 of 3 sets are in use"},
	{"pressure", pressure, "--only D15", 1,
	 "1  D15  I/O: all tasks waited for I/O for 33.10 % of the last minute"},
	{"a VG that is gone", remembered, "--only D12", 2, "2  D12  vg-two.pvs: its PV "},
	{"a VG that lacks a PV", stripe, "--only D12", 2,
	 "2  D12  vg-two.pvs: 1 of its 2 PVs is not there: "},
	{"an LV on a disk that has gone", lost, "--only D12", 2,
	 "2  D12  data/home: it is active on a disk that has gone: sdc"},
	{"... and what is to be done", lost, "--only D12", 2,
	 "when the disk is there again: unmount what is on the LV, lvchange -an, lvchange -ay"},
	{"a PV of no VG", orphan, "--only D7", 1, "1  D7  /dev/sdb (PV of no VG): a PV of no VG"},
	{"a node without LV", node, "--only D7", 1,
	 "1  D7  vg_one-gone: a device of VG vg_one (dm-9), but not of one of its LVs"},
	{"a link without node", link_only, "--only D7", 1,
	 "1  D7  vg_one/root: it is not active, but /dev/vg_one/root is there"},
	{"a cluster's VG", cluster, "--only D16", 2, "2  D16  vg_one: a cluster manager activates"},
	{"the VG that is asked about", no_flush, "--only D4 vg_one", 2, "2  D4  /dev/sda"},
	{"a check that is left out", no_flush, "--except D4,D5,D12", 0, "13 checks, 0 findings"},
};

TEST_EACH(each_trouble_of_a_machine_is_found, rows)
{
	char words[128];

	rows[_i].make();
	snprintf(words, sizeof(words), "doctor %s", rows[_i].words);
	ck_assert_msg(doctor(words) == rows[_i].code, "%s: %s%s", rows[_i].claim, machine.out,
		      machine.err);
	ck_assert_msg(strstr(machine.out, rows[_i].said) != NULL, "%s: %s", rows[_i].claim,
		      machine.out);
}

/* ---- who holds a lock */

static int take_lock(const void *arg)
{
	const int fd = open(arg, O_CREAT | O_RDWR, 0700);
	const struct timespec old[2] = {{.tv_sec = time(NULL) - 86400},
					{.tv_sec = time(NULL) - 86400}};

	return fd < 0 || futimens(fd, old) < 0 || flock(fd, LOCK_EX) < 0 ? -1 : 0;
}

/* A command that was killed has left the lock's file behind, a day ago. The machine is up for
 * 600 s. */
static const struct {
	uint64_t start_ticks; /* 0: it has ended */
	int code;
	const char *said;
} holders[] = {
	{59900, 0, "1 check, 0 findings\n"},
	{56000, 1,
	 "1  D3  lvcreate (pid 77): holds the lock /run/lock/lvm/V_vg_one for up to 40 s\n"},
	{0, 1,
	 "1  D3  a program that has ended (pid 77): took the lock /run/lock/lvm/V_vg_one up to 864"},
};

TEST_EACH(a_lock_is_no_older_than_its_holder, holders)
{
	char path[128], text[128];
	struct stat st;
	int taken;
	pid_t pid;

	tree_mkdir(&machine.tree, "/run/lock/lvm");
	snprintf(path, sizeof(path), "%s/run/lock/lvm/V_vg_one", machine.tree.root);
	pid = holder_start(take_lock, path, &taken);
	ck_assert_int_eq(taken, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	snprintf(text, sizeof(text), "1: FLOCK  ADVISORY  WRITE 77 %02x:%02x:%lu 0 EOF\n",
		 major(st.st_dev), minor(st.st_dev), (unsigned long)st.st_ino);
	put("/proc/locks", text);
	if (holders[_i].start_ticks)
		tree_put_process(&machine.tree, 77, "lvcreate", 'S', holders[_i].start_ticks);
	ck_assert_int_eq(doctor("doctor --only D3 --sample 0"), holders[_i].code);
	holder_kill(pid);
	ck_assert_msg(strstr(machine.out, holders[_i].said) != NULL, "%s", machine.out);
}

/* ---- an LV that nobody opened */

static const struct {
	const char *path, *text;
	bool is_used;
} uses[] = {
	{"/etc/fstab", "", false},
	{"/etc/fstab", "#/dev/vg_one/root / ext4\n/dev/vg_one/root2 /a ext4\n", false},
	{"/etc/fstab", "/dev/vg_one/root / ext4\n", true},
	{"/etc/fstab", "/dev/mapper/vg_one-root / ext4\n", true},
	{"/etc/fstab", "UUID=1-2 / ext4\n", true},
	{"/etc/fstab", "UUID=1-23 / ext4\n", false},
	{"/etc/fstab", "LABEL=my\\040disk / ext4\n", true},
	{"/etc/fstab", "/dev/disk/by-id/dm-name-vg_one-root / ext4\n", true},
	{"/etc/crypttab", "secret /dev/mapper/vg_one-root none luks,noauto\n", true},
	{"/etc/crypttab", "secret UUID=1-2\n", true},
	{"/etc/crypttab", "secret /dev/vg_one/root2\n#secret /dev/vg_one/root\n", false},
	{"/etc/fstab/folder", "", true}, /* it cannot be read */
	{"/proc/swaps/folder", "", true},
	{"/proc/swaps", "Filename Type\n/dev/dm-7 partition 1 0 -2\n", true},
	{"/proc/swaps", "Filename Type\n/dev/dm-77 partition 1 0 -2\n", false},
	{"/proc/self/mountinfo", "22 1 253:7 / / rw - ext4 /dev/mapper/x rw\n", true},
	{"/proc/self/mountinfo", "22 1 253:77 / / rw - ext4 /dev/mapper/x rw\n", false},
};

TEST_EACH(an_lv_that_is_mounted_a_swap_or_in_fstab_is_not_left_over, uses)
{
	put("/proc/diskstats",
	    STATS("100 0 800 10 5 0 40 1 0 10 11") " 253 7 dm-7 1 0 8 1 0 0 0 0 0 1 1\n");
	put("/sys/class/block/dm-7/dm/uuid", "LVM-" VG_ONE_ID ROOT_ID "\n");
	put("/sys/class/block/dm-7/dm/name", "vg_one-root\n");
	put("/sys/class/block/dm-7/dev", "253:7\n");
	fake_dm_add(machine.dm, "vg_one-root", "LVM-" VG_ONE_ID ROOT_ID, "0 8 linear 8:16 0\n");
	put("/proc/uptime", "100000.00 100.00\n");
	machine.properties = "ID_FS_UUID_ENC=1-2\nID_FS_LABEL_ENC=my\\x20disk\n";
	put(uses[_i].path, uses[_i].text);
	doctor("doctor --only D7");
	ck_assert_msg(!strstr(machine.out, "not opened since boot, and not in fstab") ==
			      uses[_i].is_used,
		      "%s: %s%s%s", uses[_i].path, uses[_i].text, machine.out, machine.err);
}

TEST(a_machine_without_fault_has_no_finding)
{
	const uint64_t began_ms = quick_now_ms(&quick);

	smart_passes();
	ck_assert_int_eq(doctor("doctor"), 0);
	ck_assert_str_eq(
		machine.out,
		"16 checks, 0 findings, 1 not known (D12: no boot is remembered: this machine has no /etc/machine-id)\n");
	ck_assert_uint_ge(quick_now_ms(&quick) - began_ms, 2000); /* the sample */
}

TEST(a_tool_that_hangs_is_left_behind)
{
	smart_hangs();
	ck_assert_int_eq(doctor("doctor --only D5"), 0);
	ck_assert_str_eq(machine.out, "1 check, 0 findings, 1 not known (D5: smartctl has not "
				      "answered for 1 disk in time)\n");
	ck_assert_uint_lt(slept_ms, 15000);
}

TEST(without_a_child_that_asks_it_a_tool_is_not_known)
{
	smart_passes();
	pairs_left = 1; /* for the child that reads disks */
	ck_assert_int_eq(doctor("doctor --only D5 --sample 0"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "1 not known (D5: smartctl has not answered"));
	ck_assert_ptr_nonnull(strstr(machine.err, "files and programs cannot be asked"));
}

TEST(a_tool_that_hangs_is_not_started_again)
{
	const unsigned int before = machine_children();

	tree_mkdir(&machine.tree, "/run/lvm/event");
	smart_hangs();
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(doctor("doctor --only D5 --sample 0"), 0);
	ck_assert_ptr_nonnull(strstr(machine.out, "D5: smartctl has not answered for 1 disk"));
	ck_assert_uint_eq(machine_children(), before + 1);
}

static const struct {
	const char *words;
	int code;
} wrong[] = {
	{"doctor --only D17", 3},   {"doctor --except x", 3},	   {"doctor --sample 11", 3},
	{"doctor --sample -1", 3},  {"doctor --nonsense", 3},	   {"doctor no_such_vg", 5},
	{"doctor --help", 0},	    {"doctor --only D1 --except D1", 3},
	{"doctor --only=", 3},	    {"doctor --only=,", 3},	   {"doctor --except=", 3},
	{"doctor --accept D4", 3},  {"doctor --accept D4:", 3},	   {"doctor --accept D17:x", 3},
	{"doctor --withdraw x", 3}, {"doctor --accepted vg_one", 3},
	{"doctor --json --accepted", 3}, {"doctor --accept D4:x --only D4", 3},
	{"doctor --accept D4:x --withdraw D4:x", 3}, {"doctor --accept D4:/dev/sda vg_one", 3},
	{"doctor /dev/nothing", 5}, {"doctor /dev/sdz vg_one", 5},
};

TEST_EACH(wrong_words_end_with_their_code, wrong)
{
	ck_assert_int_eq(doctor(wrong[_i].words), wrong[_i].code);
	ck_assert_str_eq(machine.out, "");
}

/* ---- JSON, as lvmevent-doctor(8) has it */

struct member {
	const char *name;
	enum json_type type;
};

static const struct member top_members[] = {
	{"version", json_type_int},
	{"checks", json_type_int},
	{"findings", json_type_array},
	{"accepted", json_type_array},
	{"unknown", json_type_array},
};
static const struct member finding_members[] = {
	{"check", json_type_string},	{"title", json_type_string},
	{"severity", json_type_int},	{"object", json_type_string},
	{"vg", json_type_string},	{"lv", json_type_string},
	{"device", json_type_string},	{"pv_uuid", json_type_string},
	{"evidence", json_type_string}, {"why", json_type_string},
	{"next", json_type_string},	{"next_class", json_type_string},
	{"advice", json_type_string},	{"accepted_on", json_type_string},
};
static const struct member unknown_members[] = {
	{"check", json_type_string},
	{"reason", json_type_string},
};

/* These members, of these types, and no others. */
static void check_members(struct json_object *object, const struct member *members, size_t count)
{
	struct json_object *value;

	ck_assert_int_eq(json_object_object_length(object), (int)count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_msg(json_object_object_get_ex(object, members[i].name, &value), "%s",
			      members[i].name);
		ck_assert_msg(json_object_get_type(value) == members[i].type, "%s",
			      members[i].name);
	}
}

static void check_list(struct json_object *top, const char *name, const struct member *members,
		       size_t count, size_t items)
{
	struct json_object *list;

	ck_assert(json_object_object_get_ex(top, name, &list));
	ck_assert_uint_eq(json_object_array_length(list), items);
	for (size_t i = 0; i < items; i++)
		check_members(json_object_array_get_idx(list, i), members, count);
}

TEST(json_has_the_members_of_the_manual)
{
	struct json_object *top;

	no_flush();
	orphan();
	tree_remove(&machine.tree, "/usr/sbin/smartctl");
	ck_assert_int_eq(doctor("doctor --json --sample 0"), 2);
	top = json_tokener_parse(machine.out);
	ck_assert_ptr_nonnull(top);
	check_members(top, top_members, ARRAY_SIZE(top_members));
	check_list(top, "findings", finding_members, ARRAY_SIZE(finding_members), 2);
	check_list(top, "unknown", unknown_members, ARRAY_SIZE(unknown_members), 3);
	json_object_put(top);
	ck_assert_str_eq(machine.err, "");
}

/* ---- for people */

/* The worst first; what findings of one kind have in common stands once. */
TEST(findings_of_one_kind_are_one)
{
	no_flush();
	orphan();
	machine_plug("orphan", "sdc", 48, 9);
	put("/dev/kmsg", "<3>[    9.0] I/O error, dev sda, sector 2048 op 0x0:(READ)\n");
	ck_assert_int_eq(doctor("doctor --only D4,D5,D7 --sample 0"), 2);
	ck_assert_ptr_nonnull(strstr(
		machine.out,
		"1  D7  /dev/sdb (PV of no VG): a PV of no VG\n"
		"1  D7  /dev/sdc (PV of no VG): a PV of no VG\n"
		"      why: its space is unused\n"
		"      next: pvs /dev/sdb # and likewise for the others\n3 checks, 4 findings"));
	ck_assert_msg(!strncmp(machine.out, "2  D4", 5), "%s", machine.out);
	ck_assert_ptr_nonnull(strstr(strstr(machine.out, "\n2  D5"), "\n1  D7"));
}

/* ---- the kernel's messages */

#define LOCKUP "BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 3%us!\n"
#define KILL   "Out of memory: Killed process 4%u (lvm) total-vm:1048576kB\n"

TEST(lockups_and_kills_of_the_last_day_are_found)
{
	char ring[512];

	put("/proc/uptime", "90000.00 100.00\n");
	snprintf(ring, sizeof(ring),
		 "<2>[  100.000001] " LOCKUP "<2>[ 4000.000000] " LOCKUP "<2>[ 5000.000000] " LOCKUP
		 "<3>[ 3599.999999] " KILL,
		 9U, 1U, 2U, 1U);
	put("/dev/kmsg", ring);
	ck_assert_int_eq(doctor("doctor --only D3 --sample 0"), 1);
	ck_assert_ptr_nonnull(strstr(machine.out, "1  D3  workqueues: the kernel reported 2 lockups of a "
						  "workqueue in the last day, the longest of 32 s\n"));
	ck_assert_msg(!strstr(machine.out, "for lack of it"), "more than a day ago");
	put("/dev/kmsg", "<3>[ 4000.000000] Out of memory: Killed process 42 (l\033m) total-vm\n");
	ck_assert_int_eq(doctor("doctor --only D3 --sample 0"), 1);
	ck_assert_ptr_nonnull(strstr(machine.out, "the kernel killed 1 process in the last day"));
	ck_assert_msg(!strchr(machine.out, '\033'), "%s", machine.out);
}

/* ---- the journal */

static char journal[4096];

static void keep(struct lea_log *log, enum lea_log_level level, const char *line)
{
	const struct lea_log_fields *fields = log->fields;
	const size_t used = strlen(journal);

	if (fields)
		snprintf(journal + used, sizeof(journal) - used, "%d %s %s %s %s|%s\n", level,
			 fields->check, fields->vg, fields->device, fields->reason, line);
}

TEST(a_service_writes_each_finding_with_its_fields)
{
	no_flush();
	machine.report.is_service = true;
	machine.report.log.write = keep;
	ck_assert_int_eq(doctor("doctor --sample 0"), 2);
	ck_assert_msg(!strncmp(journal, "0 D4 vg_one /dev/sda the kernel sends no flushes", 48),
		      "%s", journal);
	ck_assert_str_eq(machine.out, "");
}

static const struct {
	const char *words;
	bool has_disk;
} more[] = {
	{"doctor -v", true},
	{"doctor -v --only D1 vg_one", true},
	{"doctor -v --only D1 vg_one/home", true},
	{"doctor -v --only D4", false},
	{"doctor --only D1", false},
};

TEST_EACH(what_each_disk_did_is_printed_to_who_asks_for_more, more)
{
	ck_assert_int_le(doctor(more[_i].words), 2);
	ck_assert_msg(strstr(machine.out, "\n  /dev/sda  solid state  ") || !more[_i].has_disk,
		      "%s: %s", more[_i].words, machine.out);
	ck_assert_msg(!strstr(machine.out, "SLOW ABOVE") || more[_i].has_disk, "%s: %s",
		      more[_i].words, machine.out);
}

/* ---- what is accepted */

#define ACCEPTED "/etc/lvm/lvmevent-doctor.accepted"
#define SDA_ID	 "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

static void said_and_code(const char *words, int code, const char *said)
{
	const size_t before = machine.out_bytes, errors = machine.err_bytes;

	ck_assert_msg(doctor(words) == code, "%s: %s%s", words, machine.out + before,
		      machine.err + errors);
	ck_assert_msg(strstr(machine.out + before, said) || strstr(machine.err + errors, said),
		      "%s: %s%s", words, machine.out + before, machine.err + errors);
}

static void accept_now(const char *word)
{
	char words[128];

	snprintf(words, sizeof(words), "doctor --sample 0 --accept %s", word);
	said_and_code(words, 0, "accepted: ");
}

TEST(what_is_accepted_is_no_finding)
{
	size_t before;

	cache_off();
	said_and_code("doctor --only D4", 1, "1 check, 1 finding\n");
	accept_now("d4:/dev/sda");
	before = machine.out_bytes;
	said_and_code("doctor --only D4", 0, "1 check, 0 findings, 1 accepted\n");
	ck_assert_ptr_null(strstr(machine.out + before, "/dev/sda"));
	said_and_code("doctor --only D4 -v", 0, ": 1  D4  /dev/sda (PV of vg_one): ");
	said_and_code("doctor --accept D4:/dev/sda", 0, "accepted on 2");
	said_and_code("doctor --accepted", 0, "  D4            1  2");
	said_and_code("doctor --accepted", 0, "  " SDA_ID "  /dev/sda (PV of vg_one)\n");
	said_and_code("doctor --withdraw D4:" SDA_ID, 0, "withdrawn: 1 of D4 " SDA_ID "\n");
	said_and_code("doctor --only D4", 1, "1 check, 1 finding\n");
	said_and_code("doctor --withdraw D4:" SDA_ID, 5, "is not accepted");
}

/* The targets of all verbs, and what a finding calls its object. */
static const struct {
	const char *word;
	void (*make)(void);
	const char *row; /* in the file */
} named[] = {
	{"D4:/dev/sda", cache_off, "pv " SDA_ID " /dev/sda (PV of vg_one)\nend\n"},
	{"D4:" SDA_ID, cache_off, "pv " SDA_ID " /dev/sda (PV of vg_one)\nend\n"},
	{"D4:vg_one", cache_off, "pv " SDA_ID " /dev/sda (PV of vg_one)\nend\n"},
	{"D13:semaphores", semaphores, "name semaphores\nend\n"},
	{"D15:I/O", pressure, "name I/O\nend\n"},
	{"D12:vg-two.pvs", stripe, "name vg-two.pvs\nend\n"},
	{"D7:vg_one-gone", node, "name vg_one-gone\nend\n"},
	{"D7:vg_one/root", link_only, "name vg_one/root\nend\n"},
};

TEST_EACH(each_kind_of_object_can_be_accepted, named)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[128];

	named[_i].make();
	accept_now(named[_i].word);
	snprintf(path, sizeof(path), "%s" ACCEPTED, machine.tree.root);
	ck_assert_int_eq(lea_file_read(AT_FDCWD, path, 4096, &text, NULL), 0);
	ck_assert_msg(strstr(text, named[_i].row) != NULL, "%s: %s", named[_i].word, text);
}

static const struct {
	const char *word;
	void (*make)(void);
	const char *said;
} not_accepted[] = {
	{"D4:/dev/sda", setup_nothing, "/dev/sda: nothing is found now"},
	{"D7:vg_one/root", cache_off, "vg_one/root: nothing is found now"},
	{"D5:no_such_vg", smart_hangs, "; not known: D5: smartctl has not answered"},
	{"D3:jbd2/dm-3-8 (pid 42)", blocked, "cannot be accepted: it passes by itself"},
};

TEST_EACH(only_what_is_found_and_stays_can_be_accepted, not_accepted)
{
	char option[] = "--accept", verb[] = "doctor", word[64];
	char *argv[] = {verb, option, word, NULL};

	not_accepted[_i].make();
	snprintf(word, sizeof(word), "%s", not_accepted[_i].word);
	ck_assert_int_eq(find_verb(verb)->run(machine.world, 3, argv), 5);
	fflush(machine.err_file);
	ck_assert_msg(strstr(machine.err, not_accepted[_i].said) != NULL, "%s", machine.err);
	ck_assert(!machine_has(ACCEPTED));
}

TEST(a_worse_finding_than_was_accepted_counts)
{
	timeouts();
	accept_now("D5:/dev/sda");
	said_and_code("doctor --only D5", 0, "1 check, 0 findings, 1 accepted, 1 not known");
	smart_fails();
	said_and_code("doctor --only D5", 2, "1 check, 1 finding\n");
	accept_now("D5:/dev/sda");
	said_and_code("doctor --only D5", 0, "1 check, 0 findings, 1 accepted\n");
}

TEST(json_has_what_is_accepted_in_a_list_of_its_own)
{
	struct json_object *top;
	size_t before;

	cache_off();
	accept_now("D4:/dev/sda");
	before = machine.out_bytes;
	ck_assert_int_eq(doctor("doctor --json --only D4"), 0);
	top = json_tokener_parse(machine.out + before);
	ck_assert_ptr_nonnull(top);
	check_list(top, "findings", finding_members, ARRAY_SIZE(finding_members), 0);
	check_list(top, "accepted", finding_members, ARRAY_SIZE(finding_members), 1);
	ck_assert_msg(strstr(machine.out + before, "\"accepted_on\": \"2") != NULL, "%s",
		      machine.out + before);
	json_object_put(top);
}

TEST(a_service_says_nothing_of_what_is_accepted)
{
	cache_off();
	accept_now("D4:/dev/sda");
	machine.report.is_service = true;
	machine.report.log.write = keep;
	journal[0] = '\0';
	ck_assert_int_eq(doctor("doctor --only D4"), 0);
	ck_assert_str_eq(journal, "");
}

/* Said, and neither used nor replaced. */
#define ROW_OF_SDA "D4 2 2026-11-28 pv " SDA_ID " /dev/sda (PV of vg_one)\n"
static const struct {
	const char *text, *said;
} damaged[] = {
	{"", "line 1: it is of another version"},
	{"lvmevent-accepted 2\n" ROW_OF_SDA "end\n", "line 1: it is of another version"},
	{"lvmevent-accepted 1\n" ROW_OF_SDA, "line 3: the end is missing"},
	{"lvmevent-accepted 1\n" ROW_OF_SDA "D4 3 2026-11-28 name x\nend\n",
	 "line 3: the severity is neither 1 nor 2"},
};

TEST_EACH(a_damaged_file_is_said_and_not_trusted, damaged)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[128];

	cache_off();
	put(ACCEPTED, damaged[_i].text);
	said_and_code("doctor --only D4", 1, "1 check, 1 finding\n");
	ck_assert_msg(strstr(machine.err, damaged[_i].said) != NULL, "%s", machine.err);
	said_and_code("doctor --accept D4:/dev/sda", 5, damaged[_i].said);
	said_and_code("doctor --withdraw D4:/dev/sda", 5, damaged[_i].said);
	said_and_code("doctor --accepted", 5, damaged[_i].said);
	snprintf(path, sizeof(path), "%s" ACCEPTED, machine.tree.root);
	ck_assert_int_eq(lea_file_read(AT_FDCWD, path, 4096, &text, NULL), 0);
	ck_assert_str_eq(text, damaged[_i].text);
}

TEST(a_file_that_others_may_write_is_not_trusted)
{
	char path[128];

	cache_off();
	put(ACCEPTED, "lvmevent-accepted 1\n" ROW_OF_SDA "end\n");
	said_and_code("doctor --only D4", 0, "1 accepted\n");
	snprintf(path, sizeof(path), "%s" ACCEPTED, machine.tree.root);
	ck_assert_int_eq(chmod(path, 0666), 0);
	said_and_code("doctor --only D4", 1, "1 check, 1 finding\n");
	ck_assert_ptr_nonnull(strstr(machine.err, "users other than root may write it"));
	tree_remove(&machine.tree, ACCEPTED);
	tree_link(&machine.tree, ACCEPTED, "/dev/null");
	said_and_code("doctor --only D4", 1, "Too many levels of symbolic links");
}
