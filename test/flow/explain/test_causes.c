/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent explain: each cause is made on a machine of files, and the answer is compared. Devices:
 * test_causes_device.c. */
#include "fake/holder.h"
#include "flow/causes_machine.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/monitor_deferred.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define TWO_ID	 "VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh"
#define FAST_ID	 "0Dnd3V0xgR8jNLvF61MZHCwp1g1k8LeU"
#define PLAIN_ID "2krpSpnsymVDwU8CtXMzIZGwuDVo9C2d"

/* The first disk is this sample with other words of the same length in its metadata. */
static void changed(const char *name, const char *from, const char *to, const char *disk)
{
	struct sample other;
	char path[128];

	sample_load(&other, name);
	sample_change_text(&other, from, to);
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, disk);
	sample_write(&other, path);
	sample_done(&other);
}

static void foreign(void)
{
	sample("foreign");
}

static void exported(void)
{
	sample("exported");
}

static void clustered(void)
{
	sample("damaged/text-clustered");
}

static void shared(void)
{
	sample("damaged/text-lock-sanlock");
}

static void flags(void)
{
	sample("flags");
}

static void no_activation(void)
{
	conf("# one\nglobal {\n\tactivation = 0\n}\n");
}

static void test_mode(void)
{
	conf("global/test = 1");
}

static void no_event_activation(void)
{
	conf("global/event_activation = 0");
}

static void empty_list(void)
{
	conf("activation {\n  # volume_list = 1\n  auto_activation_volume_list = [ \"}\" ]\n}\n");
}

static void volume_list(void)
{
	up_one();
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 7);
	tree_remove(&machine.tree, "/sys/class/block/dm-3/dm/uuid");
	conf("activation { volume_list = [ \"vg_one/home\", \"vg_one/swap\" ] }");
}

static void duplicate(void)
{
	machine_plug("one-pv", "sdb", 32, 8);
}

static void used_duplicate(void)
{
	duplicate();
	put("/sys/dev/block/8:16/holders/dm-0/dm/uuid", "LVM-x\n");
}

static void two_paths(void)
{
	duplicate();
	put("/sys/dev/block/8:16/device/wwid", "naa.5000c500a0b1c2d3\n");
	put("/sys/dev/block/8:32/device/wwid", "naa.5000c500a0b1c2d3\n");
}

static void half(void)
{
	sample("stripe-a");
	machine.properties = "";
}

static void other_half(void)
{
	sample("stripe-b");
}

static void half_remembered(void)
{
	half();
	remembered("vg " TWO_ID " 7 1 1 vg-two.pvs\n");
}

static void half_remembered_loop(void)
{
	half();
	put("/etc/machine-id", MACHINE "\n");
	put("/etc/lvm/lvmevent/boot", "lvmevent-boot 2\nmachine " MACHINE "\nboot b-1\n"
				      "vg " TWO_ID " 7 1 0 vg-two.pvs\n"
				      "pv " PVID_B " loop 0 32768 0 - - -\nend\n");
}

static void half_filtered(void)
{
	half();
	machine_plug("stripe-b", "sdb", 32, 8);
	machine.properties = "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_B "\n";
	conf("devices { filter = [ \"r|sdb$|\" ] }");
}

static void half_with_a_rule(void)
{
	half();
	put("/etc/lvm/lvmevent.conf", "event { incomplete = [ \"vg-two.pvs=whole\" ]\n"
				      "incomplete_wait_ms = 1500 }\n");
}

