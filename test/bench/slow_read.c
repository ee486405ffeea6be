/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For LD_PRELOAD: delays each pread() by SLOW_READ_MS, like a slow disk. */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static ssize_t (*real)(int fd, void *buffer, size_t bytes, off64_t offset);
static int ms;

__attribute__((constructor)) static void prepare(void)
{
	const char *text = getenv("SLOW_READ_MS");

	real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
	ms = text ? atoi(text) : 0;
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
	if (ms > 0)
		poll(NULL, 0, ms);
	return real(fd, buffer, bytes, offset);
}
