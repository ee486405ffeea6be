/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What segments of each family say beyond extents and areas, as read and checked: every number is
 * in the range its field allows, every LV is an index into vg->lvs. Sizes are in sectors of 512.
 */
#ifndef LEA_DISK_SEGMENTS_H
#define LEA_DISK_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* The link between an origin and one snapshot of it; on the hidden LV snapshotN. */
struct lea_seg_snapshot {
	uint32_t origin, cow; /* LVs */
	uint32_t chunk_sectors;
	bool is_merging;
	const struct lea_seg_snapshot *next; /* of the same origin, in the text's order */
};

enum lea_discards { LEA_DISCARDS_IGNORE, LEA_DISCARDS_NOPASSDOWN, LEA_DISCARDS_PASSDOWN };

struct lea_seg_thin_pool {
	uint32_t data, metadata; /* LVs */
	uint64_t transaction_id;
	uint32_t chunk_sectors;
	enum lea_discards discards;
	bool zero, crop;
};

struct lea_seg_thin {
	uint32_t pool; /* LV */
	uint32_t device_id;
	uint32_t external; /* LV outside the pool that holds what was never written; or LEA_NONE */
	uint32_t merge;	   /* LV that is to become this one; or LEA_NONE */
};

enum lea_cache_mode {
	LEA_CACHE_WRITETHROUGH,
	LEA_CACHE_WRITEBACK,
	LEA_CACHE_PASSTHROUGH,
};

struct lea_cache_setting {
	const char *key; /* lower-case letters and underscores */
	uint64_t value;
};

/* How a cache is run; said by the pool, or by the cache itself when it is on a cache volume. */
struct lea_cache_how {
	uint32_t chunk_sectors;
	uint32_t format; /* of the metadata: 1 or 2 */
	enum lea_cache_mode mode;
	const char *policy; /* lower-case letters and digits */
	uint32_t setting_count;
	const struct lea_cache_setting *setting; /* in the text's order */
};

struct lea_seg_cache_pool {
	uint32_t data, metadata; /* LVs */
	struct lea_cache_how how;
};

/* A piece of a cache volume. */
struct lea_cache_piece {
	uint64_t start_sectors, length_sectors;
	const char *id; /* 32 characters; NULL: the cache volume's own */
};

struct lea_seg_cache {
	uint32_t origin; /* LV */
	uint32_t pool;	 /* LV: a cache pool, or with is_volume a cache volume */
	bool is_volume;
	bool is_cleaning;		       /* to be written back and no more used */
	struct lea_cache_how how;	       /* with is_volume */
	struct lea_cache_piece metadata, data; /* with is_volume */
};

enum lea_raid_kind {
	LEA_RAID_STRIPED,  /* raid0: nothing is kept twice */
	LEA_RAID_MIRRORED, /* raid1: each image has all of it */
	LEA_RAID_PARITY,
	LEA_RAID_COPIES, /* raid10: every chunk on some images */
};

struct lea_raid_level {
	const char *name, *kernel_name; /* in the metadata, in the table */
	enum lea_raid_kind kind;
	uint32_t parity; /* images that may be missing, LEA_RAID_PARITY */
};

struct lea_seg_raid {
	const struct lea_raid_level *level;
	uint32_t count;	    /* of images */
	uint32_t *image;    /* [count]: LVs */
	uint32_t *metadata; /* [count]: LVs or LEA_NONE */
	uint32_t part_count;
	uint32_t *part;		 /* [part_count]: all of them, in the order of the table */
	uint32_t region_sectors; /* 0 for raid0 */
	uint32_t copies;	 /* LEA_RAID_COPIES */
	uint32_t write_behind;	 /* 0: no limit set */
	uint32_t min_recovery, max_recovery; /* KiB per second and image, 0: not set */
	uint32_t reshape_extents;	     /* of each image, kept free for reshapes */
	bool has_data_offset;
	uint64_t data_offset_sectors;
};

struct lea_seg_mirror {
	uint32_t log; /* LV, or LEA_NONE: kept in memory */
	uint32_t region_sectors;
	uint32_t moved_extents; /* of a move in progress */
};

struct lea_seg_integrity {
	uint32_t origin;   /* LV */
	uint32_t metadata; /* LV, or LEA_NONE */
	uint64_t data_sectors;
	char mode; /* J: journal, B: bitmap */
	uint32_t tag_bytes, block_bytes;
	const char *hash; /* letters, digits, hyphens */
	uint32_t option_count;
	const char *options; /* " commit_time:100 allow_discards" */
};

#define LEA_WRITECACHE_OPTIONS 12U

struct lea_seg_writecache {
	uint32_t origin, fast; /* LVs; fast is a cache volume */
	uint32_t block_bytes;
	uint32_t option_count;
	const char *option[LEA_WRITECACHE_OPTIONS]; /* "fua", "high_watermark 60" */
};

struct lea_seg_vdo_pool {
	uint32_t data;		  /* LV */
	uint32_t header_sectors;  /* of its virtual space, at both ends, for nobody */
	uint32_t virtual_extents; /* for LVs */
	uint32_t block_bytes;	  /* 512 or 4096: the smallest access */
	uint32_t cache_mib;	  /* of the block map, in memory */
	uint32_t era_length;
	bool compresses, deduplicates;
	uint32_t max_discard; /* blocks of 4096 bytes */
	uint32_t ack_threads, bio_threads, bio_rotation, cpu_threads;
	uint32_t hash_threads, logical_threads, physical_threads;
};

struct lea_seg_vdo {
	uint32_t pool;	       /* LV */
	uint32_t first_extent; /* of the pool's virtual space */
};

#endif
