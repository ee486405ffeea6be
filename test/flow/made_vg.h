/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs as a test wants them: each PV is a letter, of which its id is made, and so is the VG's. The disks
 * have the form of sample stripe-a. Include it once.
 */
#pragma once

#include "fake/put.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

#define ID_OF(letter) letter letter letter letter letter letter letter letter
#define MADE_ID(letter) ID_OF(letter) ID_OF(letter) ID_OF(letter) ID_OF(letter)

struct made_vg {
	char id; /* a letter */
	const char *name;
	unsigned int seqno;
	const char *pvs; /* "ABC": each has an LV of its own */
};

static inline const char *made_id(char letter)
{
	static char text[33];

	memset(text, letter, 32);
	return text;
}

static inline void put_id(FILE *out, char letter)
{
	for (int i = 0; i < 32; i++) {
		if (i >= 6 && i <= 26 && i % 4 == 2)
			fputc('-', out);
		fputc(letter, out);
	}
}

static inline void put_lv(FILE *out, size_t number)
{
	fprintf(out, "lv%zu { id=\"", number);
	put_id(out, (char)('a' + number));
	fprintf(out,
		"\" status=[\"READ\",\"WRITE\",\"VISIBLE\"] segment_count=1 segment1 { "
		"start_extent=0 extent_count=1 type=\"striped\" stripe_count=1 "
		"stripes=[\"pv%zu\",0] } } ",
		number);
}

static inline void make_text(const struct made_vg *vg, char *text, size_t bytes)
{
	FILE *out = fmemopen(text, bytes, "w");

	ck_assert_ptr_nonnull(out);
	fprintf(out, "%s { id=\"", vg->name);
	put_id(out, vg->id);
	fprintf(out,
		"\" seqno=%u format=\"lvm2\" status=[\"READ\",\"WRITE\"] extent_size=8192 max_lv=0 "
		"max_pv=0 physical_volumes { ",
		vg->seqno);
	for (size_t i = 0; vg->pvs[i]; i++) {
		fprintf(out, "pv%zu { id=\"", i);
		put_id(out, vg->pvs[i]);
		fputs("\" status=[\"ALLOCATABLE\"] pe_start=2048 pe_count=15 } ", out);
	}
	fputs("} logical_volumes { ", out);
	for (size_t i = 0; vg->pvs[i]; i++)
		put_lv(out, i);
	fputs("} }\ncontents=\"Text Format Volume Group\"\nversion=1\n", out);
	fclose(out);
}

/* The disk @name, which is plugged, shows @vg from now on. */
static inline void make_show(const char *name, char pv, const struct made_vg *vg)
{
	struct sample sample;
	char path[256], text[4096];

	make_text(vg, text, sizeof(text));
	sample_load(&sample, "stripe-a");
	sample_set_text(&sample, text);
	memset(sample.head + 512 + 32, pv, 32);
	seal_label(sample.head + 512);
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

/* A disk comes with PV @pv of @vg, as the instance @minor. Returns the VGs that workers got. */
static inline const char *make_come(const char *name, uint32_t minor, char pv,
				    const struct made_vg *vg)
{
	machine_plug("stripe-a", name, minor, minor);
	make_show(name, pv, vg);
	return came(name, minor, minor, made_id(pv));
}
