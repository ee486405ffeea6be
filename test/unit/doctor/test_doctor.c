/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks D1 to D7 of lvmevent doctor: facts in, findings out, on captured VGs. */
#include "unit/doctor_facts.h"

/* ---- troubles */

static void slow_0(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 20, .read_ms = 500};
}

static void slow_under_pressure(void)
{
	slow_0();
	now.facts.machine.io_full_percent_100 = 5000;
}

static void slow_writes(void)
{
	now.disk[0].after = (struct lea_doctor_io){
		.reads = 1000, .read_ms = 100, .writes = 20, .write_ms = 600};
}

static void slow_hdd(void)
{
	rotational(0);
	now.disk[0].after = (struct lea_doctor_io){.reads = 20, .read_ms = 1800};
}

static void slow_hdd_more(void)
{
	rotational(0);
	now.disk[0].after = (struct lea_doctor_io){.reads = 20, .read_ms = 2200};
}

static void few(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 15, .read_ms = 3000};
}

/* One write at a time, each of 1,266 ms: what a sample of ten seconds sees. */
static void incident(void)
{
	now.disk[0].before = now.disk[0].after = (struct lea_doctor_io){0};
	now.disk[0].after = (struct lea_doctor_io){.writes = 7, .write_ms = 8862, .in_flight = 1};
	now.facts.disks.sample_ms = 10000;
}

static void three(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 3, .read_ms = 3000};
}

static void four(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 4, .read_ms = 1000};
}

static void four_fast(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 4, .read_ms = 999};
}

static void stuck(void)
{
	now.disk[0].before = (struct lea_doctor_io){.writes = 5, .write_ms = 5, .in_flight = 2};
	now.disk[0].after = now.disk[0].before;
	now.facts.disks.sample_ms = 2000;
}

static void stuck_shortly(void)
{
	stuck();
	now.facts.disks.sample_ms = 999;
}

static void stuck_reads_done(void)
{
	stuck();
	now.disk[0].after.reads++;
}

static void peers(void)
{
	now.disk[0].after = (struct lea_doctor_io){.reads = 1000, .read_ms = 12000};
	for (uint32_t i = 1; i < now.facts.disks.count; i++)
		now.disk[i].after = (struct lea_doctor_io){.reads = 1000, .read_ms = 2000};
}

static void measured(void)
{
	now.disk[0].measured_reads = 32;
	now.disk[0].measured_us = 32 * 84000ULL;
}

static void late(void)
{
	now.disk[0].is_late = true;
}

static void no_counters(void)
{
	now.disk[0].has_io = false;
}

static void slow_1(void)
{
	now.disk[1].after = (struct lea_doctor_io){.reads = 20, .read_ms = 1680};
}

static void failing_1(void)
{
	now.disk[1].kernel_errors = 3;
}

static void rotational_log(void)
{
	rotational_all();
	for (uint32_t i = 0; i < 2; i++)
		now.disk[i].is_rotational = LEA_DOCTOR_NO;
}

static void blocked(void)
{
	now.task[0] = (struct lea_doctor_task){.pid = 42,
					       .command = "dd",
					       .state = 'D',
					       .wchan = "io_schedule",
					       .device = "/dev/sdq",
					       .blocked_s = 10};
	now.facts.tasks.task = now.task;
	now.facts.tasks.count = 1;
}

static void blocked_shortly(void)
{
	blocked();
	now.task[0].blocked_s = 9;
}

static void holder(void)
{
	blocked_shortly();
	now.task[0] = (struct lea_doctor_task){
		.pid = 43, .command = "lvm", .lock = "/run/lock/lvm/V_vg", .age_s = 240};
}

static void ended_holder(void)
{
	holder();
	snprintf(now.task[0].command, sizeof(now.task[0].command), "a program that has ended");
	now.task[0].has_ended = true;
}

static void lockups(void)
{
	now.facts.machine.kernel = (struct lea_doctor_kernel){.lockups = 2, .lockup_s = 35};
}

static void kills(void)
{
	now.facts.machine.kernel = (struct lea_doctor_kernel){.kills = 1, .victim = "lvm"};
}

static void no_ring(void)
{
	now.facts.disks.has_kernel_ring = false;
}

static void no_tasks(void)
{
	now.facts.tasks.is_read = false;
}

static void cache_off(void)
{
	now.disk[0].disk_cache = now.disk[0].kernel_cache = LEA_DOCTOR_CACHE_OFF;
}

