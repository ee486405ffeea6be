/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads; proc.c is the only user of fork, exec, wait and threads. int functions
 * return 0 or -errno, unless stated otherwise. Nothing here logs.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many lea_proc_fork lie between the program's start and this process. What a process opened is
 * not its children's: lea_proc_detach closes it. */
unsigned int lea_proc_generation(void);

/* Forks; the child runs @child(@arg) and _exits with its return value. */
LEA_MUST_CHECK int lea_proc_fork(int (*child)(void *arg), void *arg, pid_t *ret_pid);
/* The same for a child of init, which the caller need not wait for. */
LEA_MUST_CHECK int lea_proc_orphan(int (*child)(void *arg), void *arg);
/* Codes of a child: it could not run its program; + N: killed by signal N. */
#define LEA_PROC_NOT_STARTED 127
#define LEA_PROC_SIGNAL	     128
/* Blocks until this child ends. *ret_code: exit code, or LEA_PROC_SIGNAL + N. */
LEA_MUST_CHECK int lea_proc_wait(pid_t pid, int *ret_code);
/* The same without blocking. True: it has ended, and *ret_code is set; -1: unknown. */
bool lea_proc_has_ended(pid_t pid, int *ret_code);
/* A descriptor (owned) that becomes readable when this child ends. -ENOSYS: a kernel before 5.3. */
LEA_MUST_CHECK int lea_proc_open(pid_t pid);
/* Duplicates descriptor @fd of another process (pidfd_getfd); owned. -EBADF: no such descriptor, or
 * the process has ended. -ENOSYS: a kernel before 5.6. */
LEA_MUST_CHECK int lea_proc_dup(pid_t pid, int fd);
/* Processor time of a process so far; 0: none, or unknown. */
uint64_t lea_proc_cpu_ns(pid_t pid);
/* What a process waits for at this moment, as far as the kernel shows. */
enum lea_proc_wait {
	LEA_PROC_WAIT_NONE,  /* nothing: it runs, has ended, or waits for a child of its own */
	LEA_PROC_WAIT_DISK,  /* uninterruptible */
	LEA_PROC_WAIT_LOCK,  /* a file lock that another process holds */
	LEA_PROC_WAIT_OTHER, /* or unknown; also a process that was stopped */
};
enum lea_proc_wait lea_proc_waits_for(pid_t pid);
/* Zeroed memory, shared with later children; NULL: none. Release with lea_proc_unshare. */
void *lea_proc_share(size_t bytes);
void lea_proc_unshare(void *shared, size_t bytes); /* NULL is fine */
/* Runs @argv[0] (a path) with our environment and standard streams, at most at normal priority, and
 * blocks until it ends. */
LEA_MUST_CHECK int lea_proc_run(const char *const argv[], int *ret_code);
/* The same, with its standard error to @error_fd (borrowed); -1: ours. */
LEA_MUST_CHECK int lea_proc_run_with(const char *const argv[], int error_fd, int *ret_code);
/* A file in memory (owned), for the output of a program; -1: none. */
int lea_proc_memory(void);
/* The same at our priority; captures both output streams in @output, NUL-terminated and truncated
 * if necessary. The child is killed when this process dies, so that it does not keep descriptors
 * open. */
LEA_MUST_CHECK int lea_proc_capture(const char *const argv[], char *output, size_t output_bytes,
				    int *ret_code);
/* Becomes @argv[0], which is searched for in PATH if it has no slash, as lvm2 does with the programs
 * of its settings; returns only -errno. All functions that start a program do so. */
LEA_MUST_CHECK int lea_proc_exec(const char *const argv[]);
/* Becomes @path, with another @argv[0]; PATH is not searched. */
LEA_MUST_CHECK int lea_proc_exec_as(const char *path, const char *const argv[]);
/* Number of online CPUs, at least one. */
uint32_t lea_proc_cpus(void);
/* Starts at most @count detached threads; each runs @work(@arg) once. The process must end by
 * _exit. Returns the number of started threads (at least one), or -errno. */
LEA_MUST_CHECK int lea_proc_threads(size_t count, void *(*work)(void *arg), void *arg);
/* For a child that may hang: connects its standard streams to /dev/null and closes all descriptors
 * except @keep_fd, so that it holds no locks and no pipes. */
void lea_proc_detach(int keep_fd);
/* For a child that goes on with its parent's libraries: closes all descriptors but the standard
 * streams, @keep [@count], and those that a library holds and only it can name: device-mapper's
 * control device and the socket of the journal, by their kinds. */
void lea_proc_keep(const int *keep, size_t count);
/* Closes all descriptors but the standard streams, before an exec: libdevmapper leaves one open. */
void lea_proc_close_others(void);

/* Names a process for others, forever: a pid alone is used again, and differs between containers.
 */
struct lea_proc_id {
	uint64_t start_ticks; /* since boot; 0: unknown */
	uint64_t pid_ns;      /* inode number of its pid namespace; 0: unknown */
	int32_t pid;	      /* in that namespace */
};

/* Of this process. Four system calls; without /proc the other fields are 0. */
void lea_proc_identify(struct lea_proc_id *ret_id);
/* Of a thread, of any process of our namespace: /proc has its start and state by its own number. */
void lea_proc_identify_thread(pid_t thread, struct lea_proc_id *ret_id);
/* The number of the calling thread, for the above. One system call. */
pid_t lea_proc_thread(void);
/* This process, its parent, and so on, as far as /proc shows them, and at most @most. Returns how
 * many. Four system calls for each. */
size_t lea_proc_lineage(struct lea_proc_id ret_ids[], size_t most);

enum lea_proc_life {
	LEA_PROC_GONE,
	LEA_PROC_ALIVE,
	LEA_PROC_UNSEEN, /* not known: in a pid namespace that this one may not see, or a shortage */
};
/* A process of our own namespace: four system calls. Of another one: reads /proc. */
enum lea_proc_life lea_proc_life_of(const struct lea_proc_id *id);

/* Does this process or thread run our program, or another version or part of it ("lvmevent...")?
 * 1: yes, 0: no, -errno: the kernel does not let us know. */
LEA_MUST_CHECK int lea_proc_runs_us(pid_t pid);

/* Has this child ended? True: *ret_code is its exit code, or *ret_signal the signal that killed it.
 * Does not block. */
bool lea_proc_reap(pid_t pid, int *ret_code, int *ret_signal);
