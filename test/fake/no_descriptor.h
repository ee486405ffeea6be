/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system has no descriptor left for one call. Include it once, for it takes the place of libc's
 * openat(2). */
#pragma once

#include "base/err.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int calls_until_fault; /* the call of that number fails with ENFILE; 0: none does */
/* The next call for a path that ends in it fails likewise; NULL: none does. */
static const char *end_until_fault;

static bool is_at_fault(const char *path)
{
	const size_t len = strlen(path), end = end_until_fault ? strlen(end_until_fault) : 0;

	if (end && len >= end && !strcmp(path + len - end, end_until_fault)) {
		end_until_fault = NULL;
		return true;
	}
	return calls_until_fault && !--calls_until_fault;
}

int openat(int dir_fd, const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if (is_at_fault(path)) {
		errno = ENFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, dir_fd, path, flags, mode);
}

/* Asks once more for each file that is opened, and that one cannot be. The answer is @want or a
 * shortage; returns how often it was the shortage. */
static inline unsigned int faults_of(int (*ask)(void), int want)
{
	unsigned int faults = 0, left = 0;
	int r;

	for (unsigned int call = 1; !left; call++) {
		calls_until_fault = call;
		r = ask();
		left = calls_until_fault;
		calls_until_fault = 0;
		ck_assert_msg(r == want || lea_is_shortage(r), "call %u: %d", call, r);
		faults += r < 0;
	}
	return faults;
}
