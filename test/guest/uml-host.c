/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What User Mode Linux lacks on this host; it is preloaded.
 *
 * Kernels before 6.10 save a fixed part of a process's floating-point state. The host's kernel
 * gives that, but takes back only all of it, which is more on processors with AMX. The rest is
 * unused: a process has to ask for it.
 *
 * The disks of a test guest need not survive the host's crash.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { XSTATE_BV_AT = 512, USED_FEATURES = 0x2ff };

static long call(long request, pid_t pid, void *addr, void *data)
{
	return syscall(SYS_ptrace, request, pid, addr, data);
}

/* Its begin is the caller's; the rest stays zero, as is a state that nobody uses. */
static long put_state(pid_t pid, const struct iovec *begin)
{
	static _Alignas(64) uint8_t state[64 * 1024];
	static size_t size;
	struct iovec all = {state, sizeof(state)};
	uint64_t used;

	if (size == 0) {
		const long r = call(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &all);

		if (r < 0)
			return r;
		size = all.iov_len;
		memset(state, 0, size);
	}
	all.iov_len = size;
	memcpy(state, begin->iov_base, begin->iov_len < size ? begin->iov_len : size);
	memcpy(&used, state + XSTATE_BV_AT, sizeof(used));
	used &= USED_FEATURES;
	memcpy(state + XSTATE_BV_AT, &used, sizeof(used));
	return call(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &all);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list arguments;
	long r, word = 0;
	void *addr, *data;
	pid_t pid;

	va_start(arguments, request);
	pid = va_arg(arguments, pid_t);
	addr = va_arg(arguments, void *);
	data = va_arg(arguments, void *);
	va_end(arguments);
	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
		return put_state(pid, data);
	if (request != PTRACE_PEEKTEXT && request != PTRACE_PEEKDATA && request != PTRACE_PEEKUSER)
		return call(request, pid, addr, data);
	r = call(request, pid, addr, &word);
	if (r < 0)
		return r;
	errno = 0;
	return word;
}

int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	(void)fd;
	return 0;
}
