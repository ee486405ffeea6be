/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's semaphores.
 */
#include "world/cookie.h"

#include <errno.h>
#include <sys/sem.h>

#define KEY_PREFIX 0x0D4D0000U
#define KEY_BITS   0xFFFFU

int lea_cookie_complete(uint32_t cookie)
{
	struct sembuf less = {.sem_num = 0, .sem_op = -1, .sem_flg = IPC_NOWAIT};
	uint32_t base = cookie & KEY_BITS;
	int id;

	if (!base)
		return LEA_COOKIE_UNKNOWN;
	id = semget((key_t)(KEY_PREFIX | base), 1, 0);
	if (id < 0)
		return errno == ENOENT ? LEA_COOKIE_UNKNOWN : -errno;
	if (semop(id, &less, 1) == 0)
		return 0;
	return errno == EAGAIN || errno == EIDRM || errno == EINVAL ? LEA_COOKIE_UNKNOWN : -errno;
}