/* All that the rule allows is active, and the claim says so. */
static void half_in_part(void)
{
	struct lea_claim_pv pv = {.pvid = PVID_B, .id = {8, 32, 8}};
	const struct lea_claim made = {.state = LEA_CLAIM_DONE,
				       .vg_name = "vg-two.pvs",
				       .in_part = "whole",
				       .pv = &pv,
				       .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	other_half();
	close(machine_queue());
	ck_assert_int_eq(lea_claim_finish(&claims, TWO_ID, &made), 0);
	up(TWO_ID, PLAIN_ID, "vg-two.pvs/plain-1", 3);
}

static void half_up(void)
{
	half();
	up(TWO_ID, PLAIN_ID, "vg-two.pvs/plain-1", 3);
	up(TWO_ID, FAST_ID, "vg-two.pvs/fast", 4);
}

static void activating(void)
{
	claim(LEA_CLAIM_CLAIMED, "", false);
}

static void failed(void)
{
	claim(LEA_CLAIM_FAILED, "a kernel target is missing: thin-pool", false);
}

static void retried(void)
{
	claim(LEA_CLAIM_FAILED, "the lock is held", true);
}

static void deactivated(void)
{
	in_charge();
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	claim(LEA_CLAIM_DONE, "", false);
}

static void left_alone(void)
{
	in_charge();
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	claim(LEA_CLAIM_DONE, "completed by a change, not by an added PV: left as it is", false);
}

static void orphaned(void)
{
	char path[64];

	claim(LEA_CLAIM_CLAIMED, "", false);
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)getpid());
	tree_remove(&machine.tree, path);
}

static void queued(void)
{
	in_charge();
	close(machine_queue());
	put("/run/lvm/event/queue/8:16-7", "");
}

static void quarantined(void)
{
	up_one();
	close(machine_queue());
	put("/run/lvm/event/failed/8:16-7", "");
}

static void gate(void)
{
	const int run_fd = lea_world_run(machine.world);

	in_charge();
	ck_assert_int_eq(lea_gate_begin(run_fd, lea_world_proc(machine.world), LEA_GATE_CLOSED), 0);
}

static void lost_event(void)
{
	in_charge();
}

/* The disk came again after its VG had been activated. */
static void lost_again(void)
{
	in_charge();
	claim(LEA_CLAIM_DONE, "", false);
}

static void not_probed(void)
{
	machine.properties = "";
}

static void other_rule(void)
{
	put("/usr/lib/udev/rules.d/69-lvm.rules", "# lvm2\n");
	put("/etc/udev/rules.d/69-lvm.rules", "# mine\n");
}

static void unexplained(void)
{
	in_charge();
	machine_record(PVID_ONE, "vg_one", "sda", 16);
}

static void delegated(void)
{
	in_charge();
	machine_record(PVID_ONE, "vg_one", "sda", 16);
	sample("damaged/text-unknown-segtype");
}

static void delegated_and_failed(void)
{
	delegated();
	claim(LEA_CLAIM_FAILED, "lvm ended with 5", false);
}

static void unmonitored(void)
{
	up_one();
	close(machine_queue());
	ck_assert_int_eq(lea_monitor_deferred_note(lea_world_run(machine.world), VG_ONE_ID), 0);
}

/* A device that is not root's has the name of root's. */
static void taken(void)
{
	put("/sys/class/block/dm-7/dm/uuid", "CRYPT-LUKS2-x\n");
	tree_link(&machine.tree, "/dev/mapper/vg_one-root", "../dm-7");
}

static void no_linear(void)
{
	machine.dm->lacks_target = "linear";
	claim(LEA_CLAIM_FAILED, "VG vg_one: loading its table: Invalid argument", true);
}

static void unloaded(void)
{
	machine.dm->lacks_target = "linear";
}

static void unasked(void)
{
	no_linear();
	machine.dm->target_fault = -EACCES;
}

static void twin(void)
{
	machine_plug("label-sector2", "sdb", 32, 8);
	changed("label-sector2", "vg_ls2 {", "vg_one {", "sdb");
}

static void no_write_permission(void)
{
	changed("one-pv", "\"READ\", \"WRITE\"]\nflags = []\nextent",
		"\"READ\"]         \nflags = []\nextent", "sda");
}

