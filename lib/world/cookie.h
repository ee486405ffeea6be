/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdevmapper's cookies: a System V semaphore that counts the events an activation waits for. libc
 * only, because the program that udev runs links it.
 */
#ifndef LEA_WORLD_COOKIE_H
#define LEA_WORLD_COOKIE_H

#include "base/err.h"

#include <stdint.h>

enum lea_cookie_outcome {
	LEA_COOKIE_UNKNOWN = 1, /* nobody waits on it: no such semaphore, or it counts no event */
	LEA_COOKIE_STILL,	/* neither it nor udev moves any more */
};

/*
 * lea_cookie_complete - one event less to wait for
 * @cookie: DM_COOKIE of the event; its lower 16 bits name the semaphore. Never blocks.
 */
LEA_MUST_CHECK int lea_cookie_complete(uint32_t cookie);

/*
 * lea_cookie_wait - sleeps until udev has completed every event of a cookie, and removes it
 * @key: the semaphore's key, as libdevmapper gives it to whoever asked for the cookie; the one
 *       count that is the owner's is given up
 * @limit_ms: longest wait
 * @still_ms: longest wait while udev gets on with nothing at all, for this cookie or another
 * device; 0: no such limit Returns 0 (also when somebody has removed the semaphore meanwhile),
 * LEA_COOKIE_STILL, -ETIMEDOUT, or -errno; it is removed in any case.
 */
LEA_MUST_CHECK int lea_cookie_wait(uint32_t key, uint32_t limit_ms, uint32_t still_ms);

#endif
