/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's records in /run/lvm: pvs_online/PVID, vgs_online/VG, pvs_lookup/VG, and the hint flags.
 * Written byte for byte as lvm2 writes them, published whole by link or rename.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 2.1 to 2.4).
 */
#ifndef LEA_STATE_ONLINE_H
#define LEA_STATE_ONLINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_online {
	uint32_t major, minor;
	char vg[128];	  /* "": the PV gave no metadata */
	char device[128]; /* "": not recorded */
};

enum lea_online_outcome {
	LEA_ONLINE_ABSENT = 1,
	LEA_ONLINE_MALFORMED, /* there, but empty or garbage: replaced by the next write */
	LEA_ONLINE_EXISTS,    /* create: somebody's record is there, left alone */
};

/* @run_fd: the run folder. All return 0, an outcome, or -errno. */
LEA_MUST_CHECK int lea_online_ensure(int run_fd); /* the three folders, 0700 */
LEA_MUST_CHECK int lea_online_read(int run_fd, const char *pvid, struct lea_online *ret_online);
/* Publishes a record, replacing any other. The caller has decided that it may be replaced. */
LEA_MUST_CHECK int lea_online_write(int run_fd, const char *pvid, const struct lea_online *online);
/* The same, only if there is none: of two that race one gets LEA_ONLINE_EXISTS. */
LEA_MUST_CHECK int lea_online_create(int run_fd, const char *pvid, const struct lea_online *online);
LEA_MUST_CHECK int lea_online_remove(int run_fd, const char *pvid); /* absent is fine */
/* Is there a record at all? true/false by one stat. */
bool lea_online_exists(int run_fd, const char *pvid);

/* vgs_online: claim wins (0) or was there (LEA_ONLINE_CLAIMED). */
enum lea_online_claim { LEA_ONLINE_CLAIMED = 1 };
LEA_MUST_CHECK int lea_vg_online_claim(int run_fd, const char *vg);
LEA_MUST_CHECK int lea_vg_online_drop(int run_fd, const char *vg); /* absent is fine */
bool lea_vg_online_exists(int run_fd, const char *vg);

/* pvs_lookup/VG: PVIDs, one a line. write: LEA_ONLINE_CLAIMED when it was there (left alone). */
LEA_MUST_CHECK int lea_lookup_write(int run_fd, const char *vg, const char *const *pvids,
				    uint32_t count);
LEA_MUST_CHECK int lea_lookup_drop(int run_fd, const char *vg);
bool lea_lookup_exists(int run_fd, const char *vg);

/* What a lookup file says. */
struct lea_lookup {
	char vg[128];
	char (*pvid)[33]; /* owned: lea_lookup_done */
	uint32_t count;
};
/* LEA_ONLINE_ABSENT when there is no file; lines that are no PVID are skipped. */
LEA_MUST_CHECK int lea_lookup_read(int run_fd, const char *vg, struct lea_lookup *ret_lookup);
bool lea_lookup_lists(const struct lea_lookup *lookup, const char *pvid);
void lea_lookup_done(struct lea_lookup *lookup);

/*
 * lea_online_forget - this device is gone: its record, and its VG's claim and lookup file
 * lea_online_forget_pv looks at one record and leaves it alone when it names another number by now;
 * lea_online_forget_number looks at every record there is (people's MAJ:MIN only).
 * @lookups: shared by the calls of a batch, where a PV without metadata looks for its VG; NULL:
 * none
 */
struct lea_lookup_index;
LEA_MUST_CHECK int lea_online_forget_pv(int run_fd, const char *pvid, uint32_t major,
					uint32_t minor, struct lea_lookup_index *lookups);
LEA_MUST_CHECK int lea_online_forget_number(int run_fd, uint32_t major, uint32_t minor);
/* Every record, claim and lookup file goes: a look at the whole system follows. */
LEA_MUST_CHECK int lea_online_clear(int run_fd);

/* A PV was seen: other lvm2 commands must look again (newhints), and search again. */
LEA_MUST_CHECK int lea_hints_invalidate(int run_fd);

#endif
