/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/duplicates/PVID/MAJ:MIN-DISKSEQ: a device with the PVID of another device, which has the
 * record in pvs_online. While both are there, they show whether it is a copy or another path.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>

/* Limit of a listing per PVID; more devices are listed when some of these are gone. */
#define LEA_DUPLICATES_MOST 64U

enum lea_duplicate_state {
	LEA_DUPLICATE_NOTED,   /* not reported in this epoch */
	LEA_DUPLICATE_WAITING, /* likewise; it was added when the recorded device gave no answer */
	LEA_DUPLICATE_SAID,    /* reported */
	LEA_DUPLICATE_IGNORED, /* reported; it appeared when the VG was active without it */
};

struct lea_duplicate {
	char pvid[33];
	struct lea_devid id;
	enum lea_duplicate_state state;
	bool is_path;	/* when it appeared, it was another path of the recorded device's disk */
	char vg_id[33]; /* "": not known yet */
	uint32_t seqno; /* of the metadata of vg_id that it showed last; 0: it has shown none */
};

/* Files are below the run folder of @world. All int functions return -errno on faults. They neither
 * log nor block. */
/* Publishes @duplicate and replaces an earlier file of this instance. */
LEA_MUST_CHECK int lea_duplicate_put(struct lea_world *world,
				     const struct lea_duplicate *duplicate);
/* Removes @duplicate. Not an error if absent; one system call if the PV has no duplicates. */
LEA_MUST_CHECK int lea_duplicate_drop(struct lea_world *world,
				      const struct lea_duplicate *duplicate);

/*
 * lea_duplicate_list - the duplicates of one PV
 * Returns their number or -errno. One system call if there are none. Malformed files and files of
 * another epoch count as NOTED.
 */
LEA_MUST_CHECK int
lea_duplicate_list(struct lea_world *world, const char *pvid,
		   struct lea_duplicate ret_duplicates[static LEA_DUPLICATES_MOST]);

/* Does any PV have a duplicate? One system call. */
bool lea_duplicate_is_any(struct lea_world *world);

/* Calls @tell for every PVID with duplicates; its non-zero return ends the walk and is returned.
 * One system call if there are none. */
LEA_MUST_CHECK int lea_duplicate_each(struct lea_world *world,
				      int (*tell)(void *arg, const char *pvid), void *arg);
