/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of lib/command that gather the facts for lvmevent doctor. */
#pragma once

#include "base/arena.h"
#include "base/devset.h"
#include "doctor/gather.h"
#include "scan/reader.h"
#include "scan/scan.h"
#include "world/active_vgs.h"
#include "world/mounts.h"

#include <sys/types.h>

struct lea_filter;

/* The counters of one device at one time. */
struct lea_doctor_counter {
	char name[32]; /* "sda1" */
	struct lea_doctor_io io;
};

struct lea_doctor_counters {
	struct lea_doctor_counter *counter; /* sorted by name; owned */
	size_t count;
};

enum lea_doctor_job_kind {
	LEA_DOCTOR_JOB_STATUS, /* of a device-mapper node, twice */
	LEA_DOCTOR_JOB_OPENS,  /* how often a node is open */
	LEA_DOCTOR_JOB_FILE,   /* stat and extents of a file */
	LEA_DOCTOR_JOB_SMART,
	LEA_DOCTOR_JOB_DRBD,
};

/* What a child does, in memory that it shares. */
struct lea_doctor_job {
	enum lea_doctor_job_kind kind;
	uint32_t vg, lv, disk;	   /* that it is about */
	char name[130], uuid[130]; /* of a node */
	char path[512];		   /* of a file, a disk or a program */
	/* results */
	bool is_good;
	uint64_t first_ms, second_ms;
	uint64_t opens, size_bytes, held_bytes, extents;
	char text[2][512];
	bool smart_failing;
	uint64_t wear_percent;
	/* by the parent */
	bool has_first; /* of a status */
	bool is_done;
};

#define LEA_DOCTOR_SETTINGS_BYTES (256U * 1024U)

struct lea_doctor_shared {
	char settings[LEA_DOCTOR_SETTINGS_BYTES]; /* of DRBD */
	struct lea_doctor_job job[];
};

struct lea_doctor {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_doctor_options options;
	struct lea_doctor_facts facts;
	struct lea_arena *arena;
	uint64_t began_ms;
	/* the scan */
	struct lea_reader *reader;
	struct lea_filter *filter;
	struct lea_scan *scan;
	struct lea_active_vgs active;
	bool *is_matched; /* [active.count]: it is an LV of a VG; in the arena, as node */
	struct lea_doctor_node *node;
	struct lea_devset leaves; /* disks below PVs that are known already */
	size_t disk_room;
	struct lea_doctor_hidden *hidden; /* owned */
	struct lea_doctor_counters before, after;
	struct lea_mounts mounts[LEA_FSTAB + 1]; /* for lea_doctor_mounts */
	char (*unwatched)[33]; /* ids of VGs that dmeventd does not monitor yet, sorted; owned */
	size_t unwatched_count, unwatched_room;
	/* tasks of the first reading */
	struct lea_doctor_task *task;
	uint64_t *task_start, *task_switches;
	size_t task_count, task_room;
	/* what children do (world/jobs.h) */
	struct lea_doctor_job *job; /* before they start; owned */
	size_t job_count, job_room;
	struct lea_doctor_shared *shared;
	size_t shared_bytes;
};

/* Is one of the checks wanted? @check: 1 for D1. */
static inline bool lea_doctor_wants(const struct lea_doctor *doctor, unsigned int check)
{
	return doctor->options.only & (1U << (check - 1));
}

uint64_t lea_doctor_now_ms(const struct lea_doctor *doctor);
/* A string in the arena; "" if memory is short. */
const char *lea_doctor_keep(struct lea_doctor *doctor, const char *text);
/* A text file below the root; NULL: none. Owned. */
char *lea_doctor_read_text(struct lea_doctor *doctor, int dir_fd, const char *path,
			   size_t max_bytes);
/* Rows of mountinfo, swaps or fstab; read once. Without rows if it cannot be read. Borrowed. */
const struct lea_mounts *lea_doctor_mounts(struct lea_doctor *doctor, enum lea_mount_text form);

/* Each returns 0 or -ENOMEM, and leaves out what cannot be read. */
LEA_MUST_CHECK int lea_doctor_read_counters(struct lea_doctor *doctor,
					    struct lea_doctor_counters *ret_counters);
/* NULL: not listed. */
const struct lea_doctor_io *lea_doctor_find_counter(const struct lea_doctor_counters *counters,
						    const char *name);
LEA_MUST_CHECK int lea_doctor_read_disks(struct lea_doctor *doctor);
void lea_doctor_read_kernel_ring(struct lea_doctor *doctor);
LEA_MUST_CHECK int lea_doctor_read_lvs(struct lea_doctor *doctor);
LEA_MUST_CHECK int lea_doctor_read_tasks(struct lea_doctor *doctor);
/* Looks again at the tasks that were blocked; false: none of them still is. */
bool lea_doctor_reread_tasks(struct lea_doctor *doctor);
LEA_MUST_CHECK int lea_doctor_finish_tasks(struct lea_doctor *doctor);
/* After the disks: what of options.memory counts. */
LEA_MUST_CHECK int lea_doctor_read_memory(struct lea_doctor *doctor);
void lea_doctor_read_machine(struct lea_doctor *doctor, struct lea_doctor_machine *ret_machine);

LEA_MUST_CHECK int lea_doctor_add_job(struct lea_doctor *doctor, const struct lea_doctor_job *job);
/* Has children do the jobs; of a status the first half. Blocks until @until_ms at most. */
LEA_MUST_CHECK int lea_doctor_ask(struct lea_doctor *doctor, uint64_t until_ms);
/* The second half, and takes all results over. */
LEA_MUST_CHECK int lea_doctor_ask_again(struct lea_doctor *doctor, uint64_t until_ms);
