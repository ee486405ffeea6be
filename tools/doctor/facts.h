/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What lvmevent doctor knows of the machine, a struct for each subject. Only the gatherers
 * (gather_*.c) write it, the checks read it. Strings are borrowed and never NULL; "":
 * unknown. Numbers that may be unknown are LEA_DOCTOR_UNKNOWN then.
 */
#pragma once

#include "disk/vg.h"
#include "memory/boot_memory.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_DOCTOR_UNKNOWN UINT64_MAX

enum lea_doctor_answer { LEA_DOCTOR_NOT_KNOWN, LEA_DOCTOR_NO, LEA_DOCTOR_YES };

enum lea_doctor_cache { LEA_DOCTOR_CACHE_NOT_KNOWN, LEA_DOCTOR_CACHE_OFF, LEA_DOCTOR_CACHE_ON };

/* Counters of one device since the boot. Source: kernel documentation, admin-guide/iostats. */
struct lea_doctor_io {
	uint64_t reads, read_ms, writes, write_ms, in_flight; /* in_flight: now */
	uint64_t read_sectors, write_sectors;
};

enum lea_doctor_smart {
	LEA_DOCTOR_SMART_NOT_ASKED,
	LEA_DOCTOR_SMART_ABSENT, /* smartctl is not installed */
	LEA_DOCTOR_SMART_LATE,	 /* no answer within the deadline */
	LEA_DOCTOR_SMART_NONE,	 /* the disk has no such data */
	LEA_DOCTOR_SMART_READ,
};

/* The file of a loop device. */
struct lea_doctor_file {
	const char *path;	 /* "": no loop device */
	const char *fs;		 /* "nfs4", from the mounts */
	bool is_asked, has_stat; /* without has_stat: the file system did not answer in time */
	uint64_t size_bytes, held_bytes;
	uint64_t extents; /* LEA_DOCTOR_UNKNOWN: the file system does not say */
	enum lea_doctor_answer has_direct_io;
};

/* A PV's device, or a disk below it. */
struct lea_doctor_disk {
	const char *name;   /* "/dev/sda1" */
	const char *kernel; /* of the whole disk: "sda" */
	const char *node;   /* of the device itself: "sda1" */
	char pvid[33];	    /* "": the device lies below a PV */
	uint32_t major, minor;
	uint32_t vg;	       /* index into the VGs; LEA_NONE: of none */
	bool is_pv, is_orphan; /* is_orphan: a PV of no VG */
	bool lies_on_lv;
	bool is_scsi, is_nvme, is_virtio;
	enum lea_doctor_answer is_rotational;
	enum lea_doctor_answer discards; /* can the disk discard? Only of disks of thin pools */
	bool is_late;
	bool has_io; /* both readings of the counters */
	struct lea_doctor_io before, after;
	enum lea_doctor_cache
		kernel_cache; /* what the kernel takes the disk for: queue/write_cache */
	enum lea_doctor_cache disk_cache; /* what the disk says: cache_type */
	const char *model;
	const char *state;	/* "running" */
	uint64_t timeouts;	/* of commands, since the disk came; only with is_scsi */
	uint64_t since_us;	/* udev knows it, since the boot; 0: unknown */
	uint32_t kernel_errors; /* lines of the kernel's ring since then */
	enum lea_doctor_smart smart;
	bool smart_failing;
	uint64_t wear_percent;
	uint32_t measured_reads;	  /* with --measure */
	uint64_t measured_us, slowest_us; /* of all, of the slowest */
	uint64_t mda_bytes, text_bytes;	  /* of the PV's first metadata area, of the text in it */
	bool is_outdated;		  /* another PV has newer metadata, of which this is none */
	const char *outdated;		  /* how much newer */
	const char *wwid, *address;	  /* as in the boot's memory; "" also if not asked for */
	struct lea_doctor_file file;
};

struct lea_doctor_lv {
	bool is_active;
	char node[16]; /* "dm-3"; "": it does not have one */
	bool has_link; /* /dev/VG/LV is there */
	bool has_io;
	struct lea_doctor_io io;
	bool is_needed;		    /* in fstab, crypttab, mounted, a swap, held; or it may be */
	uint64_t open_count;	    /* LEA_DOCTOR_UNKNOWN: not asked */
	const char *status, *later; /* device-mapper's; "": not asked, or no answer */
	uint32_t between_ms;	    /* between the two */
	bool status_is_late;
};