static void cache_off_hdd(void)
{
	cache_off();
	rotational(0);
}

static void cache_off_nvme(void)
{
	cache_off();
	now.disk[0].is_scsi = false;
	now.disk[0].is_nvme = true;
}

static void cache_off_virtio(void)
{
	cache_off_nvme();
	now.disk[0].is_nvme = false;
	now.disk[0].is_virtio = true;
}

static void no_flush(void)
{
	now.disk[0].kernel_cache = LEA_DOCTOR_CACHE_OFF;
}

static void cache_unknown(void)
{
	now.disk[0].disk_cache = LEA_DOCTOR_CACHE_NOT_KNOWN;
}

static void errors(void)
{
	now.disk[0].kernel_errors = 1;
}

static void errors_below(void)
{
	errors();
	now.disk[0].is_pv = false;
}

static void timed_out(void)
{
	now.disk[0].timeouts = 1;
}

static void offline(void)
{
	now.disk[0].state = "offline";
	now.disk[0].timeouts = 7;
}

static void worn(void)
{
	now.disk[0].smart = LEA_DOCTOR_SMART_READ;
	now.disk[0].wear_percent = 90;
}

static void worn_less(void)
{
	worn();
	now.disk[0].wear_percent = 89;
}

static void smart_fails(void)
{
	worn_less();
	now.disk[0].smart_failing = true;
}

static void no_smartctl(void)
{
	now.disk[0].smart = LEA_DOCTOR_SMART_ABSENT;
}

static void file(const char *fs)
{
	now.disk[0].file = (struct lea_doctor_file){.path = "/srv/pv",
						    .fs = fs,
						    .is_asked = true,
						    .has_stat = true,
						    .size_bytes = 1 << 30,
						    .held_bytes = 1 << 30,
						    .extents = 4,
						    .has_direct_io = LEA_DOCTOR_YES};
}

static void on_ext4(void)
{
	file("ext4");
}

static void on_nfs(void)
{
	file("nfs4");
	now.disk[0].file.has_stat = false;
}

static void on_ntfs(void)
{
	file("fuseblk");
}

static void sparse(void)
{
	file("ext4");
	now.disk[0].file.held_bytes = 1 << 29;
}

static void pieces(void)
{
	file("xfs");
	now.disk[0].file.extents = 1001;
}

static void cached_twice(void)
{
	file("ext4");
	now.disk[0].file.has_direct_io = LEA_DOCTOR_NO;
}

static void no_answer(void)
{
	file("ext4");
	now.disk[0].file.has_stat = false;
}

static void unused_pmspare(void)
{
	/* The VG of a captured shape may be changed: it is this test's own. */
	for (uint32_t i = 0; i < now.golden.vg->lv_count; i++)
		if (!strcmp(now.golden.vg->lvs[i].name, "lv0"))
			now.golden.vg->lvs[i].name = "lvol0_pmspare";
}

static void hidden_lv(void)
{
	now.golden.vg->lvs[0].flags &= ~(uint32_t)LEA_FLAG_VISIBLE;
}

static void unopened(void)
{
	now.lv[0].open_count = 0;
	now.lv[0].io = (struct lea_doctor_io){.reads = 20, .read_ms = 1};
	now.facts.machine.uptime_s = 86400;
}

static void unopened_young(void)
{
	unopened();
	now.facts.machine.uptime_s = 86399;
}

static void unopened_written(void)
{
	unopened();
	now.lv[0].io.writes = 1;
}

static void unopened_needed(void)
{
	unopened();
	now.lv[0].is_needed = true;
}

static void young(void)
{
	now.facts.machine.uptime_s = 86399;
}

static void old_machine(void)
{
	now.facts.machine.uptime_s = 86400;
}

/* A spare LV of the VG has this name, and is not opened. */
static void left_as(const char *name)
{
	static struct lea_lv lvs[16];
	static struct lea_doctor_lv states[16];
	struct lea_vg *vg = now.golden.vg;
	const uint32_t count = vg->lv_count;

	ck_assert_uint_lt(count, ARRAY_SIZE(lvs));
	memcpy(lvs, vg->lvs, count * sizeof(*lvs));
	memcpy(states, now.lv, count * sizeof(*states));
	lvs[count] = (struct lea_lv){.name = name,
				     .extent_count = 10 * (8192 / vg->extent_sectors),
				     .flags = LEA_FLAG_VISIBLE,
				     .user = LEA_NONE};
	states[count] = (struct lea_doctor_lv){
		.is_active = true, .has_io = true, .status = "", .later = ""};
	vg->lvs = lvs;
	vg->lv_count = count + 1;
	now.vg[0].lv = states;
	young();
}

