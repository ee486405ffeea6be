/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only user of fork, exec, wait and threads.
 */
#ifndef LEA_WORLD_PROC_H
#define LEA_WORLD_PROC_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Forks; the child runs @child(@arg) and _exits with what it returns. */
LEA_MUST_CHECK int lea_proc_fork(int (*child)(void *arg), void *arg, pid_t *ret_pid);
/* The same, and it is init's: nobody here has to wait for it, should it never end. */
LEA_MUST_CHECK int lea_proc_orphan(int (*child)(void *arg), void *arg);
/* Codes of a child: it never came to run its program; + N: ended by signal N. */
#define LEA_PROC_NOT_STARTED 127
#define LEA_PROC_SIGNAL	     128
/* Waits for this child. *ret_code: exit code, or LEA_PROC_SIGNAL + N. */
LEA_MUST_CHECK int lea_proc_wait(pid_t pid, int *ret_code);
/* The same without waiting: has it ended? *ret_code: set only then; -1: not known. */
bool lea_proc_has_ended(pid_t pid, int *ret_code);
/* A descriptor that is readable once this child has ended; owned. -ENOSYS: a kernel before 5.3. */
LEA_MUST_CHECK int lea_proc_open(pid_t pid);
/* Processor time of a process so far, 0: none, or not known. */
uint64_t lea_proc_cpu_ns(pid_t pid);
/* Does it wait for something else than a program that it has started, or is it stopped? */
bool lea_proc_is_stuck(pid_t pid);
/* What a process that is stuck waits for, as far as the kernel tells. */
enum lea_proc_wait {
	LEA_PROC_WAIT_OTHER, /* or not known */
	LEA_PROC_WAIT_DISK,  /* uninterruptible */
	LEA_PROC_WAIT_LOCK,  /* a file lock that another process has */
};
enum lea_proc_wait lea_proc_waits_for(pid_t pid);
/* Zeroed memory that children share from here on; NULL: none. Given back by lea_proc_unshare. */
void *lea_proc_share(size_t bytes);
void lea_proc_unshare(void *shared, size_t bytes); /* NULL is fine */
/* Starts @argv[0] (a path) with the parent's environment and standard streams and waits. */
LEA_MUST_CHECK int lea_proc_run(const char *const argv[], int *ret_code);
/* The same; what it says on either stream goes to @output: as text, what does not fit is dropped.
 * It dies with this process: whoever comes next must not find what it holds open. */
LEA_MUST_CHECK int lea_proc_capture(const char *const argv[], char *output, size_t output_bytes,
				    int *ret_code);
/* Becomes @argv[0]; returns only with a fault. */
LEA_MUST_CHECK int lea_proc_exec(const char *const argv[]);
/* CPUs on line, at least one. */
uint32_t lea_proc_cpus(void);
/* At most @count detached threads of a process that ends by _exit; each runs @work(@arg) once.
 * Returns how many were started (at least one), or -errno. */
LEA_MUST_CHECK int lea_proc_threads(size_t count, void *(*work)(void *arg), void *arg);
/* In a child: standard streams from and to /dev/null, every other descriptor but @keep_fd closed:
 * no lock and nobody's pipe is held by a process that may hang. */
void lea_proc_detach(int keep_fd);

#endif
