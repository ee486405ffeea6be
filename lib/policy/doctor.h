/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes storage fail slowly: a table of checks, each from facts about the machine to findings.
 * Pure; command/doctor.c gathers the facts. Strings of facts are borrowed and never NULL; "":
 * unknown. Numbers that may be unknown are LEA_DOCTOR_UNKNOWN then.
 */
#pragma once

#include "base/err.h"
#include "disk/vg.h"
#include "policy/boot_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_DOCTOR_UNKNOWN	  UINT64_MAX
#define LEA_DOCTOR_OBJECT_BYTES	  320U
#define LEA_DOCTOR_EVIDENCE_BYTES 768U
#define LEA_DOCTOR_NEXT_BYTES	  512U
#define LEA_DOCTOR_CHECKS_MOST	  32U

enum lea_doctor_answer { LEA_DOCTOR_NOT_KNOWN, LEA_DOCTOR_NO, LEA_DOCTOR_YES };

enum lea_doctor_cache { LEA_DOCTOR_CACHE_NOT_KNOWN, LEA_DOCTOR_CACHE_OFF, LEA_DOCTOR_CACHE_ON };

/* Counters of one device since the boot. Source: kernel documentation, admin-guide/iostats. */
struct lea_doctor_io {
	uint64_t reads, read_ms, writes, write_ms;
};

/* What a judgement of all disks found, as bits. */
enum lea_doctor_fault {
	LEA_DOCTOR_FAULT_LATE = 1U << 0,       /* does not answer in time */
	LEA_DOCTOR_FAULT_SLOW = 1U << 1,       /* D1 */
	LEA_DOCTOR_FAULT_FAILING = 1U << 2,    /* D5 */
	LEA_DOCTOR_FAULT_ROTATIONAL = 1U << 3, /* no fault by itself */
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
	uint32_t vg;	       /* index into facts->vg; LEA_NONE: of none */
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
	const char *state;	   /* "running" */
	uint64_t timeouts;	   /* of commands, since the disk came; only with is_scsi */
	uint32_t kernel_errors;	   /* lines of the kernel's ring */
	enum lea_doctor_smart smart;
	bool smart_failing;
	uint64_t wear_percent;
	uint32_t measured_reads;	  /* with --measure */
	uint64_t measured_us, slowest_us; /* of all, of the slowest */
	uint64_t mda_bytes, text_bytes;	  /* of the PV's first metadata area, of the text in it */
	const char *wwid, *address;	  /* as in the boot's memory; "" also if not asked for */
	struct lea_doctor_file file;
	unsigned int faults; /* enum lea_doctor_fault; set by lea_doctor_judge_disks */
	uint64_t await_us;   /* set by it; LEA_DOCTOR_UNKNOWN: too few requests */
	bool await_is_write;
};

struct lea_doctor_lv {
	bool is_active;
	char node[16]; /* "dm-3"; "": it has none of its own */
	bool has_link; /* /dev/VG/LV is there */
	bool has_io;
	struct lea_doctor_io io;
	bool is_needed;		    /* in fstab, mounted, a swap, or held by another device */
	uint64_t open_count;	    /* LEA_DOCTOR_UNKNOWN: not asked */
	const char *status, *later; /* device-mapper's; "": not asked, or no answer */
	uint32_t between_ms;	    /* between the two */
	bool status_is_late;
};

struct lea_doctor_vg {
	const struct lea_vg *vg;
	const uint32_t *disk;	  /* [vg->pv_count]: index into facts->disk; LEA_NONE: not there */
	struct lea_doctor_lv *lv; /* [vg->lv_count] */
	bool has_duplicate;
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
};

/* A device-mapper node of a VG that is none of its LVs'. */
struct lea_doctor_node {
	uint32_t vg;
	const char *kernel, *name; /* "dm-3"; device-mapper's */
};

/* A PV that a filter keeps out. */
struct lea_doctor_hidden {
	const char *name, *why, *pvid;
};

struct lea_doctor_drbd {
	bool is_there;	     /* some DRBD device is there */
	const char *scanned; /* a DRBD device that LVM's filters let through; "": none */
	bool has_settings;   /* drbdsetup has answered */
	bool tool_is_absent;
	const char *settings; /* its output */
};

struct lea_doctor_facts {
	struct lea_doctor_disk *disk;
	uint32_t disk_count;
	struct lea_doctor_vg *vg;
	uint32_t vg_count;
	const struct lea_doctor_task *task;
	uint32_t task_count;
	bool has_tasks;
	const struct lea_doctor_node *node;
	uint32_t node_count;
	const struct lea_doctor_hidden *hidden;
	uint32_t hidden_count;
	const struct lea_boot_memory *memory; /* NULL: none */
	uint32_t unread;		      /* devices that the time did not suffice for */
	uint64_t sample_ms, uptime_s;
	bool has_kernel_ring;
	/* snapshots */
	bool has_snapshot_module;
	const char *cow_threshold; /* text of the parameter; "": there is none */
	uint64_t copy_throttle_percent, memory_kib;
	uint64_t slab_kib; /* of kcopyd_job and dm_snap_pending_exception */
	/* pools */
	uint32_t pool_threshold_percent;
	bool monitoring;
	enum lea_doctor_answer has_dmeventd;
	/* semaphores */
	bool has_semaphores;
	uint64_t semaphore_sets, semaphore_limit, cookies, old_cookies;
	uint64_t io_full_percent_100; /* avg60, in hundredths */
	bool scan_lvs;
	struct lea_doctor_drbd drbd;
};

struct lea_doctor_finding {
	const char *check;		      /* "D4" */
	const char *title;		      /* of the check */
	unsigned int severity;		      /* 1, or 2: data or the boot are at risk */
	const char *vg, *lv, *device, *pvid;  /* "": none; pvid: 32 characters */
	char object[LEA_DOCTOR_OBJECT_BYTES]; /* "/dev/sda (PV of vg0)" */
	char evidence[LEA_DOCTOR_EVIDENCE_BYTES];
	const char *why;		  /* it matters */
	char next[LEA_DOCTOR_NEXT_BYTES]; /* a command line for a shell, or advice */
};

struct lea_doctor_sink {
	void (*find)(void *arg, const struct lea_doctor_finding *finding);
	void (*not_known)(void *arg, const char *check, const char *why);
	void *arg;
};

struct lea_doctor_report;

struct lea_doctor_check {
	const char *id, *title;
	void (*run)(const struct lea_doctor_facts *facts, struct lea_doctor_report *report);
};

/* All checks, in the order of their ids. Static. */
const struct lea_doctor_check *lea_doctor_checks(uint32_t *ret_count);

/* @only: bit i for check i. Judges the disks first, which sets their faults. Linear, but for the
 * sorting of disks by kind. */
void lea_doctor_run(struct lea_doctor_facts *facts, uint32_t only,
		    const struct lea_doctor_sink *sink);

/* Sets faults and await of each disk. */
void lea_doctor_judge_disks(struct lea_doctor_facts *facts);

/* "4.0 GiB" */
#define LEA_DOCTOR_SIZE_BYTES 24U
void lea_doctor_size(uint64_t bytes, char ret_text[static LEA_DOCTOR_SIZE_BYTES]);
