/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/newest/VGID-NAME: the newest metadata that a PV of this VG has shown since the note was
 * made: its seqno, the PV that showed it, and the PVs that it lists. A hint for who meets older
 * metadata: the PVs themselves tell whether the newer one is still there (record/outdated.h). As in
 * lvm2 a VG is its id with its name: a disk with the id alone takes nothing from a VG.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A PV, and the instance of the device on which it was. */
struct lea_newest_pv {
	char pvid[33];
	struct lea_devid id;
};

struct lea_newest {
	char vg_id[33], vg_name[128];
	uint32_t seqno;
	uint64_t seen_ms; /* when it was shown, as lea_world_now_ms counts; orders the files */
	struct lea_newest_pv shown_by; /* pvid "": not known */
	char (*pvid)[33];	       /* [pv_count], sorted; owned after lea_newest_read */
	uint32_t pv_count;
};

enum lea_newest_outcome {
	LEA_NEWEST_NONE = 1, /* no note, or nonsense in it */
	LEA_NEWEST_OLDER,    /* note: there is one with a higher seqno, which stays */
};

/* @run_fd: the run folder. All return -errno on faults, neither log nor block for long. */

/* The seqno of one VG, by one system call. @ret_by: [33], gets the PV that showed it, "": not known;
 * NULL: nobody asks. Returns 0 or LEA_NEWEST_NONE. */
LEA_MUST_CHECK int lea_newest_seqno(int run_fd, const char *vg_id, const char *vg_name,
				    uint32_t *ret_seqno, char *ret_by);
/* Returns 0 or LEA_NEWEST_NONE. Release with lea_newest_done. */
LEA_MUST_CHECK int lea_newest_read(int run_fd, const char *vg_id, const char *vg_name,
				   struct lea_newest *ret_newest);
void lea_newest_done(struct lea_newest *newest);

/*
 * lea_newest_note - a PV shows this metadata
 * What was noted stays if it has this seqno, or a higher one. Does nothing where no event folder
 * is. One system call for the first note of a VG that has not many PVs. Returns 0 or
 * LEA_NEWEST_OLDER.
 */
LEA_MUST_CHECK int lea_newest_note(int run_fd, const struct lea_newest *newest);
/* The same, whatever was noted: the PVs that showed more are gone, or show less. */
LEA_MUST_CHECK int lea_newest_replace(int run_fd, const struct lea_newest *newest);
/* Absent is fine. */
LEA_MUST_CHECK int lea_newest_drop(int run_fd, const char *vg_id, const char *vg_name);

/* Calls @tell for each sound note; its non-zero return ends the walk and is returned. */
LEA_MUST_CHECK int
lea_newest_each(int run_fd, int (*tell)(void *arg, const struct lea_newest *newest), void *arg);

/* Does the metadata list this PV? */
bool lea_newest_lists(const struct lea_newest *newest, const char *pvid);
