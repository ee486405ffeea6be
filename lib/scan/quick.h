/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what reports need of many known PVs, in a child with deadlines: label and metadata headers,
 * and a text only if the store lacks it. Five system calls a PV whose text is stored. Takes no lock:
 * a text's checksum tells whether the read was whole.
 */
#pragma once

#include "base/err.h"
#include "disk/label.h"
#include "scan/read.h"
#include "scan/text_store.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lea_quick_kind {
	LEA_QUICK_UNREADABLE, /* see fault; -ETIMEDOUT: no answer in time */
	LEA_QUICK_NOT_PV,     /* no label, a damaged one, or another PV: see problem */
	LEA_QUICK_ORPHAN,     /* a PV of no VG */
	LEA_QUICK_PV,	      /* of the VG of text, or of one that another PV has the text of */
};

struct lea_quick_pv {
	/* in: from the PV's record */
	char pvid[LEA_PVID_CHARS + 1], device[128];
	uint32_t major, minor;
	/* out */
	enum lea_quick_kind kind;
	int fault;	      /* -errno */
	uint64_t size_bytes;  /* of the device */
	uint64_t label_bytes; /* the size that its label gives */
	uint64_t data_offset_bytes;
	uint32_t mda_count;
	struct lea_stored_text *text;	   /* the newest; NULL: no whole text. Borrowed from the store */
	char vg_name[LEA_READ_NAME_BYTES]; /* of a text that is damaged; "": unknown */
	char problem[192];		   /* the first damage; "": none */
};

/*
 * lea_quick_read - read @count PVs
 * @store: gets the texts that it lacks
 * Blocks until each PV answered or is late: a third of conf->probe_deadline_ms for one, three
 * times that for all. 0 or -errno.
 */
LEA_MUST_CHECK int lea_quick_read(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_text_store *store, struct lea_quick_pv *pv,
				  size_t count);