static void no_lvs(void)
{
	changed("one-pv", "logical_volumes {", "logical_no_more {", "sda");
}

static void reserved(void)
{
	shared();
	conf("global/use_lvmlockd = 1");
}

static void marked(void)
{
	put("/run/lvm/vgs_online/vg_one", "");
}

static void suspended(void)
{
	up_one();
	put("/sys/class/block/dm-3/dm/suspended", "1\n");
}

static void read_only(void)
{
	up_one();
	put("/sys/class/block/dm-3/ro", "1\n");
}

static void no_link(void)
{
	up_one();
	tree_remove(&machine.tree, "/dev/vg_one/root");
}

static void forgotten(void)
{
	remembered("vg abcdefghijklmnopqrstuvwxyz012345 7 1 1 data\n");
}

/* The disk of the remembered VG is there, with the PV of another one. */
static void removed_vg(void)
{
	up_one();
	forgotten();
	put("/sys/dev/block/8:16/device/wwid", "naa.5000c500\n");
}

static void lost_metadata(void)
{
	removed_vg();
	put("/etc/lvm/backup/data", "");
}

/* Nobody may read the disk, so nobody knows what has become of its PV. */
static void unread_disk(void)
{
	removed_vg();
	conf("devices { filter = [ \"r|sda|\" ] }\n");
}

static void fstab(void)
{
	forgotten();
	up_one();
	tree_remove(&machine.tree, "/sys/class/block/dm-4/dm/uuid");
	put("/etc/fstab", "# /old\n/dev/mapper/vg_one-home\t/home ext4 defaults 0 2\n"
			  "LABEL=my\\040home /data ext4 defaults 0 2\n");
}

static void not_mounted(void)
{
	up_one();
	put("/etc/fstab", "/dev/vg_one/home /home ext4 defaults 0 2\n");
}

static void mounted_home(void)
{
	up_one();
	put("/etc/fstab", "/dev/vg_one/home /my\\040home/ ext4 defaults 0 2\n");
	put("/proc/self/mountinfo", "22 1 253:4 / /my\\040home rw - ext4 /dev/dm-4 rw\n");
}

