/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The segment types that we do ourselves: one row each. A type without a row is kept in the VG with
 * segtype NULL and makes the whole VG a case for the real lvm. Pure.
 */
#ifndef LEA_DISK_SEGTYPE_H
#define LEA_DISK_SEGTYPE_H

#include "base/err.h"
#include "disk/vg.h"

struct lea_text;
struct lea_vg_parser;

struct lea_segtype {
	const char *name; /* as written in the metadata, without +FLAG suffixes */
	/*
	 * Reads the keys of its own from the segment's section (@first: first entry of it) into
	 * @seg, whose extents are set already. Returns 0, LEA_VG_REFUSED or -ENOMEM.
	 */
	int (*parse)(struct lea_vg_parser *parser, const struct lea_text *first,
		     struct lea_lv_seg *seg);
};

/* linear and striped; both are written as "striped" by lvm2, "linear" reads the same. */
extern const struct lea_segtype lea_segtype_striped, lea_segtype_linear;

/* The row of this name, or NULL. */
const struct lea_segtype *lea_segtype_find(const char *name);

/* Why a type without a row (or with +FLAGs) is not ours: static text, "segment type raid1". */
const char *lea_segtype_reason(const char *name);

#endif
