/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/rivals/PVID/MAJ:MIN-DISKSEQ: a device that carries the PVID of another one, which has the
 * record in pvs_online. What it is to that one (a copy, another path) is not kept: the devices tell.
 */
#ifndef LEA_STATE_RIVAL_H
#define LEA_STATE_RIVAL_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* So many of one PVID are returned by a listing; further ones wait until one of these has gone. */
#define LEA_RIVALS_MOST 64U

enum lea_rival_state {
	LEA_RIVAL_NOTED,   /* nothing was said of it in this epoch */
	LEA_RIVAL_SAID,	   /* people know */
	LEA_RIVAL_IGNORED, /* they know, and the VG was active without it when it came */
};

struct lea_rival {
	char pvid[33];
	uint32_t major, minor;
	uint64_t diskseq; /* 0: the kernel has none */
	enum lea_rival_state state;
	char vg_id[33]; /* "": not known yet */
};

/* All take the folder below the run folder; 0 or -errno. None of them logs or blocks. */
/* Publishes it, in place of what was said of this instance before. */
LEA_MUST_CHECK int lea_rival_put(struct lea_world *world, const struct lea_rival *rival);
/* Absent is fine: one system call where the PV has none. */
LEA_MUST_CHECK int lea_rival_drop(struct lea_world *world, const struct lea_rival *rival);

/*
 * lea_rival_list - the rivals of one PV; how many, or -errno
 * One system call where there are none. Malformed ones, and what was said in another epoch, count
 * as NOTED.
 */
LEA_MUST_CHECK int lea_rival_list(struct lea_world *world, const char *pvid,
				  struct lea_rival ret_rivals[static LEA_RIVALS_MOST]);

/* Has any PV one? One system call. */
bool lea_rival_is_any(struct lea_world *world);

/* Every PVID that has rivals. @tell's non-zero return ends the walk and is returned. One system
 * call where there are none. */
LEA_MUST_CHECK int lea_rival_each(struct lea_world *world,
				  int (*tell)(void *arg, const char *pvid), void *arg);

#endif
