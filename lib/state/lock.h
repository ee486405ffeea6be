/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's file locks: V_<VG> and P_global with their :aux files, and D_<devicesfile>. Source: lvm2
 * 2.03.16, traces.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct lea_lock;

enum lea_lock_mode { LEA_LOCK_SHARED, LEA_LOCK_EXCLUSIVE };

enum lea_lock_outcome {
	LEA_LOCK_BUSY = 1, /* only with wait false: another process holds the lock */
};

struct lea_lock_options {
	const char *dir; /* global/locking_dir */
	enum lea_lock_mode mode;
	bool wait;	/* false: return LEA_LOCK_BUSY instead of blocking */
	bool turnstile; /* take NAME:aux first (prioritise_write_locks) */
};

/* @name: "V_vg0", "P_global". Creates options->dir. 0 with *ret_lock (owned), LEA_LOCK_BUSY or
 * -errno
 * (-EINTR: a signal ended the wait). */
LEA_MUST_CHECK int lea_lock_take(const struct lea_lock_options *options, const char *name,
				 struct lea_lock **ret_lock);
/* Unlocks, and unlinks the file unless another process uses it. NULL is fine. */
void lea_lock_release(struct lea_lock *lock);
/* The process that holds the lock, for reports; 0: none, or it is not known. Reads /proc/locks
 * (@proc_fd: /proc) and takes no lock. */
pid_t lea_lock_holder(int proc_fd, const char *dir, const char *name);
/* The lock's descriptor (borrowed), for lea_lock_release_theirs; -1 if @lock is NULL. */
int lea_lock_fd(const struct lea_lock *lock);
/*
 * lea_lock_release_theirs - release a lock that a hung process holds
 * @pid: that process; must be an unreaped child of the caller, so that the pid is not reused
 * @fd: the process's descriptor of the lock (lea_lock_fd)
 * @dir, @name: as that process gave them to lea_lock_take; other files are not unlocked
 * Does not unlink the file. 0, or -ESTALE: the descriptor refers to another file; -ENOSYS: a kernel
 * before 5.6; -EPERM: no permission.
 */
LEA_MUST_CHECK int lea_lock_release_theirs(pid_t pid, int fd, const char *dir, const char *name);
