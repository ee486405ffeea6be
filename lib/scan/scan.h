/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From devices to PVs and their VGs: set-up, filters, label, metadata, each byte read once. pvscan,
 * vgchange, the runner and the boot scan all use this pipeline.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "disk/label.h"
#include "disk/vg.h"
#include "filter/filter.h"
#include "state/queue.h"
#include "world/blkid.h"
#include "world/device.h"
#include "world/hanging.h"
#include "world/world.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A device to scan, and why. */
struct lea_scan_device {
	struct lea_device device;
	/* As an entry of which kind a reader child queues it if it answers too late. ADD only for
	 * the device of an ADD: such an entry activates. */
	enum lea_entry_kind again;
	bool is_asked;	   /* an entry of the queue is about it, and not about another PV of its VG */
	char expected[33]; /* the PVID that an event, udev or a record says it has; "": not known */
	/* It was a PV before, so it is no drive without a medium, and is not the smallest: that is
	 * judged when it is read, which needs its size anyway, and not asked of sysfs before. */
	bool was_pv;
};

enum lea_found_kind {
	LEA_FOUND_NOT_PV,     /* no label, or no valid one */
	LEA_FOUND_UNREADABLE, /* open or read failed, or the deadline passed */
	LEA_FOUND_EXCLUDED,   /* by a filter: see excluded */
	LEA_FOUND_ORPHAN,     /* PV of no VG */
	LEA_FOUND_PV,	      /* PV in use; vg is NULL if this PV gave no metadata */
	LEA_FOUND_GONE,	      /* no such device */
};

/* What a scan found on one device. */
struct lea_found {
	struct lea_device device;  /* owned */
	enum lea_entry_kind again; /* as in lea_scan_device */
	bool is_asked;		   /* likewise */
	char expected[33];	   /* likewise */
	enum lea_found_kind kind;
	enum lea_exclusion excluded;
	bool md_component;	  /* excluded because of md metadata at the device's end */
	struct lea_label label;	  /* of kinds ORPHAN and PV */
	enum lea_listing listing; /* of kinds ORPHAN and PV: in the devices file */
	uint64_t size_sectors;
	uint32_t text_bytes; /* of the metadata text in the first area that has one; 0: none */
	uint32_t measured;   /* with options.measure: reads, and their time */
	uint64_t measured_us, slowest_us;
	bool is_unnamed;		    /* udev was asked and does not name the content */
	char content[LEA_BLKID_TYPE_BYTES]; /* with is_unnamed: what libblkid names it, for a PV;
					       "": it cannot tell, or with options.no_probe */
	struct lea_vg *vg; /* from the scan's texts; shared by all PVs with the same text */
	int fault;	   /* -errno of kind UNREADABLE, 0 otherwise */
	char problem[192]; /* one line on the first damage found (area, text); "": none */
	char vg_name[128]; /* from its metadata, even if that is damaged; "": unknown */
	bool has_conflict; /* its two areas differ under one seqno, or are of two VGs */
	/* Another PV shows newer metadata of the same VG, which do not list this one; by
	 * lea_scan_vgs. NULL: none. Borrowed from the scan */
	const struct lea_found *newer;
	/* Set by lib/batch: its metadata count for nothing, as another PV shows newer ones; vg is
	 * NULL, but nobody waits for it. */
	bool is_outdated;
	uint64_t repeated_ms; /* likewise: when the event that led to it did so first; 0: now */
	bool is_covered;   /* by lea_scan_cover: a device stacked on this one is the PV */
	bool is_duplicate; /* set by lib/record: another device is this PV; this one is of no VG */
};

/* Is a PV there: on this device, or on any for a VG? No answer is not "absent". */
enum lea_presence {
	LEA_PRESENT,
	LEA_ABSENT, /* no device carries it, and all that were expected to answered */
	LEA_SILENT, /* a device that was expected to carry it gave no answer */
};

/* Why it gave no answer, so that nobody knows whether it is the PV that it is expected to be: a
 * fault; LEA_NOT_NOW if it is suspended, or expected and without a size, and is not read for that.
 * 0: it answered, or it is empty and nobody expects anything of it, as of a free loop device. */
static inline int lea_found_silence(const struct lea_found *found)
{
	const bool is_free = found->excluded == LEA_EXCLUDED_EMPTY && !found->expected[0];

	if (found->kind == LEA_FOUND_EXCLUDED && lea_exclusion_silence(found->excluded))
		return is_free ? 0 : LEA_NOT_NOW;
	return found->kind == LEA_FOUND_UNREADABLE ? found->fault : 0;
}

