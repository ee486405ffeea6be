/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of commands with a bounded number of slots, without a daemon: /run/lvm/event/throttle/
 * class/NAME (bound: slots) and vg/NAME (bound: per VG). Each command has a process that waits for
 * it, the wrapper. All that a process holds are record locks: they end with it, however it ends,
 * its child does not inherit them, and they work across containers that share the folder.
 *
 * FOLDER/state      mapped by all: last ticket of each lane, a record for each slot, counters. Byte
 * i is locked by who has slot i, DOOR + lane by the head of a lane, TAIL while a ticket gets its
 * name. FOLDER/h42, n7, l1    a ticket: lane and number, locked
 * by its wrapper as long as that waits.
 *
 * Each waiter sleeps on the lock of the ticket before its own; so a hand-over wakes one waiter,
 * however many there are. A wrapper that gets a slot unlinks its ticket; an unlocked ticket
 * that still exists belonged to a process that died; it names the ticket before it, on which its
 * follower now waits. The head of a lane, which waits for no ticket, sleeps on inotify events of
 * the state file (a slot is free when its holder closes it, also by dying) and of tickets that
 * vanish.
 *
 * A wrapper that lives but does not run (SIGSTOP, a frozen container) holds nobody up: each waiter
 * writes a heartbeat into its ticket, and a follower passes a ticket without one.
 *
 * Nothing here logs. Functions that wait block; a signal whose handler returns only delays them.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "world/proc.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_THROTTLE_FOLDER	 "throttle" /* below /run/lvm/event */
#define LEA_THROTTLE_LABEL_BYTES 64U
#define LEA_THROTTLE_NAME_BYTES	 128U /* of a VG or class */
#define LEA_THROTTLE_TEXT_BYTES	 128U /* of a command line; longer ones are cut */

/* Which of the two queues. */
enum lea_throttle_kind {
	LEA_THROTTLE_CLASSES, /* at most 64 slots */
	LEA_THROTTLE_VGS,     /* at most 16 */
};

/* What people see of a command. */
struct lea_throttle_entry {
	uint64_t id;	   /* number in its class */
	uint64_t since_ms; /* monotonic: when it began to wait, or to run */
	int32_t pid;	   /* of the wrapper, in its own pid namespace */
	char class_[33], vg[LEA_THROTTLE_NAME_BYTES], label[LEA_THROTTLE_LABEL_BYTES];
	char command[LEA_THROTTLE_TEXT_BYTES];
};

struct lea_throttle; /* a queue that this process has open */

/*
 * lea_throttle_open - open a queue; create it if necessary
 * @event_fd: /run/lvm/event
 * @name:     of the class or the VG, checked by the caller
 * @clock:    borrowed
 * Returns 0 with a queue (owned: lea_throttle_close, which releases all that it holds), or -errno;
 * -EPERM: other users may write to the folder, -EPROTO: another version of the program made it.
 */
LEA_MUST_CHECK int lea_throttle_open(int event_fd, enum lea_throttle_kind kind, const char *name,
				     struct lea_clock *clock, struct lea_throttle **ret_queue);
void lea_throttle_close(struct lea_throttle *queue);
LEA_DEFINE_FREEP(struct lea_throttle, lea_throttle_closep, lea_throttle_close);

/* Has this process created it? */
bool lea_throttle_is_new(const struct lea_throttle *queue);

#define LEA_THROTTLE_IDLE_S 3600
/*
 * lea_throttle_sweep - remove the queues that nobody has used for LEA_THROTTLE_IDLE_S
 * Not for a process that has a queue open: its own locks do not keep it from removing that.
 * @now_s: wall clock: the kernel notes by it when a ticket came or went last
 * Classes that lvmevent itself gives stay, for their counters. Who opens a queue meanwhile gets it, or
 * a new one. One system call for each queue that stays. Faults are ignored: the next one tries again.
 */
