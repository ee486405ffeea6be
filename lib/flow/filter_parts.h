/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of the filter chain. Inner part of filter; each answers with a reason text or NULL.
 */
#ifndef LEA_FLOW_FILTER_PARTS_H
#define LEA_FLOW_FILTER_PARTS_H

#include "base/err.h"
#include "flow/filter.h"
#include "world/conf.h"
#include "world/device.h"
#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Regex lists (6.2). LEA_FILTER_BAD_PATTERN is logged. */
struct lea_regex;
LEA_MUST_CHECK int lea_regex_new(struct lea_log *log, const char *setting,
				 const struct lea_list *patterns, struct lea_regex **ret_regex);
void lea_regex_free(struct lea_regex *regex);
/* Asks udev for the links only if the device's name doesn't settle it. */
LEA_MUST_CHECK int lea_regex_accepts(const struct lea_regex *regex, struct lea_world *world,
				     struct lea_device *device, bool *ret_accepts);

/* Drivers by major number, from /proc/devices. */
struct lea_type {
	char name[32];
	uint32_t major;
	uint32_t minors; /* of one disk and its partitions; 1: partitions are elsewhere */
};
struct lea_types {
	struct lea_type *type; /* owned */
	uint32_t count;
};
LEA_MUST_CHECK int lea_types_read(struct lea_world *world, const struct lea_list *more,
				  struct lea_types *ret_types);
void lea_types_done(struct lea_types *types);
const struct lea_type *lea_types_find(const struct lea_types *types, uint32_t major);
/* Is it a device of this driver? @type may be NULL. */
bool lea_type_is(const struct lea_type *type, const char *name);

/* The devices file (6.4). */
struct lea_devicesfile;
enum lea_devicesfile_outcome { LEA_DEVICESFILE_ABSENT = 1 };
LEA_MUST_CHECK int lea_devicesfile_read(struct lea_world *world, const struct lea_conf *conf,
					struct lea_devicesfile **ret_file);
/* Would it be the same if it were read again? By the file's status: nothing is read. */
bool lea_devicesfile_is_current(const struct lea_devicesfile *file, struct lea_world *world,
				const struct lea_conf *conf);
/* Not listed: excluded_why. With check_pvid it passes here, and its PVID decides later. */
LEA_MUST_CHECK int lea_devicesfile_check(const struct lea_devicesfile *file,
					 struct lea_world *world, const struct lea_type *type,
					 const struct lea_device *device,
					 struct lea_filter_verdict *verdict);
bool lea_devicesfile_lists_pvid(const struct lea_devicesfile *file, const char *pvid);

/* Ids of a device as they stand in devices files, without regard to blanks and prefixes. */
#define LEA_ID_BYTES 256U
void lea_id_normalise(const char *id, char ret_id[static LEA_ID_BYTES]);
/* sysfs device/wwid or wwid, of the whole disk. LEA_SYSFS_ABSENT when it has none. */
LEA_MUST_CHECK int lea_id_wwid(struct lea_world *world, struct lea_devno devno, bool is_partition,
			       char ret_id[static LEA_ID_BYTES]);
/* Is one of the page 83 designators accepted? Each is normalised and begins with "naa.", "eui." or
 * "t10.". */
bool lea_id_any_vpd83(struct lea_world *world, struct lea_devno devno, bool is_partition,
		      bool (*accepts)(void *arg, const char *id), void *arg);

/* dm devices that are no place for a PV (filter 6). *ret_why NULL: usable. */
LEA_MUST_CHECK int lea_usable_check(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_type *type, struct lea_devno devno,
				    const char **ret_why);
/* Paths of a multipath map (filter 7). */
struct lea_filter;
LEA_MUST_CHECK int lea_multipath_check(struct lea_filter *filter, const struct lea_device *device,
				       bool *ret_is_path);
/* Listed in the wwids file and not blacklisted? */
LEA_MUST_CHECK int lea_multipath_wwid_listed(struct lea_world *world, const struct lea_conf *conf,
					     const char *id, bool *ret_listed);

/* First bytes: pure. */
enum lea_partitions { LEA_PARTITIONS_NONE, LEA_PARTITIONS_USED, LEA_PARTITIONS_UNKNOWN };
enum lea_partitions lea_head_partitions(const uint8_t *head, size_t len_bytes);
bool lea_head_has_foreign_label(const uint8_t *head, size_t len_bytes);
bool lea_head_has_md(const uint8_t *head, size_t len_bytes);

/* One name of a --devices list. */
struct lea_listed {
	const char *name; /* borrowed from the options */
	dev_t number;	  /* 0: there is no such device now */
};

/* multipath's file of ids: looked for when the first disk asks. */
enum lea_wwids { LEA_WWIDS_UNKNOWN, LEA_WWIDS_ABSENT, LEA_WWIDS_THERE };

struct lea_filter {
	struct lea_world *world;	  /* borrowed */
	const struct lea_conf *conf;	  /* borrowed */
	struct lea_regex *global, *local; /* owned; NULL: every name passes */
	struct lea_types types;
	bool types_known;
	struct lea_devicesfile *file;	  /* borrowed, or own_file; NULL: not in use */
	struct lea_devicesfile *own_file; /* owned */
	struct lea_listed *listed;	  /* owned; NULL: no --devices */
	uint32_t listed_count;
	enum lea_wwids wwids;
	char *mounts; /* owned: /proc/self/mountinfo; NULL: not yet read */
};

#endif
