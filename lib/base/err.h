/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return values.
 *
 * int < 0 is a fault (-errno): callers pass it on unchanged and never match on it. 0 is success.
 * int > 0 is an outcome: a value of an enum declared just above the prototype; the caller handles
 * it and does not pass it on. Out-parameters come last, are named ret_..., are set on 0 and left
 * alone on faults.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define LEA_MUST_CHECK	 __attribute__((warn_unused_result))
#define LEA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a)	 (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)                                                            \
	((type *)(void *)((char *)(ptr) - __builtin_offsetof(type, member)))

/*
 * The one question that callers may ask of a fault: is the machine short of something (space,
 * inodes, memory, processes, descriptors, or a file system that is read-only for now)? Then a retry
 * may succeed, and the caller keeps the request.
 */
static inline bool lea_is_shortage(int fault)
{
	return fault == -ENOSPC || fault == -EDQUOT || fault == -EROFS || fault == -ENOMEM ||
	       fault == -EAGAIN || fault == -EMFILE || fault == -ENFILE || fault == -ENOBUFS;
}

/* For a question to which a fault other than a shortage is the answer "no": 0, or the shortage. */
static inline int lea_shortage_of(int fault)
{
	return lea_is_shortage(fault) ? fault : 0;
}

/*
 * LEA_NOT_NOW is a fault of a single VG or device that may go away: another process holds the lock,
 * or a disk or udev does not answer in time. Work on other VGs continues; this one is retried
 * later.
 */
#define LEA_NOT_NOW (-EALREADY)

static inline bool lea_is_transient(int fault)
{
	return lea_is_shortage(fault) || fault == LEA_NOT_NOW;
}

/* Marks a fault as transient where it says nothing about the object, only that a check failed. */
static inline int lea_as_transient(int fault)
{
	return fault < 0 && !lea_is_transient(fault) ? LEA_NOT_NOW : fault;
}

/* Why pure code refused its input. @what: static text; @at: byte offset in that input. */
struct lea_why {
	const char *what;
	uint64_t at;
};

static inline void lea_why_set(struct lea_why *why, const char *what, uint64_t at)
{
	if (why) {
		why->what = what;
		why->at = at;
	}
}
