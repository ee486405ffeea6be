/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices in, PVs with their VGs out: per-device set-up, filters, label, metadata, each byte read
 * once. The one pipeline behind pvscan, vgchange, the runner and the boot pass.
 */
#ifndef LEA_FLOW_SCAN_H
#define LEA_FLOW_SCAN_H

#include "base/err.h"
#include "disk/label.h"
#include "disk/vg.h"
#include "world/conf.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lea_found_kind {
	LEA_FOUND_NOT_PV,     /* no (valid) label */
	LEA_FOUND_UNREADABLE, /* open or read failed, or the deadline passed */
	LEA_FOUND_EXCLUDED,   /* by a filter: excluded_why */
	LEA_FOUND_ORPHAN,     /* PV of no VG */
	LEA_FOUND_PV,	      /* PV in use; vg is NULL when this PV gave no metadata */
	LEA_FOUND_GONE,	      /* no such device */
};

/* What is on one device. */
struct lea_found {
	struct lea_device device; /* owned */
	enum lea_found_kind kind;
	const char *excluded_why; /* static text, as in "excluded: REASON." */
	bool md_component;	  /* refused after a look at the device's end */
	struct lea_label label;	  /* kinds ORPHAN and PV */
	uint64_t size_sectors;
	struct lea_vg *vg; /* of the scan's texts; shared by all PVs with the same text */
	int fault;	   /* -errno of kind UNREADABLE, 0 otherwise */
	char problem[192]; /* "": none; else one line on damage met on the way (mda, text) */
	char vg_name[128]; /* in its metadata, also where that is damaged; "": not known */
	bool has_conflict; /* its two areas differ under one seqno, or are of two VGs */
	bool is_covered;   /* by lea_scan_cover: another device, which lies on this one, is the PV */
	bool is_rival; /* set by who records: another device is this PV, this one is of no VG */
};

/* One VG that the devices of this scan speak of: the text with the highest seqno. */
struct lea_scan_vg {
	struct lea_vg *vg;     /* of the scan's texts */
	struct lea_found **pv; /* [vg->pv_count]: device of each PV, NULL: not in this scan */
	bool has_duplicate;    /* some PVID on two devices of this scan */
	bool has_conflict;     /* same seqno, different text; or two names for one id */
	bool has_other_name;   /* other PVs have this id with another name */
	bool is_outdated;      /* ... and a higher seqno */
	bool watch_only;       /* not to be activated: its active LVs are registered with dmeventd */
};

struct lea_scan;
struct lea_filter;
struct lea_devicesfile;
struct lea_known;
struct lea_prober;

struct lea_scan_options {
	bool use_names_filter; /* regex filters (off in vgchange's quick path and with --devices) */
	const char *const *devices; /* --devices list; NULL: not given */
	uint32_t device_count;
	bool out_of_process;	     /* read in a probe child with deadlines (runner, boot pass) */
	bool devicesfile_must_exist; /* people's commands: a --devicesfile that isn't there */
	struct lea_prober *prober;   /* out_of_process: whose child reads; NULL: this scan's own */
	/* With @prober: what earlier scans left, which were freed; NULL: nothing */
	struct lea_known *known;
	/* Without @known: the file of earlier filters, see filter.h; NULL: none is kept */
	struct lea_devicesfile **devicesfile;
	/* Shared by scans with the same options, made by the first: configuration and devices file
	 * are read once. lea_filter_free when all have gone; NULL: this scan's own */
	struct lea_filter **filter;
};

enum lea_scan_outcome {
	LEA_SCAN_BAD_FILTER = 1, /* filter pattern or devices file: exit 5; already logged */
};

LEA_MUST_CHECK int lea_scan_new(struct lea_world *world, const struct lea_conf *conf,
				const struct lea_scan_options *options, struct lea_scan **ret_scan);
void lea_scan_free(struct lea_scan *scan);

/*
 * lea_scan_add - look at @count more devices (contents are taken over: each is left empty)
 * Filters, label, metadata; results are appended in the order given. A text that is among the
 * scan's already (same checksum, size and VG name) is neither read nor parsed again. Never fails
 * for one bad device: that is a kind, and a logged line is the caller's business.
 */
LEA_MUST_CHECK int lea_scan_add(struct lea_scan *scan, struct lea_device *devices, size_t count);

/* All results so far; borrowed, stays valid until lea_scan_free. */
struct lea_found *const *lea_scan_found(const struct lea_scan *scan, size_t *ret_count);

/*
 * For a look at the whole machine, after the last add:
 * lea_scan_cover - flags PVs on devices of which another device with the same PV is made, as lvm2
 * chooses: by the size that the metadata gives, then the device-mapper device. 0 or -ENOMEM.
 * lea_scan_use_mapper_names - PVs on /dev/dm-N get the name that lasts, /dev/mapper/NAME. 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_scan_cover(struct lea_scan *scan);
LEA_MUST_CHECK int lea_scan_use_mapper_names(struct lea_scan *scan);

/* Group by VG; call after the last add. Borrowed. Sorted by first appearance. */
LEA_MUST_CHECK int lea_scan_vgs(struct lea_scan *scan, struct lea_scan_vg **ret_vgs,
				size_t *ret_count);

/* Sources of devices. Each fills an array that the caller owns (lea_devices_free). */
/* From the command line: "/dev/sdb" or "8:16". @ret->is_gone when a number has nothing behind it.
 */
enum lea_device_outcome {
	LEA_DEVICE_UNPARSABLE = 1, /* neither /path nor MAJ:MIN */
	LEA_DEVICE_NO_ACCESS,	   /* the path does not exist */
	LEA_DEVICE_NOT_BLOCK,
};
LEA_MUST_CHECK int lea_device_from_arg(struct lea_world *world, const char *arg,
				       struct lea_device *ret_device);
/* Every block device the kernel has (one walk of sysfs): boot services and people's commands only.
 */
LEA_MUST_CHECK int lea_devices_enumerate(struct lea_world *world, struct lea_device **ret_devices,
					 size_t *ret_count);
/* The devices that the run files record for a VG. LEA_ONLINE_ABSENT when there are none. */
LEA_MUST_CHECK int lea_devices_of_vg(struct lea_world *world, const char *vg,
				     struct lea_device **ret_devices, size_t *ret_count);
/* The devices that the records of the PVs in this metadata name: as many files as it has PVs.
 * LEA_ONLINE_ABSENT when there are none. */
LEA_MUST_CHECK int lea_devices_of_members(struct lea_world *world, const struct lea_vg *vg,
					  struct lea_device **ret_devices, size_t *ret_count);
/* The devices of all records, whatever their VG. 0 with none, too. */
LEA_MUST_CHECK int lea_devices_recorded(struct lea_world *world, struct lea_device **ret_devices,
					size_t *ret_count);
void lea_devices_free(struct lea_device *devices, size_t count);

/* A claim's name and PVs; freed by lea_claim_done. */
struct lea_claim;
LEA_MUST_CHECK int lea_scan_vg_claim(const struct lea_scan_vg *known, struct lea_claim *claim);

/* NULL: all PVs are there. Else what is in the way of its activation. */
const char *lea_scan_vg_obstacle(const struct lea_scan_vg *known);

/* What to do about one that is UNREADABLE. */
const char *lea_found_advice(const struct lea_found *found);

#endif