/* Is it only for want of time, memory or descriptors that it gave no answer, or because somebody
 * killed the process that read it? Not even who does without a device that cannot be read does
 * without such a one, unless told to. */
static inline bool lea_silence_is_open(int silence)
{
	return silence == -ETIMEDOUT || silence == LEA_HANGING_DIED || lea_is_shortage(silence);
}

/* Is it a PV, of any VG or of none? */
static inline bool lea_found_is_pv(const struct lea_found *found)
{
	return found->kind == LEA_FOUND_PV || found->kind == LEA_FOUND_ORPHAN;
}

static inline bool lea_found_carries(const struct lea_found *found, const char *pvid)
{
	return lea_found_is_pv(found) && !strcmp(found->label.pvid, pvid);
}

#define LEA_SCAN_MOVED_BYTES 192U

/* One VG that devices of this scan name, from its text with the highest seqno. */
struct lea_scan_vg {
	struct lea_vg *vg; /* from the scan's texts */
	/* [vg->pv_count]: the device that carries each PV; NULL: none. Whether the PV is absent
	 * then, lea_scan_vg_presence tells. */
	struct lea_found **pv;
	struct lea_found **silent; /* as pv: a device that was to carry it; NULL: none is silent */
	/* A device that was to carry an absent PV, and that a filter excludes; NULL: none. Borrowed
	 * from the scan */
	const struct lea_found *excluded;
	bool has_duplicate;  /* some PVID is on two devices of this scan */
	bool has_conflict;   /* two texts with one seqno, or two names for one VG id */
	bool has_other_name; /* other PVs have this id under another name */
	bool is_outdated;    /* with has_other_name: and a higher seqno */
	/* A PV that it lists belongs to another VG by its own metadata, so that these are out of
	 * date; why: in words. NULL: none. Borrowed from the scan */
	const struct lea_found *moved;
	char moved_why[LEA_SCAN_MOVED_BYTES];
	bool watch_only; /* do not activate: only register its active LVs with dmeventd */
	/* Set by lib/batch: activate it although PVs are missing, as an enum lea_incomplete_mode
	 * says; 0: only if it is complete. */
	uint32_t in_part;
	/* Set by lib/batch: LVs that are active with stand-ins for PVs that are there now are
	 * refreshed. */
	bool refreshes;
	/* A silent device may be a copy of a PV that is there: who activates it reads that, which may
	 * take long. */
	bool has_copies;
	/* Set by lib/batch: an add led to it, which waits if a PV turns out not to be there. */
	bool is_added;
	/* Set by lib/batch: its vgs_online file was made. If that is gone, a command has taken the
	 * VG down since, or a PV went. Who made it removes it. */
	bool has_online;
	/* Set by lib/batch: as in struct lea_claim. */
	uint64_t turn_ms;
};

struct lea_scan;
struct lea_filter;
struct lea_devicesfile;
struct lea_scan_texts;
struct lea_reader;

struct lea_scan_options {
	bool use_names_filter;	    /* apply regex filters (off in vgchange's quick path and with
				       --devices) */
	const char *const *devices; /* --devices list, borrowed; NULL: not given */
	uint32_t device_count;
	bool no_probe;	     /* libblkid is not asked for the content's name */
	bool measure;	     /* measure the time of reads of each PV */
	bool out_of_process; /* read in a reader child with deadlines (runner, boot scan) */
	/* With out_of_process: all that waits for a device is in this scan, or the reader hears of
	 * it (lea_reader_listen), so that a device for which only its own VG waits has all its time
	 */
	bool is_patient;
	/* Likewise, but all that waits is in @within, a scan that is over, borrowed, without
	 * @within_of, a device of it, and the VG of that: what is asked for it is asked here. NULL:
	 * none */
	struct lea_scan *within;
	const struct lea_found *within_of;
	bool devicesfile_must_exist; /* a missing --devicesfile is an error (people's commands) */
	enum lea_filter_lock lock;   /* how to wait for the lock of the devices file */
	bool wants_own_id;	     /* a scan of the whole machine by a command, see filter.h */
	enum lea_filter_md md;
	struct lea_reader *reader; /* with out_of_process; borrowed; NULL: the scan's own */
	/* Texts that earlier scans parsed, borrowed; NULL: the scan keeps its own */
	struct lea_scan_texts *texts;
	/* Devices file of an earlier filter, see filter.h; NULL: none is kept */
	struct lea_devicesfile **devicesfile;
	/* A filter that scans with the same options share, so that configuration and devices file
	 * are read once. The first scan creates it; its owner calls lea_filter_free after the last.
	 * NULL: the scan's own */
	struct lea_filter **filter;
};

