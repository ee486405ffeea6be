/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What segments of each family hold besides extents and areas, read and checked: every number is in
 * the range that its field allows, every LV is an index into vg->lvs. Sectors have 512 bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The link between an origin and one of its snapshots; belongs to the hidden LV snapshotN. */
struct lea_seg_snapshot {
	uint32_t origin, cow; /* LVs */
	uint32_t chunk_sectors;
	bool is_merging;
	const struct lea_seg_snapshot *next; /* of the same origin, in the order of the text */
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
	uint32_t external; /* LV outside the pool with the data of unwritten blocks, or LEA_NONE */
	uint32_t merge;	   /* LV that this one is being merged into, or LEA_NONE */
	uint32_t origin;   /* LV that this one was made of, for reports only, or LEA_NONE */
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

/* How a cache works. Stored in the cache pool, or in the cache itself if it uses a cache volume. */
struct lea_cache_options {
	uint32_t chunk_sectors;
	uint32_t format; /* of the metadata: 1 or 2 */
	enum lea_cache_mode mode;
	const char *policy; /* lower-case letters and digits */
	uint32_t setting_count;
	const struct lea_cache_setting *setting; /* in the order of the text */
};

struct lea_seg_cache_pool {
	uint32_t data, metadata; /* LVs */
	struct lea_cache_options options;
};

/* A piece of a cache volume. */
struct lea_cache_piece {
	uint64_t start_sectors, length_sectors;
	const char *id; /* 32 characters; NULL: the id of the cache volume */
};

struct lea_seg_cache {
	uint32_t origin; /* LV */
	uint32_t pool;	 /* LV: a cache pool, or a cache volume if is_volume is set */
	bool is_volume;
	bool is_cleaning;		       /* being written back, for removal of the cache */
	struct lea_cache_options options;      /* only with is_volume */
	struct lea_cache_piece metadata, data; /* only with is_volume */
};

enum lea_raid_kind {
	LEA_RAID_STRIPED,  /* raid0: no redundancy */
	LEA_RAID_MIRRORED, /* raid1: each image is a full copy */
	LEA_RAID_PARITY,
	LEA_RAID_COPIES, /* raid10: every chunk on some of the images */
};

struct lea_raid_level {
	const char *name, *kernel_name; /* in the metadata, in the dm table */
	enum lea_raid_kind kind;
	uint32_t parity; /* LEA_RAID_PARITY: number of images that may be missing */
};

struct lea_seg_raid {
	const struct lea_raid_level *level;
	uint32_t count;	    /* number of images */
	uint32_t *image;    /* [count]: LVs */
	uint32_t *metadata; /* [count]: LVs or LEA_NONE */
	uint32_t part_count;
	uint32_t *part; /* [part_count]: all image and metadata LVs, in the order of the dm table */
	uint32_t region_sectors;	     /* 0 for raid0 */
	uint32_t copies;		     /* only LEA_RAID_COPIES */
	uint32_t write_behind;		     /* 0: no limit */
	uint32_t min_recovery, max_recovery; /* KiB per second and image; 0: not set */
	uint32_t reshape_extents;	     /* of each image, reserved for reshapes */
	bool has_data_offset;
	uint64_t data_offset_sectors;
};

struct lea_seg_mirror {
	uint32_t log; /* LV, or LEA_NONE: log in memory */
	uint32_t region_sectors;
	uint32_t moved_extents; /* pvmove: extents moved so far */
};
/* pvmove: has the whole segment of @extent_count extents been moved? */
static inline bool lea_seg_mirror_is_moved(const struct lea_seg_mirror *mirror,
					   uint32_t extent_count)
{
	return mirror->moved_extents == extent_count;
}

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
	uint32_t header_sectors;  /* reserved at both ends of the virtual space */
	uint32_t virtual_extents; /* usable by LVs */
	uint32_t block_bytes;	  /* 512 or 4096: the smallest access */
	uint32_t cache_mib;	  /* block map cache in memory */
	uint32_t era_length;
	bool compresses, deduplicates;
	uint32_t max_discard; /* blocks of 4096 bytes */
	uint32_t ack_threads, bio_threads, bio_rotation, cpu_threads;
	uint32_t hash_threads, logical_threads, physical_threads;
};

struct lea_seg_vdo {
	uint32_t pool;	       /* LV */
	uint32_t first_extent; /* in the virtual space of the pool */
};
