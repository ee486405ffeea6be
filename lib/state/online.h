/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's records in /run/lvm: pvs_online/PVID, vgs_online/VG, pvs_lookup/VG, and the hint files.
 * Written byte for byte as lvm2 does, and published whole by link or rename. Source: lvm2 2.03.16,
 * black-box.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_online {
	uint32_t major, minor;
	char vg[128];	  /* "": the PV has no metadata */
	char device[128]; /* "": not recorded */
};

enum lea_online_outcome {
	LEA_ONLINE_ABSENT = 1,
	LEA_ONLINE_MALFORMED, /* the file is empty or garbage: the next write replaces it */
	LEA_ONLINE_EXISTS,    /* create: another process's record exists and was left alone */
};

/* @run_fd: the run folder. Functions return 0, an outcome, or -errno, and neither block nor log. */
LEA_MUST_CHECK int lea_online_ensure(int run_fd); /* creates the three folders, 0700 */
LEA_MUST_CHECK int lea_online_read(int run_fd, const char *pvid, struct lea_online *ret_online);
/*
 * lea_online_each - read all records
 * @take: gets each that is sound; non-zero ends the reading and is returned
 * Two system calls a record and few more. 0 (also without a folder), what @take returned, or
 * -errno.
 */
LEA_MUST_CHECK int lea_online_each(int run_fd,
				   int (*take)(void *arg, const char *pvid,
					       const struct lea_online *online),
				   void *arg);
/* Publishes a record and replaces an existing one; the caller has decided that this is right. */
LEA_MUST_CHECK int lea_online_write(int run_fd, const char *pvid, const struct lea_online *online);
/* The same for the device that has the record, of another VG or name now: it keeps its time, for one
 * that has another time than when something was done about its VG was made by others
 * (lea_claim_was_cleared). */
LEA_MUST_CHECK int lea_online_rename(int run_fd, const char *pvid, const struct lea_online *online);
/* The same if there is none: one of two racing callers gets LEA_ONLINE_EXISTS. */
LEA_MUST_CHECK int lea_online_create(int run_fd, const char *pvid, const struct lea_online *online);
/* Is there a record at all? By one stat: 0, LEA_ONLINE_ABSENT, or -errno: the kernel does not say.
 */
LEA_MUST_CHECK int lea_online_look(int run_fd, const char *pvid);
struct timespec;
/* The same, and when it was written. */
LEA_MUST_CHECK int lea_online_written(int run_fd, const char *pvid, struct timespec *ret_when);

/* vgs_online: 0 if the claim is ours, LEA_ONLINE_CLAIMED if it existed. */
enum lea_online_claim { LEA_ONLINE_CLAIMED = 1 };
LEA_MUST_CHECK int lea_vg_online_claim(int run_fd, const char *vg);
LEA_MUST_CHECK int lea_vg_online_drop(int run_fd, const char *vg); /* absent is fine */
/* Who finds it gone says that somebody took the VG down: false only if the kernel says that it is
 * not there, not if it does not answer. */
bool lea_vg_online_may_exist(int run_fd, const char *vg);
/*
 * A file that is kept, which its mode says, does not go with the record of a PV: that it is gone
 * then means that somebody took the VG down. It goes when it is released, if a record went since it
 * was kept (lost) last. 0 (also if there is none) or -errno.
 */
LEA_MUST_CHECK int lea_vg_online_keep(int run_fd, const char *vg);
/* lea_vg_online_claim of one that is kept from then on, or was there and is from now on. */
LEA_MUST_CHECK int lea_vg_online_claim_kept(int run_fd, const char *vg);
LEA_MUST_CHECK int lea_vg_online_lost(int run_fd, const char *vg);
LEA_MUST_CHECK int lea_vg_online_release(int run_fd, const char *vg);
bool lea_vg_online_is_kept(int run_fd, const char *vg); /* in doubt not */
LEA_MUST_CHECK int lea_vg_online_drop_kept(int run_fd, const char *vg); /* one that is */

/* pvs_lookup/VG: one PVID per line. LEA_ONLINE_CLAIMED: the file exists and was left alone. */
LEA_MUST_CHECK int lea_lookup_write(int run_fd, const char *vg, const char *const *pvids,
				    uint32_t count);
/* The same by the newest metadata of the VG: a file that lists any of these PVs, and not just them, is
 * of older ones, and is replaced. A VG of one PV has none: 0 if that was removed. */
LEA_MUST_CHECK int lea_lookup_renew(int run_fd, const char *vg, const char *const *pvids,
				    uint32_t count);
LEA_MUST_CHECK int lea_lookup_drop(int run_fd, const char *vg);
bool lea_lookup_exists(int run_fd, const char *vg);

/* The content of a lookup file. */
struct lea_lookup {
	char vg[128];
	char (*pvid)[33]; /* owned, released by lea_lookup_done */
	uint32_t count;
};
/* LEA_ONLINE_ABSENT: no file. Skips lines that are no PVID. */
LEA_MUST_CHECK int lea_lookup_read(int run_fd, const char *vg, struct lea_lookup *ret_lookup);
bool lea_lookup_lists(const struct lea_lookup *lookup, const char *pvid);
void lea_lookup_done(struct lea_lookup *lookup);

/*
 * Remove the record of a lost device, and its VG's vgs_online file (lea_vg_online_lost), and its
 * lookup file.
 * lea_online_forget_pv checks one record and leaves it alone if it names another device number.
 * lea_online_forget_number checks all records (for MAJ:MIN arguments of users).
 * @lookups: shared by the calls of a batch, to find the VG of a PV without metadata; may be NULL
 */
struct lea_lookup_index;
LEA_MUST_CHECK int lea_online_forget_pv(int run_fd, const char *pvid, uint32_t major,
					uint32_t minor, struct lea_lookup_index *lookups);
/* The same where another instance of the PV has the number by now: only the record goes. The VG may
 * have been activated with that instance, and without vgs_online it would count as taken down. */
LEA_MUST_CHECK int lea_online_forget_instance(int run_fd, const char *pvid, uint32_t major,
					      uint32_t minor);
LEA_MUST_CHECK int lea_online_forget_number(int run_fd, uint32_t major, uint32_t minor);
/* Removes every record, claim and lookup file, before a scan of the whole system. */
LEA_MUST_CHECK int lea_online_clear(int run_fd);

/* A PV appeared: makes other lvm2 commands rebuild their hints (newhints) and search devices
 * again. */
LEA_MUST_CHECK int lea_hints_invalidate(int run_fd);