static const struct cause_row rows[] = {
	{"activation is off", no_activation, "vg_one", "VG vg_one: inactive: activation-off\n",
	 "global/activation is 0 (/etc/lvm/lvm.conf:3)",
	 "lvmconfig --type full global/activation\n"},
	{"lvm2 only tests", test_mode, "vg_one", "VG vg_one: inactive: activation-off\n",
	 "global/test is 1 (/etc/lvm/lvm.conf:1): no command activates anything",
	 "lvmconfig --type full global/test\n"},
	{"another host's VG", foreign, "vg_foreign", "VG vg_foreign: inactive: foreign\n",
	 "system ID owner-host", "vgs --foreign -o name,systemid --select vg_name=vg_foreign\n"},
	{"an exported VG", exported, "vg_exp", "VG vg_exp: inactive: exported\n", "is exported",
	 "next: vgs -o name,attr --select vg_name=vg_exp\n"},
	{"a clustered VG", clustered, "vg_one", "VG vg_one: inactive: clustered\n", "clustered",
	 NULL},
	{"a shared VG", shared, "vg_one", "VG vg_one: inactive: shared\n", "requires lvmlockd",
	 "next: vgs -o name,attr,lock_type --select vg_name=vg_one\n"},
	{"events activate nothing", no_event_activation, "vg_one",
	 "VG vg_one: inactive: event-activation-off\n",
	 "global/event_activation is 0 (/etc/lvm/lvm.conf:1)", "vgchange -aay vg_one\n"},
	{"a VG with autoactivation off", flags, "vg_flags",
	 "VG vg_flags: inactive: autoactivation-off\n", "property is off",
	 "next: vgs -o name,autoactivation --select vg_name=vg_flags\n"},
	{"an LV with autoactivation off", flags, "vg_flags/noauto",
	 "LV vg_flags/noauto: inactive: autoactivation-off\n", "property is off", NULL},
	{"an LV with the skip flag", flags, "vg_flags/skip",
	 "LV vg_flags/skip: inactive: activation-skip\n", "skip flag is set",
	 "next: lvs -o name,skip_activation --select lv_full_name=vg_flags/skip\n"},
	{"a list that has no LV of it", empty_list, "vg_one", "VG vg_one: inactive: not-selected\n",
	 "no event activates any of its 3 LVs", NULL},
	{"... and where the list is", empty_list, "vg_one/home",
	 "LV vg_one/home: inactive: auto-list\n",
	 "activation/auto_activation_volume_list (/etc/lvm/lvm.conf:3)",
	 "next: lvmconfig --type full activation/auto_activation_volume_list\n"},
	{"an LV outside of volume_list", volume_list, "vg_one/root",
	 "LV vg_one/root: inactive: volume-list\n", "(/etc/lvm/lvm.conf:1)",
	 "lvmconfig --type full activation/volume_list\n"},
	{"a PV on two devices", duplicate, "", "VG vg_one: inactive: duplicate\n",
	 "one PV is on two devices: /dev/sd", "next: pvs -a -o name,uuid,vg_name,pv_duplicate\n"},
	{"... the second one", duplicate, "/dev/sdb",
	 "PV /dev/sdb of VG vg_one: found: duplicate\n",
	 "another device carries the same PV: /dev/sda\n", "next: pvs -a "},
	{"... LVs use one of them", used_duplicate, "/dev/sdb",
	 "PV /dev/sdb of VG vg_one: found: duplicate\n",
	 "another device carries the same PV: /dev/sda; LVs use /dev/sda\n", "next: pvs -a "},
	{"another path to the disk", two_paths, "/dev/sdb",
	 "PV /dev/sdb of VG vg_one: found: duplicate\n",
	 "the same PV: /dev/sda, another path to the same disk\n", "next: pvs -a "},
	{"a missing PV", half, "", "VG vg-two.pvs: inactive: incomplete\n",
	 "1 of 2 PVs found; missing: PV " UUID_B " (last written to as /dev/sdc)\n",
	 "next: for f in /sys/class/scsi_host/*/scan; do [ ! -e $f ] || echo '- - -' >$f; done\n"},
	{"an LV that can do without", other_half, "", "VG vg-two.pvs: inactive: incomplete\n",
	 "; LVs that need none of them: plain-1\n",
	 "next: vgchange -aay --activationmode degraded vg-two.pvs\n"},
	{"a missing PV, and a rule for that", half_with_a_rule, "",
	 "VG vg-two.pvs: inactive: incomplete\n",
	 "; incomplete = whole activates it in part, 1.5 s after the last PV came\n", NULL},
	{"a VG that is active in part", half_in_part, "", "VG vg-two.pvs: partly active: in-part\n",
	 "1 of 2 PVs found; by incomplete = whole active in part; missing: PV " UUID_A, NULL},
	{"... and its LVs", half_in_part, "", "VG vg-two.pvs: partly active: in-part\n",
	 "; 1 of 2 LVs are active, the others follow when the PV is there\n",
	 "lvs -a -o +devices,lv_health_status vg-two.pvs\n"},
	{"a missing PV that was no disk", half_remembered_loop, "", "inactive: incomplete\n",
	 "it was a loop of 16 MiB", "next: lsblk -o NAME,SIZE,TYPE,SERIAL,WWN\n"},
	{"a missing PV that is remembered", half_remembered, "", "inactive: incomplete\n",
	 "in the last good boot, of 2026-01-02 03:04, it was a disk of 16 MiB, serial GUEST-1, wwid naa.5000c500, at "
	 "pci0/host2/2:0:0:0",
	 NULL},
	{"... asked for by its id", half_remembered, UUID_B,
	 "PV " UUID_B " of VG vg-two.pvs: missing: not-seen\n",
	 "no device carries this PV; in the last good boot", NULL},
	{"a missing PV that a filter excludes", half_filtered, "", "inactive: incomplete\n",
	 "(on /dev/sdb, which is not used: device is rejected by filter config)",
	 "next: lvmconfig --type full devices/filter\n"},
	{"an LV without its data", half_up, "", "LV vg-two.pvs/fast: active: partial\n",
	 "on a missing PV", NULL},
	{"a worker at work", activating, "", "VG vg_one: activating: activating\n",
	 "a worker has been activating it for ", NULL},
	{"a failure", failed, "", "VG vg_one: inactive: failed\n",
	 "a kernel target is missing: thin-pool; ", "vgchange -aay vg_one\n"},
	{"a failure that is retried", retried, "", "VG vg_one: inactive: failed\n",
	 "it is retried automatically", NULL},
	{"deactivated by a command", deactivated, "vg_one", "VG vg_one: inactive: deactivated\n",
	 "since then a command has deactivated 3 of its 3 LVs", "vgchange -aay vg_one\n"},
	{"completed by a change", left_alone, "vg_one", "VG vg_one: inactive: left-alone\n",
	 "completed by a change, not by an added PV: left as it is; 3 of its 3 LVs are not active",
	 "vgchange -aay vg_one\n"},
	{"a worker that died", orphaned, "", "VG vg_one: inactive: worker-died\n", "died", NULL},
	{"an event in the queue", queued, "", "VG vg_one: inactive: pending\n",
	 "1 of its PVs wait in the queue (1 pending, 0 being processed in all); the first one is "
	 "number 1 and has waited for ",
	 "systemctl start lvmevent-runner.service\n"},
	{"... its PV", queued, "/dev/sda", "PV /dev/sda of VG vg_one: found: pending\n",
	 "; its event is number 1 in the queue and has waited for ",
	 "systemctl start lvmevent-runner.service\n"},
	{"a PV in quarantine", quarantined, "", "PV /dev/sda of VG vg_one: found: quarantined\n",
	 "made the runner fail", "lvmevent retry\n"},
	{"a closed gate", gate, "", "VG vg_one: inactive: gate-closed\n",
	 "the machine is booting, but no boot scan runs", "lvmevent gate open\n"},
	{"an event that was lost", lost_event, "", "VG vg_one: inactive: no-event\n",
	 "no event of 1 of its 1 PVs was processed", "vgchange -aay vg_one\n"},
	{"... of a disk that came again", lost_again, "", "VG vg_one: inactive: no-event\n",
	 "no event", NULL},
	{"... its PV", lost_event, "", "PV /dev/sda of VG vg_one: found: no-event\n", "no event",
	 NULL},
	{"a PV that udev did not probe", not_probed, "",
	 "PV /dev/sda of VG vg_one: found: not-probed\n", "udev has not probed it",
	 "udevadm trigger --action=add /dev/sda\n"},
	{"lvm2 in charge", NULL, "", "VG vg_one: inactive: lvm2-in-charge\n", "stock lvm2", NULL},
	{"an administrator's rule", other_rule, "", "VG vg_one: inactive: other-rule\n",
	 "rule of the administrator's", NULL},
	{"only lvm can", delegated, "", "VG vg_one: inactive: delegated\n",
	 "only the real lvm activates it: unknown segment type; LVs: root (type newtype)\n",
	 "vgchange -aay vg_one\n"},
	{"only lvm can, and it failed", delegated_and_failed, "", "VG vg_one: inactive: failed\n",
	 "; only the real lvm activates it: unknown segment type; LVs: root (type newtype)\n",
	 NULL},
	{"nothing is wrong, but it is down", unexplained, "", "VG vg_one: inactive: unexplained\n",
	 "0 of 3 LVs are active", "vgchange -aay vg_one\n"},
	{"a name that another device has", taken, "", "VG vg_one: inactive: name-taken\n",
	 "another device has the name vg_one-root: dm-7, UUID CRYPT-LUKS2-x\n",
	 "next: dmsetup info vg_one-root\n"},
	{"... at its LV", taken, "vg_one/root", "LV vg_one/root: inactive: name-taken\n", "CRYPT",
	 "next: dmsetup info vg_one-root\n"},
	{"a target that the kernel lacks", no_linear, "", "VG vg_one: inactive: target-missing\n",
	 "no device-mapper target \"linear\": its module dm_mod is missing or was not loaded; VG "
	 "vg_one: ",
	 "next: modprobe dm_mod && vgchange -aay vg_one\n"},
	{"... as long as nothing failed the kernel loads it by itself", unloaded, "",
	 "VG vg_one: inactive: lvm2-in-charge\n", "stock lvm2", NULL},
	{"... and what may not be asked is not absent", unasked, "",
	 "VG vg_one: inactive: failed\n",
	 "loading its table: Invalid argument; the kernel's messages may say why: journalctl -k -b; ",
	 NULL},
	{"two VGs of one name", twin, "", "VG vg_one: inactive: vg-name-taken\n",
	 "another VG has this name: this one is GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21, the other "
	 "one ",
	 "next: vgs -o name,uuid,pv_name,systemid --select vg_name=vg_one\n"},
	{"a VG without write permission", no_write_permission, "vg_one",
	 "VG vg_one: inactive: vg-read-only\n", "read", NULL},
	{"a VG without LVs", no_lvs, "vg_one", "VG vg_one: inactive: no-lv\n", "it has no LV",
	 "vgs --select vg_name=vg_one\n"},
	{"a VG that lvmlockd guards", reserved, "vg_one", "VG vg_one: inactive: reserved\n",
	 "lvmlockd (lock type sanlock) guards it",
	 "next: vgs -o name,attr,lock_type --select vg_name=vg_one\n"},
	{"a mark that keeps lvm2's events away", marked, "", "VG vg_one: inactive: marked\n",
	 "its mark /run/lvm/vgs_online/vg_one says", "vgchange -aay vg_one\n"},
	{"dmeventd does not know it", unmonitored, "", "VG vg_one: active: not-monitored\n",
	 "dmeventd was not running", "vgchange --monitor y vg_one\n"},
	{"a suspended LV", suspended, "", "LV vg_one/root: active: suspended\n", "all I/O on it",
	 NULL},
	{"an LV that is read-only", read_only, "", "LV vg_one/root: active: read-only\n",
	 "although its metadata says writable", "lvchange --refresh vg_one/root\n"},
	{"an LV without its link", no_link, "", "LV vg_one/root: active: no-link\n",
	 "its link in /dev is missing", "vgmknodes vg_one/root\n"},
	{"all is well", up_one, "", "Everything is as it should be.\n", "", NULL},
	{"a VG that is well", up_one, "vg_one", "VG vg_one: active\n", "", NULL},
	{"an LV that is well", up_one, "vg_one/swap", "LV vg_one/swap: active\n", "", NULL},
	{"a VG that is not there", forgotten, "", "VG data: missing: not-seen\n",
	 "PVs of the last good boot: PV " UUID_B
	 " (in the last good boot, of 2026-01-02 03:04, it was",
	 NULL},
	{"... because a command has removed it", removed_vg, "", "Everything is as it should be.\n",
	 "", NULL},
	{"... though lvm2 has a copy of its metadata", lost_metadata, "",
	 "VG data: missing: not-seen\n", "", NULL},
	{"... though its disk is there, but is not read", unread_disk, "",
	 "VG data: missing: not-seen\n", "", NULL},
	{"a file system that was not mounted", not_mounted, "",
	 "mount point /home: not mounted: not-mounted\n",
	 "LV vg_one/home is active, /etc/fstab has it for /home", "next: mount /home\n"},
	{"... asked for by its mount point", not_mounted, "/home",
	 "LV vg_one/home: active\nmount point /home: not mounted: not-mounted\n", "", NULL},
	{"... and one with a slash behind it", not_mounted, "/home/",
	 "LV vg_one/home: active\nmount point /home: not mounted: not-mounted\n", "", NULL},
	{"one that was mounted", mounted_home, "", "Everything is as it should be.\n", "", NULL},
	{"a mount point", fstab, "/home", "LV vg_one/home: inactive\n", "", NULL},
	{"the path of an LV", fstab, "/dev/vg_one/home", "LV vg_one/home: inactive\n", "", NULL},
	{"the mapper's name of an LV", fstab, "/dev/mapper/vg_one-home",
	 "LV vg_one/home: inactive\n", "", NULL},
	{"a file system that is remembered", fstab, "/data", "VG data: missing: not-seen\n", "",
	 NULL},
	{"... by its UUID", fstab, "UUID=1111-2222", "VG data: missing: not-seen\n", "", NULL},
	{"... by its label, as written in fstab", fstab, "\"LABEL=my\\040home\"",
	 "VG data: missing: not-seen\n", "", NULL},
	{"a PV by its id", up_one, UUID_ONE, "PV /dev/sda of VG vg_one: used\n", "", NULL},
};

