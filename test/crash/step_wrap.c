/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes every libc call that changes something outside the process a step. The linker puts these
 * functions in front of libc's (--wrap, see Makefile.in), so that none needs a mark in the code.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/step.h"
#include "crash/step.h"

/* Declares libc's function and begins the definition of ours. */
#define WRAP(type, name, params)                                                                   \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params

static int is_making(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, ...);
int __real_openat64(int dir_fd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir_fd, const char *path, int flags, ...);
int __real_fcntl64(int fd, int command, long arg);
int __wrap_fcntl64(int fd, int command, ...);

/* The mode of an open that makes a file, which is a step; 0 for any other. */
static mode_t mode_of(const char *call, const char *path, int flags, va_list args)
{
	if (!is_making(flags))
		return 0;
	lea_step(call, path);
	return va_arg(args, mode_t);
}

int __wrap_open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of("open", path, flags, args);
	va_end(args);
	return __real_open64(path, flags, mode);
}

int __wrap_openat64(int dir_fd, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of("openat", path, flags, args);
	va_end(args);
	return __real_openat64(dir_fd, path, flags, mode);
}

int __wrap_fcntl64(int fd, int command, ...)
{
	va_list args;
	long arg;

	va_start(args, command);
	arg = va_arg(args, long);
	va_end(args);
	if (command == F_SETLK || command == F_SETLKW)
		lea_step("fcntl", "");
	return __real_fcntl64(fd, command, arg);
}

WRAP(int, mkdir, (const char *path, mode_t mode))
{
	lea_step("mkdir", path);
	return __real_mkdir(path, mode);
}

WRAP(int, mkdirat, (int dir_fd, const char *path, mode_t mode))
{
	lea_step("mkdirat", path);
	return __real_mkdirat(dir_fd, path, mode);
}

WRAP(int, mknodat, (int dir_fd, const char *path, mode_t mode, dev_t number))
{
	lea_step("mknodat", path);
	return __real_mknodat(dir_fd, path, mode, number);
}

WRAP(int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags))
{
	lea_step("linkat", to);
	return __real_linkat(from_fd, from, to_fd, to, flags);
}

WRAP(int, renameat, (int from_fd, const char *from, int to_fd, const char *to))
{
	lea_step("renameat", to);
	return __real_renameat(from_fd, from, to_fd, to);
}

WRAP(int, renameat2, (int old_fd, const char *from, int new_fd, const char *to, unsigned int flags))
{
	lea_step("renameat2", to);
	return __real_renameat2(old_fd, from, new_fd, to, flags);
}

WRAP(int, unlinkat, (int dir_fd, const char *path, int flags))
{
	lea_step("unlinkat", path);
	return __real_unlinkat(dir_fd, path, flags);
}

WRAP(int, unlink, (const char *path))
{
	lea_step("unlink", path);
	return __real_unlink(path);
}

WRAP(int, fchmodat, (int dir_fd, const char *path, mode_t mode, int flags))
{
	lea_step("fchmodat", path);
	return __real_fchmodat(dir_fd, path, mode, flags);
}

WRAP(int, ftruncate64, (int fd, off_t length))
{
	lea_step("ftruncate", "");
	return __real_ftruncate64(fd, length);
}

WRAP(ssize_t, write, (int fd, const void *bytes, size_t length))
{
	lea_step("write", "");
	return __real_write(fd, bytes, length);
}

WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off_t at))
{
	lea_step("pwrite", "");
	return __real_pwrite64(fd, bytes, length, at);
}

WRAP(ssize_t, send, (int fd, const void *bytes, size_t length, int flags))
{
	lea_step("send", "");
	return __real_send(fd, bytes, length, flags);
}

WRAP(int, flock, (int fd, int operation))
{
	lea_step("flock", operation & LOCK_UN ? "unlock" : "lock");
	return __real_flock(fd, operation);
}

WRAP(pid_t, fork, (void))
{
	lea_step("fork", "");
	return __real_fork();
}

WRAP(int, execv, (const char *path, char *const argv[]))
{
	lea_step("execv", path);
	return __real_execv(path, argv);
}

WRAP(int, inotify_add_watch, (int fd, const char *path, uint32_t mask))
{
	lea_step("inotify_add_watch", path);
	return __real_inotify_add_watch(fd, path, mask);
}

WRAP(int, chmod, (const char *path, mode_t mode))
{
	lea_step("chmod", path);
	return __real_chmod(path, mode);
}

WRAP(int, symlinkat, (const char *target, int dir_fd, const char *path))
{
	lea_step("symlinkat", path);
	return __real_symlinkat(target, dir_fd, path);
}

int __real_semctl(int id, int number, int command, long arg);
int __wrap_semctl(int id, int number, int command, ...);

int __wrap_semctl(int id, int number, int command, ...)
{
	va_list args;
	long arg;

	va_start(args, command);
	arg = va_arg(args, long);
	va_end(args);
	lea_step("semctl", "");
	return __real_semctl(id, number, command, arg);
}

WRAP(int, semop, (int id, struct sembuf *ops, size_t count))
{
	lea_step("semop", "");
	return __real_semop(id, ops, count);
}

WRAP(int, semtimedop, (int id, struct sembuf *ops, size_t count, const struct timespec *limit))
{
	lea_step("semtimedop", "");
	return __real_semtimedop(id, ops, count, limit);
}

/* Lets a process that landlock confines to one folder also write its steps. */
static void allow_steps(int rules_fd)
{
	const char *path = step_folder();
	struct landlock_path_beneath_attr below = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
				  LANDLOCK_ACCESS_FS_MAKE_REG,
		.parent_fd = __real_open64(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0),
	};

	if (below.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules_fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
	close(below.parent_fd);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_landlock_restrict_self)
		allow_steps((int)arg[0]);
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
