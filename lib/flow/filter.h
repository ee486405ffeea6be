/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's device filters for one device, answered from that device's own sysfs entry, udev entry,
 * links and first bytes. Order and reason texts as in lvm2.
 */
#ifndef LEA_FLOW_FILTER_H
#define LEA_FLOW_FILTER_H

#include "base/err.h"
#include "world/conf.h"
#include "world/device.h"
#include "world/probe.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_filter;
struct lea_devicesfile;

struct lea_filter_options {
	bool use_names;		    /* regex filter and global_filter */
	const char *const *devices; /* --devices list; NULL: not given; replaces file and regex */
	uint32_t device_count;
	bool devicesfile_must_exist; /* full scans: a --devicesfile that isn't there is an error */
	/* The file of an earlier filter that is gone, NULL: none yet; read again if it changed. It
	 * stays when this filter goes: lea_devicesfile_free. NULL: nothing is kept. */
	struct lea_devicesfile **devicesfile;
};

enum lea_filter_outcome {
	LEA_FILTER_BAD_PATTERN = 1, /* lvm.conf's filter is wrong: exit 5; logged */
	LEA_FILTER_BAD_DEVICESFILE, /* unreadable: exit 5; logged */
};

struct lea_filter_verdict {
	const char *excluded_why; /* NULL: passed; else REASON of "excluded: REASON." */
	uint64_t size_sectors;	  /* from sysfs; set by lea_filter_device */
	bool check_pvid;	  /* devices file matches by PVID only: ask lea_filter_pvid later */
	bool ask_probe;		  /* udev has no entry: worth a look with lea_probe_fd */
};

/* Reads configuration and the devices file (D_ lock, shared), compiles the patterns. */
LEA_MUST_CHECK int lea_filter_new(struct lea_world *world, const struct lea_conf *conf,
				  const struct lea_filter_options *options,
				  struct lea_filter **ret_filter);
void lea_filter_free(struct lea_filter *filter);
void lea_devicesfile_free(struct lea_devicesfile *file);

/* Before the device is opened: filters 1 to 7. May set device->name to the accepted name. */
LEA_MUST_CHECK int lea_filter_device(struct lea_filter *filter, struct lea_device *device,
				     struct lea_filter_verdict *ret_verdict);
/* With the first bytes (4096, or fewer on small devices): filters 8 to 11. */
LEA_MUST_CHECK int lea_filter_head(struct lea_filter *filter, const struct lea_device *device,
				   const uint8_t *head, size_t len_bytes,
				   struct lea_filter_verdict *verdict);
/*
 * Is md metadata at the end of a device: 0.90, 1.0, IMSM, DDF? Pure.
 * @tail: the last @len_bytes of it; LEA_FILTER_TAIL_BYTES, or all of a smaller device
 */
#define LEA_FILTER_TAIL_BYTES (160U * 1024U)
bool lea_tail_has_md(const uint8_t *tail, size_t len_bytes, uint64_t device_bytes);
/*
 * There is md metadata at the end of a device that was asked for it: sets excluded_why, unless it is
 * an array itself. No setting keeps lvm2 from asking where size or hint of the PV don't fit.
 */
void lea_filter_md_tail(const struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict);
/*
 * What libblkid saw (verdict->ask_probe): RAID members, multipath paths and LVM1 that the first
 * bytes don't show. Reasons as if udev had told.
 */
void lea_filter_probed(const struct lea_filter *filter, const struct lea_probe *probe,
		       struct lea_filter_verdict *verdict);
/* Must the tail be looked at even if the sizes agree? */
bool lea_filter_wants_tail(const struct lea_filter *filter);

/* Devices file by PVID: is it listed? */
bool lea_filter_pvid(const struct lea_filter *filter, const char *pvid);

#endif
