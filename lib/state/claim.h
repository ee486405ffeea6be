/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own record of the event activation of a VG: event/claims/<VG UUID>. Unlike lvm2's vgs_online
 * it names the VG's UUID, the boot epoch, and the PV instances that the activation used. A claim of
 * a dead owner, of another epoch or for other instances does not count. The epoch ends a claim, or
 * two reconciles that find none of its PVs.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"
#include "state/epoch.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum lea_claim_state {
	LEA_CLAIM_CLAIMED, /* its owner is activating the VG */
	LEA_CLAIM_DONE,	   /* active */
	LEA_CLAIM_FAILED,  /* reason says why; a new event of the VG or a user retries */
};

/* An instance of a PV. diskseq distinguishes a new disk with a reused device number. */
struct lea_claim_pv {
	char pvid[33]; /* first: PVs are sorted by it */
	struct lea_devid id;
	/* As read from a claim with is_online: when its record had been written, 0: it had none.
	 * Storing finds that out. */
	uint64_t record_ns;
};
#define LEA_CLAIM_UNKNOWN_NS UINT64_MAX /* the claim does not say */

struct lea_claim {
	enum lea_claim_state state;
	char vg_name[128];
	uint32_t seqno;	   /* of the metadata that was read; 0: unknown */
	char reason[192];  /* "": none; one line */
	bool is_tagged;	   /* a tag in event/needed names the VG or an LV of it */
	char in_part[16];  /* DONE without some PVs: by this word of event/incomplete; "": with all.
			      FAILED: it is active so still, for the rest has failed */
	bool is_transient; /* FAILED: reconcile retries; else only an add event does, or a user */
	bool is_outdated;  /* FAILED: its metadata are out of date, so that nobody may retry */
	uint32_t again;	   /* with is_transient: how often in a row its devices were queued again */
	uint64_t turn_ms;  /* when the VG's turn came for which it was stored; see _report */
	bool is_online;	   /* CLAIMED, or is_transient: vgs_online came with it, and is kept. If
			      that is gone, somebody took the VG down since. To be stored as DONE:
			      it is released; never read of one */
	bool is_orphaned;  /* CLAIMED by a process that has died; set by lea_claim_each and _read_in
			    */
	struct lea_claim_pv *pv; /* [pv_count], sorted by pvid; owned after lea_claim_read */
	uint32_t pv_count;
	pid_t pid;	      /* owner; set when the claim is stored */
	uint64_t start_ticks; /* of the owner, as in /proc/PID/stat */
};

/* Values that all claims of one pass share. Zeroed: unknown, filled at first use. */
struct lea_claims_now {
	char epoch[LEA_EPOCH_BYTES];
	pid_t pid; /* process of start_ticks; a forked child reads its own */
	uint64_t start_ticks;
};

/* Where claims are stored. All borrowed. */
struct lea_claims {
	int run_fd;		    /* /run/lvm */
	int proc_fd;		    /* /proc */
	struct lea_claims_now *now; /* NULL: read the values for each claim */
	struct lea_world *world;    /* tells which disks are there; NULL: all count as there */
};

/* Opens what is not open yet. 0, or why there is no folder to read. */
LEA_MUST_CHECK int lea_claims_init(struct lea_claims *claims, struct lea_world *world,
				   struct lea_claims_now *now);

enum lea_claim_outcome {
	LEA_CLAIM_ABSENT = 1, /* no regular file, malformed, another epoch, or a dead owner */
	LEA_CLAIM_HELD,	      /* take: a living process of this epoch owns the claim */
	LEA_CLAIM_REPLACED,   /* report: the VG has had another turn since */
	LEA_CLAIM_OVERTOOK,   /* take: taken; an earlier turn of this process is not over yet */
};

/*
 * lea_claim_read - the valid claim of a VG
 * @vg_id: 32 characters
 * Returns 0 with *ret_claim (release with lea_claim_done), LEA_CLAIM_ABSENT or -errno.
 */
LEA_MUST_CHECK int lea_claim_read(const struct lea_claims *claims, const char *vg_id,
				  struct lea_claim *ret_claim);
void lea_claim_done(struct lea_claim *claim);
/* The same from the open folder event/claims, and also a claim of a dead owner (is_orphaned). */
LEA_MUST_CHECK int lea_claim_read_in(const struct lea_claims *claims, int folder_fd,
				     const char *vg_id, struct lea_claim *ret_claim);

/*
 * lea_claim_take - claim the VG for this process
 * @claim: name and PVs; borrowed; state is ignored
 * Exclusive: blocks only while another process reads and writes a claim, for two seconds at most
 * (-EAGAIN). Overwrites a DONE or FAILED claim; the caller has checked that with lea_claim_covers.
 * 0, LEA_CLAIM_HELD, LEA_CLAIM_OVERTOOK or -errno.
 */
LEA_MUST_CHECK int lea_claim_take(const struct lea_claims *claims, const char *vg_id,
				  const struct lea_claim *claim);

/* Stores the result: @claim with state DONE or FAILED. Published whole. 0 or -errno. */
LEA_MUST_CHECK int lea_claim_finish(const struct lea_claims *claims, const char *vg_id,
				    const struct lea_claim *claim);

/*
 * lea_claim_report - the same, of a worker's result, if the VG may have had another turn since
 * That one may be for instances of its PVs that came later: that the earlier ones failed says
 * nothing about these. Or it may be for an event after a command that took the VG down: that the VG
 * was active before says nothing about a turn that is not over, or that is to be tried again. Then
 * LEA_CLAIM_REPLACED, and nothing is stored. Blocks as lea_claim_take. 0, LEA_CLAIM_REPLACED or
 * -errno.
 */
