/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What becomes of a VG to which an entry of the queue has led. It is asked twice: before the VG's
 * other PVs are read, when often its claim already says that nothing is to be done, and afterwards.
 * Nothing else decides that. test/data/decide has the answer to each combination of facts.
 */
#pragma once

#include "state/entry_kind.h"

#include <stdbool.h>
#include <stdint.h>

/* What the VG's claim says. */
enum lea_vg_claim {
	LEA_VG_UNCLAIMED, /* there is none that counts */
	LEA_VG_CLAIMED,	  /* a living process is at it */
	LEA_VG_DONE,	  /* active, or left as it is */
	LEA_VG_IN_PART,	  /* done, without some of its PVs */
	LEA_VG_FAILED,	  /* until a PV of it is added */
	LEA_VG_TRANSIENT, /* failed, and tried again after a pause */
	LEA_VG_AGAIN, /* likewise; its devices were queued again at once before, for it changed */
	LEA_VG_CLAIMS
};

/* Which of its PVs are there? */
enum lea_vg_pvs {
	LEA_VG_PVS_UNREAD, /* by their records all, or the kind is PARTIAL; not all were read */
	LEA_VG_PVS_ALL,
	LEA_VG_PVS_ABSENT,  /* at least one is absent */
	LEA_VG_PVS_EXCUSED, /* likewise, and event/incomplete lets the VG be active in part */
	LEA_VG_PVS_SILENT,  /* at least one may be there: its disk gave no answer */
	LEA_VG_PVS_STATES
};

/* Why it must not be activated, whatever its claim and its PVs are. */
enum lea_vg_prohibition {
	LEA_VG_PERMITTED,
	LEA_VG_ON_TWO_DEVICES, /* a PV of it is */
	LEA_VG_TWO_NAMES,      /* its PVs have different names for it, and it is whole under none */
	LEA_VG_TWIN,	       /* another VG of its name is active, or about to be */
	LEA_VG_SILENT_TWIN,    /* likewise, by its claim, but a disk of it gives no answer */
	LEA_VG_OUTDATED,       /* a PV that is there has newer metadata of this VG id */
	LEA_VG_MOVED,	       /* a PV of it is in another VG by newer metadata */
	LEA_VG_PROHIBITIONS
};

struct lea_decide_facts {
	enum lea_entry_kind kind; /* of its entries, the one that allows most */
	enum lea_vg_claim by_claim;
	/* The claim lists the instances of all PVs that are there; before they are read: of those
	 * with an entry, and as many as the metadata has. */
	bool is_covered;
	/* It has a vgs_online file, or got none with its claim: nobody is known to have taken it
	 * down since. */
	bool is_online;
	enum lea_vg_pvs pvs;
	enum lea_vg_prohibition prohibition; /* known only when the PVs were read */
};

enum lea_vg_verdict {
	LEA_VG_SKIP,	 /* nothing is to be done, or not by this entry */
	LEA_VG_READ,	 /* read its other PVs, then ask again */
	LEA_VG_ACTIVATE, /* claim it, give it to a worker */
	LEA_VG_ACTIVATE_IN_PART,
	LEA_VG_RECORD,	    /* its claim gets these PVs, and nothing is activated for them */
	LEA_VG_WATCH,	    /* register its active LVs with dmeventd */
	LEA_VG_WAIT, /* records of PVs that are not there made it complete: end them, it is incomplete */
	LEA_VG_QUEUE_AGAIN, /* read it once more, at once */
	LEA_VG_FAIL,	    /* until a PV of it is added */
	LEA_VG_FAIL_FOR_NOW /* tried again after a pause that grows */
};

enum lea_vg_because {
	LEA_VG_NO_REASON,
	LEA_VG_BECAUSE_DEVICES,
	LEA_VG_BECAUSE_NAMES,
	LEA_VG_BECAUSE_TWIN, /* vgs_online is the other VG's */
	LEA_VG_BECAUSE_OUTDATED,
	LEA_VG_BECAUSE_MOVED, /* the scan's moved_why tells more */
	LEA_VG_BECAUSE_ABSENT,
	LEA_VG_BECAUSE_SILENT,	/* lea_found_describe_silence tells more */
	LEA_VG_BECAUSE_CHANGED, /* another command changes it */
	LEA_VG_BECAUSE_DOWN,	/* of RECORD */
	LEA_VG_BECAUSES
};

struct lea_vg_decision {
	enum lea_vg_verdict verdict;
	enum lea_vg_because because;
};

struct lea_vg_decision lea_decide(const struct lea_decide_facts *facts);

/* A worker found, under the lock, that the VG is not as it was read. @by_claim: before the worker.
 */
struct lea_vg_decision lea_decide_changed(enum lea_vg_claim by_claim);

/* What went wrong with a VG. */
enum lea_vg_trouble {
	LEA_VG_NOT_NOW,	      /* it is tried again */
	LEA_VG_ON_HUNG_DISK,  /* likewise, when a disk of it answers */
	LEA_VG_BY_A_PERSON,   /* a filter or the devices file forbids one of its PVs */
	LEA_VG_WITHOUT_PVS,   /* it is active in part: the wait for the others is over */
	LEA_VG_NOT_ACTIVATED, /* nothing is tried until a PV of it is added */
	LEA_VG_TROUBLES
};

/* Is lvmevent-failed@VG.service to be started? @by_claim: the claim before; @is_same: it failed for
 * the same reason. */
bool lea_decide_starts_unit(enum lea_vg_trouble trouble, enum lea_vg_claim by_claim, bool is_same);

/* The reason in a claim and in messages, static text. */
const char *lea_vg_because_text(enum lea_vg_because because);
