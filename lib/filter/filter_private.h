/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters of the chain, for lib/filter only. */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "filter/device_id.h"
#include "filter/filter.h"
#include "world/device.h"
#include "world/mounts.h"
#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Regex filters. Returns 0, LEA_FILTER_BAD_PATTERN with *ret_bad (borrowed from @patterns, or
 * static), or -errno. Does not log. */
struct lea_regex;
LEA_MUST_CHECK int lea_regex_new(const struct lea_list *patterns, const char **ret_bad,
				 struct lea_regex **ret_regex);
void lea_regex_free(struct lea_regex *regex);
/* Asks udev for the device's links only if the name alone does not decide. */
LEA_MUST_CHECK int lea_regex_accepts(const struct lea_regex *regex, struct lea_world *world,
				     struct lea_device *device, bool *ret_accepts);

/* For a device that is not accepted: which pattern rejects which of its names? @patterns: those of
 * lea_regex_new. Sets ret_rejection->pattern, borrowed from there, and name. False: none. */
struct lea_filter_rejection;
bool lea_regex_find(const struct lea_regex *regex, const struct lea_list *patterns,
		    const struct lea_device *device, struct lea_filter_rejection *ret_rejection);

/* Drivers by major number, from /proc/devices and the list @more (devices/types). */
struct lea_type {
	char name[32];
	uint32_t major;
	uint32_t minors; /* of a disk and its partitions; 1: partitions have another major */
};
struct lea_types {
	struct lea_type *type; /* owned */
	uint32_t count;
};
LEA_MUST_CHECK int lea_types_read(struct lea_world *world, const struct lea_list *more,
				  struct lea_types *ret_types);
void lea_types_done(struct lea_types *types);
/* Borrowed; NULL: LVM supports no driver with this number. */
const struct lea_type *lea_types_find(const struct lea_types *types, uint32_t major);
/* Is it a device of this driver? @type may be NULL. */
bool lea_type_is(const struct lea_type *type, const char *name);

/* The devices file. lea_devicesfile_read takes its lock as @wait says; returns 0, an outcome, or
 * -errno. */
struct lea_devicesfile;
enum lea_devicesfile_outcome { LEA_DEVICESFILE_ABSENT = 1 };
LEA_MUST_CHECK int lea_devicesfile_read(struct lea_world *world, const struct lea_conf *conf,
					enum lea_filter_lock wait,
					struct lea_devicesfile **ret_file);
/* Would reading the file again give the same? Compares the file's status and reads nothing. */
bool lea_devicesfile_is_current(const struct lea_devicesfile *file, struct lea_world *world,
				const struct lea_conf *conf);
/* For a filter with a devices file. Excludes the device if it is not listed. With check_pvid
 * set, its PVID decides later, by lea_devicesfile_listing. Both return 0 or -errno. */
struct lea_filter;
LEA_MUST_CHECK int lea_devicesfile_check(const struct lea_filter *filter,
					 const struct lea_device *device,
					 struct lea_filter_verdict *verdict);
LEA_MUST_CHECK int lea_devicesfile_listing(const struct lea_filter *filter,
					   const struct lea_device *device, const char *pvid,
					   enum lea_listing *ret_listing);

/* Can the dm device hold a PV? Returns 0 or -errno. */
LEA_MUST_CHECK int lea_usable_check(struct lea_world *world, const struct lea_conf *conf,
				    const struct lea_type *type, struct lea_devno devno,
				    enum lea_exclusion *ret_excluded);
/* Is the device a path of a multipath map? Returns 0 or -errno. */
LEA_MUST_CHECK int lea_multipath_check(struct lea_filter *filter, const struct lea_device *device,
				       bool *ret_is_path);

/* A name in the --devices list. */
struct lea_listed {
	const char *name; /* borrowed from the options */
	dev_t number;	  /* 0: no such device at present */
};

/* multipath's file of ids, read for the first disk that needs it; multipath's configuration is read
 * for the first disk that the file names. */
struct lea_wwid {
	const char *id; /* normalised, without multipath's leading digit; points into the text */
	bool is_blacklisted, is_excepted;
};
struct lea_wwids {
	char *text;	       /* owned */
	struct lea_wwid *wwid; /* owned: sorted, ignoring case */
	size_t count, room;
	bool is_read, knows_blacklists;
};
void lea_wwids_done(struct lea_wwids *wwids);

struct lea_filter {
	struct lea_world *world;     /* borrowed */
	const struct lea_conf *conf; /* borrowed */
	enum lea_filter_md md;
	bool wants_own_id;		  /* as in the options */
	struct lea_regex *global, *local; /* owned; NULL: all names pass */
	struct lea_types types;
	bool types_known;
	struct lea_devicesfile *file;	  /* borrowed, or own_file; NULL: not used */
	struct lea_devicesfile *own_file; /* owned */
	struct lea_listed *listed;	  /* owned; NULL: no --devices */
	uint32_t listed_count;
	struct lea_wwids wwids;
	struct lea_mounts mounts; /* with knows_mounts */
	bool knows_mounts;
};
