/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks D8 to D16 of lvmevent doctor. */
#include "unit/doctor_facts.h"

/* ---- troubles */

static void snapshot(const char *status, const char *later)
{
	now.lv[lv_of("sn1")].status = status;
	now.lv[lv_of("sn1")].later = later;
	now.lv[lv_of("sn1")].between_ms = 2000;
}

static void snap_79(void)
{
	snapshot("7900/10000 16", "7900/10000 16");
}

static void snap_93(void)
{
	snapshot("93000/100000 16", "93020/100000 16");
}

static void snap_lost(void)
{
	snapshot("Invalid", "Invalid");
}

static void snap_nonsense(void)
{
	snapshot("-5/100 0", "-5/100 0");
}

static void snap_late(void)
{
	now.lv[lv_of("sn1")].status_is_late = true;
}

static void snap_written(void)
{
	now.lv[lv_of("org")].io.writes = 5;
}

static void no_limit(void)
{
	now.facts.machine.snapshots.cow_threshold = "";
}

static void limit_0(void)
{
	now.facts.machine.snapshots.cow_threshold = "0";
}

static void limit_nonsense(void)
{
	now.facts.machine.snapshots.cow_threshold = "a lot";
}

static void limit_high(void)
{
	now.facts.machine.snapshots.cow_threshold = "1000000";
}

static void throttled(void)
{
	now.facts.machine.snapshots.copy_throttle_percent = 10;
}

static void slabs(void)
{
	now.facts.machine.snapshots.slab_kib = 1U << 20;
}

static void pool(const char *status)
{
	now.lv[lv_of("pool")].status = status;
}

#define STATUS(data, rest) "1 10/512 " data "/256 - rw " rest
static void pool_79(void)
{
	pool(STATUS("202", "discard_passdown queue_if_no_space - 1024"));
}

static void pool_80(void)
{
	pool(STATUS("205", "discard_passdown queue_if_no_space - 1024"));
}

static void pool_96(void)
{
	pool(STATUS("246", "discard_passdown queue_if_no_space - 1024"));
}

static void pool_metadata(void)
{
	pool("1 420/512 10/256 - rw discard_passdown queue_if_no_space - 1024");
}

static void pool_check(void)
{
	pool("1 10/512 10/256 - ro discard_passdown queue_if_no_space needs_check 1024");
}

static void pool_fails(void)
{
	pool("Fail");
}

static void pool_nonsense(void)
{
	pool("1 x/y");
}

static void never_extended(void)
{
	now.facts.machine.watch.threshold_percent = 100;
}

static void no_dmeventd(void)
{
	now.facts.machine.watch.has_dmeventd = LEA_DOCTOR_NO;
}

static void unwatched(void)
{
	now.vg[0].is_unwatched = true;
}

static void no_discards(void)
{
	pool(STATUS("10", "no_discard_passdown queue_if_no_space - 1024"));
	now.disk[0].discards = LEA_DOCTOR_NO;
}

static void no_discards_hdd(void)
{
	no_discards();
	rotational(0);
}

static void text_69(void)
{
	now.disk[0].text_bytes = 360000;
}

static void text_70(void)
{
	now.disk[0].text_bytes = 366000;
}

static void text_91(void)
{
	now.disk[0].text_bytes = 480000;
}

static void lost(void)
{
	static const struct lea_doctor_lost rows[] = {{"data/home", "data", "home", "sdc"}};

	now.facts.vgs.lost = rows;
	now.facts.vgs.lost_count = ARRAY_SIZE(rows);
}

static void missing(void)
{
	now.index[1] = LEA_NONE;
}

static void remembered(const char *id, const char *pvid, const char *address)
{
	now.then = (struct lea_boot_vg){.name = "then", .pv = &now.pv, .pv_count = 1};
	snprintf(now.then.id, sizeof(now.then.id), "%s", id);
	now.pv = (struct lea_boot_pv){.wwid = "", .serial = "S1", .address = address};
	snprintf(now.pv.pvid, sizeof(now.pv.pvid), "%s", pvid);
	now.memory = (struct lea_boot_memory){.vg = &now.then, .vg_count = 1};
}

