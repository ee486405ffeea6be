/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that gather the facts for lvmevent doctor. Each fills the facts of its own
 * subject and no others; gather.c knows the order.
 */
#pragma once

#include "base/arena.h"
#include "doctor/gather.h"
#include "doctor/gather_hanging.h"
#include "scan/scan.h"
#include "world/mounts.h"

struct lea_doctor_list {
	struct lea_mounts mounts;
	bool is_read;
	int fault; /* of the reading */
};

/* What all of them need. */
struct lea_doctor {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_doctor_options options;
	struct lea_arena *arena; /* of the facts */
	uint64_t began_ms;
	struct lea_doctor_list list[LEA_CRYPTTAB + 1]; /* for lea_doctor_mounts */
	struct lea_doctor_requests requests;
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
char *lea_doctor_read_text(const struct lea_doctor *doctor, int dir_fd, const char *path,
			   size_t max_bytes);
/* Rows of a list, read once; none if there is no such list. Borrowed. -errno: it cannot be read, so
 * nothing follows from a row that is not there. */
LEA_MUST_CHECK int lea_doctor_mounts(struct lea_doctor *doctor, enum lea_mount_text form,
				     const struct lea_mounts **ret_mounts);
/* May this program be run? @program: "/usr/sbin/smartctl" */
bool lea_doctor_is_installed(const struct lea_doctor *doctor, const char *program);

/* ---- counters of devices */

/* The counters of one device at one time. */
struct lea_doctor_counter {
	char name[32]; /* "sda1" */
	struct lea_doctor_io io;
};

struct lea_doctor_counters {
	struct lea_doctor_counter *counter; /* sorted by name; owned */
	size_t count;
};

struct lea_doctor_sample {
	struct lea_doctor_counters before, after;
	uint64_t ms; /* between the two */
};

/* 0 or -ENOMEM. Without counters if they cannot be read. */
LEA_MUST_CHECK int lea_doctor_read_counters(const struct lea_doctor *doctor,
					    struct lea_doctor_counters *ret_counters);
/* NULL: not listed. */
const struct lea_doctor_io *lea_doctor_find_counter(const struct lea_doctor_counters *counters,
						    const char *name);

/* ---- gatherers: each returns 0 or -ENOMEM, and leaves out what cannot be read */

/* The disks while they are gathered. */
struct lea_doctor_disk_list {
	struct lea_doctor_disk *disk; /* owned, as pv and hidden */
	/* those that are PVs, by id; of two with one id a disk that is late comes last */
	struct lea_doctor_disk **pv;
	struct lea_doctor_hidden *hidden;
	uint32_t count, pv_count, hidden_count;
	size_t room, hidden_room;
};

/* Facts borrow from @list, also if this fails. */
LEA_MUST_CHECK int lea_doctor_read_disks(struct lea_doctor *doctor, struct lea_scan *scan,
					 struct lea_doctor_disk_list *list);
/* Of each disk: counters of both readings; errors that the kernel's ring has, and what it says of
 * the machine, whose uptime is known. False: no ring. */
void lea_doctor_take_counters(struct lea_doctor_disk_list *list,
			      const struct lea_doctor_sample *sample);
bool lea_doctor_read_kernel_ring(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
				 struct lea_doctor_machine *machine);
bool lea_doctor_has_pv(const struct lea_doctor_disk_list *list, const char *pvid);
/*
 * lea_doctor_join_vg - note which disks hold the PVs of @vg
 * @index: of the VG among those of the facts
 * @ret_disk: [vg->pv_count]: index of each disk; LEA_NONE: it is not there
 */
void lea_doctor_join_vg(struct lea_doctor_disk_list *list, const struct lea_vg *vg, uint32_t index,
			uint32_t *ret_disk);
/* Can these disks discard? @disk: [@count]: from lea_doctor_join_vg */
void lea_doctor_read_discards(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
			      const uint32_t *disk, uint32_t count);
/* After all VGs and the sample. Fills in facts->disks, which borrows from @list, and what the
 * kernel's ring says of facts->machine, which was read. */
void lea_doctor_finish_disks(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
			     const struct lea_doctor_sample *sample,
			     struct lea_doctor_facts *facts);
void lea_doctor_disks_done(struct lea_doctor_disk_list *list);

/* Asks the disks of @list how they are. */
LEA_MUST_CHECK int lea_doctor_read_smart(struct lea_doctor *doctor,
					 struct lea_doctor_disk_list *list);

/* After the disks, which learn their VGs. @counters: borrowed */
LEA_MUST_CHECK int lea_doctor_read_lvs(struct lea_doctor *doctor, struct lea_scan *scan,
				       const struct lea_doctor_counters *counters,
				       struct lea_doctor_disk_list *list,
				       struct lea_doctor_vgs *ret_vgs);

/* Tasks of the first reading that are still blocked; in the end also those that hold locks. */
struct lea_doctor_blocked {
	struct lea_doctor_task *task;
	uint64_t *start, *switches; /* of each task, to tell whether it is in the same wait */
	size_t count, room;
	bool is_read;
};

LEA_MUST_CHECK int lea_doctor_read_tasks(const struct lea_doctor *doctor,
					 struct lea_doctor_blocked *blocked);
/* Looks again at the tasks that were blocked; false: no task is any more. */
bool lea_doctor_reread_tasks(const struct lea_doctor *doctor, struct lea_doctor_blocked *blocked);
/* *ret_tasks borrows from @blocked. */
LEA_MUST_CHECK int lea_doctor_finish_tasks(const struct lea_doctor *doctor,
					   struct lea_doctor_blocked *blocked,
					   struct lea_doctor_tasks *ret_tasks);
void lea_doctor_blocked_done(struct lea_doctor_blocked *blocked);

/* After the disks: what of options.memory counts. */
LEA_MUST_CHECK int lea_doctor_read_memory(struct lea_doctor *doctor, const struct lea_scan *scan,
					  const struct lea_doctor_disk_list *list,
					  struct lea_doctor_facts *facts);
void lea_doctor_read_machine(struct lea_doctor *doctor, struct lea_doctor_machine *ret_machine);
LEA_MUST_CHECK int lea_doctor_read_drbd(struct lea_doctor *doctor, const struct lea_scan *scan,
					struct lea_doctor_drbd *ret_drbd);
