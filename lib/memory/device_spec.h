/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * Which device a text names, as root=, resume=, fstab and crypttab name one: our only reader of
 * such names. What it does not know is in doubt, never "not an LV". Pure. Source: fstab(5),
 * udev(7).
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum lea_spec_kind {
	LEA_SPEC_DOUBT,	    /* it may be an LV, or lie on one */
	LEA_SPEC_ELSEWHERE, /* never on LVM: a disk by the kernel's name, a network share */
	LEA_SPEC_LV,	    /* an LV by its name */
	LEA_SPEC_IDS,	    /* an LV by its ids: udev's link of device-mapper's uuid */
	LEA_SPEC_UUID,	    /* of what is on the device, as are the following */
	LEA_SPEC_LABEL,
	LEA_SPEC_PARTUUID,
	LEA_SPEC_PARTLABEL,
};

#define LEA_SPEC_VALUE_BYTES 256U

struct lea_spec {
	enum lea_spec_kind kind;
	char vg[128], lv[128];		  /* of LV, with valid names; else "" */
	char vg_id[33], lv_id[33];	  /* of IDS; else "" */
	char value[LEA_SPEC_VALUE_BYTES]; /* of UUID to PARTLABEL, decoded; else "" */
};

/* Never fails. Two texts of one device may give specs of different kinds. */
void lea_spec_parse(const char *text, struct lea_spec *ret_spec);
/* Cuts "VG/LV". False: they are no valid names, and *ret_spec is of no use. */
bool lea_spec_cut(const char *text, struct lea_spec *ret_spec);
/* Reads what device-mapper calls an LV: "LVM-" and two ids. False: it is something else. */
bool lea_spec_parse_ids(const char *uuid, char ret_vg_id[static 33], char ret_lv_id[static 33]);

/*
 * lea_spec_each_source - a file system may have several devices
 * @source: as in fstab: of bcachefs "/dev/a:/dev/b"
 * @options: as in fstab: btrfs's device=, the journal of ext4, log and realtime device of XFS, what
 *	systemd is to have first; as in crypttab: the device of a header
 * Calls @each with each of them, until it does not return 0. Returns what that returned, or 0.
 */
LEA_MUST_CHECK int lea_spec_each_source(const char *source,
					int (*each)(void *arg, const char *source), void *arg);
LEA_MUST_CHECK int lea_spec_each_option(const char *options,
					int (*each)(void *arg, const char *source), void *arg);
/* The same with each part of a key file in crypttab, which may be on a device: "/path:UUID=1-2", or
 * for a script of Debian's "/dev/sys/key:/path". */
LEA_MUST_CHECK int lea_spec_each_key(const char *key, int (*each)(void *arg, const char *source),
				     void *arg);
