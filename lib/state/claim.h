/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own truth about the activation of a VG by event: event/claims/<VG UUID>. lvm2's vgs_online
 * knows neither UUID nor boot; this does, and it knows which instances of which PVs it was
 * made with. A claim of a dead owner, another epoch or other instances does not count.
 */
#ifndef LEA_STATE_CLAIM_H
#define LEA_STATE_CLAIM_H

#include "base/err.h"
#include "state/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum lea_claim_state {
	LEA_CLAIM_CLAIMED, /* its owner is at work */
	LEA_CLAIM_DONE,	   /* active */
	LEA_CLAIM_FAILED,  /* reason says why; a new event of the VG or a person tries again */
};

/* One PV as it was: the instance number tells a new disk under an old number. */
struct lea_claim_pv {
	char pvid[33];
	uint32_t major, minor;
	uint64_t diskseq; /* 0: the kernel has none */
};

struct lea_claim {
	enum lea_claim_state state;
	char vg_name[128];
	char reason[192];	 /* "": none; one line */
	bool is_transient;	 /* FAILED: comparisons try again; else only an add event, or a person */
	bool is_orphaned; /* CLAIMED by a process that has died: told by lea_claim_each only */
	struct lea_claim_pv *pv; /* [pv_count], sorted by pvid; owned after lea_claim_read */
	uint32_t pv_count;
	pid_t pid;	      /* owner; set when stored */
	uint64_t start_ticks; /* of the owner, as in /proc/PID/stat */
};

/* What is the same for all claims of one pass. All zero: to be found out. */
struct lea_claims_now {
	char epoch[LEA_EPOCH_BYTES];
	pid_t pid; /* whose start_ticks these are: a forked child asks anew */
	uint64_t start_ticks;
};

/* Where claims live, and whose boot this is. All borrowed. */
struct lea_claims {
	int run_fd;		    /* /run/lvm */
	int proc_fd;		    /* /proc */
	struct lea_claims_now *now; /* filled at first use; NULL: asked for each claim */
};

enum lea_claim_outcome {
	LEA_CLAIM_ABSENT = 1, /* none that counts: no file, malformed, another epoch, dead owner */
	LEA_CLAIM_HELD,	      /* take: a living process of this epoch has it */
};

/*
 * lea_claim_read - the claim of a VG as far as it counts
 * @vg_id: 32 characters. Returns 0 with *ret_claim (lea_claim_done), LEA_CLAIM_ABSENT or -errno.
 */
LEA_MUST_CHECK int lea_claim_read(const struct lea_claims *claims, const char *vg_id,
				  struct lea_claim *ret_claim);
void lea_claim_done(struct lea_claim *claim);

/*
 * lea_claim_take - this process claims the VG
 * @claim: name and PVs; borrowed; state is taken as CLAIMED
 * Exclusive. A done or failed claim gives way (the caller has judged it with lea_claim_covers).
 */
LEA_MUST_CHECK int lea_claim_take(const struct lea_claims *claims, const char *vg_id,
				  const struct lea_claim *claim);

/* Records how it ended: @claim with state DONE or FAILED. Published whole. */
LEA_MUST_CHECK int lea_claim_finish(const struct lea_claims *claims, const char *vg_id,
				    const struct lea_claim *claim);

/* Forgets a claim; absent is fine. */
LEA_MUST_CHECK int lea_claim_drop(const struct lea_claims *claims, const char *vg_id);

/*
 * lea_claim_drop_pvs - these PV instances have gone: claims made with one of them are dropped
 * Reads every claim once, however many have gone: for devices without an instance number, whose
 * claims would else cover the next disk under the same number. Sorts @pv.
 */
LEA_MUST_CHECK int lea_claim_drop_pvs(const struct lea_claims *claims, struct lea_claim_pv *pv,
				      uint32_t count);

/*
 * Was @claim made with these PVs, the same instances? Any order. With more is fine: a VG that has
 * been reduced brings nothing new, and who deactivates it then wants it to stay so.
 */
bool lea_claim_covers(const struct lea_claim *claim, const struct lea_claim_pv *pv, uint32_t count);

/* Adds a PV, or replaces the instance of it. @claim: sorted, as lea_claim_read leaves it; stays so.
 * -ENOMEM: as it was. */
LEA_MUST_CHECK int lea_claim_put(struct lea_claim *claim, const struct lea_claim_pv *pv);

/* Every claim that counts, and those of owners that have died (is_orphaned): @tell is called for
 * each; its non-zero return ends the walk and is returned. */
LEA_MUST_CHECK int
lea_claim_each(const struct lea_claims *claims,
	       int (*tell)(void *arg, const char *vg_id, const struct lea_claim *claim), void *arg);

#endif
