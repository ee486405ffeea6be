/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What glibc has, and musl lacks or calls otherwise. With glibc this is empty.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1U << 0)
#define RENAME_EXCHANGE	 (1U << 1)
static inline int renameat2(int from_fd, const char *from, int to_fd, const char *to,
			    unsigned int flags)
{
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}
#endif

#ifndef __GLIBC__
#ifndef CLOSE_RANGE_UNSHARE
/* A kernel without it says so, and the caller closes them one by one. */
static inline int close_range(unsigned int first, unsigned int last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, (unsigned int)flags);
}
#endif

/* Its heap is given back to the kernel as it becomes free. */
static inline int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}
#endif
