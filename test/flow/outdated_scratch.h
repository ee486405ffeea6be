/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PVs that show metadata of different age of one VG. Include it once, after batch_scratch.h. */
#pragma once

#include "base/id.h"
#include "fake/put.h"
#include "fake/sample.h"

/* The PV of sample one-pv with another id: a copy on which "pvchange -u" was run. */
#define UUID_ORIGINAL "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define UUID_CHANGED  "6ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define PVID_CHANGED  "6ayjisrFL7dSSesEcRBg8PrdlVG05Fap"

static void set_label(struct sample *sample, const char *pvid)
{
	uint8_t *sector = sample->head + 512;

	memcpy(sector + 32, pvid, 32);
	seal_label(sector);
}

/* Changes the metadata on a device that was plugged with @sample_name. @uuid: of its PV from now
 * on, with hyphens; NULL: as it is. */
static inline void rewrite(const char *sample_name, const char *name, const char *seqno,
			   const char *uuid)
{
	struct sample sample;
	char path[256], pvid[33], from[39];

	sample_load(&sample, sample_name);
	snprintf(from, sizeof(from), "seqno = %u", (unsigned)sample_number(&sample, "vg.seqno"));
	sample_change_text(&sample, from, seqno);
	if (uuid) {
		ck_assert_int_eq(lea_id_parse(uuid, pvid), 0);
		lea_id_format(sample_value(&sample, "label.pvid"), from);
		sample_change_text(&sample, from, uuid);
		set_label(&sample, pvid);
	}
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

/* sda: the original, seqno 5. */
static inline void plug_original(void)
{
	machine_plug("one-pv", "sda", 16, 1);
}

/* sdb: the copy, whose PV id was changed, so that it has seqno 6. */
static inline void plug_changed(void)
{
	machine_plug("one-pv", "sdb", 32, 2);
	rewrite("one-pv", "sdb", "seqno = 6", UUID_CHANGED);
}
