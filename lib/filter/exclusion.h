/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a filter excludes a device. A reason is a judgement, which stays true until an administrator
 * changes the settings or the device; or a state of the moment, which may be over before anybody
 * hears of it: then the device is read again. Pure.
 */
#pragma once

enum lea_exclusion {
	LEA_NOT_EXCLUDED,
	/* states of the moment */
	LEA_EXCLUDED_NO_SYSFS,	/* it is just being added or removed */
	LEA_EXCLUDED_EMPTY,	/* no medium, no table, no file yet */
	LEA_EXCLUDED_SUSPENDED, /* another table is being loaded */
	/* judgements of the settings */
	LEA_EXCLUDED_NAME,
	LEA_EXCLUDED_TYPE,
	LEA_EXCLUDED_NOT_IN_LIST,
	LEA_EXCLUDED_NOT_IN_FILE,
	LEA_EXCLUDED_PVID_NOT_IN_FILE,
	LEA_EXCLUDED_SMALL,
	LEA_EXCLUDED_LV,
	/* judgements of what the device is */
	LEA_EXCLUDED_RESERVED, /* a part of an LV or of another program's stack */
	LEA_EXCLUDED_MULTIPATH,
	LEA_EXCLUDED_MOUNTED, /* the label is a leftover in front of a file system */
	LEA_EXCLUDED_PARTITIONED,
	LEA_EXCLUDED_SIGNATURE,
	LEA_EXCLUDED_MD,
	LEA_EXCLUDED_FIRMWARE_RAID,
	LEA_EXCLUDED_OTHER_CONTENT,
	LEA_EXCLUSIONS
};

/* REASON in lvm2's "excluded: REASON.", static text; NULL: LEA_NOT_EXCLUDED. */
const char *lea_exclusion_text(enum lea_exclusion exclusion);
/* Why a device that is excluded so says nothing of what is on it, as in "disk /dev/sdb is
 * suspended"; static text. NULL: the exclusion is an answer. */
const char *lea_exclusion_silence(enum lea_exclusion exclusion);
