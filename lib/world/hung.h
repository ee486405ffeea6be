/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hangs in the kernel: for each device, file or node that a thread of a child waits for, a
 * file in /run/lvm/event/hung names the thread. Who finds that the thread still waits asks no
 * second time, so that one hung disk costs one process, however often commands run. Read and
 * written by the parents. What cannot be written, as /run is full, a process remembers by itself
 * (struct lea_hung_unnoted).
 *
 * A thread may owe something for the time when it no longer waits. If it is killed before that is
 * done, the name stays until somebody else does it (lea_hung_each_owed).
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdbool.h>
#include <sys/types.h>

#define LEA_HUNG_NAME_BYTES 192U
#define LEA_HUNG_OWED_BYTES 128U

/* Formats of names. A number is not given to another device while a thread has this one open. */
#define LEA_HUNG_DEVICE "%" PRIu32 ":%" PRIu32
#define LEA_HUNG_NODE	"dm-%s" /* a uuid of device-mapper */
#define LEA_HUNG_LIST	"dm"	/* its list of nodes */

/* The folder, for lea_hung_has: a descriptor (owned). -ENOENT: nothing hangs; then it is one system
 * call. -EPERM: others may write into it. */
LEA_MUST_CHECK int lea_hung_open(struct lea_world *world);

/*
 * lea_hung_has - does a thread of another process still wait for this?
 * @hung_fd: from lea_hung_open; a negative number: nothing hangs
 * @name: without "!", which stands for a slash
 * @ret_thread, @ret_since_ms: its number, and since when it waits by lea_world_now_ms, with 1
 * Forgets the name if the thread has ended or does not run our program, and a file that makes no
 * sense. A thread of another pid namespace does not count. 1: it does, 0: none does, or a shortage.
 */
LEA_MUST_CHECK int lea_hung_has(int hung_fd, const char *name, pid_t *ret_thread,
				uint64_t *ret_since_ms);

/* The same, and what it owes; "": nothing. */
LEA_MUST_CHECK int lea_hung_owes(int hung_fd, const char *name,
				 char ret_owed[static LEA_HUNG_OWED_BYTES]);

/* Calls @tell for each name for which lea_hung_has would say 1, until it returns other than 0,
 * and returns that; 0 also if none is known. -errno: they could not be listed. */
LEA_MUST_CHECK int lea_hung_each(struct lea_world *world, int (*tell)(void *arg, const char *name),
				 void *arg);

/* Opens the folder for notes, makes it and /run/lvm/event if need be, and forgets all that has
 * ended: a descriptor (owned) or -errno. *ret_room: how many more names may be noted. */
LEA_MUST_CHECK int lea_hung_begin(struct lea_world *world, uint32_t *ret_room);
/* Remembers that @thread waits for @name, unless an earlier one does, too. @owed: one line; "":
 * nothing. @hung_fd, @room: from lea_hung_begin, also if it failed. A name that is too long or has
 * "!" or ends with "+" is not remembered. False: there is no room for it. Logs nothing. */
bool lea_hung_note(int hung_fd, const char *name, pid_t thread, uint64_t since_ms, const char *owed,
		   uint32_t *room);
/* What only this process remembers. Zeroed: nothing. */
struct lea_hung_unnoted {
	struct lea_hung_name *list; /* [count]; owned */
	size_t count, room;
};

void lea_hung_unnoted_done(struct lea_hung_unnoted *unnoted);
/* After lea_hung_note found no room: the same, without what is owed, which is lost. One too many is
 * not remembered. */
void lea_hung_keep(struct lea_hung_unnoted *unnoted, const char *name, pid_t thread,
		   uint64_t since_ms);
/* As lea_hung_has. */
bool lea_hung_is_kept(struct lea_hung_unnoted *unnoted, const char *name, pid_t *ret_thread,
		      uint64_t *ret_since_ms);

/* What waited for @name does so no longer. @hung_fd: as in lea_hung_note. */
void lea_hung_forget(int hung_fd, const char *name);
/* The same, by the thread, but it still owes something; and when that is done. */
void lea_hung_answer(int hung_fd, const char *name);
void lea_hung_settle(int hung_fd, const char *name);
/* Tells what threads owed that have ended, and forgets that for which @tell returns 0. Another
 * value ends the walk, and is returned. @hung_fd: from lea_hung_open. */
LEA_MUST_CHECK int lea_hung_each_owed(int hung_fd, int (*tell)(void *arg, const char *owed),
				      void *arg);
