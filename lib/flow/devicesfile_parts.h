/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A devices file in memory, sorted so that a device costs the same whatever the length of the file.
 * Only for devicesfile*.c.
 */
#ifndef LEA_FLOW_DEVICESFILE_PARTS_H
#define LEA_FLOW_DEVICESFILE_PARTS_H

#include "flow/filter_parts.h"

#include <sys/stat.h>

/* What an IDNAME is compared with, a bit each. */
enum lea_idtype {
	LEA_IDTYPE_UNKNOWN = 0,
	LEA_IDTYPE_DEVNAME = 1 << 0,
	LEA_IDTYPE_SERIAL = 1 << 1,
	LEA_IDTYPE_NGUID = 1 << 2,
	LEA_IDTYPE_NVME = 1 << 3, /* other ids of nvme: its wwid */
	LEA_IDTYPE_WWID = 1 << 4, /* of sysfs, or any designator of page 83 */
	LEA_IDTYPE_NAA = 1 << 5,  /* designators of one kind */
	LEA_IDTYPE_EUI = 1 << 6,
	LEA_IDTYPE_T10 = 1 << 7,
	LEA_IDTYPE_PAGE83 = 1 << 8, /* of any kind */
	LEA_IDTYPE_DM_UUID = 1 << 9,
	LEA_IDTYPE_MD_UUID = 1 << 10,
	LEA_IDTYPE_LOOP_FILE = 1 << 11,
};

struct lea_devicesfile_entry {
	enum lea_idtype type;
	const char *name; /* normalised, but for DEVNAME; borrowed from the text, as pvid is */
	const char *pvid; /* "": not known */
	unsigned long partition;
};

struct lea_devicesfile {
	char *text;			     /* owned; cut into words */
	struct stat status;		     /* of the file that was read */
	struct lea_devicesfile_entry *entry; /* owned: by name, without regard to case */
	uint32_t count;
	const char **pvid; /* owned: those that are known, sorted */
	uint32_t pvid_count;
	unsigned int types; /* of all entries */
	bool relaxed;	    /* ids may have changed: the PVID on the disk decides */
	bool refreshes;	    /* ... until a time that the file gives */
};

/*
 * lea_devicesfile_find - is there such an entry?
 * @types: of these types
 * @partition: of this partition; NULL: of any
 * @ignore_case: letters may differ in case
 */
bool lea_devicesfile_find(const struct lea_devicesfile *file, const char *name, unsigned int types,
			  const unsigned long *partition, bool ignore_case);
/* The same for a name in /dev, of those entries that know no PVID. */
bool lea_devicesfile_has_bare_name(const struct lea_devicesfile *file, const char *name);

#endif