enum lea_scan_outcome {
	LEA_SCAN_BAD_FILTER = 1, /* wrong filter pattern or devices file: exit 5; already logged */
};

/* @world, @conf and what @options points to are borrowed until lea_scan_free, which accepts NULL.
 * Reads no device. Returns 0, LEA_SCAN_BAD_FILTER, or -errno. */
LEA_MUST_CHECK int lea_scan_new(struct lea_world *world, const struct lea_conf *conf,
				const struct lea_scan_options *options, struct lea_scan **ret_scan);
void lea_scan_free(struct lea_scan *scan);

/*
 * lea_scan_add_expected - scan @count more devices
 * A device of which only the number is known gets the kernel's name, or is gone.
 * @devices: the scan takes over their contents and leaves each empty, also on a fault
 * Applies filters, reads label and metadata, and appends the results in the order given. A text
 * that the scan already has (same checksum, size and VG name, and it lists the PV) is neither read
 * nor parsed again. A bad device is not a fault: its result has a kind, and the caller logs it.
 * Blocks: with out_of_process until every device answered or timed out, otherwise as long as a
 * device does. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_scan_add_expected(struct lea_scan *scan, struct lea_scan_device *devices,
					 size_t count);
/* The same for devices that no event announced, and of which nothing is expected. */
LEA_MUST_CHECK int lea_scan_add(struct lea_scan *scan, struct lea_device *devices, size_t count);

/*
 * lea_scan_add_missing - is a PV there that @vg, of this scan, lacks?
 * Scans the devices that by their records, or else by udev, carry its ABSENT PVs. @vg and all other
 * VGs of the scan are of no use afterwards: group them again. Blocks as lea_scan_add_expected does;
 * mostly there is no such device. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_scan_add_missing(struct lea_scan *scan, const struct lea_scan_vg *vg);

/*
 * lea_scan_is_awaited - would any VG of this scan go on, if it ended now?
 * That is, does any have no SILENT PV (see lea_presence)? A device that is being read is silent. A
 * PV that gave no metadata counts, too, for nobody knows its VG, unless they are outdated. In doubt
 * true.
 * @but: a device of the scan that does not count, nor does its VG; NULL: all count
 */
bool lea_scan_is_awaited(struct lea_scan *scan, const struct lea_found *but);

/* All results so far, borrowed: the array until the next lea_scan_add, its elements until
 * lea_scan_free. */
struct lea_found *const *lea_scan_found(const struct lea_scan *scan, size_t *ret_count);

/*
 * For a scan of the whole machine, after the last lea_scan_add:
 * lea_scan_cover - flag each PV whose device lies under another device that shows the same PV. Like
 * lvm2, it prefers the device of the size that the metadata gives, then the device-mapper device.
 * Excludes each PV that the devices file lists less well than another device with this PV. Returns
 * 0 or -ENOMEM.
 * lea_scan_use_mapper_names - give PVs on /dev/dm-N their stable name, /dev/mapper/NAME. Returns 0
 * or -ENOMEM.
 */
LEA_MUST_CHECK int lea_scan_cover(struct lea_scan *scan);
LEA_MUST_CHECK int lea_scan_use_mapper_names(struct lea_scan *scan);

/*
 * lea_scan_recall - which PV is a device of which nothing was expected, and that gave no answer?
 * For a command, after the last lea_scan_add: it expects what udev, or else lvm2's record of that
 * number, says. If all have answered, it looks at nothing. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_scan_recall(struct lea_scan *scan);

/* The devices that gave no answer, by name, for a message about what was not found: "; not read:
 * /dev/sdb, /dev/sdc and 2 more"; "": none. */
#define LEA_SCAN_UNREAD_BYTES 512U
void lea_scan_describe_unread(const struct lea_scan *scan,
			      char ret_text[static LEA_SCAN_UNREAD_BYTES]);

/* Groups the PVs by VG, in order of first appearance; call it after the last lea_scan_add. *ret_vgs
 * is borrowed from the scan. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_scan_vgs(struct lea_scan *scan, struct lea_scan_vg **ret_vgs,
				size_t *ret_count);

/* Sources of devices. Each array is the caller's: free it with lea_devices_free, or with
 * lea_scan_devices_free. */
/* A device from the command line: "/dev/sdb" or "8:16". For a number without a device is_gone is
 * set. Returns 0, an outcome, or -errno. */