TEST_EACH(each_cause_is_named_with_its_evidence, rows)
{
	compare_answer(&rows[_i]);
}

/* What an administrator wants so is no news, unless the boot needs it. */
static const struct {
	void (*make)(void);
	const char *vg, *cause;
} configured[] = {
	{no_event_activation, "vg_one", "event-activation-off"},
	{foreign, "vg_foreign", "foreign"},
	{exported, "vg_exp", "exported"},
	{flags, "vg_flags", "autoactivation-off"},
	{empty_list, "vg_one", "not-selected"},
	{deactivated, "vg_one", "deactivated"},
};

TEST_EACH(what_is_configured_is_told_on_demand_only, configured)
{
	char line[96];

	configured[_i].make();
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(strstr(machine.out, "VG ") == NULL, "%s", machine.out);
	snprintf(line, sizeof(line), "/dev/%s/lv /srv ext4 defaults 0 2\n", configured[_i].vg);
	put("/etc/fstab", line);
	ck_assert_int_eq(explain("explain"), 0);
	snprintf(line, sizeof(line), "VG %s: inactive: %s\n", configured[_i].vg,
		 configured[_i].cause);
	ck_assert_msg(has(line), "%s", machine.out);
}

TEST(two_paths_to_a_disk_are_told_on_demand_only)
{
	two_paths();
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(!has("duplicate"), "%s", machine.out);
}

