/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How functions answer.
 *
 * int: < 0 is a fault (-errno): nobody matches on it, everybody passes it on unchanged.
 * 0 is done. > 0 is an outcome: a value of an enum declared just above the prototype,
 * handled where the call is and never passed on.
 * Out-parameters come last, are called ret_..., are set on 0 and untouched on faults.
 */
#ifndef LEA_BASE_ERR_H
#define LEA_BASE_ERR_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define LEA_MUST_CHECK	 __attribute__((warn_unused_result))
#define LEA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a)	 (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)                                                            \
	((type *)(void *)((char *)(ptr) - __builtin_offsetof(type, member)))

/*
 * The one thing that may be asked of a fault: is the machine short of something (space, inodes,
 * memory, processes, descriptors; a file system that is read-only for now)? Then the same may well
 * succeed later, and what was asked for is kept for another try.
 */
static inline bool lea_is_shortage(int fault)
{
	return fault == -ENOSPC || fault == -EDQUOT || fault == -EROFS || fault == -ENOMEM ||
	       fault == -EAGAIN || fault == -EMFILE || fault == -ENFILE || fault == -ENOBUFS;
}

/*
 * LEA_NOT_NOW is the fault of one VG or device alone that may end by itself: a lock that somebody
 * holds, a disk or udev that does not answer in time. Others go on; it is tried again later.
 */
#define LEA_NOT_NOW (-EALREADY)

static inline bool lea_is_transient(int fault)
{
	return lea_is_shortage(fault) || fault == LEA_NOT_NOW;
}

/* A fault that says nothing of the thing that was asked for, only that nobody could find out. */
static inline int lea_as_transient(int fault)
{
	return fault < 0 && !lea_is_transient(fault) ? LEA_NOT_NOW : fault;
}

/* Why pure code refused its input: @what is static text, @at a byte offset in that input. */
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

#endif