static void moved(void)
{
	now.disk[0].address = "pci0/host3/3:0:0:0";
	remembered(now.golden.vg->id, now.disk[0].pvid, "pci0/host2/2:0:0:0");
}

static void moved_since(void)
{
	moved();
	now.facts.memory_when = "2026-11-24 05:30";
}

static void not_moved(void)
{
	moved();
	now.pv.address = now.disk[0].address;
}

static void slower(uint32_t then_us, uint64_t reads, uint64_t ms)
{
	not_moved();
	now.pv.read_us = then_us;
	now.disk[0].is_rotational = LEA_DOCTOR_NO;
	now.disk[0].has_io = true;
	now.disk[0].before = now.disk[0].after =
		(struct lea_doctor_io){.reads = reads, .read_ms = ms};
}

static void slower_4(void)
{
	slower(2000, 16, 16 * 8);
}

static void slower_3(void)
{
	slower(2000, 16, 16 * 6);
}

static void slower_but_fast(void)
{
	slower(100, 1000, 1000);
}

static void slower_few(void)
{
	slower(2000, 15, 15 * 800);
}

static void slower_unknown(void)
{
	slower(0, 16, 16 * 800);
}

/* Slow in all since the boot, and fast again. */
static void slower_once(void)
{
	slower(2000, 1000, 100000);
	now.disk[0].after.reads += 16;
	now.disk[0].after.read_ms += 16;
}

static void gone(void)
{
	remembered("00000000000000000000000000000000", "11111111111111111111111111111111", "");
}

static void no_memory(void)
{
	now.facts.memory = NULL;
	now.facts.why_no_memory = "none was good";
}

static void semaphores_50(void)
{
	now.facts.machine.semaphores.sets = 16000;
}

static void semaphores_51(void)
{
	now.facts.machine.semaphores.sets = 16001;
	now.facts.machine.semaphores.cookies = 15000;
	now.facts.machine.semaphores.old_cookies = 14000;
}

static void no_semaphores(void)
{
	now.facts.machine.semaphores.is_read = false;
}

static struct lea_vg other_vg;

static void twin(void)
{
	other_vg = *now.golden.vg;
	snprintf(other_vg.id, sizeof(other_vg.id), "abcdefghijklmnopqrstuvwxyz012345");
	now.vg[1] = now.vg[0];
	now.vg[1].vg = &other_vg;
	now.facts.vgs.count = 2;
}

static void duplicate(void)
{
	now.vg[0].copies = "/dev/sda and /dev/sdb; LVs use /dev/sda";
}

static void in_another_vg(void)
{
	now.vg[0].moved = "PV X on /dev/sdx is in VG other now";
}

static void outdated(void)
{
	now.disk[0].is_outdated = true;
	now.disk[0].outdated = "seqno 2 of VG vg, newest is 3 on /dev/sdx";
}

static void hidden_pv(void)
{
	now.hidden = (struct lea_doctor_hidden){"/dev/sdx", "device is not in devices file",
						"11111111111111111111111111111111"};
	gone();
	now.facts.disks.hidden = &now.hidden;
	now.facts.disks.hidden_count = 1;
}

static void unknown_hidden_pv(void)
{
	hidden_pv();
	now.hidden.pvid = "22222222222222222222222222222222";
}

static void guest_pv(void)
{
	now.disk[0].lies_on_lv = true;
}

static void pressure_20(void)
{
	now.facts.machine.io_full_percent_100 = 2000;
}

static void pressure_21(void)
{
	now.facts.machine.io_full_percent_100 = 2150;
}

static void no_pressure(void)
{
	now.facts.machine.io_full_percent_100 = LEA_DOCTOR_UNKNOWN;
}