void lea_throttle_sweep(int event_fd, enum lea_throttle_kind kind, struct lea_clock *clock,
			int64_t now_s);
/* The same for both kinds, unless that was done a few minutes ago. */
void lea_throttle_sweep_if_due(int event_fd, struct lea_clock *clock);

/* The next number for a command. No system call. */
uint64_t lea_throttle_next_id(struct lea_throttle *queue);

/* How to wait for a slot. */
struct lea_throttle_terms {
	uint32_t lane;	      /* 0: the first to be served */
	uint32_t slots;	      /* number of slots in use, from the first on; at least 1 */
	uint64_t deadline_ms; /* monotonic; 0: none */
	/* Our own activation goes first: while it works, half the slots. -1: no matter */
	int event_fd;
	const struct lea_throttle_entry *entry; /* for people */
	/* Asked once, before it waits for anybody: must it not? NULL: no. */
	bool (*is_exempt)(void *arg);
	/* Called once, after two seconds of waiting. NULL: nobody is told. */
	void (*tell)(void *arg, const struct lea_throttle *queue);
	void *arg;
	/* Decisions, from throttle/turn.h; both pure. */
	uint32_t (*turn)(const bool waits[static 3], uint32_t runs[static 2]);
	void (*count)(uint32_t runs[static 2], uint32_t lane, const bool waits[static 3]);
};

enum lea_throttle_outcome {
	LEA_THROTTLE_LATE = 1, /* the deadline has passed, and nothing is held */
	LEA_THROTTLE_EXEMPT,   /* terms->is_exempt says so; nothing is held */
};
/*
 * lea_throttle_take - wait in the queue, and take a slot
 * Sets a timer and the handler of SIGALRM, which are this function's until it returns. Returns 0,
 * LEA_THROTTLE_LATE, LEA_THROTTLE_EXEMPT or -errno, then without a ticket. If the process ends
 * while it waits, its ticket counts no more; so a handler of a signal may simply _exit.
 */
LEA_MUST_CHECK int lea_throttle_take(struct lea_throttle *queue,
				     const struct lea_throttle_terms *terms);
/* The command has ended: the slot is free when the queue is closed, or this process ends. No system
 * call. */
void lea_throttle_release(struct lea_throttle *queue);
/* The slot that is held. */
uint32_t lea_throttle_slot(const struct lea_throttle *queue);

/*
 * lea_throttle_adopt - in the child, before it becomes the command: its slot stays taken until it
 * ends, even if the wrapper is killed
 * False: the wrapper is dead, and another has the slot: the child must end.
 */
bool lea_throttle_adopt(struct lea_throttle *queue, const struct lea_proc_id *child);

/* Counters of a class. Each is one addition to shared memory, also for a handler of a signal. */
enum lea_throttle_counter {
	LEA_THROTTLE_DONE,     /* commands that ended with 0 */
	LEA_THROTTLE_FAILED,   /* with anything else */
	LEA_THROTTLE_GIVEN_UP, /* that were never begun */
	LEA_THROTTLE_COUNTERS
};
void lea_throttle_add(struct lea_throttle *queue, enum lea_throttle_counter counter);
#define LEA_THROTTLE_WAIT_BUCKETS 96U
void lea_throttle_add_wait(struct lea_throttle *queue, uint32_t bucket);

/* Is one of these processes the command of a slot of any class?
 * @own, @class_: the class that this process has open, and its name, or NULL. Reads the folder. */
bool lea_throttle_is_any_command(int event_fd, const struct lea_throttle *own, const char *class_,
				 const struct lea_proc_id ids[], size_t count);

/* Does the command @id have slot @slot of this class? Three system calls. */
bool lea_throttle_is_running(int event_fd, const char *class_, uint32_t slot, uint64_t id);

/* ---- looking, for people; takes no lock */

