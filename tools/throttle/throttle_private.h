/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by throttle_queue.c (the queue and its state), wait_turn.c (tickets, slots) and look.c
 * (for people). */
#pragma once

#include "throttle/throttle_queue.h"

#include <fcntl.h>

#define LEA_THROTTLE_STATE "state" /* in the folder of a queue */

#define LANES	   3U
#define SLOTS_MOST 64U
#define VG_SLOTS   16U

/* Bytes of the state file that are locked; slot i: byte i. */
#define DOOR 1000 /* + lane */
#define TAIL 1100
#define USE  1200 /* read lock: nobody may remove the queue; write lock: it is being removed */

#define BEAT_MS	 5000U		/* a heartbeat */
#define STALE_MS (4U * BEAT_MS) /* without one: a process does not run, and nobody waits for it */

/* A child that we can't see counts as alive for so long: then its slot is lent again. */
#define UNSEEN_MS (10 * 60 * 1000U)

struct slot {
	/* Id of the command (low half) << 32 | pid of the child, 0 before it is adopted. Only the
	 * holder of the slot's lock writes the first half; the child swaps in the second one. */
	uint64_t word;
	uint64_t start_ticks, pid_ns; /* of the child; 0: not written yet */
	uint64_t since_ms;
};

/* All fields are accessed as atomics; the size of the file never changes. */
struct state {
	char magic[8];
	uint64_t last[LANES]; /* ticket that got its name last */
	uint64_t head[LANES]; /* ticket of the head; 0: none. A hint: the lock on the door counts */
	uint64_t next_id;
	uint32_t runs[2];   /* struct lea_throttle_runs */
	uint32_t free_slot; /* a hint: released last */
	uint32_t slots;	    /* of the last command: for people */
	uint32_t hold;	    /* a hint: look whether a drain holds the classes */
	uint64_t counter[LEA_THROTTLE_COUNTERS];
	uint32_t wait[LEA_THROTTLE_WAIT_BUCKETS];
	struct slot slot[SLOTS_MOST];
};

/* Of classes only; behind the state. */
struct slot_texts {
	struct lea_throttle_entry entry[SLOTS_MOST];
};

/* Content of a ticket. */
struct ticket {
	uint64_t before;  /* the ticket on which it waits; 0: its number - 1 */
	uint64_t beat_ms; /* monotonic: when its wrapper ran last */
	struct lea_throttle_entry entry;
};

struct lea_throttle {
	int folder_fd, state_fd;  /* owned */
	struct state *state;	  /* mapped */
	struct slot_texts *texts; /* inside the mapping; NULL: a VG's queue */
	size_t map_bytes;
	enum lea_throttle_kind kind;
	struct lea_clock *clock;
	bool is_new; /* this process has made it */
	/* while waiting */
	int ticket_fd; /* owned; -1 */
	uint64_t number;
	uint32_t lane;
	char name[24];
	/* held */
	int slot; /* -1: none */
	uint64_t id;
};

#define LOAD(place)	    __atomic_load_n(&(place), __ATOMIC_SEQ_CST)
#define STORE(place, value) __atomic_store_n(&(place), value, __ATOMIC_SEQ_CST)

/* Locks one byte of the state file; type: F_WRLCK or F_UNLCK. 0 or -errno (-EAGAIN: taken). */
int lea_throttle_lock(int fd, int command, short type, off_t byte);
/* Is it locked by another process? One system call. */
bool lea_throttle_is_locked(int fd, off_t byte);
void lea_throttle_name(uint32_t lane, uint64_t number, char ret_name[static 24]);
/* Does the child of this slot live, whose wrapper is dead? Call with the slot's lock, or only to
 * look. */
bool lea_throttle_has_orphan(const struct lea_throttle *queue, const struct slot *slot);
/* Is it one of these? */
bool lea_throttle_is_among(const struct lea_proc_id *id, const struct lea_proc_id ids[],
			   size_t count);
/* Does a drain that runs hold all classes? @throttle: the folder "throttle", from @dir_fd. */
bool lea_throttle_is_held(int dir_fd, const char *throttle, uint64_t now_ms);
/* A queue that exists, read-only. Not for one that this process holds anything of: the closing
 * would release it. */
int lea_throttle_open_to_look(int event_fd, enum lea_throttle_kind kind, const char *name,
			      struct lea_throttle **ret_queue);
/* The same, if no process has it open but to look: none opens it before this one closes it, or has
 * removed its state file. -EBUSY: it is in use. */
int lea_throttle_open_to_remove(int event_fd, enum lea_throttle_kind kind, const char *name,
				struct lea_throttle **ret_queue);
/* The folder with the queues of a kind, which exists: a descriptor or -errno. */
int lea_throttle_open_kind(int event_fd, enum lea_throttle_kind kind);
