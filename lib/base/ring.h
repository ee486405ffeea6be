/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of the timeline: a ring of fixed size in memory that several processes share, and the
 * same as a file. A writer takes the next place by one atomic addition, so no writer waits for
 * another one, and a record costs no system call. All numbers are in the machine's byte order: no
 * other machine reads them.
 *
 * A reader gets bytes that it does not trust: a place that is being written, or that anybody made
 * up, is left out. Pure but for the memory that the caller gives.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

#define LEA_RING_PLACES	     21844U
#define LEA_RING_TEXT_BYTES  16U
#define LEA_RING_BOOT_BYTES  40U /* of a boot id, with its NUL */
#define LEA_RING_BYTES	     sizeof(struct lea_ring)
/* Limit for the arena of lea_ring_parse. */
#define LEA_RING_ARENA_BYTES ((size_t)4 * 1024 * 1024)

/* What happened. The numbers are those in files: new ones come last. */
enum lea_ring_kind {
	LEA_RING_NONE,
	LEA_RING_STARTED,   /* a process; text: its role */
	LEA_RING_SEEN,	    /* device: its event, or its entry of the queue, was received */
	LEA_RING_READ,	    /* device; value: how long it took (us); text: kernel's name */
	LEA_RING_RECORDED,  /* device and VG, if the device holds metadata; text: VG's name */
	LEA_RING_COMPLETE,  /* VG, unless the device, its last PV, has no metadata; text: VG's name
			     */
	LEA_RING_NAME,	    /* VG; code: offset; text: the part of its name from there on */
	LEA_RING_CLAIMED,   /* VG: it waits for a worker; text: name */
	LEA_RING_BEGUN,	    /* VG: by a worker; text: name, unless it was claimed */
	LEA_RING_DELEGATED, /* VG: by a worker, which starts the real lvm */
	LEA_RING_BUSY,	    /* VG: another process has its lock; the worker tries again later */
	LEA_RING_LOCKED,    /* VG: its lock is held */
	LEA_RING_REREAD,    /* VG: its metadata was read again */
	LEA_RING_CHECK,	    /* VG: a tool checks a pool; text: the LV */
	LEA_RING_CHECKED,   /* VG: that has ended */
	LEA_RING_NODE,	    /* VG and new dm device; text: the LV */
	LEA_RING_WORKED,    /* VG: nodes made, if code is 0 */
	LEA_RING_WAIT,	    /* for udev: of this VG, or, without VG, of the whole transaction */
	LEA_RING_WAITED,    /* that has ended */
	LEA_RING_DONE,	    /* VG: the claim says "done" */
	LEA_RING_FAILED,    /* VG */
	LEA_RING_HUNG,	    /* VG: its worker hangs and is no longer waited for */
	LEA_RING_GATE_CLOSED,
	LEA_RING_GATE_OPEN,
	LEA_RING_READY,	   /* the boot scan has caught up with udev */
	LEA_RING_DEADLINE, /* the boot no longer waits */
	LEA_RING_KINDS
};

struct lea_ring_record {
	uint64_t value;	  /* with READ; otherwise the VG: lea_ring_vg */
	uint64_t time_us; /* monotonic, to the kernel's tick */
	uint32_t seq;	  /* which record of all, from 1; modulo 2^32; 0: being written */
	uint32_t pid;
	uint32_t device; /* minor, and major << 20; 0: none */
	uint16_t kind;
	uint16_t code;			/* errno or outcome; 0: well */
	char text[LEA_RING_TEXT_BYTES]; /* ends in NUL unless full */
};

struct lea_ring_head {
	char magic[8];
	uint64_t written; /* records, since the ring was made */
	char boot[32];	  /* boot id without hyphens */
};

/* As it lies in shared memory. */
struct lea_ring {
	struct lea_ring_head head;
	struct lea_ring_record place[LEA_RING_PLACES];
};

/* A boot id as the ring has it: without hyphens. */
void lea_ring_boot(const char *boot, char ret_boot[static LEA_RING_BOOT_BYTES]);
/* Begins an empty ring in @ring, which is all zeros. @boot: with or without hyphens. */
void lea_ring_begin(struct lea_ring *ring, const char *boot);
/* Has this memory a ring of this version? */
bool lea_ring_is_ours(const struct lea_ring *ring);
/* Adds @record; sets its seq. Safe beside other writers. Never blocks. */
void lea_ring_put(struct lea_ring *ring, const struct lea_ring_record *record);

/* The number by which records name a VG: the first 8 characters of its id. "": 0. */
uint64_t lea_ring_vg(const char *vg_id);
static inline uint32_t lea_ring_device(uint32_t major, uint32_t minor)
{
	return (major & 0xFFFU) << 20 | (minor & 0xFFFFFU);
}

/* What was read. */
struct lea_ring_records {
	char boot[LEA_RING_BOOT_BYTES];	      /* 32 hexadecimal digits, or "" */
	const struct lea_ring_record *record; /* [count], oldest first; texts are printable */
	size_t count;
	uint64_t written; /* records ever */
};

enum lea_ring_outcome {
	LEA_RING_REFUSED = 1, /* not a ring of this version */
};

/*
 * lea_ring_parse - bytes of a ring, or of a kept file, to records
 * @bytes: any number; borrowed
 * @arena: owns the result
 * Texts have only letters, digits and +_.- in them; other bytes became '?'. Returns 0,
 * LEA_RING_REFUSED or -ENOMEM.
 */
struct lea_arena;
LEA_MUST_CHECK int lea_ring_parse(struct lea_arena *arena, const void *bytes, size_t len_bytes,
				  struct lea_ring_records *ret_records);

/* The same records as a file without empty places, at most LEA_RING_BYTES. @ret_bytes: owned
 * (free). Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_ring_format(const struct lea_ring_records *records, void **ret_bytes,
				   size_t *ret_len);

/*
 * lea_ring_join - @first, and of @then what was written after it
 * Both of one boot: what a file kept of it, and the ring now. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_ring_join(struct lea_arena *arena, const struct lea_ring_records *first,
				 const struct lea_ring_records *then,
				 struct lea_ring_records *ret_records);