enum lea_device_outcome {
	LEA_DEVICE_UNPARSABLE = 1, /* neither /path nor MAJ:MIN */
	LEA_DEVICE_NO_ACCESS,	   /* the path does not exist */
	LEA_DEVICE_NOT_BLOCK,
};
LEA_MUST_CHECK int lea_device_from_arg(struct lea_world *world, const char *arg,
				       struct lea_device *ret_device);
/* All block devices that the kernel lists, each number once, by one walk of sysfs. For boot
 * services and people's commands only. Returns 0 or -errno; logs if there is no sysfs. */
LEA_MUST_CHECK int lea_devices_enumerate(struct lea_world *world, struct lea_device **ret_devices,
					 size_t *ret_count);
void lea_devices_free(struct lea_device *devices, size_t count);
/* The devices recorded for a VG. Returns LEA_ONLINE_ABSENT if there are none. Of this source and of
 * those below each device is to be queued as MISSED, and expected to have the record's PVID. */
LEA_MUST_CHECK int lea_devices_of_vg(struct lea_world *world, const char *vg,
				     struct lea_scan_device **ret_devices, size_t *ret_count);
/* The devices that by udev are to carry PVs that this metadata lists and that have no record: their
 * disks have given no answer since they came, or this host may not use them. Likewise; a few system
 * calls for each such PV. */
LEA_MUST_CHECK int lea_devices_claimed(struct lea_world *world, const struct lea_vg *vg,
				       struct lea_scan_device **ret_devices, size_t *ret_count);
/* The devices recorded for the PVs that this metadata lists; opens one file a PV. Returns
 * LEA_ONLINE_ABSENT if there are none. */
LEA_MUST_CHECK int lea_devices_of_members(struct lea_world *world, const struct lea_vg *vg,
					  struct lea_scan_device **ret_devices, size_t *ret_count);
/* The devices of all records, of any VG. Returns 0 also if there are none. */
LEA_MUST_CHECK int lea_devices_recorded(struct lea_world *world,
					struct lea_scan_device **ret_devices, size_t *ret_count);
void lea_scan_devices_free(struct lea_scan_device *devices, size_t count);

/* Fills in a claim with the name and the PRESENT PVs of the VG; freed by lea_claim_done. */
struct lea_claim;
LEA_MUST_CHECK int lea_scan_vg_claim(const struct lea_scan_vg *scanned, struct lea_claim *claim);
/* The same with the SILENT ones, by the devices that were to carry them. */
LEA_MUST_CHECK int lea_scan_vg_claim_all(const struct lea_scan_vg *scanned,
					 struct lea_claim *claim);

/* Of a PV of the VG. @index: into vg->pvs */
enum lea_presence lea_scan_vg_presence(const struct lea_scan_vg *scanned, uint32_t index);
/* How many of its PVs are PRESENT, ABSENT or SILENT? */
uint32_t lea_scan_vg_count(const struct lea_scan_vg *scanned, enum lea_presence presence);
/* Are all PRESENT? */
bool lea_scan_vg_is_complete(const struct lea_scan_vg *scanned);
/* The first device because of which a PV of it is SILENT; NULL: none is. */
const struct lea_found *lea_scan_vg_silent(const struct lea_scan_vg *scanned);
/* What was SILENT in @before, the same VG in an earlier scan, is SILENT in @scanned, too, unless a
 * device of this scan carries it. Until @scanned is freed lea_scan_vg_presence is right; what
 * lea_scan_vg_silent gives is borrowed from the earlier scan. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_scan_vg_keep_silent(struct lea_scan_vg *scanned,
					   const struct lea_scan_vg *before);
/* Lists those that are ABSENT, and all of the VG's; freed by lea_missing_done. Returns 0 or
 * -ENOMEM. */
struct lea_missing;
LEA_MUST_CHECK int lea_scan_vg_list_missing(const struct lea_scan_vg *scanned,
					    struct lea_missing *ret_missing);
/* Writes the message on a damaged device (problem is not ""). */
void lea_found_damage(const struct lea_found *found, char *ret_text, size_t bytes);
/* "seqno 2 of VG data, newest is 3 on /dev/sda"; "": no PV shows newer ones (found->newer). */
void lea_found_age(const struct lea_found *found, char *ret_text, size_t bytes);
/* What its fault is, in words. */
const char *lea_found_fault_text(const struct lea_found *found);
/* Writes why a VG waits for a device that gave no answer: "disk /dev/sdb of it does not answer". */
void lea_found_describe_silence(const struct lea_found *found, char *ret_text, size_t bytes);
/* What a person can do about an UNREADABLE device; static text. */
const char *lea_found_advice(const struct lea_found *found);