static void scanned(void)
{
	now.facts.drbd.is_there = now.facts.drbd.has_settings = true;
	now.facts.drbd.scanned = "/dev/drbd0";
}

static void no_flushes(void)
{
	now.facts.drbd.is_there = now.facts.drbd.has_settings = true;
	now.facts.drbd.settings = "resource r {\n    disk {\n\tmd-flushes\tno;\n    }\n}\n";
}

static void no_drbdsetup(void)
{
	now.facts.drbd.is_there = now.facts.drbd.tool_is_absent = true;
}

static void clustered(void)
{
	now.vg[0].is_cluster = true;
}

static void replicas(void)
{
	now.golden.vg->lvs[0].name = "pvc-1_00000";
	twin();
	other_vg.lvs = memcpy(calloc(other_vg.lv_count, sizeof(*other_vg.lvs)), other_vg.lvs,
			      other_vg.lv_count * sizeof(*other_vg.lvs));
	other_vg.lvs[0].name = "pvc-1.meta_00000";
	other_vg.name = "metas";
	now.disk[1] = good_disk(1);
	now.disk[1].kernel = "sda";
	now.disk[1].vg = 1;
	now.facts.disks.count = 2;
}

static const struct row rows[] = {
	{"snapshots with room", "snap_two", D(8), snap_79, "", NULL},
	{"a snapshot that is nearly full", "snap_two", D(8), snap_93,
	 "1 D8 vg/sn1: 93 % full (of vg/org), full in about 12 min at the present rate [lvextend "
	 "-L +1g vg/sn1]",
	 NULL},
	{"a lost snapshot", "snap_two", D(8), snap_lost,
	 "2 D8 vg/sn1: is full or damaged, and lost (of vg/org) [lvs -o "
	 "+snap_percent,lv_snapshot_invalid vg/sn1]",
	 NULL},
	{"nonsense", "snap_two", D(8), snap_nonsense, "",
	 "D8: vg/sn1: device-mapper gives no number\n"},
	{"no status", "snap_two", D(8), snap_late, "",
	 "D8: vg/sn1: device-mapper has not answered in time\n"},
	{"writes to an origin", "snap_two", D(8), snap_written,
	 "1 D8 vg/org: 2 thick snapshots: a write to it can become 5 requests (chunks of 8 KiB)",
	 NULL},
	{"a kernel without limit", "snap_two", D(8), no_limit,
	 "1 D8 snapshots in the kernel: the kernel has no limit of copies in flight (no parameter "
	 "snapshot_cow_threshold)",
	 NULL},
	{"limit 0", "snap_two", D(8), limit_0,
	 "1 D8 snapshots in the kernel: snapshot_cow_threshold is 0", NULL},
	{"a limit that is none", "snap_two", D(8), limit_nonsense, "",
	 "D8: snapshot_cow_threshold is not a number\n"},
	{"a limit beyond the memory", "snap_two", D(8), limit_high,
	 "1 D8 snapshots in the kernel: snapshot_cow_threshold is 1000000: 2 snapshots may take "
	 "15625 MiB",
	 NULL},
	{"throttled", "snap_two", D(8), throttled,
	 "1 D8 snapshots in the kernel: snapshot_copy_throttle is 10 %", NULL},
	{"much memory", "snap_two", D(8), slabs,
	 "1 D8 snapshots in the kernel: copies in flight take 1024 MiB", NULL},
	{"no snapshots: the kernel's limit does not matter", "linear_one", D(8), no_limit, "",
	 NULL},
	{"a pool with room", "thin_basic", D(9), pool_79, "", NULL},
	{"a pool that is nearly full", "thin_basic", D(9), pool_80,
	 "1 D9 vg/pool: its data is 80 % full [lvextend -l +10%LV vg/pool]", NULL},
	{"a pool that is all but full", "thin_basic", D(9), pool_96,
	 "2 D9 vg/pool: its data is 96 % full", NULL},
	{"its metadata", "thin_basic", D(9), pool_metadata,
	 "1 D9 vg/pool: its metadata is 82 % full [lvextend --poolmetadatasize +256m vg/pool]",
	 NULL},
	{"needs_check", "thin_basic", D(9), pool_check, "2 D9 vg/pool: its metadata needs a check",
	 NULL},
	{"a failed pool", "thin_basic", D(9), pool_fails, "2 D9 vg/pool: it has failed", NULL},
	{"a status that is none", "thin_basic", D(9), pool_nonsense, "",
	 "D9: vg/pool: device-mapper's status is unknown\n"},
	{"overcommitted, never extended", "thin_basic", D(9), never_extended,
	 "1 D9 vg/pool: its volumes have 43.0 MiB, it has 16.0 MiB, and it is never extended: "
	 "thin_pool_autoextend_threshold is 100",
	 NULL},
	{"overcommitted, no dmeventd", "thin_basic", D(9), no_dmeventd,
	 "1 D9 vg/pool: its volumes have 43.0 MiB, it has 16.0 MiB, and it is never extended: "
	 "dmeventd is not running",
	 NULL},
	{"overcommitted, not monitored yet", "thin_basic", D(9), unwatched,
	 "1 D9 vg/pool: its volumes have 43.0 MiB, it has 16.0 MiB, and it is never extended: "
	 "dmeventd does not monitor its VG yet",
	 NULL},
	{"a pool without volumes needs nothing", "thin_pool_empty", D(9), never_extended, "", NULL},
	{"discards that no disk takes", "thin_basic", D(9), no_discards,
	 "1 D9 vg/pool: discards are to be passed down, but /dev/sda does not support them", NULL},
	{"... which a rotational disk does not need", "thin_basic", D(9), no_discards_hdd, "",
	 NULL},
	{"metadata with room", "linear_one", D(10), text_69, "", NULL},
	{"metadata near its limit", "linear_one", D(10), text_70,
	 "1 D10 vg: its metadata has 357.4 KiB, 70 % of what fits into the area of /dev/sda (509.8 "
	 "KiB) [pvs -o name,vg_name,pv_mda_size,pv_mda_free /dev/sda # ",
	 NULL},
	{"metadata all but full", "linear_one", D(10), text_91, "2 D10 vg: ", NULL},
	{"mixed media", "linear_multi", D(11), rotational_1,
	 "1 D11 vg/a: 1 of its 4 pieces are on rotational disks (/dev/sdb), 3 on solid state "
	 "[lvs -o +devices,seg_pe_ranges vg # move it to disks of one kind: pvmove -n a]",
	 NULL},
	{"one kind of media", "linear_multi", D(11), rotational_all, "", NULL},
	{"an LV on a disk that has gone", "linear_multi", D(12), lost,
	 "2 D12 data/home: it is active on a disk that has gone: sdc",
	 NULL},
	{"a VG that lacks a PV", "linear_multi", D(12), missing,
	 "2 D12 vg: 1 of its 3 PVs is not there: ", NULL},
	{"a PV that is elsewhere", "linear_one", D(12), moved,
	 "1 D12 /dev/sda (PV of vg): in the last good boot this PV of then was at "
	 "pci0/host2/2:0:0:0, now it is at pci0/host3/3:0:0:0",
	 NULL},
	{"... and it is known since when", "linear_one", D(12), moved_since,
	 "1 D12 /dev/sda (PV of vg): in the last good boot this PV of then was at "
	 "pci0/host2/2:0:0:0, now it is at pci0/host3/3:0:0:0 (remembered 2026-11-24 05:30)",
	 NULL},
	{"a PV that is where it was", "linear_one", D(12), not_moved, "", NULL},
	{"a PV four times as slow", "linear_one", D(12), slower_4,
	 "1 D12 /dev/sda (PV of vg): 8.0 ms a read on average, 2.0 ms in the last good boot", NULL},
	{"a PV three times as slow", "linear_one", D(12), slower_3, "", NULL},
	{"a PV that is slower, and fast", "linear_one", D(12), slower_but_fast, "", NULL},
	{"too few reads", "linear_one", D(12), slower_few, "", NULL},
	{"a boot that did not know", "linear_one", D(12), slower_unknown, "", NULL},
	{"a PV that was slow once", "linear_one", D(12), slower_once, "", NULL},
	{"a VG that is gone", "linear_one", D(12), gone,
	 "2 D12 then: its PV 111111-1111-1111-1111-1111-1111-111111 was there in the last good "
	 "boot (disk, serial S1), and is not any more",
	 NULL},
	{"nothing remembered", "linear_one", D(12), no_memory, "",
	 "D12: no boot is remembered: none was good\n"},
	{"half of the semaphores", "linear_one", D(13), semaphores_50, "", NULL},
	{"more than half", "linear_one", D(13), semaphores_51,
	 "1 D13 semaphores: 16001 of 32000 sets are in use; 15000 are device-mapper's, of these "
	 "14000 older than 10 minutes [dmsetup udevcookies]",
	 NULL},
	{"no figures", "linear_one", D(13), no_semaphores, "",
	 "D13: /proc/sysvipc/sem or the limit cannot be read\n"},
	{"a name twice", "linear_one", D(14), twin, "2 D14 vg: two VGs have this name: ", NULL},
	{"a PV on two devices", "linear_one", D(14), duplicate,
	 "2 D14 vg: one of its PVs is on two devices: /dev/sda and /dev/sdb; LVs use /dev/sda "
	 "[lvmevent explain vg]", NULL},
	{"a PV that another VG has taken", "linear_one", D(14), in_another_vg,
	 "2 D14 vg: PV X on /dev/sdx is in VG other now [lvmevent explain vg]", NULL},
	{"a PV with outdated metadata", "linear_one", D(14), outdated,
	 "2 D14 /dev/sda (PV of vg): its metadata are outdated: seqno 2 of VG vg, newest is 3 on "
	 "/dev/sdx [lvmevent explain /dev/sda]",
	 NULL},
	{"a PV that the devices file does not name", "linear_one", D(14), hidden_pv,
	 "1 D14 /dev/sdx: it is a PV, but device is not in devices file [lvm lvmdevices --check "
	 "# if it belongs to this host, add it: lvmdevices(8)]",
	 NULL},
	{"... and that was not there in the last good boot", "linear_one", D(14), unknown_hidden_pv,
	 "", NULL},
	{"a virtual machine's PV", "linear_one", D(14), guest_pv,
	 "2 D14 /dev/sda (PV of vg): this PV is on an LV, and devices/scan_lvs is 1", NULL},
	{"little pressure", "linear_one", D(15), pressure_20, "", NULL},
	{"pressure", "linear_one", D(15), pressure_21,
	 "1 D15 I/O: all tasks waited for I/O for 21.50 % of the last minute", NULL},
	{"no pressure known", "linear_one", D(15), no_pressure, "",
	 "D15: the kernel has no /proc/pressure/io\n"},
	{"LVM scans DRBD", "linear_one", D(16), scanned,
	 "1 D16 /dev/drbd0: LVM's filters let DRBD's devices through", NULL},
	{"DRBD without flushes", "linear_one", D(16), no_flushes,
	 "2 D16 /dev/sda (PV of vg): DRBD is set to md-flushes no, but the disk caches writes",
	 NULL},
	{"no drbdsetup", "linear_one", D(16), no_drbdsetup, "",
	 "D16: drbdsetup is not installed\n"},
	{"a cluster's VG", "linear_one", D(16), clustered,
	 "2 D16 vg: a cluster manager activates it, but events do, too", NULL},
	{"data and metadata on one disk", "linear_one", D(16), replicas,
	 "1 D16 metas: DRBD's metadata in it and the data in vg share the disk sda", NULL},
};

TEST_EACH(each_trouble_is_found_and_nothing_else, rows)
{
	run_row(&rows[_i]);
}