struct lea_throttle_view {
	uint32_t slots; /* as the last command that took one had it */
	uint64_t counter[LEA_THROTTLE_COUNTERS];
	uint32_t wait[LEA_THROTTLE_WAIT_BUCKETS];
	/* Arrays, owned by the view (lea_throttle_view_done). Running: by slot; waiting: by arrival
	 * within a lane. */
	struct lea_throttle_entry *running, *waiting;
	int32_t *command; /* [running_count]: pid of the command; 0: of another pid namespace */
	size_t running_count, waiting_count;
};
/* 0, -ENOENT: no such queue, or -errno. Reads the folder: system calls for each waiter. */
LEA_MUST_CHECK int lea_throttle_look(int event_fd, enum lea_throttle_kind kind, const char *name,
				     struct lea_throttle_view *ret_view);
void lea_throttle_view_done(struct lea_throttle_view *view);

/* The place of this process, which waits in the queue, and how many wait with it; tickets of those
 * who have died just now count. 0 or -errno. Reads the folder, and opens none of its files: a close
 * would end our lock. */
LEA_MUST_CHECK int lea_throttle_place(const struct lea_throttle *queue, size_t *ret_place,
				      size_t *ret_all);

/* Calls @each with the name of every queue of this kind. 0 or -errno (no queue yet: 0). */
LEA_MUST_CHECK int lea_throttle_each(int event_fd, enum lea_throttle_kind kind,
				     int (*each)(void *arg, const char *name), void *arg);

/* The signal that tells a waiter to give up; a wrapper whose command runs ignores it. */
#define LEA_THROTTLE_CANCEL (SIGRTMIN + 7)
/*
 * lea_throttle_cancel - have those wait no longer that @matches
 * *ret_count: waiters that got the signal; *ret_unseen: others in a pid namespace that ours does
 * not see. 0 or -errno.
 */
LEA_MUST_CHECK int lea_throttle_cancel(int event_fd, enum lea_throttle_kind kind, const char *name,
				       bool (*matches)(void *arg,
						       const struct lea_throttle_entry *entry),
				       void *arg, size_t *ret_count, size_t *ret_unseen);

/* ---- drain: no command of any class begins, also of one that is new */

struct lea_throttle_hold;
/* Until lea_throttle_unhold, as long as it beats, or until the process and the command that has
 * adopted the hold have ended; each queue also has to be told. 0 with a hold (owned);
 * LEA_THROTTLE_LATE: another process or its command has one; -errno. */
LEA_MUST_CHECK int lea_throttle_hold(int event_fd, struct lea_clock *clock,
				     struct lea_throttle_hold **ret_hold);
/* To be called at least so often. Most often no system call. */
void lea_throttle_hold_beat(struct lea_throttle_hold *hold, struct lea_clock *clock);
/* In the child, before it becomes the command. False: it must end. */
bool lea_throttle_hold_adopt(struct lea_throttle_hold *hold, const struct lea_proc_id *child);
/* Was a call so late, as after a stop, that commands may have begun meanwhile? Since it was asked
 * last. */
bool lea_throttle_hold_has_lapsed(struct lea_throttle_hold *hold);
#define LEA_THROTTLE_HOLD_BEAT_MS 2500U
void lea_throttle_unhold(struct lea_throttle_hold *hold); /* NULL: nothing */
/* From now on who takes a slot of the queue looks for a hold; or no longer. A queue that is made
 * while there is one knows. No system call. */
void lea_throttle_tell_hold(struct lea_throttle *queue, bool is_held);
/* Waits until no slot is taken, and beats. 0, LEA_THROTTLE_LATE or -errno. */
LEA_MUST_CHECK int lea_throttle_wait_idle(struct lea_throttle *queue,
					  struct lea_throttle_hold *hold, uint64_t deadline_ms);
/* Is one of these processes the command of a drain? Three system calls. */
bool lea_throttle_is_of_hold(int event_fd, const struct lea_proc_id ids[], size_t count);
/* Does a drain that runs hold all classes? */
bool lea_throttle_is_drained(int event_fd, struct lea_clock *clock);
