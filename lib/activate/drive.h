/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes VGs of a scan through transactions, in the process that scanned, and then runs the real lvm
 * once for those that only it can activate. Who drives says which VGs, and is told what became of
 * each. (A worker has batches of its own: lib/worker.)
 */
#pragma once

#include "activate/transaction.h"

#include <stddef.h>

/* A VG to be taken; all borrowed. */
struct lea_drive_vg {
	const char *name;
	const struct lea_scan_vg *scanned;
	bool named; /* see transaction.h */
};

struct lea_drive {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_activate_options options; /* of all VGs; named and no_wait_lock are set here */
	/*
	 * A transaction ends when udev has so many LVs to handle, after LEA_BOUND_VGS VGs, or at a
	 * lock that is not free: it waits only for its first lock, so that no deadlock can arise.
	 * 0: there is one transaction, which waits for each lock. For locks that the caller holds.
	 */
	uint32_t most_lvs;
	/* Which VG is number @at of @count? False: none is taken; the caller has said why. Called
	 * once for each, in order, while locks of others are held. */
	bool (*pick)(void *arg, size_t at, struct lea_drive_vg *ret_vg);
	size_t count;
	/* Told what lea_activation_vg gave, while locks are held. NULL: nobody asks. */
	void (*became)(void *arg, const struct lea_drive_vg *vg, int outcome,
		       const struct lea_activate_result *result);
	/* The words before the names of the VGs that are left to the real lvm. NULL: it is not run.
	 */
	const char *const *lvm_words;
	void (*before_lvm)(void *arg); /* NULL: nothing; releases the caller's locks */
	/* Told of each VG left to the real lvm, if that fails. NULL: nobody asks. */
	void (*lvm_failed)(void *arg, const char *name);
	void *arg; /* of all calls */
};

struct lea_drive_result {
	size_t failed;	   /* VGs, here or in the real lvm */
	size_t unfinished; /* transactions with which udev did not finish */
};

/* Does this outcome of lea_activation_vg mean that the VG was to be activated, and was not? Not
 * when it waits for a PV, may not be activated, has changed or is left to the real lvm. */
bool lea_drive_has_failed(int outcome);

/* lea_drive - do all this. Logs; blocks. Returns 0 or -ENOMEM: some VGs were not taken. */
LEA_MUST_CHECK int lea_drive(const struct lea_drive *drive, struct lea_drive_result *ret_result);
