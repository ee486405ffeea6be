/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records one scanned device in lvm2's run files: refuses it in lvm2's order, writes the PV's
 * record (and replaces a stale one), writes the VG's lookup file, checks completeness, claims the
 * VG. Logs only debug lines; the caller prints the result.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 1.3, 1.5, 2.4).
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "conf/conf.h"
#include "plan/complete.h"
#include "record/duplicate_tie.h"
#include "record/outdated.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_lookup_index;
struct lea_record_vgs;

enum lea_record_kind {
	LEA_RECORD_NOTHING,   /* not a PV of a VG: see found->kind (gone, excluded, orphan ...) */
	LEA_RECORD_MD,	      /* component of an md array */
	LEA_RECORD_NOT_IN_VG, /* the metadata does not list this PV */
	LEA_RECORD_SHARED,    /* refused: lock_type */
	LEA_RECORD_FOREIGN,   /* refused: system ID of another host */
	LEA_RECORD_EXPORTED,  /* refused */
	LEA_RECORD_DUPLICATE, /* the device in the record carries the PV, too: other_... */
	LEA_RECORD_OUTDATED,  /* recorded, but another PV has newer metadata, which do not list it:
				 it  belongs to no VG; outdated says more */
	LEA_RECORD_FAILED,    /* the record could not be written: fault */
	LEA_RECORD_ONLINE,    /* recorded, now or before */
};

struct lea_record_options {
	bool check_complete; /* count members, write the lookup file; false: record only */
	bool count_later;    /* with check_complete: the caller calls lea_record_count afterwards */
	bool claim_vg;	     /* with check_complete, without count_later: claim a complete VG */
	bool test;	     /* change no file; answer as if it had */
	/* How to read the recorded device when the PVID is on another one: see scan.h. */
	bool use_names_filter;
	bool out_of_process;
	struct lea_reader *reader;
	struct lea_scan *scan; /* whose devices are recorded, as within there; NULL: nobody waits */
	/* Member counts kept from earlier recorders; NULL: start with none. They point into the
	 * metadata of the scans, which must live as long. */
	struct lea_record_vgs *vgs;
	struct lea_lookup_index *lookups; /* kept from earlier recorders; NULL: starts with none */
};

/* What became of one device. */
struct lea_record {
	enum lea_record_kind kind;
	char vg_name[128];	    /* "": unknown */
	bool has_metadata;	    /* this PV holds metadata */
	enum lea_complete complete; /* with check_complete */
	uint32_t missing; /* WAITING: PVs without a record; an upper bound while others record */
	bool rechecked;	  /* found complete only after the lookup file was written */
	bool claimed;	  /* COMPLETE and claim_vg: we created vgs_online; false: it existed */
	bool is_new;	  /* there was no record */
	bool replaced;	  /* a stale or damaged record was replaced */
	bool was_copied;  /* replaced, and its device, other_..., is a copy of this one */
	uint32_t other_major, other_minor; /* DUPLICATE, was_copied */
	char other_device[128];		   /* DUPLICATE, "": the record has no name */
	enum lea_duplicate_tie tie;	   /* DUPLICATE: relation to the other device */
	bool is_news;			   /* DUPLICATE: was not noted before (event/duplicates) */
	bool is_ignored; /* DUPLICATE: the VG was already active with the other device */
	/* DUPLICATE, was_copied: the devices file means the PV's other device, and this one, or the copy, is
	 * left out. */
	bool is_left_out;
	/* The PV's metadata are older than another PV's, and say nothing of the VG any more. With
	 * ONLINE the newer ones list the PV: it was counted like a PV without metadata. Lives as
	 * long as the recorder. NULL: they are the newest. */
	const struct lea_outdated *outdated;
	/* FAILED: -errno. Else 0, or the shortage for which it could not be noted what it shows. */
	int fault;
};

/* Keeps member counts over the devices of one scan; must not outlive that scan. */
struct lea_recorder;

/* Changes no file before the first lea_record_found. @world, @conf: borrowed; @options: copied.
 * Free with lea_recorder_free, which takes NULL. 0 or -errno. */
LEA_MUST_CHECK int lea_recorder_new(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_record_options *options,
				    struct lea_recorder **ret_recorder);
void lea_recorder_free(struct lea_recorder *recorder);
LEA_DEFINE_FREEP(struct lea_recorder, lea_recorder_freep, lea_recorder_free);

/*
 * lea_record_found - check and record one device
 * A failure of this device is reported in ret_record->kind. The first PV also invalidates lvm2's
 * hints. Reads the recorded device, and so may block, if the PVID is on two devices.
 */
void lea_record_found(struct lea_recorder *recorder, const struct lea_found *found,
		      struct lea_record *ret_record);

/*
 * lea_record_count - with count_later: is the VG of this device complete?
 * @found:    a device for which lea_record_found gave LEA_RECORD_ONLINE
 * @claim_vg: create vgs_online if the VG is complete
 * Members that this recorder has recorded cost no file lookup: record all available devices first,
 * and a VG that appeared as a whole costs none. Older metadata than another PV's are found here:
 * ret_record->outdated.
 */
void lea_record_count(struct lea_recorder *recorder, const struct lea_found *found, bool claim_vg,
		      struct lea_record *ret_record);

/* Notes the metadata of a PV that was read for its VG's sake, and has its record: they may be newer
 * than any so far (record/outdated.h). 0 or -errno. */
LEA_MUST_CHECK int lea_record_seen(struct lea_recorder *recorder, const struct lea_found *found);

/*
 * lea_record_gone - the PV @pvid was removed: drop its record, and its VG's claim and lookup file
 * @is_back: another instance of it has the number by now: only the record goes
 * Does nothing if the record names another device number. 0 or -errno.
 */
LEA_MUST_CHECK int lea_record_gone(struct lea_recorder *recorder, uint32_t major, uint32_t minor,
				   const char *pvid, bool is_back);
/* The same for the PV whose record has this number, for MAJ:MIN on a command line. Reads every
 * record. */
LEA_MUST_CHECK int lea_record_gone_number(struct lea_world *world, uint32_t major, uint32_t minor);