TEST(an_lv_behind_a_fence_is_told_if_crypttab_needs_it)
{
	volume_list();
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(!has("volume-list"), "%s", machine.out);
	put("/etc/crypttab", "secret /dev/vg_one/root none luks\n");
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(has("LV vg_one/root: inactive: volume-list\n"), "%s", machine.out);
}

static const char *const unknown[] = {
	"nothing", "nothing/lv", "/dev/sdz", "/mnt", "yENn7p-uYj7-1QO1-7ZPC-PRhn-ZTfM-zF8qNb",
	"a b"};

TEST_EACH(a_target_that_is_nowhere_is_an_error, unknown)
{
	char words[128];

	snprintf(words, sizeof(words), "explain %s", unknown[_i]);
	ck_assert_int_eq(explain(words), 5);
	ck_assert_ptr_nonnull(strstr(machine.err,
				     "VG, LV or PV not found on devices that can be read, nor in "
				     "the last good boot; to explain all: lvmevent explain"));
}

TEST(a_vg_without_this_lv_is_no_unknown_vg)
{
	ck_assert_int_eq(explain("explain vg_one/nothing"), 5);
	ck_assert_ptr_nonnull(strstr(machine.err, "vg_one/nothing: LV not found in this VG\n"));
	ck_assert_str_eq(machine.out,
			 "VG vg_one: inactive: lvm2-in-charge\n  stock lvm2 is in "
			 "charge, and no reason was found why it did not activate the "
			 "VG: its unit may have failed\n  next: vgchange -aay vg_one\n");
}

