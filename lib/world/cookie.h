/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdevmapper's cookies: System V semaphores that count the outstanding udev events of an
 * activation. libc only, because the program that udev runs links it.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

enum lea_cookie_outcome {
	LEA_COOKIE_UNKNOWN = 1, /* no such semaphore, or it counts no event */
	LEA_COOKIE_STILL,	/* neither the semaphore nor udev makes progress */
};

/*
 * lea_cookie_complete - decrement a cookie's count
 * @cookie: DM_COOKIE of the event; its lower 16 bits name the semaphore
 * Never blocks. 0, LEA_COOKIE_UNKNOWN or -errno.
 */
LEA_MUST_CHECK int lea_cookie_complete(uint32_t cookie);

/*
 * lea_cookie_wait - block until udev has completed all events of a cookie, and remove it
 * @key: the semaphore's key, as libdevmapper returned it; this call gives up the owner's count
 * @limit_ms: longest wait
 * @still_ms: longest wait while udev makes no progress, with this cookie or any device; 0: no limit
 * Returns 0 (also if another process removed the semaphore), LEA_COOKIE_STILL, -ETIMEDOUT, or
 * -errno. Removes the semaphore in any case.
 */
LEA_MUST_CHECK int lea_cookie_wait(uint32_t key, uint32_t limit_ms, uint32_t still_ms);
