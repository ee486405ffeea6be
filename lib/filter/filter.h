/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's device filters, applied to one device by means of its own sysfs entry, udev entry, links
 * and first bytes only. Order and reasons are those of lvm2.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "filter/exclusion.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_filter;
struct lea_devicesfile;

/* Is a device checked for metadata of md? */
enum lea_filter_md {
	LEA_FILTER_MD_CONF, /* as md_component_detection and md_component_checks say */
	LEA_FILTER_MD_ANY,  /* whatever md_component_detection says */
	LEA_FILTER_MD_FULL, /* the same, and at its end, too */
};

/* Commands of lvm2 hold the lock of the devices file while they read disks, so only a person's
 * command may wait for it. */
enum lea_filter_lock {
	LEA_FILTER_LOCK_BRIEFLY, /* try for a part of lea_conf_patience_ms */
	LEA_FILTER_LOCK_TRY,	 /* try once */
	LEA_FILTER_LOCK_WAIT,	 /* as wait_for_locks says, without a limit */
};

struct lea_filter_options {
	bool use_names;		    /* apply filter and global_filter */
	const char *const *devices; /* --devices list, which replaces devices file and regex
				       filters; NULL: not given */
	uint32_t device_count;
	bool devicesfile_must_exist; /* a missing --devicesfile is an error (full scans) */
	enum lea_filter_lock
		lock; /* for the lock of the devices file; it is read without it, too */
	/* Exclude what is LEA_LISTED_OTHERWISE, as all commands of lvm2 do but pvscan --cache and
	 * the activation of what it has recorded. */
	bool wants_own_id;
	enum lea_filter_md md;
	/* The devices file of an earlier filter; *devicesfile NULL: none yet. It is read again if
	 * it changed, and outlives the filter: the caller frees it by lea_devicesfile_free. NULL:
	 * none is kept. */
	struct lea_devicesfile **devicesfile;
};

/*
 * How the devices file lists a device with a given PVID. Of two devices with one PVID LVM uses the
 * one whose value is lower here.
 */
enum lea_listing {
	LEA_LISTED,	      /* by an id of its own, or by its name with this PVID; also without a
				 devices file */
	LEA_LISTED_MOVED,     /* the PVID's entry may be of another device by now: lvm2 searches */
	LEA_LISTED_OTHERWISE, /* the PVID's entry is for an id that this device does not have */
	LEA_LISTED_NOT,
};

enum lea_filter_outcome {
	LEA_FILTER_BAD_PATTERN = 1, /* a filter in lvm.conf is wrong: exit 5; logged */
	LEA_FILTER_BAD_DEVICESFILE, /* devices file unreadable: exit 5; logged */
};

struct lea_filter_verdict {
	enum lea_exclusion excluded; /* LEA_NOT_EXCLUDED: passed */
	uint64_t size_sectors;	     /* 0: not known, or an empty drive */
	bool check_pvid; /* the devices file matches only by PVID: call lea_filter_pvid later */
	enum lea_listing listing; /* with check_pvid: set by lea_filter_pvid */
	bool asks_blkid;	  /* udev does not name the content: call lea_blkid_type, then
				     lea_filter_probed */
};

/* Reads the devices file, under its lock (D_, shared) if that is free, and compiles the patterns.
 * Returns 0, an outcome, or -errno. @world, @conf and strings in @options are borrowed until
 * lea_filter_free. */
LEA_MUST_CHECK int lea_filter_new(struct lea_world *world, const struct lea_conf *conf,
				  const struct lea_filter_options *options,
				  struct lea_filter **ret_filter);
/* Both accept NULL. */
void lea_filter_free(struct lea_filter *filter);
void lea_devicesfile_free(struct lea_devicesfile *file);

/* Applies the filters that need no data of the device. May replace device->name by the accepted
 * name. @leaves_size: the caller is about to open it, and calls lea_filter_size then. Returns 0 or
 * -errno. */
LEA_MUST_CHECK int lea_filter_device(struct lea_filter *filter, struct lea_device *device,
				     bool leaves_size, struct lea_filter_verdict *ret_verdict);
/* Applies the filters on the size, as the open device tells it. */
void lea_filter_size(const struct lea_filter *filter, uint64_t size_sectors,
		     struct lea_filter_verdict *verdict);
/* What the first bytes of a device contain besides an LVM label. Plain bytes. */
enum lea_partitions {
	LEA_PARTITIONS_NONE,
	LEA_PARTITIONS_USED,
	LEA_PARTITIONS_UNKNOWN, /* the table lies beyond these bytes */
};
struct lea_head_signs {
	enum lea_partitions partitions;
	bool has_foreign_label, has_md;
};
/* Looks at LEA_FILTER_HEAD_BYTES, or at all of a smaller device. Pure. */
#define LEA_FILTER_HEAD_BYTES 8192U
void lea_head_look(const uint8_t *head, size_t len_bytes, struct lea_head_signs *ret_signs);
/* Applies the filters that need these. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_filter_head(struct lea_filter *filter, const struct lea_device *device,
				   const struct lea_head_signs *signs,
				   struct lea_filter_verdict *verdict);
/*
 * Is there md metadata at the end of a device: 0.90, 1.0, IMSM, DDF? Pure.
 * @tail: the last @len_bytes; LEA_FILTER_TAIL_BYTES, or all of a smaller device
 */
#define LEA_FILTER_TAIL_BYTES (160U * 1024U)
bool lea_tail_has_md(const uint8_t *tail, size_t len_bytes, uint64_t device_bytes);
/*
 * md metadata was found at the end of the device: excludes it, unless the device is an md
 * array. lvm2 checks the end under any setting if size or device hint of the PV do not match.
 */
void lea_filter_md_tail(const struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict);
/*
 * Excludes by libblkid's name for the content (verdict->asks_blkid): RAID members, multipath paths
 * and LVM1 that the first bytes do not show, with the reasons used for udev's names. As in lvm2, an
 * LVM label counts despite other signatures, and when libblkid cannot tell (@type is ""). Pure.
 */
void lea_filter_probed(const struct lea_filter *filter, const char *type,
		       struct lea_filter_verdict *verdict);
/* Must the device's end be read even if the sizes match? */
bool lea_filter_wants_tail(const struct lea_filter *filter);

/* What rejects a device by its names, for reports. */
struct lea_filter_rejection {
	const char *setting; /* "devices/filter"; static */
	const char *pattern; /* borrowed from the configuration */
	char name[256];	     /* the name or link of the device that it matches */
};
/* Which pattern of filter or global_filter rejects this device? False: none does. May ask udev for
 * the links of the device. */
bool lea_filter_find_rejection(const struct lea_filter *filter, struct lea_device *device,
			       struct lea_filter_rejection *ret_rejection);

/* For verdict->check_pvid: judges a device by the entries of the devices file with its PVID. Sets
 * listing and excluded. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_filter_pvid(struct lea_filter *filter, const struct lea_device *device,
				   const char *pvid, struct lea_filter_verdict *verdict);
/* How does the devices file list this device, if it carries @pvid? Reads sysfs, never the device.
 * Returns 0 or -errno. */
LEA_MUST_CHECK int lea_filter_listing(struct lea_filter *filter, struct lea_device *device,
				      const char *pvid, enum lea_listing *ret_listing);
