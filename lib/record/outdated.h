/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are there newer metadata of this VG, by id and name? They can be on PVs that do not know of each
 * other: a PV that was away while the VG changed, or a copy whose PV id was changed. What was
 * newest so far is noted (state/newest.h); who meets an older text asks the PVs that showed the
 * newer one. While one of them is there, the older text is of no use: it activates nothing, and no
 * claim and no memory is made of it.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "conf/conf.h"
#include "scan/scan.h"
#include "state/newest.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_OUTDATED_TEXT_BYTES 320U

/* All borrowed. */
struct lea_ages_options {
	struct lea_world *world;
	const struct lea_conf *conf;
	struct lea_scan_options scan; /* for the PVs that showed newer metadata; within_of is set */
	bool test;		      /* leave no note */
	bool *has_read;		      /* as in struct lea_duplicates_options */
};

/* The newer metadata. */
struct lea_outdated {
	struct lea_newest newest; /* as noted */
	uint32_t seqno;		  /* that a PV shows now; with is_silent as noted */
	char device[128];	  /* of that PV; "": not known */
	bool is_silent;		  /* it does not answer, so nothing says that it is gone */
};

enum lea_outdated_outcome {
	LEA_OUTDATED = 1,
};

/* Answers about the texts of one pass, each found once, for which each note is read once: what
 * another process notes later is of no use to this pass, but to the worker, under the VG's lock.
 * Must not outlive their scan. */
struct lea_ages;
LEA_MUST_CHECK int lea_ages_new(const struct lea_ages_options *options, struct lea_ages **ret_ages);
void lea_ages_free(struct lea_ages *ages);
LEA_DEFINE_FREEP(struct lea_ages, lea_ages_freep, lea_ages_free);

/* The PV @found shows found->vg. One system call for each VG to read what is noted, and one for its
 * first note. 0 or -errno. */
LEA_MUST_CHECK int lea_ages_note(struct lea_ages *ages, const struct lea_found *found);

/*
 * lea_ages_ask - is @vg older than what a PV that is there shows?
 * @shows: a PV that shows @vg
 * @ret_outdated: the newer metadata; set only with LEA_OUTDATED, lives as long as @ages
 * No system call beyond those of lea_ages_note; only if a newer one was noted it reads PVs that the
 * newer one lists, and then blocks as a scan does. If none of them shows it any more, @vg becomes
 * the newest. Returns 0, LEA_OUTDATED or -errno.
 */
LEA_MUST_CHECK int lea_ages_ask(struct lea_ages *ages, const struct lea_vg *vg,
				const struct lea_found *shows,
				const struct lea_outdated **ret_outdated);

/* "PV ID on DEVICE has outdated metadata of VG NAME: seqno 2, newest is 3 on DEVICE". */
void lea_outdated_describe(const struct lea_outdated *outdated, const struct lea_vg *vg,
			   const struct lea_found *shows,
			   char ret_text[static LEA_OUTDATED_TEXT_BYTES]);

/* A PV that shows outdated metadata. */
struct lea_outdated_pv {
	char pvid[33];
	const char *device;		 /* as in its record; "": not there */
	const char *newest_on;		 /* the same of the PV that shows the newest */
	const struct lea_newest *newest; /* of the VG */
};

/*
 * lea_outdated_each - for reports: PVs with a record that show outdated metadata
 * Reads records and notes, and of the PVs only those that these make suspect, in a reader process
 * with deadlines; one that does not answer, or that a filter rejects, is not told. A non-zero
 * return of @tell ends the walk and is returned. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_outdated_each(struct lea_world *world, const struct lea_conf *conf,
				     int (*tell)(void *arg, const struct lea_outdated_pv *pv),
				     void *arg);

/* Drops notes of VGs of which no PV is there, and that an add waits for such a VG: for reconciles.
 * Reads each note and a record for each PV, no device. Faults are ignored: a note that stays is asked
 * about. */
void lea_newest_tidy(struct lea_world *world, int event_fd);
