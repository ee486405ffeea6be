/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * The needs file of an initramfs: what the image was built for. And how far the initramfs goes to
 * find it. Pure.
 */
#pragma once

#include "base/err.h"
#include "memory/device_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines of four words: "DM-NAME DM-UUID FS-UUID LABEL", with "-" for what is unknown. An LV has one
 * for each file system, swap area or encrypted device that lies on it or above it, and a file
 * system one for each of its LVs. "- -" begins the line of one that is not on LVM.
 *
 * Lines of five words, of the disks of these LVs: "pv PVID SECTORS PARTITION ID", with the number
 * of the partition, or 0, and an id that no other disk has (filter/device_id.h).
 */
#define LEA_NEEDS_BYTES 65536U

/* A line. */
struct lea_need_line {
	bool is_elsewhere;
	struct lea_spec lv; /* without is_elsewhere: of kind LV, with the ids, if they are known */
	char uuid[256], label[256]; /* "": unknown */
};

/* The next line with four words that this version understands; *at is moved behind it. False: there
 * is no other. */
bool lea_needs_next(const char **at, struct lea_need_line *ret_line);
/* Is the line of what @spec means? */
bool lea_need_is_of(const struct lea_need_line *line, const struct lea_spec *spec);
/* Has the file a single good line? */
bool lea_needs_is_usable(const char *needs);

/* Where a PV was when the image was built. */
struct lea_need_disk {
	char pvid[33];
	uint64_t sectors;
	uint32_t partition;
	char id[256];
};
/* The disk of this PV. False: it is not known. */
bool lea_needs_disk(const char *needs, const char *pvid, struct lea_need_disk *ret_disk);

/* What a pass may activate. Each step includes the ones before it. */
enum lea_root_step {
	LEA_ROOT_STEP_EXACT,   /* the wanted LVs, of complete VGs */
	LEA_ROOT_STEP_ALL,     /* all complete VGs */
	LEA_ROOT_STEP_PARTIAL, /* the wanted LVs, also of incomplete VGs, as activation_mode allows;
				  with a silent PV, only those that lack nothing */
	LEA_ROOT_STEP_LAST,    /* the same with a silent PV as with an absent one */
};

/* @pass: of @passes in all, which the caller waits at most; 0: the first. Thirds: exact, all, last;
 * part from the half on. */
enum lea_root_step lea_root_step(uint32_t pass, uint32_t passes);
/* "exact", "all", "part", "last": static text. */
const char *lea_root_step_name(enum lea_root_step step);
