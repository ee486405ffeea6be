/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that runs out of descriptors: socketpair in the C library's place. Include it once. */
#pragma once

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int pairs_left = UINT_MAX;

int socketpair(int domain, int type, int protocol, int fds[2])
{
	if (!pairs_left) {
		errno = EMFILE;
		return -1;
	}
	pairs_left--;
	return (int)syscall(SYS_socketpair, domain, type, protocol, fds);
}