LEA_MUST_CHECK int lea_claim_report(const struct lea_claims *claims, const char *vg_id,
				    const struct lea_claim *claim);

/*
 * lea_claim_keep_online - put back the vgs_online file of a turn
 * The real lvm removes it when it fails; that does not mean that somebody took the VG down. But only
 * while the claim is that of the turn which began at @turn_ms: of one that has ended, or given way
 * to a later one, nobody wants it. Blocks as lea_claim_take. 0 or -errno.
 */
LEA_MUST_CHECK int lea_claim_keep_online(const struct lea_claims *claims, const char *vg_id,
					 const char *vg_name, uint64_t turn_ms);
/* Likewise removes it, before the claim of that turn ends, or if there is none any more: of a VG that
 * was not brought up. A later turn has the file for itself. 0 or -errno. */
LEA_MUST_CHECK int lea_claim_drop_online(const struct lea_claims *claims, const char *vg_id,
					 const char *vg_name, uint64_t turn_ms);

/*
 * lea_claim_extend - add PVs that changes have brought
 * @by: its PVs are meant alone
 * The claim is read anew: a worker may have ended it since the caller has read it. Only one that is
 * DONE, that has failed for now, or that is CLAIMED by this process gets them, and stays of the same
 * turn. Blocks as lea_claim_take. 0 or -errno.
 */
LEA_MUST_CHECK int lea_claim_extend(const struct lea_claims *claims, const char *vg_id,
				    const struct lea_claim *by);

/*
 * lea_claim_was_cleared - may the vgs_online file of a claim with is_online be gone with others?
 * @claim: as read
 * The other reason is that somebody took the VG down. But pvscan --cache removes all such files,
 * and writes the records anew: then one has another time than it had, whatever the clock was set to
 * since. Few system calls more if the file is gone.
 */
bool lea_claim_was_cleared(const struct lea_claims *claims, const struct lea_claim *claim);
/* Does the stored claim say that vgs_online came with it, and was it not cleared since? 1: yes, 0:
 * no, or -errno: not known. */
LEA_MUST_CHECK int lea_claim_ask_online(const struct lea_claims *claims, const char *vg_id);

/*
 * lea_claim_left_online - may vgs_online be there because of a claim that is not DONE?
 * Also because of one that a dead process or an earlier epoch left. Without such a claim lvm2 made
 * the file, or an activation that succeeded. > 0: it may be, 0: no, or -errno.
 */
LEA_MUST_CHECK int lea_claim_left_online(const struct lea_claims *claims, const char *vg_id,
					 const char *vg_name);

/* Removes a claim, by a call that needs no room, memory or descriptor: it ends what cannot be
 * written. 0 (also if it does not exist) or -errno. */
LEA_MUST_CHECK int lea_claim_drop(const struct lea_claims *claims, const char *vg_id);

/*
 * lea_claim_forget - remove a claim that counts no longer, and the vgs_online file kept for it
 * @claim: as it was read
 * @is_shared: another VG of its name may have that file by now, so it stays; see
 * lea_claim_index_forget.
 * 0 (also if it does not exist) or -errno.
 */
LEA_MUST_CHECK int lea_claim_forget(const struct lea_claims *claims, const char *vg_id,
				    const struct lea_claim *claim, bool is_shared);

/* Marks a claim that nothing stands behind. > 0 if it was marked before and not stored anew since,
 * 0 (also if it does not exist) or -errno. */
LEA_MUST_CHECK int lea_claim_mark_gone(const struct lea_claims *claims, const char *vg_id);

/*
 * Does @claim include all these PV instances? Order does not matter. More PVs in the claim are
 * fine: a VG that was reduced has nothing new to activate, and if a user has deactivated it, it
 * must stay inactive.
 */
bool lea_claim_covers(const struct lea_claim *claim, const struct lea_claim_pv *pv, uint32_t count);

/* DONE, and each disk of it has gone? Then it holds no name, nor a vgs_online file: what it may have
 * left active keeps its device names, of which no second one is made. */
bool lea_claim_has_gone(const struct lea_claims *claims, const struct lea_claim *claim);

/* CLAIMED by another process, which lives, or will soon have died. */
bool lea_claim_is_of_other(const struct lea_claim *claim);

/* Do the two claims have a PV in common, in any instance? */
bool lea_claim_shares_pv(const struct lea_claim *one, const struct lea_claim *other);

/* Adds a PV, or replaces its instance. @claim is sorted by pvid and stays so. 0, or -ENOMEM with
 * @claim unchanged. */
LEA_MUST_CHECK int lea_claim_put(struct lea_claim *claim, const struct lea_claim_pv *pv);

/* Calls @tell for every valid claim and for claims of dead owners (is_orphaned). A non-zero return
 * of @tell ends the walk and is returned. */
LEA_MUST_CHECK int
lea_claim_each(const struct lea_claims *claims,
	       int (*tell)(void *arg, const char *vg_id, const struct lea_claim *claim), void *arg);

/* Removes all claims when an epoch ends, and vgs_online of the VGs that are not DONE: in the next
 * epoch it would say that they had been brought up. Claims that it cannot remove are invalid. */
void lea_claims_end_epoch(const struct lea_claims *claims);
