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

#include <stdint.h>

#define LEA_MUST_CHECK	 __attribute__((warn_unused_result))
#define LEA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a)	 (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)                                                            \
	((type *)(void *)((char *)(ptr) - __builtin_offsetof(type, member)))

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