static const char *const with_fstab[] = {"explain", "explain /home"};

TEST_EACH(an_fstab_that_cannot_be_read_is_not_an_empty_one, with_fstab)
{
	up_one();
	put("/etc/fstab/folder", "");
	explain(with_fstab[_i]);
	ck_assert_ptr_nonnull(
		strstr(machine.err, "/etc/fstab: Is a directory; what it mounts is unknown.\n"));
	ck_assert_ptr_null(strstr(machine.out, "Everything is as it should be."));
}

TEST(nothing_is_written)
{
	explain("explain");
	ck_assert(!machine_has("/run/lvm/event"));
	ck_assert(!machine_has("/run/lock"));
}

TEST(json_has_the_same)
{
	failed();
	ck_assert_int_eq(explain("explain --json vg_one"), 0);
	ck_assert_ptr_nonnull(
		strstr(machine.out,
		       "{ \"version\": 2, \"answers\": [ { \"type\": \"vg\", \"name\": \"vg_one\", "
		       "\"uuid\": \"GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21\", \"vg\": \"vg_one\", "
		       "\"state\": \"inactive\", \"cause\": \"failed\", \"configured\": false, "
		       "\"evidence\": \"a kernel target is missing: thin-pool; "));
	ck_assert_ptr_nonnull(strstr(machine.out,
				     " ago; it is not retried before one of its PVs is added\", "
				     "\"next\": \"vgchange -aay vg_one\", \"next_class\": "
				     "\"change\" }"));
}

