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
};

/*
 * lea_cookie_complete - one event less to wait for
 * @cookie: DM_COOKIE of the event; its lower 16 bits name the semaphore. Never blocks.
 */
LEA_MUST_CHECK int lea_cookie_complete(uint32_t cookie);

#endif
