/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's file locks: V_<VG> and P_global with their :aux turnstiles, D_<devicesfile>.
 * Source: lvm2 2.03.16 traces (commands-and-run-files 2.6).
 */
#ifndef LEA_STATE_LOCK_H
#define LEA_STATE_LOCK_H

#include "base/err.h"

#include <stdbool.h>

struct lea_lock;

enum lea_lock_mode { LEA_LOCK_SHARED, LEA_LOCK_EXCLUSIVE };

enum lea_lock_outcome {
	LEA_LOCK_BUSY = 1, /* non-blocking, and somebody holds it */
};

struct lea_lock_how {
	const char *dir; /* global/locking_dir */
	enum lea_lock_mode mode;
	bool wait;	/* false: LEA_LOCK_BUSY at once */
	bool turnstile; /* take NAME:aux first (prioritise_write_locks) */
};

/* @name: "V_vg0", "P_global". -EINTR when a signal ended the wait. */
LEA_MUST_CHECK int lea_lock_take(const struct lea_lock_how *how, const char *name,
				 struct lea_lock **ret_lock);
/* Unlocks, unlinks the file if nobody else has it. NULL is fine. */
void lea_lock_release(struct lea_lock *lock);
/* In a forked child: close without unlocking. */
void lea_lock_forget(struct lea_lock *lock);

#endif