static int take_lock(const void *arg)
{
	const int fd = open(arg, O_CREAT | O_RDWR, 0700);

	return fd < 0 || flock(fd, LOCK_EX) < 0 ? -1 : 0;
}

TEST(who_holds_the_lock_is_named_and_not_waited_for)
{
	char path[128], text[256];
	struct stat st;
	int taken;
	pid_t pid;

	activating();
	tree_mkdir(&machine.tree, "/run/lock/lvm");
	snprintf(path, sizeof(path), "%s/run/lock/lvm/V_vg_one", machine.tree.root);
	pid = holder_start(take_lock, path, &taken);
	ck_assert_int_eq(stat(path, &st), 0);
	snprintf(text, sizeof(text),
		 "1: POSIX  ADVISORY  WRITE 9 00:01:2 0 EOF\n"
		 "2: FLOCK  ADVISORY  WRITE 77 %02x:%02x:%lu 0 EOF\n"
		 "2: -> FLOCK  ADVISORY  WRITE 78 %02x:%02x:%lu 0 EOF\n",
		 major(st.st_dev), minor(st.st_dev), (unsigned long)st.st_ino, major(st.st_dev),
		 minor(st.st_dev), (unsigned long)st.st_ino);
	put("/proc/locks", text);
	put("/proc/uptime", "340.0 600.0\n");
	tree_put_bytes(&machine.tree, "/proc/77/cmdline", "lvextend\0-L1T\0", 14);
	tree_put_process(&machine.tree, 77, "lvextend", 'S', 10000);
	put("/proc/77/task/77/children", "79 ");
	tree_put_bytes(&machine.tree, "/proc/79/cmdline", "thin_check\0", 11);
	ck_assert_int_eq(explain("explain"), 0);
	holder_kill(pid);
	ck_assert_msg(has("the VG's lock is held by lvextend -L1T (pid 77, for 240 s), which waits "
			  "for thin_check (pid 79, "),
		      "%s", machine.out);
}
