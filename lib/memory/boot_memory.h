/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What is remembered of boots, as text: VGs with their PVs and active LVs, each of the last boot
 * that had it. It is a hint: everything in it is checked on the disk before anything is made of it.
 * The file is treated as hostile input and accepted as a whole or refused. Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_BOOT_MEMORY_MAX_BYTES   (1024U * 1024U)
/* Limit for the arena of a text of that size: its strings, and fixed fields of its rows. */
#define LEA_BOOT_MEMORY_ARENA_BYTES (16U * LEA_BOOT_MEMORY_MAX_BYTES)
/* Longer values are left out of the file. */
#define LEA_BOOT_MEMORY_VALUE_BYTES 255U
/* Fewer reads have no average. A boot reads a PV about that often, udev's probing included. */
#define LEA_BOOT_READS_LEAST	    16U

/* What a PV's device was. */
enum lea_boot_kind {
	LEA_BOOT_DISK,
	LEA_BOOT_PARTITION, /* of a disk */
	LEA_BOOT_MULTIPATH,
	LEA_BOOT_MD,
	LEA_BOOT_LUKS,
	LEA_BOOT_LV,
	LEA_BOOT_LOOP,
	LEA_BOOT_OTHER,
};

/* PVs on more disks than this have none remembered. */
#define LEA_BOOT_BELOW_MOST 64U

/* A disk, or a partition of one, that a PV's device lies on; strings as in lea_boot_pv. */
struct lea_boot_below {
	uint32_t partition; /* 0: the whole disk */
	const char *wwid, *address;
};

/* Strings are never NULL; "": unknown. */
struct lea_boot_pv {
	char pvid[33]; /* first: who writes the memory has a VG's PVs sorted by it */
	enum lea_boot_kind kind;
	uint32_t partition; /* number of a partition; 0: the device is not a partition */
	uint64_t size_sectors;
	uint32_t read_us; /* of a read, on average; 0: unknown, or too few reads */
	/* Of the whole disk: the wwid (filter/device_id.h), the serial, and the folder below
	 * /sys/devices without the kernel's name of the disk. */
	const char *wwid, *serial, *address;
	/* Of a multipath map, an array, an encrypted device; 0: unknown, or not on disks alone. */
	struct lea_boot_below *below; /* [below_count] */
	uint32_t below_count;
};

struct lea_boot_lv {
	const char *name;
	const char *fs_uuid, *fs_label; /* of the file system or swap on it */
	char id[33];			/* "": unknown */
};

struct lea_boot_vg {
	char id[33]; /* first: VGs are sorted by it */
	const char *name;
	uint32_t seqno; /* 0: unknown */
	bool is_tagged;	     /* a tag in event/needed named the VG or an LV of it */
	bool has_multipathd; /* multipathd was enabled in the boot that this is of */
	uint32_t away;	     /* boots since then, in which the VG was not seen */
	uint64_t seen_s;     /* with away: when it was remembered, in s since 1970; 0: unknown */
	bool is_needed;	     /* for lea_boot_memory_format: its rows come first; not in the text */
	struct lea_boot_pv *pv; /* [pv_count] */
	uint32_t pv_count;
	struct lea_boot_lv *lv; /* [lv_count]: visible LVs that were active */
	uint32_t lv_count;
};

struct lea_boot_memory {
	const char *machine;	/* machine id */
	const char *boot;	/* boot id */
	struct lea_boot_vg *vg; /* [vg_count] */
	uint32_t vg_count;
	bool has_multipathd; /* multipathd was enabled in that boot */
	uint64_t folder; /* inode number of the folder that the text was written to; 0: unknown */
	uint64_t written_s; /* of the file, in s since 1970; not in the text */
};

enum lea_boot_memory_outcome {
	LEA_BOOT_MEMORY_REFUSED = 1, /* @why: what, and at which byte */
};

/*
 * lea_boot_memory_parse - text to memory
 * @arena:   owns the whole result
 * @bytes:   need not end in NUL; borrowed, not kept
 * @machine: this machine's id; a text of another machine is refused
 * Returns 0, LEA_BOOT_MEMORY_REFUSED or -ENOMEM. Linear.
 */
LEA_MUST_CHECK int lea_boot_memory_parse(struct lea_arena *arena, const char *bytes,
					 size_t len_bytes, const char *machine, struct lea_why *why,
					 struct lea_boot_memory *ret_memory);

/*
 * lea_boot_memory_format - memory to text
 * @ret_text: owned (free), at most LEA_BOOT_MEMORY_MAX_BYTES; a NUL follows
 * VGs that do not fit are left out whole, needed ones last. Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_boot_memory_format(const struct lea_boot_memory *memory, char **ret_text,
					  size_t *ret_bytes);

/* The VG with this id. Its VGs are sorted by it. NULL: none. */
struct lea_boot_vg *lea_boot_memory_vg(const struct lea_boot_memory *memory, const char *vg_id);

/* The first VG with this name, and the PV of any VG; NULL: none. They look at all of them. */
const struct lea_boot_vg *lea_boot_memory_vg_named(const struct lea_boot_memory *memory,
						   const char *name);
const struct lea_boot_pv *lea_boot_memory_pv(const struct lea_boot_memory *memory,
					     const char *pvid);

/* The word for a kind of device, as in the text. Static. */
const char *lea_boot_kind_name(enum lea_boot_kind kind);

/*
 * lea_boot_memory_decode - replace each \xHH of @text by the byte, in place
 * udev writes labels so. Returns false, with @text in an undefined state, if a backslash begins
 * anything else, or \x00.
 */
bool lea_boot_memory_decode(char *text);
