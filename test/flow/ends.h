/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a process of a test end by itself? */
#pragma once

#include <poll.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "world/proc.h"

/* Waits half a minute, which is for slow machines. All its threads have ended then; a zombie counts
 * as ended. */
static bool ends(pid_t pid)
{
	LEA_AUTO(lea_closep) int fd = lea_proc_open(pid);
	struct pollfd end = {.fd = fd, .events = POLLIN};

	return fd < 0 || poll(&end, 1, 30000) == 1;
}
