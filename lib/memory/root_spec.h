/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Which LV a boot argument such as root= or resume= means, and how far the initramfs goes to find
 * it. Pure.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lea_root_kind {
	LEA_ROOT_ELSEWHERE, /* not on LVM: PARTUUID=, /dev/sda2, nfs ... */
	LEA_ROOT_LV,	    /* by name, as in base/devname.h */
	LEA_ROOT_UUID,	    /* UUID= or /dev/disk/by-uuid/: of what is on the device */
	LEA_ROOT_LABEL,	    /* LABEL= or /dev/disk/by-label/ */
	LEA_ROOT_MAPPER,    /* another device-mapper device, which may lie on an LV */
};

struct lea_root_spec {
	enum lea_root_kind kind;
	char vg[128], lv[128]; /* of LEA_ROOT_LV; "" otherwise */
	const char *value;     /* of UUID and LABEL; points into the argument; NULL otherwise */
};

/* Never fails: what cannot be an LV is LEA_ROOT_ELSEWHERE. @text is borrowed. */
void lea_root_parse(const char *text, struct lea_root_spec *ret_spec);

/*
 * The needs file: one line for each file system and swap that the boot needs, written when the
 * image was built: "DM-NAME DM-UUID FS-UUID LABEL", with "-" for what is unknown. "- -" begins the
 * line of one that is not on LVM.
 */
#define LEA_NEEDS_BYTES 65536U

enum lea_needs_outcome {
	LEA_NEEDS_ABSENT = 1, /* no line has it */
	LEA_NEEDS_ELSEWHERE,  /* it is not on LVM */
};

/*
 * lea_needs_find - the ids of the LV that @spec means
 * @needs: the file's text; lines that are damaged are skipped
 * A LEA_ROOT_LV is found by its name, UUID and LABEL by their value. Returns 0 or an outcome.
 */
LEA_MUST_CHECK int lea_needs_find(const char *needs, const struct lea_root_spec *spec,
				  char ret_vg_id[static 33], char ret_lv_id[static 33]);
/*
 * lea_needs_next - the LV of the next line that has one
 * @at: in the file's text; moved behind the line
 * Ids that the line lacks are "". False: there is no other.
 */
bool lea_needs_next(const char **at, struct lea_root_spec *ret_spec, char ret_vg_id[static 33],
		    char ret_lv_id[static 33]);
/* Has the file a single good line? */
bool lea_needs_is_usable(const char *needs);

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