struct lea_doctor_vg {
	const struct lea_vg *vg;
	const uint32_t *disk; /* [vg->pv_count]: index into the disks; LEA_NONE: not there */
	const struct lea_doctor_lv *lv; /* [vg->lv_count] */
	const char *copies; /* the disks that carry one PV of it, and what LVs use; "": none */
	const char *moved; /* a PV of it is in another VG now, and which; "": none */
	bool is_unwatched; /* active, and not registered with dmeventd */
	bool is_ours;	   /* of this host, and not exported or shared */
	bool is_cluster;   /* a cluster manager activates it */
};

struct lea_doctor_task {
	int pid;
	char command[32], wchan[64], device[64], state;
	char lock[160];	    /* the lock file that it holds; "": none */
	uint64_t blocked_s; /* at least */
	uint64_t age_s;	    /* of the process; of the lock, if it holds one */
	bool has_ended;	    /* it took the lock, and another process has it still */
};

/* A device-mapper node of a VG that belongs to none of its LVs. */
struct lea_doctor_node {
	uint32_t vg;
	const char *kernel, *name; /* "dm-3"; device-mapper's */
};

/* An LV that is active on a disk which has gone. */
struct lea_doctor_lost {
	const char *name, *vg, *lv; /* "VG/LV", and its parts */
	const char *disk;	    /* the name that it had: "sdb" */
};

/* A PV that a filter keeps out. */
struct lea_doctor_hidden {
	const char *name, *why, *pvid;
};

struct lea_doctor_disks {
	const struct lea_doctor_disk *disk;
	uint32_t count;
	const struct lea_doctor_hidden *hidden;
	uint32_t hidden_count;
	bool has_kernel_ring;
	uint64_t sample_ms; /* between the two readings of counters */
};

struct lea_doctor_vgs {
	const struct lea_doctor_vg *vg;
	uint32_t count;
	const struct lea_doctor_node *node;
	uint32_t node_count;
	const struct lea_doctor_lost *lost;
	uint32_t lost_count;
};

struct lea_doctor_tasks {
	const struct lea_doctor_task *task;
	uint32_t count;
	bool is_read;
};

struct lea_doctor_semaphores {
	bool is_read;
	uint64_t sets, limit, cookies, old_cookies;
};

/* The kernel's snapshots. */
struct lea_doctor_snapshots {
	bool has_module;
	const char *cow_threshold; /* text of the parameter; "": there is none */
	uint64_t copy_throttle_percent, memory_kib;
	uint64_t slab_kib; /* of kcopyd_job and dm_snap_pending_exception */
};

/* What watches over pools. */
struct lea_doctor_watch {
	uint32_t threshold_percent;
	bool monitoring;
	enum lea_doctor_answer has_dmeventd;
};

/* What the kernel's ring says of the last day. */
struct lea_doctor_kernel {
	uint32_t lockups;  /* of workqueues */
	uint64_t lockup_s; /* the longest */
	uint32_t kills;	   /* of processes, for lack of memory */
	char victim[32];   /* the last of them; "": none */
};

struct lea_doctor_machine {
	uint64_t uptime_s;
	uint64_t io_full_percent_100; /* avg60, in hundredths */
	bool scan_lvs;
	struct lea_doctor_semaphores semaphores;
	struct lea_doctor_snapshots snapshots;
	struct lea_doctor_watch watch;
	struct lea_doctor_kernel kernel;
};

struct lea_doctor_drbd {
	bool is_there;	     /* some DRBD device is there */
	const char *scanned; /* a DRBD device that LVM's filters let through; "": none */
	bool has_settings;   /* drbdsetup has answered */
	bool tool_is_absent;
	const char *settings; /* its output */
};

struct lea_doctor_facts {
	struct lea_doctor_disks disks;
	struct lea_doctor_vgs vgs;
	struct lea_doctor_tasks tasks;
	struct lea_doctor_machine machine;
	struct lea_doctor_drbd drbd;
	const struct lea_boot_memory *memory; /* NULL: none */
	const char *memory_when;	      /* it was written; "": unknown */
	const char *why_no_memory;
};
