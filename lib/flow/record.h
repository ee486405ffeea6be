/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One device that was looked at -> lvm2's run files: refusals in lvm2's order, the PV's record
 * (stale ones are replaced), the VG's lookup file, completeness, the claim. Logs nothing but
 * debug: the result says all, and report.c has the words.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 1.3, 1.5, 2.4).
 */
#ifndef LEA_FLOW_RECORD_H
#define LEA_FLOW_RECORD_H

#include "base/err.h"
#include "flow/rival.h"
#include "flow/scan.h"
#include "policy/complete.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_record_vgs;

enum lea_record_kind {
	LEA_RECORD_NOTHING, /* no PV in use: found->kind says which (gone, excluded, orphan ...) */
	LEA_RECORD_MD,	    /* component of an md array */
	LEA_RECORD_NOT_IN_VG, /* the metadata does not list this PV */
	LEA_RECORD_SHARED,    /* refused: lock_type */
	LEA_RECORD_FOREIGN,   /* refused: system ID (also when this host has none) */
	LEA_RECORD_EXPORTED,  /* refused */
	LEA_RECORD_DUPLICATE, /* the PVID is on another device that is alive: other_... */
	LEA_RECORD_FAILED,    /* the record could not be written: fault */
	LEA_RECORD_ONLINE,    /* recorded (or it was already); the fields below count */
};

struct lea_record_options {
	bool check_complete; /* count members, write the lookup file; false: record only */
	bool count_later; /* with check_complete: lea_record_count does it, once all are recorded */
	bool claim_vg; /* the same without count_later: vgs_online of a complete VG is made */
	bool test;	  /* change no file; answers as if it had */
	bool use_names_filter;	   /* for the look at another device with this PVID */
	bool out_of_process;	   /* the same: read it in a probe child (runner) */
	struct lea_prober *prober; /* the same: whose; NULL: one made for it */
	/* Counts of earlier recorders, which stay; NULL: its own. As long as they do, so must the
	 * texts of the scans that devices come from. */
	struct lea_record_vgs *vgs;
};

/* What became of one device. */
struct lea_record {
	enum lea_record_kind kind;
	char vg_name[128];	    /* "": not known */
	bool has_metadata;	    /* this PV gave metadata itself */
	enum lea_complete complete; /* with check_complete */
	uint32_t missing; /* WAITING: this many; an upper bound while others record, too */
	bool rechecked;	  /* complete only after the lookup file was written */
	bool claimed;	  /* COMPLETE and claim_vg: vgs_online is ours now; false: was there */
	bool replaced;	  /* a stale or damaged record gave way */
	uint32_t other_major, other_minor; /* DUPLICATE */
	char other_device[128];		   /* DUPLICATE, "": not recorded */
	enum lea_rival_tie tie; /* DUPLICATE: what this one is to the other */
	bool is_news;		/* DUPLICATE: it was not noted before (event/rivals) */
	bool is_ignored; /* DUPLICATE: the VG was active, or done, with the other when it came */
	int fault;			   /* FAILED: -errno */
};

/* Keeps counts per VG over the devices of one scan: must not outlive that scan. */
struct lea_recorder;

/* Nothing is touched before the first lea_record_found. @world, @conf: borrowed. */
LEA_MUST_CHECK int lea_recorder_new(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_record_options *options,
				    struct lea_recorder **ret_recorder);
void lea_recorder_free(struct lea_recorder *recorder);
void lea_recorder_freep(struct lea_recorder **recorder);

/*
 * lea_record_found - judge and record one device
 * Trouble with this device is a kind. The first PV seen also tells other lvm2 commands to look
 * again (hints). Fails only when memory is out.
 */
LEA_MUST_CHECK int lea_record_found(struct lea_recorder *recorder, const struct lea_found *found,
				    struct lea_record *ret_record);

/*
 * lea_record_count - with count_later: is the VG of this device complete?
 * @found: lea_record_found told LEA_RECORD_ONLINE for it
 * @claim_vg: vgs_online of a complete VG is made
 * Of members that this recorder recorded itself no file is looked for: with all devices at hand
 * recorded first, a VG that came in one piece costs no look at all.
 */
LEA_MUST_CHECK int lea_record_count(struct lea_recorder *recorder, const struct lea_found *found,
				    bool claim_vg, struct lea_record *ret_record);

/*
 * lea_record_gone - the PV @pvid was removed: forget its record, its VG's claim and lookup
 * The record's number is compared with the removed one before anything is unlinked.
 */
LEA_MUST_CHECK int lea_record_gone(struct lea_recorder *recorder, uint32_t major, uint32_t minor,
				   const char *pvid);
/* The same for whatever PV has this number: every record is looked at. For a person's MAJ:MIN. */
LEA_MUST_CHECK int lea_record_gone_number(struct lea_world *world, uint32_t major, uint32_t minor);

#endif