static void old_metadata(void)
{
	left_as("pool_meta0");
}

static void app_metadata(void)
{
	left_as("app_meta0");
}

static void pool_metadata(void)
{
	left_as("pool_meta");
}

static void orphan(void)
{
	now.disk[1] = good_disk(1);
	now.disk[1].is_orphan = true;
	now.disk[1].vg = LEA_NONE;
	now.facts.disks.count = 2;
}

static void left_node(void)
{
	now.node = (struct lea_doctor_node){0, "dm-7", "vg-gone"};
	now.facts.vgs.node = &now.node;
	now.facts.vgs.node_count = 1;
}

static void hostile_node(void)
{
	left_node();
	now.node.name = "x;\nrm 'y'";
	now.is_hostile = true;
}

static void left_link(void)
{
	now.lv[0].is_active = false;
	now.lv[0].has_link = true;
}

static void foreign_vg(void)
{
	hidden_lv();
	now.vg[0].is_ours = false;
}

/* ---- rows */

static const struct row rows[] = {
	{"a slow read", "linear_one", D(1), slow_0,
	 "1 D1 /dev/sda (PV of vg): 25 ms a read on average, solid state [smartctl -x /dev/sda "
	 "# move its data to another disk: pvmove(8)]",
	 NULL},
	{"... explains the pressure", "linear_one", D(1) | D(15), slow_under_pressure,
	 "1 D1 /dev/sda (PV of vg): 25 ms a read", NULL},
	{"a slow write", "linear_one", D(1), slow_writes, "1 D1 /dev/sda (PV of vg): 30 ms a write",
	 NULL},
	{"a rotational disk may take longer", "linear_one", D(1), slow_hdd, "", NULL},
	{"... but not as long", "linear_one", D(1), slow_hdd_more,
	 "1 D1 /dev/sda (PV of vg): 110 ms a read on average, rotational", NULL},
	{"a few requests that take long", "linear_one", D(1), few,
	 "1 D1 /dev/sda (PV of vg): 200 ms a read on average", NULL},
	{"one write at a time, each of more than a second", "linear_one", D(1), incident,
	 "1 D1 /dev/sda (PV of vg): 1266 ms a write on average", NULL},
	{"four of one second together", "linear_one", D(1), four,
	 "1 D1 /dev/sda (PV of vg): 250 ms", NULL},
	{"... or of less", "linear_one", D(1), four_fast, "", NULL},
	{"three may have woken it up", "linear_one", D(1), three, "", NULL},
	{"none is done", "linear_one", D(1), stuck,
	 "1 D1 /dev/sda (PV of vg): 2 requests wait, and none was done in 2.0 s", NULL},
	{"... in less than a second", "linear_one", D(1), stuck_shortly, "", NULL},
	{"... but another one was", "linear_one", D(1), stuck_reads_done, "", NULL},
	{"six times slower than its peers", "raid1", D(1), peers,
	 "1 D1 /dev/sda (PV of vg): 12 ms a read", NULL},
	{"a measured disk", "linear_one", D(1), measured, "1 D1 /dev/sda (PV of vg): 84 ms a read",
	 NULL},
	{"a late disk", "linear_one", D(1), late, "2 D1 /dev/sda (PV of vg): does not answer",
	 NULL},
	{"no counters", "linear_one", D(1), no_counters, "", "D1: no counters of 1 device\n"},
	{"metadata of a thin pool on a slow disk", "thin_basic", D(2), slow_1,
	 "1 D2 vg/pool: its metadata is on /dev/sdb (slow, 84 ms a read), its data on /dev/sda "
	 "(solid state, 1.0 ms a read) [pvmove -n pool_tmeta /dev/sdb /dev/sda]",
	 NULL},
	{"... on a rotational one", "thin_basic", D(2), rotational_1,
	 "1 D2 vg/pool: its metadata is on /dev/sdb (rotational, ", NULL},
	{"... on a failing one", "thin_basic", D(2), failing_1,
	 "2 D2 vg/pool: its metadata is on /dev/sdb (reports errors, ", NULL},
	{"all on rotational disks", "thin_basic", D(2), rotational_all, "", NULL},
	{"its data on the slow disk", "thin_basic", D(2), slow_0, "", NULL},
	{"a write cache on a slow disk", "writecache", D(2), slow_1,
	 "1 D2 vg/w: its write cache is on /dev/sdb (slow", NULL},
	{"the log of a mirror on rotational disks", "mirror", D(2), rotational_log,
	 "1 D2 vg/md: the log of its mirror is on /dev/sd", NULL},
	{"a task that is blocked", "linear_one", D(3), blocked,
	 "1 D3 dd (pid 42): blocked in the kernel for 10 s or longer (io_schedule), uses /dev/sdq "
	 "[cat /proc/42/stack",
	 NULL},
	{"not long enough", "linear_one", D(3), blocked_shortly, "", NULL},
	{"who holds a lock", "linear_one", D(3), holder,
	 "1 D3 lvm (pid 43): holds the lock /run/lock/lvm/V_vg for up to 240 s [lslocks -p 43; ps ",
	 NULL},
	{"... who has ended", "linear_one", D(3), ended_holder,
	 "1 D3 a program that has ended (pid 43): took the lock /run/lock/lvm/V_vg up to 240 s ago, "
	 "and another process, which it began, has it still [grep -s ^lock: /proc/[0-9]*/fdinfo/* | "
	 "grep -w 43]",
	 NULL},
	{"no /proc", "linear_one", D(3), no_tasks, "", "D3: /proc cannot be read\n"},
	{"workqueues that are stuck", "linear_one", D(3), lockups,
	 "1 D3 workqueues: the kernel reported 2 lockups of a workqueue in the last day, the longest "
	 "of 35 s [journalctl -k -b",
	 NULL},
	{"a process that was killed for lack of memory", "linear_one", D(3), kills,
	 "1 D3 memory: for lack of it the kernel killed 1 process in the last day, the last: lvm "
	 "[journalctl -k -b",
	 NULL},
	{"no messages of the kernel", "linear_one", D(3), no_ring, "",
	 "D3: the kernel's messages cannot be read\n"},
	{"a cache that is off", "linear_one", D(4), cache_off,
	 "1 D4 /dev/sda (PV of vg): the write cache of this solid-state disk is off (cache_type "
	 "\"write through\") [cat /sys/block/sda/queue/write_cache # in "
	 "/etc/udev/rules.d/60-write-cache.rules: ACTION==\"add\", "
	 "SUBSYSTEM==\"scsi_disk\", ATTRS{model}==\"QEMU HARDDISK\", "
	 "ATTR{cache_type}=\"temporary write back\"]",
	 NULL},
	{"... of a rotational disk", "linear_one", D(4), cache_off_hdd, "", NULL},
	{"an NVMe disk without one", "linear_one", D(4), cache_off_nvme, "", NULL},
	{"a virtio disk whose host switched it off", "linear_one", D(4), cache_off_virtio,
	 "1 D4 /dev/sda (PV of vg): the write cache of this solid-state disk is off "
	 "(queue/write_cache",
	 NULL},
	{"no flushes for a disk that caches", "linear_one", D(4), no_flush,
	 "2 D4 /dev/sda (PV of vg): the kernel sends no flushes (queue/write_cache \"write "
	 "through\"), but the disk caches writes (cache_type \"write back\") [echo 'write back' "
	 ">/sys/block/sda/queue/write_cache]",
	 NULL},
	{"a cache of which nothing is known", "linear_one", D(4), cache_unknown, "",
	 "D4: 1 disk does not say whether writes are cached\n"},
	{"an I/O error", "linear_one", D(5), errors,
	 "2 D5 /dev/sda (PV of vg): 1 I/O error in the kernel's messages of this boot [smartctl "
	 "-x /dev/sda # move its data to another disk: pvmove(8)]",
	 NULL},
	{"offline", "linear_one", D(5), offline,
	 "2 D5 /dev/sda (PV of vg): its state is offline, 7 commands timed out since the disk came",
	 NULL},
	{"a command that timed out once", "linear_one", D(5), timed_out,
	 "1 D5 /dev/sda (PV of vg): 1 command timed out since the disk came [", NULL},
	{"a failing disk below a PV", "linear_one", D(5), errors_below,
	 "2 D5 /dev/sda (below a PV of vg): 1 I/O error in the kernel's messages of this boot "
	 "[smartctl -x /dev/sda # replace it where it is used",
	 NULL},
	{"worn", "linear_one", D(5), worn, "2 D5 /dev/sda (PV of vg): 90 % of its life is used",
	 NULL},
	{"not yet worn", "linear_one", D(5), worn_less, "", NULL},
	{"SMART", "linear_one", D(5), smart_fails, "2 D5 /dev/sda (PV of vg): SMART: the disk says",
	 NULL},
	{"no smartctl", "linear_one", D(5), no_smartctl, "", "D5: smartctl is not installed\n"},
	{"a file on a local file system", "linear_one", D(6), on_ext4, "", NULL},
	{"a file on NFS that does not answer", "linear_one", D(6), on_nfs,
	 "2 D6 /dev/sda (PV of vg): it is the file /srv/pv on nfs4", NULL},
	{"a local file system by FUSE", "linear_one", D(6), on_ntfs, "", NULL},
	{"a sparse file", "linear_one", D(6), sparse,
	 "1 D6 /dev/sda (PV of vg): it is the file /srv/pv, which is sparse: 512.0 MiB of 1.0 GiB "
	 "are allocated [df /srv/pv # move the PV to a disk: pvmove(8)]",
	 NULL},
	{"a file in pieces", "linear_one", D(6), pieces,
	 "1 D6 /dev/sda (PV of vg): it is the file /srv/pv, which is in 1001 pieces", NULL},
	{"cached twice", "linear_one", D(6), cached_twice,
	 "1 D6 /dev/sda (PV of vg): it is the file /srv/pv, used without direct I/O [losetup "
	 "--direct-io=on /dev/sda]",
	 NULL},
	{"no answer", "linear_one", D(6), no_answer, "",
	 "D6: /dev/sda: the file system of /srv/pv has not answered in time\n"},
	{"a pool without volumes", "thin_pool_empty", D(7), old_machine,
	 "1 D7 vg/pool: 8.0 MiB, a pool without volumes [lvs -a -o +lv_time,devices vg/pool]",
	 NULL},
	{"... which may be new", "thin_pool_empty", D(7), young, "", NULL},
	{"a pool with volumes", "thin_basic", D(7), nothing, "", NULL},
	{"spare metadata alone", "linear_one", D(7), unused_pmspare,
	 "1 D7 vg/lvol0_pmspare: 40.0 MiB, spare metadata, but the VG has no pool", NULL},
	{"a hidden LV", "linear_one", D(7), hidden_lv,
	 "1 D7 vg/lv0: 40.0 MiB, a hidden LV that no LV uses [lvs -a ", NULL},
	{"never opened", "linear_one", D(7), unopened,
	 "1 D7 vg: lv0 (40.0 MiB): not opened since boot, and not in fstab or crypttab", NULL},
	{"never opened, but the boot was today", "linear_one", D(7), unopened_young, "", NULL},
	{"written and closed", "linear_one", D(7), unopened_written, "", NULL},
	{"in fstab", "linear_one", D(7), unopened_needed, "", NULL},
	{"metadata that a repair left", "thin_basic", D(7), old_metadata,
	 "1 D7 vg/pool_meta0: 40.0 MiB, no LV uses it, not opened since boot [lvs -a -o "
	 "+lv_time,devices vg/pool_meta0]",
	 NULL},
	{"an LV whose name only ends like that", "thin_basic", D(7), app_metadata, "", NULL},
	{"... or that has no number", "thin_basic", D(7), pool_metadata, "", NULL},
	{"a PV of no VG", "linear_one", D(7), orphan,
	 "1 D7 /dev/sdb (PV of no VG): a PV of no VG [pvs /dev/sdb]", NULL},
	{"a node without LV", "linear_one", D(7), left_node,
	 "1 D7 vg-gone: a device of VG vg (dm-7), but not of one of its LVs [dmsetup info "
	 "vg-gone]",
	 NULL},
	{"a node with a hostile name", "linear_one", D(7), hostile_node,
	 "1 D7 x;?rm 'y': a device of VG vg (dm-7), but not of one of its LVs []\n", NULL},
	{"a link without node", "linear_one", D(7), left_link,
	 "1 D7 vg/lv0: it is not active, but /dev/vg/lv0 is there", NULL},
	{"another host's VG", "linear_one", D(7), foreign_vg, "", NULL},
};

TEST_EACH(each_trouble_is_found_and_nothing_else, rows)
{
	run_row(&rows[_i]);
}

TEST(ids_are_in_order_and_fit_the_mask)
{
	uint32_t count;
	const struct lea_doctor_check *checks = lea_doctor_checks(&count);
	char id[16];

	ck_assert_uint_eq(count, 16);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(id, sizeof(id), "D%u", i + 1);
		ck_assert_str_eq(checks[i].id, id);
	}
}
