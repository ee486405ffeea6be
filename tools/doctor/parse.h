/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Texts of the kernel and of tools that lvmevent doctor reads. All are hostile input; what is
 * nonsense is unknown. Pure, and linear in the text.
 */
#pragma once

#include "base/mount_text.h"
#include "doctor/facts.h"

/* A thin pool's status. */
struct lea_doctor_thin {
	uint64_t metadata_used, metadata_total; /* blocks of 4 KiB */
	uint64_t data_used, data_total;		/* chunks */
	bool has_failed, needs_check, is_read_only, is_out_of_data, no_passdown;
};
/* False: nonsense. */
bool lea_doctor_parse_thin(const char *text, struct lea_doctor_thin *ret_thin);

/* The counters of /sys/dev/block/M:m/stat, or of a line of /proc/diskstats after the name. */
bool lea_doctor_parse_io(const char *text, struct lea_doctor_io *ret_io);

/*
 * lea_doctor_parse_errors - the disk that a line of the kernel's ring reports an error of
 * Lines "... I/O error, dev sda, sector 8 ..." and "critical medium error, dev ...", but not those
 * about commands that a disk does not know ("critical target error").
 * Returns false if the line reports none. Source: the kernel's blk-core.c and blk-mq.c.
 */
bool lea_doctor_parse_error(const char *line, char ret_disk[static 32]);

/* For how many seconds a workqueue was stuck, by a line "BUG: workqueue lockup - pool cpus=1 ...
 * stuck for 35s!"; 0: another line. Source: the kernel's workqueue.c. */
uint64_t lea_doctor_parse_lockup(const char *line);

/* Which process the kernel killed, by a line "Out of memory: Killed process 42 (lvm) ...", or
 * "Memory cgroup out of memory: ...". False: another line, or a container's own limit has killed what
 * is none of lvm's commands, which says nothing of the machine. Source: the kernel's oom_kill.c. */
bool lea_doctor_parse_kill(const char *line, char ret_command[static 32]);

/* When the kernel wrote a line of its ring, "<3>[   12.000345] ...": us since the boot;
 * LEA_DOCTOR_UNKNOWN: it gives no time. */
uint64_t lea_doctor_parse_since(const char *line);

/* avg60 of the line "full" of /proc/pressure/io, in hundredths; LEA_DOCTOR_UNKNOWN: none. */
uint64_t lea_doctor_parse_pressure(const char *text);

/* /proc/sysvipc/sem: sets in all, those of device-mapper's cookies, and of these the ones that
 * were last changed before @old_before (seconds since the epoch). */
bool lea_doctor_parse_semaphores(const char *text, uint64_t old_before, uint64_t *ret_sets,
				 uint64_t *ret_cookies, uint64_t *ret_old);

/* KiB of the slabs kcopyd_job and dm_snap_pending_exception in /proc/slabinfo. */
uint64_t lea_doctor_parse_slabs(const char *text);

/* "write back" -> ON, "write through" -> OFF, also after "temporary "; else not known. */
enum lea_doctor_cache lea_doctor_parse_cache(const char *text);

/* Does drbdsetup's output set this option to "no"? @option: "disk-flushes" */
bool lea_doctor_parse_drbd_off(const char *text, const char *option);

/* What fstab may call an LV. Never NULL; node: "dm-3"; dm_uuid: "LVM-", VG id, LV id; fs_uuid,
 * fs_label: of its content; "": none. */
struct lea_doctor_names {
	const char *vg, *lv, *node, *dm_uuid, *fs_uuid, *fs_label;
};
/*
 * lea_doctor_is_in_fstab - does a line name the LV or its content?
 * As /dev/VG/LV, /dev/mapper/VG-LV, /dev/dm-N, UUID=, LABEL=, or udev's links for the last four. An
 * LV has no PARTUUID.
 */
bool lea_doctor_is_in_fstab(const struct lea_mounts *fstab, const struct lea_doctor_names *names);
