/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one pass leaves to the next: texts that were parsed, which members of VGs that still wait
 * were recorded, the devices file. A VG of many PVs comes in many passes: each costs what came in
 * it, not the VG.
 *
 * Nothing of it is believed without asking: a text is known by what the PV's own header says of it
 * now, a count by the VG's lookup file, and a VG that looks complete is counted once more; the
 * devices file by its status.
 */
#ifndef LEA_FLOW_KNOWN_H
#define LEA_FLOW_KNOWN_H

#include "base/err.h"

struct lea_devicesfile;
struct lea_known;
struct lea_record_vgs;
struct lea_scan_texts;

/* Memory of texts that is kept beside the largest one, in bytes; beyond it all is forgotten. */
#define LEA_KNOWN_MAX_BYTES (2U * 1024U * 1024U)

LEA_MUST_CHECK int lea_known_new(struct lea_known **ret_known);
/* NULL is fine. */
void lea_known_free(struct lea_known *known);

/* A pass begins that uses it until lea_known_rest; several may. NULL is fine. */
void lea_known_use(struct lea_known *known);

/* For scans and their recorders. Borrowed; NULL for NULL. */
struct lea_scan_texts *lea_known_texts(struct lea_known *known);
struct lea_devicesfile **lea_known_devicesfile(struct lea_known *known);
struct lea_record_vgs *lea_known_vgs(struct lea_known *known);

/* The end of such a pass, when its scan and its recorder are gone. NULL is fine. */
void lea_known_rest(struct lea_known *known);
/* Nothing is kept. No pass uses it. */
void lea_known_forget(struct lea_known *known);

#endif
